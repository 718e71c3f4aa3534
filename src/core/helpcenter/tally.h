/* Views of articles and searches of the help center. core/desk/gather.h writes them. */
#ifndef CORE_HELPCENTER_TALLY_H
#define CORE_HELPCENTER_TALLY_H

#include "work/work.h"

#define GATHERED_ARTICLES (48 * 1024) /* articles viewed between two writes */
#define GATHERED_SEARCHES 3072        /* the same for texts */
#define GATHERED_TEXT 255             /* bytes of a text that are kept */

/* Counts a view on a day, from 1970-01-01. */
void article_viewed(struct desk *d, int64_t article_id, int64_t day);
/* Counts a view, unless the reader is staff or a bot, also by the day that the clock of the desk shows. */
void article_read(struct desk *d, const struct actor *reader, struct arena *a, int64_t article_id);
bool is_bot(struct str user_agent);
/* Counts a search and its number of results. Texts with the same fold_key are one. An empty text is not
 * counted. */
void search_counted(struct desk *d, struct str text, int results);

/* ---- insights: the searches of a period ------------------------------------------------------ */

#define INSIGHT_NAMES 10       /* texts of a report, unless the caller asks for others */
#define INSIGHT_NAMES_MOST 100 /* at most */

struct query_insight {
    struct str name; /* the text as it was typed first in the period */
    /* results: of all attempts together; searched_at: the last attempt */
    int64_t attempts, results, searched_at;
};

/* Reads the most frequent texts that were searched in a period. end: its last second. all false: only
 * those that never had a result. out has room for `most`. Returns their number, or a negative error. */
int insight_searches(struct work *w, int64_t start, int64_t end, bool all, int64_t most,
                     struct query_insight *out);

#endif
