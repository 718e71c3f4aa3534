/* The page of search results, which ?category= narrows. */
#include "pages/rows.h"
#include "base/encoding.h"
#include "pages/handlers.h"

#include "core/helpcenter/search.h"

#include <inttypes.h>

#define RESULTS 10
#define FILTERS 30   /* categories that are offered */
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

/* Path of this search in a category; 0: in all. */
static struct str search_path(const struct site_visit *v, int64_t category) {
    char id[INT_TEXT];
    struct str path = STR_CAT(v->arena, S("/search?query="), url_encoded(v->arena, v->searched));
    return category ? STR_CAT(v->arena, path, S("&category="), str_int(id, category)) : path;
}

static void search_filter_link(struct site_visit *v, int64_t category, bool chosen,
                               const struct site_text *title) {
    html(&v->main, "<li><a href=\"%s%s\"%h", v->root.p, search_path(v, category).p,
         chosen ? " aria-current=\"true\"" : "");
    site_text_lang(&v->main, v, title);
    html(&v->main, " rel=\"nofollow\">%s</a></li>\n", title->text.p ? title->text.p : "?");
}

/* The categories that the visitor sees, if there is a choice. */
static int search_filters(struct site_visit *v, int64_t chosen) {
    struct stmt *row;
    int64_t ids[FILTERS];
    struct site_text titles[FILTERS];
    int rc, n = 0;
    TRY(rows_start(
        v, access_categories,
        "SELECT t.id, " SITE_TEXT("7", "t.id") " FROM categories t WHERE t.deleted_at IS NULL AND",
        "AND (t.brand_id IS NULL OR t.brand_id = :brand) ORDER BY t.display_order, t.id LIMIT :most",
        BINDS(B_INT("most", FILTERS)), &row));
    for (; n < FILTERS && (rc = stmt_step(row)) == 1; n++)
        ids[n] = col_int(row, 0), titles[n] = rows_text(v, row, 1);
    stmt_end(row);
    if (rc < 0 || n < 2) return rc < 0 ? rc : 0;
    html(&v->main, "<nav class=\"filters\" aria-labelledby=\"filters\">\n<h2 id=\"filters\">%s</h2>\n<ul>\n",
         SAY(v, WORD_TOPIC));
    search_filter_link(v, 0, chosen == 0, &(struct site_text){{0}, str_of(SAY(v, WORD_ALL_TOPICS))});
    for (int i = 0; i < n; i++) search_filter_link(v, ids[i], ids[i] == chosen, &titles[i]);
    buf_text(&v->main, "</ul>\n</nav>\n");
    return 0;
}

static void search_nothing(struct site_visit *v, int64_t category) {
    html(&v->main, "<p>%s</p>\n<p class=\"buttons\">", SAY(v, WORD_NO_RESULTS));
    if (category)
        html(&v->main, "<a class=\"button\" href=\"%s%s\">%s</a> ", v->root.p, search_path(v, 0).p,
             SAY(v, WORD_ALL_TOPICS_TRY));
    html(&v->main, "<a class=\"button quiet\" href=\"%s/contact\">%s</a></p>\n", v->root.p,
         SAY(v, WORD_CONTACT));
}

static int search_results(struct site_visit *v, const struct help_center_result *r, int64_t category,
                          int64_t page) {
    char room[64];
    html(&v->main, "<h1>%s <q dir=\"auto\">%s</q></h1>\n", SAY(v, WORD_RESULTS_FOR),
         r->instead_of.p ? r->instead_of.p : v->searched.p);
    if (r->count || category) TRY(search_filters(v, category));
    if (r->count == 0) {
        search_nothing(v, category);
        return 0;
    }
    if (!r->more)
        html(&v->main, "<p class=\"count\">%s</p>\n",
             str_dup(v->arena, word_count(room, v->language, COUNTED_RESULTS, r->total)).p);
    html(&v->main, "<ol class=\"results\" start=\"%d\">\n", (int)((page - 1) * RESULTS + 1));
    for (int i = 0; i < r->count; i++) search_hit(v, &r->hits[i]);
    buf_text(&v->main, "</ol>\n");
    rows_numbered(v, STR_CAT(v->arena, search_path(v, category), S("&page=")), page,
                  r->total > page * RESULTS);
    return 0;
}

/* The first characters of the text, at most TEXT_MAX. */
static struct str text_cut(struct arena *a, struct str text) {
    size_t n = 0, count = 0;
    for (; n < text.n; n++)
        if (((unsigned char)text.p[n] & 0xC0) != 0x80 && ++count > TEXT_MAX) break;
    return str_dup(a, (struct str){text.p, n});
}

int show_search(struct site_visit *v) {
    int64_t page = site_query_int(v, "page", 1, 100), category = site_query_int(v, "category", 0, INT64_MAX);
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
                                        .category_id = category,
                                        .offset = (page - 1) * RESULTS,
                                        .limit = RESULTS};
    int rc = help_center_search(&v->work, &q, &r);
    if (rc < 0 && !failed(&v->work)) return rc;
    return search_results(v, &r, category, page);
}
