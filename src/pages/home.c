/* The first page: categories with their sections, featured and popular articles. */
#include "pages/rows.h"
#include "pages/handlers.h"

#include <inttypes.h>

#define HOME_SECTIONS 200
#define HOME_ARTICLES 6

static void home_category(struct site_visit *v, int64_t id, const struct site_text *title) {
    buf_text(&v->main, "<section class=\"category\">\n<h2><a");
    site_text_lang(&v->main, v, title);
    html(&v->main, " href=\"%s%s\">%s</a></h2>\n<ul>\n", v->root.p,
         rows_path(v, "categories", id, title->text).p, title->text.p ? title->text.p : "?");
}

static void home_section(struct site_visit *v, int64_t id, const struct site_text *title,
                         const struct site_text *description, int64_t articles) {
    buf_text(&v->main, "<li><a");
    site_text_lang(&v->main, v, title);
    html(&v->main, " href=\"%s%s\">%s</a> <span class=\"count\">%d</span>", v->root.p,
         rows_path(v, "sections", id, title->text).p, title->text.p ? title->text.p : "?", (int)articles);
    site_description(v, description);
    buf_text(&v->main, "</li>\n");
}

/* In the order of home_sections. A title is read when its row is. */
QUERY(site_home_categories,
      "SELECT g.id, " SITE_TEXT("7", "g.id") " FROM categories g "
                                             "WHERE g.deleted_at IS NULL AND (g.brand_id IS NULL "
                                             "OR g.brand_id = :brand) ORDER BY g.display_order, g.id");

struct home_list {
    struct stmt *sections, *categories;
    int64_t category; /* the one whose sections are being written; 0: none yet */
};

/* Begins a category, unless it has begun. Both statements have the same order, so its row is further on. */
static int home_category_begin(struct site_visit *v, struct home_list *list, int64_t id) {
    int rc;
    if (id == list->category) return 0;
    if (list->category) buf_text(&v->main, "</ul>\n</section>\n");
    list->category = id;
    while ((rc = stmt_step(list->categories)) == 1 && col_int(list->categories, 0) != id) continue;
    struct site_text title = rc == 1 ? rows_text(v, list->categories, 1) : (struct site_text){0};
    home_category(v, id, &title);
    return rc;
}

static int home_rows(struct site_visit *v, struct home_list *list) {
    bool writer = access_writes_articles(&v->work.actor);
    int rc;
    while ((rc = stmt_step(list->sections)) == 1) {
        struct site_text title = rows_text(v, list->sections, 1),
                         description = rows_text(v, list->sections, 5);
        TRY(home_category_begin(v, list, col_int(list->sections, 4)));
        home_section(v, col_int(list->sections, 0), &title, &description,
                     col_int(list->sections, writer ? 3 : 2));
    }
    return rc;
}

static int home_sections(struct site_visit *v) {
    struct home_list list = {0};
    /* Titles are read after the limit, not before the order. */
    TRY(rows_start(
        v, access_sections,
        "SELECT x.id, " SITE_TEXT("9", "x.id") ", x.published_articles, x.total_articles, x.category_id, " SITE_TEXT(
            "10", "x.id") " FROM (SELECT t.id, t.published_articles, "
                          "t.total_articles, t.category_id, hg.display_order, t.sort_order "
                          "FROM sections t JOIN categories hg ON hg.id = t.category_id WHERE",
        "AND (hg.brand_id IS NULL OR hg.brand_id = :brand) "
        "ORDER BY hg.display_order, hg.id, t.sort_order, t.id "
        "LIMIT :most) x ORDER BY x.display_order, x.category_id, x.sort_order, x.id",
        BINDS(B_INT("most", HOME_SECTIONS)), &list.sections));
    int rc = db_start(
        v->work.conn, site_home_categories.sql,
        BINDS(B_TEXT("locale", v->locale), B_TEXT("fallback", v->brand.locale), B_INT("brand", v->brand.id)),
        &list.categories);
    buf_text(&v->main, "<div class=\"categories\">\n");
    if (rc == 0) {
        rc = home_rows(v, &list);
        stmt_end(list.categories);
    }
    stmt_end(list.sections);
    if (list.category) buf_text(&v->main, "</ul>\n</section>\n");
    else html(&v->main, "<p>%s</p>\n", SAY(v, WORD_NO_ARTICLES));
    buf_text(&v->main, "</div>\n");
    return rc;
}

int show_home(struct site_visit *v) {
    v->head.title = str_of(SAY(v, WORD_HELP_CENTER));
    v->head.path = S("");
    v->head.languages = v->brand.languages;
    html(&v->main, "<h1>%s</h1>\n", v->head.title.p);
    const struct bind *most = BINDS(B_INT("most", HOME_ARTICLES));
    TRY(rows_articles(v, SAY(v, WORD_FEATURED),
                      "AND t.status = 3 AND t.is_featured = 1 AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND
                      " ORDER BY t.id DESC LIMIT :most",
                      most, HOME_ARTICLES, NULL));
    TRY(home_sections(v));
    TRY(rows_articles(v, SAY(v, WORD_POPULAR), /* without the featured ones, which stand above */
                      "AND t.status = 3 AND t.is_featured = 0 AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND
                      " ORDER BY t.views DESC, t.id DESC LIMIT :most",
                      most, HOME_ARTICLES, NULL));
    return 0;
}
