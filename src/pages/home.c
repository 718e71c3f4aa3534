/* The first page: categories with their sections, featured and popular articles. */
#include "pages/shelf.h"
#include "pages/shown.h"

#include <inttypes.h>

#define HOME_SECTIONS 200
#define HOME_ARTICLES 6

/* The languages in which this help center has titles of categories, with that of the brand. */
QUERY(site_languages_home, "SELECT n.locale, n.native_name, n.direction FROM locales n WHERE n.locale = :fallback OR EXISTS (SELECT 1 FROM "
                           "categories g JOIN locale_fields l ON l.owner_kind = 7 AND l.owner_id = g.id AND l.locale = n.locale "
                           "WHERE g.deleted_at IS NULL AND (g.brand_id IS NULL OR g.brand_id = :brand)) ORDER BY n.id");

static int home_languages(struct site_visit *v, struct site_language **out) {
    int rc;
    *out = NULL;
    DB_ROWS(rc, v->work.conn, &site_languages_home, BINDS(B_TEXT("fallback", v->brand.locale), B_INT("brand", v->brand.id)), row) {
        struct site_language *l = *out = ARENA_NEW(v->arena, struct site_language);
        *l = (struct site_language){str_dup(v->arena, col_text(row, 0)), str_dup(v->arena, col_text(row, 1)), {0}, false, NULL};
        l->rtl = str_eq(col_text(row, 2), S("RTL"));
        out = &l->next;
    }
    return rc;
}

static void home_category(struct site_visit *v, int64_t id, const struct site_text *title) {
    buf_text(&v->main, "<section class=\"category\">\n<h2");
    site_text_lang(&v->main, v, title);
    html(&v->main, "><a href=\"%s%s\">%s</a></h2>\n<ul>\n", v->root.p, shelf_path(v, "categories", id, title->text).p,
         title->text.p ? title->text.p : "?");
}

static void home_section(struct site_visit *v, int64_t id, const struct site_text *title, int64_t articles) {
    buf_text(&v->main, "<li");
    site_text_lang(&v->main, v, title);
    html(&v->main, "><a href=\"%s%s\">%s</a> <span class=\"count\">%d</span></li>\n", v->root.p,
         shelf_path(v, "sections", id, title->text).p, title->text.p ? title->text.p : "?", (int)articles);
}

static int home_sections(struct site_visit *v) {
    struct stmt *row;
    int64_t category = 0;
    int rc;
    bool writer = access_writes_articles(&v->work.actor);
    TRY(shelf_start(v, access_sections,
                    "SELECT t.id, " SITE_TEXT("9", "t.id") ", t.published_articles, t.total_articles, t.category_id, " SITE_TEXT(
                        "7", "t.category_id") " FROM sections t JOIN categories hg ON hg.id = t.category_id WHERE",
                    "AND (hg.brand_id IS NULL OR hg.brand_id = :brand) ORDER BY hg.display_order, hg.id, t.sort_order, t.id LIMIT :most",
                    BINDS(B_INT("most", HOME_SECTIONS)), &row));
    buf_text(&v->main, "<div class=\"categories\">\n");
    while ((rc = stmt_step(row)) == 1) {
        struct site_text title = shelf_text(v, row, 1), of = shelf_text(v, row, 5);
        if (col_int(row, 4) != category) {
            if (category) buf_text(&v->main, "</ul>\n</section>\n");
            category = col_int(row, 4);
            home_category(v, category, &of);
        }
        home_section(v, col_int(row, 0), &title, col_int(row, writer ? 3 : 2));
    }
    stmt_end(row);
    if (category) buf_text(&v->main, "</ul>\n</section>\n");
    else html(&v->main, "<p>%s</p>\n", SAY(v, WORD_NO_ARTICLES));
    buf_text(&v->main, "</div>\n");
    return rc;
}

int show_home(struct site_visit *v) {
    v->head.title = str_of(SAY(v, WORD_HELP_CENTER));
    v->head.path = S("");
    TRY(home_languages(v, &v->head.languages));
    html(&v->main, "<h1>%s</h1>\n", v->head.title.p);
    const struct bind *most = BINDS(B_INT("most", HOME_ARTICLES));
    TRY(shelf_articles(v, SAY(v, WORD_FEATURED),
                       "AND t.is_featured = 1 AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND " ORDER BY t.id DESC LIMIT :most", most,
                       HOME_ARTICLES, NULL));
    TRY(home_sections(v));
    TRY(shelf_articles(v, SAY(v, WORD_POPULAR),
                       "AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND " ORDER BY t.views DESC, t.id DESC LIMIT :most", most,
                       HOME_ARTICLES, NULL));
    return 0;
}
