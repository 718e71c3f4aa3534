/* Finds conversations, people, organizations and articles (docs/SEARCH.md). */
#ifndef CORE_SEARCH_FIND_H
#define CORE_SEARCH_FIND_H

#include "core/search/filter.h"

struct search_hit {
    int kind;            /* enum search_kind */
    int64_t id, text_id; /* text_id: the text that has most of the words; 0: none was compared */
    double relevance;    /* 0 to 1, four decimals */
    int64_t place;       /* hits of equal relevance and kind: the lower comes first */
};

struct search_found {
    struct search_hit *hits; /* the results in their order, in the arena */
    int count;
    bool more; /* there may be more than were found: the words are common */
    /* too many texts have words that begin with the last word, so it was searched as a whole word */
    bool whole;
};

/* Only rows that the actor may see. Returns 0 or a negative error. */
int search_find(struct work *w, const struct search_query *q, const struct search_filter *f,
                struct search_found *out);

/* Counts visible articles that have the word, at most `enough`; of a common word only among some. Returns
 * the number or a negative error. */
int search_word_visible(struct work *w, const struct search_filter *f, const struct search_term *t,
                        int enough);
/* Runs a statement over visible articles t and their texts s that the filter admits: select, then the
 * conditions, then rest. */
int search_articles_start(struct work *w, const struct search_filter *f, const char *select, const char *rest,
                          const struct bind *binds, struct stmt **s);

#endif
