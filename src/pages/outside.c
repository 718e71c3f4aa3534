#include "pages/outside.h"

#include "pages/brand.h"
#include "pages/page_cache.h"
#include "pages/handlers.h"
#include "pages/route.h"

/* Every page of the help center. A row of fixed segments stands before a row with a variable at the same
 * place. */
static const struct site_page site_pages[] = {
    {GET, "/", .show = show_first},
    {GET, "/helpcenter", .show = show_help_center},
    {GET, "/helpcenter/style.css", .show = show_file, .is_part = true},
    {GET, "/helpcenter/suggest.js", .show = show_file, .is_part = true},
    {GET, "/helpcenter/times.js", .show = show_file, .is_part = true},
    {GET, "/helpcenter/brand.css", .show = show_brand_style, .is_part = true, .cached = true},
    {GET, "/robots.txt", .show = show_robots},
    {GET, "/sitemap.xml", .show = show_sitemap, .cached = true},
    {GET, "/helpcenter/logo/:brand", .show = show_logo, .is_part = true, .cached = true},
    {GET, "/helpcenter/picture/:brand/:width", .show = show_brand_picture, .is_part = true, .cached = true},
    {GET, "/helpcenter/sitemap/:part", .show = show_sitemap_part, .in_pool = true, .cached = true},
    {GET, "/helpcenter/:locale/feed.atom", .show = show_brand_feed, .cached = true},
    {GET, "/helpcenter/:locale/search", .show = show_search, .template = "helpcenter_search"},
    {GET, "/helpcenter/:locale/sections/:slug/feed.atom", .show = show_section_feed, .cached = true},
    {GET, "/helpcenter/:locale", .show = show_home, .cached = true, .template = "helpcenter_home"},
    {GET, "/helpcenter/:locale/categories/:slug", .show = show_category, .cached = true,
     .template = "helpcenter_category"},
    {GET, "/helpcenter/:locale/sections/:slug", .show = show_section, .cached = true,
     .template = "helpcenter_section"},
    {GET, "/helpcenter/:locale/articles/:slug", .show = show_article, .cached = true,
     .template = "helpcenter_article"},
    {POST, "/helpcenter/:locale/articles/:slug/vote", .show = page_vote},
    {POST, "/helpcenter/:locale/articles/:slug/comments", .show = page_comment},
    {GET, "/helpcenter/:locale/articles/:slug/comments/:id", .show = page_edit_comment},
    {POST, "/helpcenter/:locale/articles/:slug/comments/:id", .show = page_change_comment},
    {GET, "/helpcenter/:locale/login", .show = page_login},
    {POST, "/helpcenter/:locale/login", .show = page_login},
    {GET, "/helpcenter/:locale/logout", .show = page_logout},
    {POST, "/helpcenter/:locale/logout", .show = page_logout},
    {GET, "/helpcenter/:locale/reset", .show = page_reset},
    {POST, "/helpcenter/:locale/reset", .show = page_reset},
    {GET, "/helpcenter/:locale/contact", .show = page_contact},
    {POST, "/helpcenter/:locale/contact", .show = page_contact, .takes_files = true},
    {GET, "/helpcenter/:locale/conversations", .show = page_conversations},
    {GET, "/helpcenter/:locale/conversations/:id", .show = page_conversation},
    {POST, "/helpcenter/:locale/conversations/:id/reply", .show = page_answer, .takes_files = true},
    {POST, "/helpcenter/:locale/conversations/:id/rating", .show = page_rating},
    {POST, "/helpcenter/:locale/conversations/:id/complete", .show = page_complete},
    {0},
};

bool site_handle(struct api *api, struct http_request *r) { return site_answer(api, r, site_pages); }
bool site_missing(struct api *api, struct http_request *r) { return site_answer_missing(api, r, site_pages); }
bool site_takes_files(const struct http_request *r) { return site_form_takes_files(site_pages, r); }

void pages_open(struct pages *p) { *p = (struct pages){page_cache_new(), brand_cache_new()}; }
void pages_close(struct pages *p) {
    page_cache_free(p->cache);
    brand_cache_free(p->brands);
}
