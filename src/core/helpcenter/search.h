/* Searches of the help center and suggestions while typing (docs/HELPCENTER.md). The API and the pages
 * call them.
 *
 * Only published articles that the actor may see, also for staff. An article is searched and shown in one
 * locale: the requested one, otherwise the fallback, otherwise the oldest translation. */
#ifndef CORE_HELPCENTER_SEARCH_H
#define CORE_HELPCENTER_SEARCH_H

#include "core/query/query.h"
#include "work/work.h"

struct help_center_query {
    /* at most LIMIT_SEARCH_QUERY characters; the words are not more than LIMIT_SEARCH_WORDS */
    struct str text;
    /* codes of locales; fallback p NULL: that of the brand, without one that of the desk */
    struct str locale, fallback;
    int64_t brand_id;    /* articles of this brand and of all brands; 0: articles of any brand */
    int64_t category_id; /* needs brand_id; 0: any. The insights do not count a search with a category */
    int64_t offset, limit;
};

struct help_center_hit {
    int64_t article_id;
    struct str locale, title;
    /* Path of the page, below the base URL: "/helpcenter/en-us/articles/12-reset-your-password". */
    struct str path;
    /* of a search; suggestions have none */
    struct str uuid, snippet; /* snippet: HTML. The words are in <em>, everything else is escaped */
    int64_t created_at, updated_at;
};

struct help_center_result {
    struct help_center_hit *hits; /* results of the requested page, in the arena */
    int count;
    int64_t total;
    bool empty; /* the text has no word */
    bool more;  /* `total` is a lower bound */
    bool some;  /* no article has all words: the articles have most of them */
    bool whole; /* as in search_found */
    const struct search_remark *remarks;
    struct str
        /* the text whose results are shown, because a word of the search is in no article; p NULL: the text
         * of the search */
        instead_of;
};

/* Counts the search for the insights, if the page is the first one. Returns 0, or a negative error:
 * FIELD_INVALID of `query` for too many words. */
int help_center_search(struct work *w, const struct help_center_query *q, struct help_center_result *out);

/* Articles whose title has all words of the text; without one, those with most of its rare words. The last
 * word may be the beginning of a word. At most 10; offset and limit are ignored. */
int help_center_suggest(struct work *w, const struct help_center_query *q, struct help_center_result *out);

#endif
