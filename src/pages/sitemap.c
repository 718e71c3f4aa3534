/* robots.txt, and the sitemap of a brand: what a caller without login sees, in every language, with the
 * other languages of each page.
 *
 *     /sitemap.xml                         the index, on the host of the brand
 *     /helpcenter/sitemap/<n>              articles n*PART <= id < (n+1)*PART
 *     /helpcenter/sitemap/sections-<n>     the same of sections; the first part has the home page, too */
#include "pages/rows.h"
#include "pages/handlers.h"

#include "core/words.h"

/* Number of ids of a part. Each language has an address that names all languages: a part of 16 languages has
 * 4,000 addresses, 20 MB. */
#define PART 250
#define LANGUAGES 64 /* maximum number of languages of a page: more than the desk has */
#define PARTS 50000  /* the protocol's limit for an index, and for the addresses of a part */

static const char sitemap_type[] = "application/xml; charset=utf-8";

int show_robots(struct site_visit *v) {
    html(&v->main,
         "User-agent: *\nDisallow: %s/api/\nDisallow: %s/helpcenter/*/search\nDisallow: "
         "%s/helpcenter/*/login\nDisallow: %s/helpcenter/*/conversations\n\nSitemap: %s%s/sitemap.xml\n",
         v->prefix.p, v->prefix.p, v->prefix.p, v->prefix.p, v->origin.p, v->prefix.p);
    return site_bytes(v, "text/plain; charset=utf-8");
}

/* The sitemap has the pages that visitors without login see, for every caller. */
static void become_nobody(struct site_visit *v) {
    v->work.actor = (struct actor){.remote = v->http->remote, .user_agent = S("")};
}

QUERY(site_last_article, "SELECT COALESCE(MAX(id), 0) FROM articles");
QUERY(site_last_section, "SELECT COALESCE(MAX(id), 0) FROM sections");

#define SECTION_PART "sections-"

static void sitemap_parts(struct site_visit *v, const char *kind, int64_t last, int *room) {
    for (int64_t part = 0; part <= last / PART && (*room)-- > 0; part++)
        html(&v->main, "<sitemap><loc>%s%s/helpcenter/sitemap/%h%d</loc></sitemap>\n", v->origin.p,
             v->prefix.p, kind, (int)part);
}

int show_sitemap(struct site_visit *v) {
    int64_t articles, sections;
    int room = PARTS;
    TRY(db_int(v->work.conn, &site_last_article, NULL, &articles));
    TRY(db_int(v->work.conn, &site_last_section, NULL, &sections));
    buf_text(
        &v->main,
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    sitemap_parts(v, SECTION_PART, sections, &room);
    sitemap_parts(v, "", articles, &room);
    buf_text(&v->main, "</sitemapindex>\n");
    return site_bytes(v, sitemap_type);
}

/* ---- a part ---------------------------------------------------------------------------------- */

struct sitemap_page {
    int64_t id, changed;
    struct str address[LANGUAGES];
    int count;
};

static void page_write(struct site_visit *v, const struct sitemap_page *p, struct buf *alternates) {
    char iso[TIME_ISO_SIZE];
    for (int i = 0; i < p->count; i++) {
        html(&v->main, "<url><loc>%s</loc>", p->address[i].p);
        if (p->changed) time_iso(iso, p->changed), html(&v->main, "<lastmod>%s</lastmod>", iso);
        if (p->count > 1) buf_str(&v->main, buf_view(alternates));
        buf_text(&v->main, "</url>\n");
    }
    alternates->n = 0;
}

static void page_add(struct site_visit *v, struct sitemap_page *p, struct buf *alternates, struct str locale,
                     struct str path) {
    if (p->count == LANGUAGES) return;
    struct str address = STR_CAT(v->arena, v->origin, v->prefix, S("/helpcenter/"), locale, path);
    p->address[p->count++] = address;
    html(alternates, "<xhtml:link rel=\"alternate\" hreflang=\"%s\" href=\"%s\"/>",
         str_dup(v->arena, locale).p, address.p);
}

/* Rows (id, updated_at, locale, title), ordered by id: the languages of a page follow each other. */
static int sitemap_rows(struct site_visit *v, site_access *access, const char *before, const char *after,
                        const char *kind, const struct bind *own) {
    struct stmt *row;
    struct buf alternates = {0};
    struct sitemap_page p = {0};
    int rc;
    TRY(rows_start(v, access, before, after, own, &row));
    struct arena_mark mark = arena_mark(v->arena);
    while ((rc = stmt_step(row)) == 1) {
        if (col_int(row, 0) != p.id) {
            page_write(v, &p, &alternates);
            arena_return(v->arena, mark);
            p = (struct sitemap_page){.id = col_int(row, 0), .changed = col_int(row, 1)};
        }
        page_add(v, &p, &alternates, col_text(row, 2), rows_path(v, kind, p.id, col_text(row, 3)));
    }
    stmt_end(row);
    if (rc >= 0) page_write(v, &p, &alternates);
    buf_free(&alternates);
    return rc;
}

#define PART_ROWS(table, kind)                                       \
    "SELECT t.id, t.updated_at, l.locale, l.translation FROM " table \
    " t JOIN locale_fields l ON l.owner_kind = " kind " AND l.owner_id = t.id WHERE"
#define PART_RANGE "AND t.id >= :first AND t.id < :behind AND "
#define PART_ORDER " ORDER BY t.id, l.id"

static int sitemap_part(struct site_visit *v, int64_t part, bool sections) {
    const struct bind *range = BINDS(B_INT("first", part * PART), B_INT("behind", (part + 1) * PART));
    if (!sections)
        return sitemap_rows(v, access_articles, PART_ROWS("articles", "11"),
                            PART_RANGE ARTICLE_OF_BRAND PART_ORDER, "articles", range);
    if (part == 0)
        html(&v->main, "<url><loc>%s%s/helpcenter/%s</loc></url>\n", v->origin.p, v->prefix.p,
             v->brand.locale.p);
    return sitemap_rows(v, access_sections, PART_ROWS("sections", "9"),
                        PART_RANGE SECTION_OF_BRAND PART_ORDER, "sections", range);
}

int show_sitemap_part(struct site_visit *v) {
    struct str number = v->vars[0], kind = S(SECTION_PART);
    bool sections = str_starts(number, kind);
    int64_t part;
    if (sections) number = (struct str){number.p + kind.n, number.n - kind.n};
    if (!str_to_int(number, &part) || part < 0 || part >= PARTS) return site_not_found(v);
    become_nobody(v);
    buf_text(&v->main, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<urlset "
                       "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" "
                       "xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n");
    TRY(sitemap_part(v, part, sections));
    buf_text(&v->main, "</urlset>\n");
    return site_bytes(v, sitemap_type);
}
