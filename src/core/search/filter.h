/* The operators of a search as conditions on rows. */
#ifndef CORE_SEARCH_FILTER_H
#define CORE_SEARCH_FILTER_H

#include "core/query/query.h"
#include "core/search/text.h"
#include "core/words.h"
#include "work/work.h"

#define SEARCH_FILTER_BINDS 48

struct search_filter {
    unsigned kinds;                  /* bit 1 << enum search_kind: kinds that can meet it */
    unsigned sources[SEARCH_KINDS];  /* bit 1 << enum search_source: texts of a kind in which words count */
    const char *where[SEARCH_KINDS]; /* conditions over t, each with " AND " before it; "" without one */
    const char *texts;               /* condition over s, the texts of an article t that count; NULL: all */
    bool some;                       /* results may lack some of the words */
    struct bind binds[SEARCH_FILTER_BINDS + 1];
    int bind_count;
    bool any;        /* there is a condition */
    bool common_tag; /* bound as :common_tag: a tag of many conversations, which all results have */
    bool by_created; /* rows are examined in the order of created_at */
    enum case_state state;
};

int search_texts_at_most(const struct desk *d); /* texts with a word that a search examines: --search-texts */

/* kinds: those that the caller asked for. Adds a notice for a value that does not exist; nothing meets it.
 * Fails with FIELD_INVALID of `query` if a date is invalid. Returns 0 or a negative error. */
int search_filter_read(struct work *w, const struct search_query *q, unsigned kinds, struct search_filter *f);

#endif
