#include "pages/rows.h"
#include "base/encoding.h"
#include "pages/icon.h"

#include "core/helpcenter/slug.h"

#include <inttypes.h>

int rows_start(struct site_visit *v, site_access *access, const char *before, const char *after,
               const struct bind *own, struct stmt **out) {
    struct branches b = {0};
    struct bind *binds = arena_array(v->arena, BRANCH_BINDS_MAX + 12, sizeof *binds);
    int n = 0;
    access(&v->work, &b);
    struct str where = b.all ? S("1 = 1") : S("1 = 0");
    for (int i = 0; i < b.count; i++)
        where = i ? STR_CAT(v->arena, where, S(" OR "), str_of(b.where[i])) : str_of(b.where[i]);
    for (int i = 0; i < b.bind_count; i++) binds[n++] = b.binds[i];
    for (const struct bind *o = own; o && o->name; o++) binds[n++] = *o;
    binds[n++] = (struct bind)B_TEXT("locale", v->locale);
    binds[n++] = (struct bind)B_TEXT("fallback", v->brand.locale);
    binds[n++] = (struct bind)B_INT("brand", v->brand.id);
    struct str sql = STR_CAT(v->arena, str_of(before), S(" ("), where, S(") "), str_of(after));
    return db_start(v->work.conn, sql.p, binds, out);
}

struct site_text rows_text(struct site_visit *v, struct stmt *row, int column) {
    return site_text_of(v->arena, col_text(row, column));
}

struct str rows_path(struct site_visit *v, const char *kind, int64_t id, struct str title) {
    return STR_CAT(v->arena, S("/"), str_of(kind), S("/"),
                   url_encoded(v->arena, slug_of(v->arena, id, title.p ? title : S(""))));
}

int64_t rows_id(const struct site_visit *v) { return slug_id(v->vars[1]); }

bool rows_moved(struct site_visit *v, struct str path) {
    struct str slug = str_leaf(path);
    if (str_eq(url_encoded(v->arena, v->vars[1]), slug)) return false;
    struct str query = v->http->query;
    site_redirect(v, 301,
                  STR_CAT(v->arena, S("/helpcenter/"), v->locale, path, query.n ? S("?") : S(""),
                          query.n ? query : S("")));
    return true;
}

/* ---- languages ------------------------------------------------------------------------------- */

QUERY(site_languages_of, "SELECT n.locale, n.native_name, l.translation "
                         "FROM locale_fields l JOIN locales n ON n.locale = l.locale "
                         "WHERE l.owner_kind = :kind AND l.owner_id = :id "
                         "ORDER BY n.id");

void rows_tile(struct site_visit *v, int64_t icon, struct str title) {
    buf_text(&v->main, "<span class=\"tile\" aria-hidden=\"true\">");
    if (icon) icon_write(&v->main, icon_of_category((enum category_icon)icon));
    else html(&v->main, "%s", site_initial(v->arena, title).p);
    buf_text(&v->main, "</span>\n");
}

int rows_languages(struct site_visit *v, int kind, int64_t id, const char *page, struct site_language **out) {
    int rc;
    *out = NULL;
    DB_ROWS(rc, v->work.conn, &site_languages_of, BINDS(B_INT("kind", kind), B_INT("id", id)), row) {
        struct site_language *l = *out = ARENA_NEW(v->arena, struct site_language);
        *l = (struct site_language){str_dup(v->arena, col_text(row, 0)), str_dup(v->arena, col_text(row, 1)),
                                    S(""), NULL};
        l->path = rows_path(v, page, id, col_text(row, 2));
        out = &l->next;
    }
    return rc;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Begins the list with its first item. */
static void rows_item(struct site_visit *v, const char *heading, bool first, int64_t id,
                      const struct site_text *title) {
    struct buf *out = &v->main;
    if (first)
        html(out, heading ? "<h2>%s</h2>\n<ul class=\"articles\">\n" : "<ul class=\"articles\">\n", heading);
    buf_text(out, "<li><a");
    site_text_lang(out, v, title);
    html(out, " href=\"%s%s\">%s</a></li>\n", v->root.p, rows_path(v, "articles", id, title->text).p,
         title->text.p ? title->text.p : "?");
}

#define ARTICLE_TITLES "SELECT t.id, " SITE_TEXT("11", "t.id") " FROM articles t WHERE"

int rows_articles(struct site_visit *v, const char *heading, const char *after, const struct bind *own,
                  int most, bool *more) {
    struct stmt *row;
    int rc, n = 0;
    TRY(rows_start(v, access_articles, ARTICLE_TITLES, after, own, &row));
    while ((rc = stmt_step(row)) == 1 && n < most) {
        struct site_text title = rows_text(v, row, 1);
        rows_item(v, heading, n++ == 0, col_int(row, 0), &title);
    }
    stmt_end(row);
    if (rc < 0) return rc;
    if (more) *more = rc == 1;
    if (n) buf_text(&v->main, "</ul>\n");
    return n;
}

int rows_listed(struct site_visit *v, const char *heading, const int64_t *ids, int n, int most) {
    struct site_text *titles = arena_array(v->arena, (size_t)n, sizeof *titles);
    bool *seen = arena_array(v->arena, (size_t)n, sizeof *seen);
    struct stmt *row;
    int rc, written = 0;
    TRY(rows_start(v, access_articles, ARTICLE_TITLES,
                   "AND t.id IN @LIST(:ids) AND t.status = 3 AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND,
                   BINDS(B_TEXT("ids", json_ids(v->arena, ids, (size_t)n))), &row));
    while ((rc = stmt_step(row)) == 1)
        for (int i = 0; i < n; i++)
            if (ids[i] == col_int(row, 0)) titles[i] = rows_text(v, row, 1), seen[i] = true;
    stmt_end(row);
    for (int i = 0; i < n && rc >= 0 && written < most; i++)
        if (seen[i]) rows_item(v, heading, written++ == 0, ids[i], &titles[i]);
    if (written) buf_text(&v->main, "</ul>\n");
    return rc;
}

static void pager_link(struct site_visit *v, struct str prefix, int64_t page, const char *rel,
                       enum site_word word) {
    html(&v->main, "<li><a rel=\"%h\" href=\"%s%s%d\">%s</a></li>\n", rel, v->root.p, prefix.p, (int)page,
         SAY(v, word));
}

void rows_numbered(struct site_visit *v, struct str prefix, int64_t page, bool more) {
    if (page == 1 && !more) return;
    html(&v->main, "<nav class=\"pager\" aria-label=\"%s\"><ul>\n", SAY(v, WORD_PAGES));
    if (page > 1) pager_link(v, prefix, page - 1, "prev", WORD_PREVIOUS);
    if (more) pager_link(v, prefix, page + 1, "next", WORD_NEXT);
    buf_text(&v->main, "</ul></nav>\n");
}

void rows_pager(struct site_visit *v, struct str path, int64_t page, bool more) {
    rows_numbered(v, STR_CAT(v->arena, path, S("?page=")), page, more);
}

/* ---- summaries ------------------------------------------------------------------------------- */

#define SUMMARY 160 /* bytes */

/* The entity at p, which html_clean wrote; *n: its length. NULL: none of these. */
static const char *entity_text(const char *p, const char *end, size_t *n) {
    static const struct {
        const char *name, *text;
    } list[] = {{"&amp;", "&"},   {"&lt;", "<"},  {"&gt;", ">"},
                {"&quot;", "\""}, {"&#39;", "'"}, {"&nbsp;", " "}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        *n = strlen(list[i].name);
        if ((size_t)(end - p) >= *n && memcmp(p, list[i].name, *n) == 0) return list[i].text;
    }
    return NULL;
}

/* Removes the tags of clean HTML, where a > in an attribute is &gt;, and joins blanks. */
struct str rows_summary(struct arena *a, struct str contents) {
    char *out = arena_bytes(a, SUMMARY + 8);
    size_t n = 0, length;
    const char *end = contents.p + contents.n;
    for (const char *p = contents.p; p && p < end && n < SUMMARY; p++) {
        const char *text = *p == '&' ? entity_text(p, end, &length) : NULL;
        char c = text ? *text : *p;
        if (text) p += length - 1;
        else if (c == '<') p = memchr(p, '>', (size_t)(end - p)), c = ' ';
        if (p == NULL) break;
        bool blank = (unsigned char)c <= ' ';
        if (!blank || (n && out[n - 1] != ' ')) out[n++] = blank ? ' ' : c;
    }
    if (n >= SUMMARY) { /* the last character may be cut */
        while (n && ((unsigned char)out[n - 1] & 0xC0) == 0x80) n--;
        if (n && (unsigned char)out[n - 1] >= 0xC0) n--;
    }
    return str_dup(a, str_trim((struct str){out, n}));
}
