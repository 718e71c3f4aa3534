/* Titles and snippets of hits. */
#ifndef CORE_SEARCH_SHOW_H
#define CORE_SEARCH_SHOW_H

#include "core/search/find.h"

struct search_shown {
    /* snippet: HTML. The words of the search are in <em>, everything else is escaped */
    struct str title, snippet;
    struct str locale; /* for an article: locale of title and snippet */
    int64_t created_at;
};

/* Reads titles and snippets, with a few queries for all hits. shown: parallel to hits. Returns 0 or a
 * negative error. */
int search_show(struct work *w, struct str language, const struct search_query *q,
                const struct search_hit *hits, int count, struct search_shown *shown);

/* The part of a text that has most of the words: about 200 characters, as HTML. */
struct str search_snippet(struct arena *a, struct str language, const struct search_query *q,
                          struct str text);

#endif
