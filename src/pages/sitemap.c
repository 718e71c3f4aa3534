/* robots.txt, and the sitemap of a brand: what a caller without login sees, in every language, with the other languages of each page.
 *
 *     /sitemap.xml    the index, on the host of the brand      /helpcenter/sitemap/<n>.xml    part n: articles n*PART <= id < (n+1)*PART */
#include "pages/shelf.h"
#include "pages/shown.h"

#include "core/words.h"

#include <inttypes.h>

#define PART 1000 /* articles of a part, by id: in 16 languages their addresses, with those of sections, are below ADDRESSES */
#define ADDRESSES 50000

static const char sitemap_type[] = "application/xml; charset=utf-8";

int show_robots(struct site_visit *v) {
    html(&v->main,
         "User-agent: *\nDisallow: %s/api/\nDisallow: %s/helpcenter/*/search\nDisallow: %s/helpcenter/*/login\nDisallow: "
         "%s/helpcenter/*/conversations\n\nSitemap: %s%s/sitemap.xml\n",
         v->prefix.p, v->prefix.p, v->prefix.p, v->prefix.p, v->origin.p, v->prefix.p);
    return site_bytes(v, "text/plain; charset=utf-8");
}

/* The search engines see what nobody in particular sees, whoever asks. */
static void become_nobody(struct site_visit *v) { v->work.actor = (struct actor){.remote = v->http->remote, .user_agent = S("")}; }

QUERY(site_last_article, "SELECT COALESCE(MAX(id), 0) FROM articles");

int show_sitemap(struct site_visit *v) {
    int64_t last;
    TRY(db_int(v->work.conn, &site_last_article, NULL, &last));
    buf_text(&v->main,
             "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for (int64_t part = 0; part <= last / PART && part < ADDRESSES; part++)
        html(&v->main, "<sitemap><loc>%s%s/helpcenter/sitemap/%d</loc></sitemap>\n", v->origin.p, v->prefix.p, (int)part);
    buf_text(&v->main, "</sitemapindex>\n");
    return site_bytes(v, sitemap_type);
}

/* ---- a part --------------------------------------------------------------------------------------------------------------- */

struct sitemap_page {
    int64_t id, changed;
    struct str address[16]; /* in each of its languages */
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

static void page_add(struct site_visit *v, struct sitemap_page *p, struct buf *alternates, struct str locale, struct str path) {
    if (p->count == (int)(sizeof p->address / sizeof *p->address)) return;
    struct str address = STR_CAT(v->arena, v->origin, v->prefix, S("/helpcenter/"), locale, path);
    p->address[p->count++] = address;
    html(alternates, "<xhtml:link rel=\"alternate\" hreflang=\"%s\" href=\"%s\"/>", str_dup(v->arena, locale).p, address.p);
}

/* Rows (id, updated_at, locale, title), ordered by id: the languages of a page follow each other. */
static int sitemap_rows(struct site_visit *v, site_access *access, const char *before, const char *after, const char *kind,
                        const struct bind *own) {
    struct stmt *row;
    struct buf alternates = {0};
    struct sitemap_page p = {0};
    int rc;
    TRY(shelf_start(v, access, before, after, own, &row));
    struct arena_mark mark = arena_mark(v->arena);
    while ((rc = stmt_step(row)) == 1) {
        if (col_int(row, 0) != p.id) {
            page_write(v, &p, &alternates);
            arena_return(v->arena, mark);
            p = (struct sitemap_page){.id = col_int(row, 0), .changed = col_int(row, 1)};
        }
        page_add(v, &p, &alternates, col_text(row, 2), shelf_path(v, kind, p.id, col_text(row, 3)));
    }
    stmt_end(row);
    if (rc >= 0) page_write(v, &p, &alternates);
    buf_free(&alternates);
    return rc;
}

/* The first part has the other pages, too. */
static int sitemap_first(struct site_visit *v) {
    html(&v->main, "<url><loc>%s%s/helpcenter/%s</loc></url>\n", v->origin.p, v->prefix.p, v->brand.locale.p);
    return sitemap_rows(
        v, access_sections,
        "SELECT t.id, t.updated_at, l.locale, l.translation FROM sections t JOIN locale_fields l ON l.owner_kind = 9 AND l.owner_id = t.id "
        "WHERE",
        "AND " SECTION_OF_BRAND " ORDER BY t.id, l.id LIMIT 5000", "sections", NULL);
}

int show_sitemap_part(struct site_visit *v) {
    int64_t part;
    if (!str_to_int(v->vars[0], &part) || part < 0 || part >= ADDRESSES) return site_not_found(v);
    become_nobody(v);
    buf_text(&v->main, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" "
                       "xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n");
    if (part == 0) TRY(sitemap_first(v));
    TRY(sitemap_rows(v, access_articles,
                     "SELECT t.id, t.updated_at, l.locale, l.translation FROM articles t JOIN locale_fields l ON l.owner_kind = 11 AND "
                     "l.owner_id = t.id "
                     "WHERE",
                     "AND t.id >= :first AND t.id < :behind AND " ARTICLE_OF_BRAND " ORDER BY t.id, l.id LIMIT :most", "articles",
                     BINDS(B_INT("first", part * PART), B_INT("behind", (part + 1) * PART), B_INT("most", ADDRESSES - 5001))));
    buf_text(&v->main, "</urlset>\n");
    return site_bytes(v, sitemap_type);
}
