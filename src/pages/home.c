/* The first page: the search, a card for each category with its sections, featured and popular articles. */
#include "pages/rows.h"
#include "pages/handlers.h"

#include "core/desk/brand_picture.h"

#include <inttypes.h>

#define HOME_SECTIONS 200
#define HOME_ARTICLES 6
#define HOME_OF_CATEGORY 5 /* sections that the card of a category names */

static void home_category(struct site_visit *v, int64_t id, int64_t icon, const struct site_text *title,
                          const struct site_text *description) {
    buf_text(&v->main, "<section class=\"category\">\n");
    rows_tile(v, icon, title->text);
    buf_text(&v->main, "<h2><a");
    site_text_lang(&v->main, v, title);
    html(&v->main, " href=\"%s%s\">%s</a></h2>", v->root.p, rows_path(v, "categories", id, title->text).p,
         title->text.p ? title->text.p : "?");
    site_description(v, description);
    buf_text(&v->main, "\n<ul>\n");
}

static void home_section(struct site_visit *v, int64_t id, const struct site_text *title, int64_t articles) {
    buf_text(&v->main, "<li><a");
    site_text_lang(&v->main, v, title);
    html(&v->main, " href=\"%s%s\">%s</a> <span class=\"count\">%d</span></li>\n", v->root.p,
         rows_path(v, "sections", id, title->text).p, title->text.p ? title->text.p : "?", (int)articles);
}

/* In the order of home_sections. A title is read when its row is. */
QUERY(site_home_categories,
      "SELECT g.id, " SITE_TEXT("7", "g.id") ", " SITE_TEXT(
          "8", "g.id") ", g.icon FROM categories g "
                       "WHERE g.deleted_at IS NULL AND (g.brand_id IS NULL OR g.brand_id = :brand) "
                       "ORDER BY g.display_order, g.id");

struct home_list {
    struct stmt *sections, *categories;
    int64_t category; /* the one whose sections are being written; 0: none yet */
    struct str path;  /* of its page */
    int shown, count; /* its sections: those that were written, and all */
    int64_t articles; /* in all of them */
};

static void home_category_end(struct site_visit *v, const struct home_list *list) {
    char room[64];
    if (list->count > list->shown)
        html(&v->main, "<li><a href=\"%s%s\">%s</a> <span class=\"count\">%d</span></li>\n", v->root.p,
             list->path.p, SAY(v, WORD_ALL_SECTIONS), list->count);
    html(&v->main, "</ul>\n<p class=\"count\">%s</p>\n</section>\n",
         str_dup(v->arena, word_count(room, v->language, COUNTED_ARTICLES, list->articles)).p);
}

/* Begins a category, unless it has begun. Both statements have the same order, so its row is further on. */
static int home_category_begin(struct site_visit *v, struct home_list *list, int64_t id) {
    int rc;
    if (id == list->category) return 0;
    if (list->category) home_category_end(v, list);
    while ((rc = stmt_step(list->categories)) == 1 && col_int(list->categories, 0) != id) continue;
    struct site_text title = {0}, description = {0};
    int64_t icon = rc == 1 ? col_int(list->categories, 3) : 0;
    if (rc == 1) title = rows_text(v, list->categories, 1), description = rows_text(v, list->categories, 2);
    list->category = id;
    list->path = rows_path(v, "categories", id, title.text);
    list->shown = list->count = 0;
    list->articles = 0;
    home_category(v, id, icon, &title, &description);
    return rc;
}

static int home_rows(struct site_visit *v, struct home_list *list) {
    bool writer = access_writes_articles(&v->work.actor);
    int rc;
    while ((rc = stmt_step(list->sections)) == 1) {
        struct site_text title = rows_text(v, list->sections, 1);
        int64_t articles = col_int(list->sections, writer ? 3 : 2);
        TRY(home_category_begin(v, list, col_int(list->sections, 4)));
        list->articles += articles;
        if (list->count++ >= HOME_OF_CATEGORY) continue;
        list->shown++;
        home_section(v, col_int(list->sections, 0), &title, articles);
    }
    return rc;
}

static int home_sections(struct site_visit *v) {
    struct home_list list = {0};
    /* Titles are read after the limit, not before the order. */
    TRY(rows_start(v, access_sections,
                   "SELECT x.id, " SITE_TEXT(
                       "9", "x.id") ", x.published_articles, x.total_articles, x.category_id "
                                    "FROM (SELECT t.id, t.published_articles, "
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
    if (list.category) home_category_end(v, &list);
    else html(&v->main, "<p>%s</p>\n", SAY(v, WORD_NO_ARTICLES));
    buf_text(&v->main, "</div>\n");
    return rc;
}

static const char *home_picture_address(const struct site_visit *v, int width) {
    const struct site_brand *b = &v->brand;
    return STR_CAT(v->arena, v->prefix, brand_picture_path(v->arena, b->id, width, b->picture_at)).p;
}

/* The picture fills the ground of the search, so its width is that of the window. It says nothing, and
 * nothing waits for it. */
static void home_picture(struct site_visit *v) {
    int widest = v->brand.picture_width;
    html(&v->main, "<img class=\"picture\" alt=\"\" decoding=\"async\" sizes=\"100vw\" src=\"%s\" srcset=\"",
         home_picture_address(v, widest));
    for (int i = 0; i < BRAND_PICTURE_WIDTHS && brand_picture_widths[i] < widest; i++)
        html(&v->main, "%s %dw, ", home_picture_address(v, brand_picture_widths[i]), brand_picture_widths[i]);
    html(&v->main, "%s %dw\">\n", home_picture_address(v, widest), widest);
}

static void home_hero(struct site_visit *v) {
    bool pictured = v->brand.picture_at != 0;
    html(&v->main, "<div class=\"hero%h\">\n", pictured ? " pictured" : "");
    if (pictured) home_picture(v);
    html(&v->main, "<h1>%s</h1>\n", SAY(v, WORD_HOW_CAN_WE_HELP));
    site_search_form(v, &v->main);
    buf_text(&v->main, "</div>\n");
}

/* Featured articles, and popular ones that are not featured. */
static int home_shelves(struct site_visit *v) {
    const struct bind *most = BINDS(B_INT("most", HOME_ARTICLES));
    buf_text(&v->main, "<div class=\"shelves\">\n<div>\n");
    TRY(rows_articles(v, SAY(v, WORD_FEATURED),
                      "AND t.status = 3 AND t.is_featured = 1 AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND
                      " ORDER BY t.id DESC LIMIT :most",
                      most, HOME_ARTICLES, NULL));
    buf_text(&v->main, "</div>\n<div>\n");
    TRY(rows_articles(v, SAY(v, WORD_POPULAR),
                      "AND t.status = 3 AND t.is_featured = 0 AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND
                      " ORDER BY t.views DESC, t.id DESC LIMIT :most",
                      most, HOME_ARTICLES, NULL));
    buf_text(&v->main, "</div>\n</div>\n");
    return 0;
}

int show_home(struct site_visit *v) {
    v->head.title = str_of(SAY(v, WORD_HELP_CENTER));
    v->head.path = S("");
    v->head.languages = v->brand.languages;
    v->head.kind = "home";
    v->head.has_search = true;
    home_hero(v);
    TRY(home_sections(v));
    return home_shelves(v);
}
