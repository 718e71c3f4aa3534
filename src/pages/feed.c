/* Atom feeds (RFC 4287) of the latest articles: of the brand, and of a section. */
#include "pages/rows.h"
#include "pages/handlers.h"

#include "files/html_clean.h"

#define FEED_ENTRIES 20

/* XML 1.0 has no other control characters than tab and line breaks, and neither U+FFFE nor U+FFFF: EF BF
 * BE, EF BF BF. */
static bool is_no_character(struct str text, size_t at) {
    return text.n - at >= 3 && memcmp(text.p + at, "\xEF\xBF", 2) == 0 &&
           (unsigned char)text.p[at + 2] >= 0xBE;
}

static void xml_text(struct buf *out, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool none = is_no_character(text, i);
        struct str one =
            none || (c < ' ' && c != '\t' && c != '\n' && c != '\r') ? S(" ") : (struct str){text.p + i, 1};
        if (none) i += 2;
        html_text(out, one);
    }
}

static void xml_element(struct buf *out, const char *name, struct str text) {
    html(out, "<%h>", name);
    xml_text(out, text);
    html(out, "</%h>\n", name);
}

static void xml_time(struct buf *out, const char *name, int64_t at) {
    char iso[TIME_ISO_SIZE];
    xml_element(out, name, (struct str){iso, time_iso(iso, at)});
}

static void feed_entry(struct site_visit *v, struct stmt *row) {
    struct buf *out = &v->main;
    struct site_text title = rows_text(v, row, 1), contents = rows_text(v, row, 2);
    struct str path = rows_path(v, "articles", col_int(row, 0), title.text);
    html(out, "<entry xml:lang=\"%s\">\n", title.locale.p ? title.locale.p : v->locale.p);
    xml_element(out, "id", STR_CAT(v->arena, S("urn:uuid:"), col_text(row, 3)));
    xml_element(out, "title", title.text.n ? title.text : S("?"));
    html(out, "<link rel=\"alternate\" type=\"text/html\" href=\"%s%s%s\"/>\n", v->origin.p, v->root.p,
         path.p);
    xml_time(out, "published", col_int(row, 4));
    xml_time(out, "updated", col_int(row, 5));
    if (!col_null(row, 6)) {
        buf_text(out, "<author>\n");
        xml_element(out, "name", str_dup(v->arena, col_text(row, 6)));
        buf_text(out, "</author>\n");
    }
    if (contents.text.n) xml_element(out, "summary", rows_summary(v->arena, contents.text));
    buf_text(out, "</entry>\n");
}

QUERY(site_feed_changed, "SELECT COALESCE(MAX(updated_at), 0) FROM brands");

/* path: of the page behind the locale, and of the feed itself. */
static int feed_write(struct site_visit *v, struct str title, struct str path, const char *after,
                      const struct bind *own) {
    struct buf *out = &v->main;
    struct stmt *row;
    int64_t newest = 0;
    int rc;
    buf_text(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    html(out, "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"%s\">\n", v->locale.p);
    xml_element(out, "id", STR_CAT(v->arena, v->origin, v->root, path));
    xml_element(out, "title", title);
    html(out, "<link rel=\"self\" type=\"application/atom+xml\" href=\"%s%s%s/feed.atom\"/>\n", v->origin.p,
         v->root.p, path.p);
    html(out, "<link rel=\"alternate\" type=\"text/html\" href=\"%s%s%s\"/>\n", v->origin.p, v->root.p,
         path.p);
    buf_text(out, "<author>\n");
    xml_element(out, "name", v->brand.name);
    buf_text(out, "</author>\n");
    struct buf entries = {0}, head = v->main;
    v->main = entries;
    rc = rows_start(v, access_articles,
                    "SELECT t.id, " SITE_TEXT("11", "t.id") ", " SITE_TEXT(
                        "12", "t.id") ", t.uuid, COALESCE(t.published_at, t.created_at), "
                                      "t.updated_at, u.full_name FROM articles t "
                                      "LEFT JOIN users u ON u.id = t.author_id "
                                      "WHERE",
                    after, own, &row);
    if (rc == 0) {
        while ((rc = stmt_step(row)) == 1) {
            newest = col_int(row, 5) > newest ? col_int(row, 5) : newest;
            feed_entry(v, row);
        }
        stmt_end(row);
    }
    entries = v->main;
    v->main = head;
    if (rc >= 0 && newest == 0) rc = db_int(v->work.conn, &site_feed_changed, NULL, &newest);
    xml_time(&v->main, "updated", newest);
    buf_str(&v->main, buf_view(&entries));
    buf_free(&entries);
    buf_text(&v->main, "</feed>\n");
    return rc < 0 ? rc : site_bytes(v, "application/atom+xml; charset=utf-8");
}

#define LATEST " ORDER BY COALESCE(t.published_at, t.created_at) DESC, t.id DESC LIMIT :most"

int show_brand_feed(struct site_visit *v) {
    return feed_write(v, v->brand.name, S(""),
                      "AND t.status = 3 AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND
                      " ORDER BY t.published_at DESC, t.id DESC LIMIT :most",
                      BINDS(B_INT("most", FEED_ENTRIES)));
}

int show_section_feed(struct site_visit *v) {
    struct stmt *row;
    int64_t id = rows_id(v);
    TRY(rows_start(v, access_sections, "SELECT " SITE_TEXT("9", "t.id") " FROM sections t WHERE",
                   "AND t.id = :id AND " SECTION_OF_BRAND, BINDS(B_INT("id", id)), &row));
    int rc = stmt_step(row);
    struct site_text title = rc == 1 ? rows_text(v, row, 0) : (struct site_text){0};
    stmt_end(row);
    if (rc <= 0) return rc < 0 ? rc : site_not_found(v);
    struct str path = rows_path(v, "sections", id, title.text),
               name = STR_CAT(v->arena, title.text.p ? title.text : S("?"), S(" - "), v->brand.name);
    return feed_write(v, name, path,
                      "AND t.section_id = :section AND t.status = 3 AND t.deleted_at IS NULL" LATEST,
                      BINDS(B_INT("section", id), B_INT("most", FEED_ENTRIES)));
}
