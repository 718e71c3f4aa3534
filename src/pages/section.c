/* The pages of a category and of a section. */
#include "pages/rows.h"
#include "pages/handlers.h"

#include "core/words.h"

#include <inttypes.h>

#define PAGE_ROWS 20
#define PAGE_LAST 1000

static void page_heading(struct site_visit *v, const struct site_text *title,
                         const struct site_text *description) {
    buf_text(&v->main, "<h1><bdi");
    site_text_lang(&v->main, v, title);
    html(&v->main, ">%s</bdi></h1>\n", v->head.title.p);
    if (description->text.p == NULL || description->text.n == 0) return;
    buf_text(&v->main, "<p class=\"lead\"><bdi");
    site_text_lang(&v->main, v, description);
    html(&v->main, ">%s</bdi></p>\n", description->text.p);
    v->head.description = description->text;
}

static struct str title_or_mark(struct str title) { return title.n ? title : S("?"); }

/* ---- a category ------------------------------------------------------------------------------ */

/* Returns 1, 0 if the visitor does not see the category, or a negative error. */
static int category_read(struct site_visit *v, int64_t id, struct site_text *title,
                         struct site_text *description, int64_t *icon) {
    struct stmt *row;
    TRY(rows_start(v, access_categories,
                   "SELECT " SITE_TEXT("7", "t.id") ", " SITE_TEXT(
                       "8", "t.id") ", t.icon FROM categories t WHERE t.deleted_at IS NULL AND",
                   "AND t.id = :id AND (t.brand_id IS NULL OR t.brand_id = :brand)", BINDS(B_INT("id", id)),
                   &row));
    int rc = stmt_step(row);
    if (rc == 1) {
        *title = rows_text(v, row, 0), *description = rows_text(v, row, 1);
        *icon = col_int(row, 2);
    }
    stmt_end(row);
    return rc;
}

static int category_sections(struct site_visit *v, int64_t id) {
    struct stmt *row;
    int rc, n = 0;
    bool writer = access_writes_articles(&v->work.actor);
    TRY(rows_start(v, access_sections,
                   "SELECT t.id, " SITE_TEXT("9", "t.id") ", " SITE_TEXT(
                       "10", "t.id") ", t.published_articles, t.total_articles FROM sections t WHERE",
                   "AND t.category_id = :category ORDER BY t.sort_order, t.id LIMIT 500",
                   BINDS(B_INT("category", id)), &row));
    while ((rc = stmt_step(row)) == 1) {
        struct site_text title = rows_text(v, row, 1), description = rows_text(v, row, 2);
        if (n++ == 0) buf_text(&v->main, "<ul class=\"sections\">\n");
        buf_text(&v->main, "<li><h2><a");
        site_text_lang(&v->main, v, &title);
        html(&v->main, " href=\"%s%s\">%s</a> <span class=\"count\">%d</span></h2>\n", v->root.p,
             rows_path(v, "sections", col_int(row, 0), title.text).p, title_or_mark(title.text).p,
             (int)col_int(row, writer ? 4 : 3));
        site_description(v, &description);
        buf_text(&v->main, "</li>\n");
    }
    stmt_end(row);
    if (n) buf_text(&v->main, "</ul>\n");
    return rc < 0 ? rc : n;
}

/* A category is shown if the visitor sees one of its sections. Staff see empty ones, too. */
int show_category(struct site_visit *v) {
    struct site_text title, description;
    int64_t id = rows_id(v), icon = 0;
    int rc = category_read(v, id, &title, &description, &icon);
    if (rc <= 0) return rc < 0 ? rc : site_not_found(v);
    v->head.title = title_or_mark(title.text);
    v->head.path = rows_path(v, "categories", id, title.text);
    site_crumbs(v, &(struct site_crumb){title, {0}}, 1);
    v->head.kind = "list";
    rows_tile(v, icon, title.text);
    page_heading(v, &title, &description);
    int shown = category_sections(v, id);
    TRY(shown);
    if (shown == 0 && !site_is_staff(v)) return site_not_found(v);
    if (rows_moved(v, v->head.path)) return 0;
    if (shown == 0) html(&v->main, "<p>%s</p>\n", SAY(v, WORD_NO_ARTICLES));
    return rows_languages(v, TITLE_OF_CATEGORY, id, "categories", &v->head.languages);
}

/* ---- a section ------------------------------------------------------------------------------- */

struct section_row {
    struct site_text title, description, category;
    int64_t category_id;
    int order;
};

static int load_section(struct site_visit *v, int64_t id, struct section_row *out) {
    struct stmt *row;
    TRY(rows_start(v, access_sections,
                   "SELECT " SITE_TEXT("9", "t.id") ", " SITE_TEXT("10", "t.id") ", " SITE_TEXT(
                       "7", "t.category_id") ", t.category_id, t.article_order_by FROM sections t WHERE",
                   "AND t.id = :id AND " SECTION_OF_BRAND, BINDS(B_INT("id", id)), &row));
    int rc = stmt_step(row);
    if (rc == 1)
        *out = (struct section_row){rows_text(v, row, 0), rows_text(v, row, 1), rows_text(v, row, 2),
                                    col_int(row, 3), (int)col_int(row, 4)};
    stmt_end(row);
    return rc;
}

static const char *articles_after(int order) {
#define OF_SECTION "AND t.section_id = :section AND t.deleted_at IS NULL ORDER BY "
#define OF_PAGE " LIMIT :most OFFSET :first"
    switch (order) {
    case ARTICLES_POPULAR: return OF_SECTION "t.rank DESC, t.id DESC" OF_PAGE;
    case ARTICLES_MANUAL: return OF_SECTION "t.sort_order, t.id" OF_PAGE;
    default: return OF_SECTION "COALESCE(t.published_at, t.created_at) DESC, t.id DESC" OF_PAGE;
    }
}

int show_section(struct site_visit *v) {
    struct section_row s;
    int64_t id = rows_id(v), page = site_query_int(v, "page", 1, PAGE_LAST);
    bool more;
    int rc = load_section(v, id, &s);
    if (rc <= 0) return rc < 0 ? rc : site_not_found(v);
    v->head.title = title_or_mark(s.title.text);
    v->head.path = rows_path(v, "sections", id, s.title.text);
    if (rows_moved(v, v->head.path)) return 0;
    v->head.feed = STR_CAT(v->arena, v->head.path, S("/feed.atom"));
    const struct site_crumb crumbs[] = {
        {s.category, rows_path(v, "categories", s.category_id, s.category.text)}, {s.title, {0}}};
    v->head.kind = "list";
    site_crumbs(v, crumbs, 2);
    page_heading(v, &s.title, &s.description);
    int n = rows_articles(
        v, NULL, articles_after(s.order),
        BINDS(B_INT("section", id), B_INT("most", PAGE_ROWS + 1), B_INT("first", (page - 1) * PAGE_ROWS)),
        PAGE_ROWS, &more);
    TRY(n);
    if (n == 0 && page > 1) return site_not_found(v);
    if (n == 0) html(&v->main, "<p>%s</p>\n", SAY(v, WORD_NO_ARTICLES));
    rows_pager(v, v->head.path, page, more);
    if (page > 1) v->head.path = str_fmt(v->arena, "%s?page=%" PRId64, v->head.path.p, page);
    return page > 1 ? 0 : rows_languages(v, TITLE_OF_SECTION, id, "sections", &v->head.languages);
}
