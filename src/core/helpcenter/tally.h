/* Views of articles and searches of the help center, gathered in memory and written in batches, so that
 * neither costs a write.
 *
 * The job runner writes them every 15 seconds, when a table is half full, and when the process stops. Each
 * write takes up to 500 articles or texts. A process that is killed loses what it has gathered since the
 * last write. Several processes add to the same rows, so their sums are exact. */
#ifndef CORE_HELPCENTER_TALLY_H
#define CORE_HELPCENTER_TALLY_H

#include "work/work.h"

#define GATHERED_ARTICLES \
    (64 * 1024)                /* slots for articles viewed between two writes; one slot in four stays free */
#define GATHERED_SEARCHES 4096 /* the same for texts */
#define GATHERED_TEXT 255      /* bytes of a text that are kept */

struct gathered;
struct gathered *gathered_new(void); /* NULL: no memory */
void gathered_free(struct gathered *g);

/* The following are called by any thread, and do nothing if d->gathered is NULL. */

/* Counts a view. Views of further articles are dropped while the table is full. */
void article_viewed(struct desk *d, int64_t article_id);
/* Counts a view by the actor of this work, unless the actor is staff or a bot. */
void article_read(struct work *w, int64_t article_id);
bool is_bot(struct str user_agent);
/* Counts a search and its number of results. Texts with the same fold_key are one. An empty text is not
 * counted. */
void search_counted(struct desk *d, struct str text, int results);

bool gathered_waits(const struct desk *d); /* true: a table is half full, so write before the next turn */
/* Writes all counts. Counts that can't be written are gathered again. Do not call it on a writer thread. */
int gathered_flush(struct desk *d);

#endif
