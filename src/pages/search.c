/* The page of search results. */
#include "pages/rows.h"
#include "pages/handlers.h"

#include "core/helpcenter/search.h"

#include <inttypes.h>

#define RESULTS 10
#define TEXT_MAX 200 /* characters, as the search field takes */

static void search_hit(struct site_visit *v, const struct help_center_hit *hit) {
    struct site_text title = site_text_of(v->arena, STR_CAT(v->arena, hit->locale, S(" "), hit->title));
    buf_text(&v->main, "<li><h2><a");
    site_text_lang(&v->main, v, &title);
    html(&v->main, " href=\"%s%s\">%s</a></h2>\n<p><bdi", v->root.p,
         rows_path(v, "articles", hit->article_id, title.text).p, title.text.p);
    site_text_lang(&v->main, v, &title);
    buf_char(&v->main, '>');
    if (hit->snippet.p) buf_str(&v->main, hit->snippet);
    buf_text(&v->main, "</bdi></p></li>\n");
}

static void search_results(struct site_visit *v, const struct help_center_result *r, int64_t page) {
    html(&v->main, "<h1>%s <q dir=\"auto\">%s</q></h1>\n", SAY(v, WORD_RESULTS_FOR),
         r->instead_of.p ? r->instead_of.p : v->searched.p);
    if (r->count == 0) {
        html(&v->main, "<p>%s</p>\n<p><a href=\"%s/contact\">%s</a></p>\n", SAY(v, WORD_NO_RESULTS),
             v->root.p, SAY(v, WORD_CONTACT));
        return;
    }
    html(&v->main, "<ol class=\"results\" start=\"%d\">\n", (int)((page - 1) * RESULTS + 1));
    for (int i = 0; i < r->count; i++) search_hit(v, &r->hits[i]);
    buf_text(&v->main, "</ol>\n");
    struct str path = STR_CAT(v->arena, S("/search?query="), url_encoded(v->arena, v->searched), S("&page="));
    rows_numbered(v, path, page, r->total > page * RESULTS);
}

/* The first characters of the text, at most TEXT_MAX. */
static struct str text_cut(struct arena *a, struct str text) {
    size_t n = 0, count = 0;
    for (; n < text.n; n++)
        if (((unsigned char)text.p[n] & 0xC0) != 0x80 && ++count > TEXT_MAX) break;
    return str_dup(a, (struct str){text.p, n});
}

int show_search(struct site_visit *v) {
    int64_t page = site_query_int(v, "page", 1, 100);
    struct help_center_result r = {0};
    v->searched = text_cut(v->arena, site_query(v, "query"));
    v->head.title = str_of(SAY(v, WORD_SEARCH));
    v->head.unindexed = true;
    if (v->searched.n == 0) {
        html(&v->main, "<h1>%s</h1>\n<p>%s</p>\n", v->head.title.p, SAY(v, WORD_SEARCH_HINT));
        return 0;
    }
    const struct help_center_query q = {.text = v->searched,
                                        .locale = v->locale,
                                        .fallback = v->brand.locale,
                                        .brand_id = v->brand.id,
                                        .offset = (page - 1) * RESULTS,
                                        .limit = RESULTS};
    int rc = help_center_search(&v->work, &q, &r);
    if (rc < 0 && !failed(&v->work)) return rc;
    search_results(v, &r, page);
    return 0;
}
