/* The path of a request for a page: route, brand, person, locale, handler, frame, reply. */
#include "pages/layout.h"
#include "api/caller/cross_site.h"
#include "base/encoding.h"
#include "pages/outside.h"
#include "pages/route.h"
#include "api/caller/auth.h"
#include "api/caller/rate.h"

#include "api/call/security_headers.h"
#include "api/table/describe.h"
#include "api/caller/limits.h"
#include "api/rows/reply.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/access/scope.h"
#include "core/helpcenter/tally.h"
#include "core/helpcenter/generation.h"

#include <inttypes.h>

/* ---- brand, person, locale ------------------------------------------------------------------- */

QUERY(site_locale_exact, "SELECT id FROM locales WHERE locale = :locale");
QUERY(site_locale_near, "SELECT locale FROM locales "
                        "WHERE locale = :first OR SUBSTR(locale, 1, LENGTH(:first) + 1) = :first || '-' "
                        "ORDER BY LENGTH(locale), id LIMIT 1");

enum { GO_ON, ANSWERED };

/* The request's path, with another locale. */
static struct str path_with_locale(const struct site_visit *v, struct str locale) {
    struct str rest = v->http->path, begin = S("/helpcenter/");
    rest.p += begin.n, rest.n -= begin.n;
    str_cut(&rest, '/');
    struct str path = STR_CAT(v->http->arena, begin, locale, rest.p ? S("/") : S(""), rest.p ? rest : S(""));
    return v->http->query.n ? STR_CAT(v->http->arena, path, S("?"), v->http->query) : path;
}

static struct str locale_spelling(struct arena *a, struct str text) {
    char *p = arena_bytes(a, text.n + 1);
    for (size_t i = 0; i < text.n; i++)
        p[i] = text.p[i] == '_'                       ? '-'
               : text.p[i] >= 'A' && text.p[i] <= 'Z' ? (char)(text.p[i] | 0x20)
                                                      : text.p[i];
    p[text.n] = 0;
    return (struct str){p, text.n};
}

static int redirect_to_near(struct site_visit *v, struct str asked) {
    struct str first = str_cut(&asked, '-'), near;
    int rc = first.n < 2 || first.n > 8
                 ? 0
                 : db_text(v->work.conn, &site_locale_near, BINDS(B_TEXT("first", first)), v->arena, &near);
    if (rc < 0) return rc;
    if (rc == 0) site_not_found(v);
    else site_redirect(v, 302, path_with_locale(v, near));
    return ANSWERED;
}

/* Sets the locale of the page from the path. An unknown locale is redirected to one of its language, other
 * spellings to the right one. */
static int set_locale(struct site_visit *v, struct str asked) {
    struct str spelling = locale_spelling(v->arena, asked);
    int64_t id;
    if (!str_eq(spelling, v->brand.locale)) {
        int rc = db_int(v->work.conn, &site_locale_exact, BINDS(B_TEXT("locale", spelling)), &id);
        if (rc <= 0) return rc < 0 ? rc : redirect_to_near(v, spelling);
        v->locale = spelling;
    }
    if (str_eq(spelling, asked)) return GO_ON;
    site_redirect(v, 301, path_with_locale(v, spelling));
    return ANSWERED;
}

static struct str locale_in_path(const struct site_visit *v) {
    const char *at = v->page->path ? strstr(v->page->path, "/:locale") : NULL;
    return at && v->var_count ? v->vars[0] : (struct str){0};
}

/* Loads what every page needs. Returns GO_ON, ANSWERED, or a negative error. */
static int site_prepare(struct site_visit *v) {
    struct str asked = locale_in_path(v);
    v->work.actor =
        (struct actor){.scopes = SCOPES_ALL, .remote = v->http->remote, .user_agent = user_agent_of(v->http)};
    TRY(site_brand_cached(&v->work, v->api->cfg.pages->brands, v->generation, http_header(v->http, "Host"),
                          v->page->template, &v->brand));
    v->locale = v->brand.locale;
    v->prefix = url_path(v->work.desk->base_url);
    v->origin = site_brand_origin(v->work.desk, v->arena, &v->brand);
    int rc = auth_reader(&v->work, v->http, &v->csrf);
    if (rc >= 0) rc = asked.p ? set_locale(v, asked) : GO_ON;
    v->rtl = locale_is_rtl(&v->brand, v->locale);
    v->language = language_of_locale(v->locale, v->brand.locale);
    v->root = STR_CAT(v->arena, v->prefix, S("/helpcenter/"), v->locale);
    if (rc != GO_ON || v->brand.is_enabled) return rc;
    site_not_found(v);
    return ANSWERED;
}

/* ---- sending --------------------------------------------------------------------------------- */

static bool is_get(const struct http_request *r) {
    return str_eq(r->method, S("GET")) || str_eq(r->method, S("HEAD"));
}

static void site_headers(struct site_visit *v) {
    struct http_request *r = v->http;
    bool open = !site_logged_in(v) && !v->secret && v->page->method == GET;
    security_headers_add(v->api->desk, r, SECURITY_SITE);
    http_add_header(r, "Cache-Control",
                    v->secret ? S("no-store")
                    : open    ? S("public, max-age=0, must-revalidate")
                              : S("private, no-cache"));
    http_add_header(r, "Vary", v->varies_by_language ? S("Cookie, Accept-Language") : S("Cookie"));
    if (v->location.p) http_add_header(r, "Location", v->location);
    for (int i = 0; i < 2; i++)
        if (v->cookies[i].p) http_add_header(r, "Set-Cookie", v->cookies[i]);
    if (v->status == 405) http_add_header(r, "Allow", is_get(r) ? S("POST") : S("GET, HEAD"));
    if (v->status == 503) http_add_header(r, "Retry-After", S("1"));
    limits_headers(&v->limited, r);
}

static void site_log(const struct site_visit *v, int status, size_t bytes) {
    reply_count_outside(v->api, v->http, status, bytes, "user", v->work.actor.user_id);
}

/* The tag of the bytes; empty: the reply has none. */
static void site_tag(const struct site_visit *v, struct str bytes, char hex[33]) {
    struct tag t;
    hex[0] = 0;
    if (v->status != 200 || v->secret || v->location.p || v->page->method != GET) return;
    tag_init(&t);
    tag_text(&t, bytes);
    tag_end(&t, hex);
}

/* Adds the headers of a reply, and counts a view. Returns true if the caller has the page: 304. */
static bool site_add_headers(struct site_visit *v, const char *tag) {
    struct str etag = str_of(tag);
    bool current = etag.n && tag_listed(http_header(v->http, "If-None-Match"), etag);
    if (current) limits_unchanged(&v->limited, v->api);
    site_headers(v);
    if (v->viewed && (v->status == 200 || v->status == 304))
        article_read(v->api->desk, &v->work.actor, v->http->arena, v->viewed);
    if (etag.n) http_add_header(v->http, "ETag", STR_CAT(v->http->arena, S("\""), etag, S("\"")));
    return current;
}

static const char *site_type(const struct site_visit *v) {
    return v->type ? v->type : "text/html; charset=utf-8";
}

static void reply_shared(struct site_visit *v, const char *tag, struct shared *bytes) {
    bool current = site_add_headers(v, tag);
    size_t n = current ? 0 : shared_view(bytes).n;
    site_log(v, current ? 304 : 200, n);
    if (current) {
        http_reply(v->http, 304, &(struct buf){0});
    } else {
        http_add_header(v->http, "Content-Type", str_of(site_type(v)));
        http_reply_shared(v->http, 200, bytes);
    }
}

static void free_visit(struct site_visit *v) {
    buf_free(&v->main);
    buf_free(&v->form_html);
    if (v->arena) arena_free(v->arena);
    v->arena = NULL;
}

/* The arguments that cached pages read. The key of a page has no others, so links with marks of campaigns
 * lead to the same page. */
static const char *const page_cache_arguments[] = {"page", "comments", "done", NULL};

static struct str page_cache_key(const struct site_visit *v) {
    struct http_request *r = v->http;
    struct str host = http_header(r, "Host"),
               key = STR_CAT(r->arena, host.p ? host : S(""), S("\n"), r->path);
    for (const char *const *name = page_cache_arguments; r->query.n && *name; name++) {
        struct str value = site_query(v, *name);
        if (value.n)
            key = STR_CAT(r->arena, key, S("\n"), str_of(*name), S("="), url_encoded(r->arena, value));
    }
    return key;
}

/* Finds the page, or its tag if the caller has the page. */
static bool find_cached(struct site_visit *v) {
    struct cached_page *page = &v->found;
    if (v->key.p == NULL || !page_cache_find(v->api->cfg.pages->cache, v->key, v->generation, page))
        return false;
    if (page->bytes || tag_listed(http_header(v->http, "If-None-Match"), str_of(page->etag))) return true;
    return false;
}

/* Answers with the cached page. */
static void send_cached(struct site_visit *v) {
    struct cached_page page = v->found;
    v->type = page.type;
    v->viewed = page.viewed;
    v->work.desk = v->api->desk;
    v->work.actor.user_agent = user_agent_of(v->http);
    free_visit(v);
    reply_shared(v, page.etag, page.bytes);
    shared_drop(page.bytes);
}

/* Keeps the reply for the next caller, and sends it. */
static void keep_and_send(struct site_visit *v, const char *tag, struct buf *out) {
    struct cached_page page = {.bytes = shared_new(out), .type = site_type(v), .viewed = v->viewed};
    memcpy(page.etag, tag, sizeof page.etag);
    page_cache_put(v->api->cfg.pages->cache, v->key, v->generation, &page);
    free_visit(v);
    reply_shared(v, tag, page.bytes);
    shared_drop(page.bytes);
}

static void site_send(struct site_visit *v) {
    struct buf out = {0};
    struct http_request *r = v->http;
    char tag[33];
    if (v->location.p) buf_text(&out, "");
    else if (v->type) out = v->main, v->main = (struct buf){0};
    else v->menu_path = site_menu_path(v), layout_write(v, &out);
    site_tag(v, buf_view(&out), tag);
    if (v->key.p && v->generation && tag[0]) {
        keep_and_send(v, tag, &out);
        return;
    }
    if (!http_hold(r, v->work.actor.user_id, out.n, v->page->method != GET)) v->status = 503, out.n = 0;
    if (site_add_headers(v, v->status == 200 ? tag : "")) v->status = 304, out.n = 0;
    if (v->status != 304) http_add_header(r, "Content-Type", str_of(site_type(v)));
    int status = v->status;
    site_log(v, status, out.n);
    free_visit(v);
    http_reply(r, status, &out);
}

void site_end(struct site_visit *v, int rc) {
    if (rc == SITE_CACHED) {
        send_cached(v);
        return;
    }
    if (rc == -ERR_RESOURCE_NOT_FOUND) site_not_found(v);
    else if (rc < 0) site_refuse(v, 503, WORD_FAILED, WORD_FAILED_TEXT);
    site_send(v);
}

/* ---- input ----------------------------------------------------------------------------------- */

/* An argument that is not well-formed counts as absent. */
static void read_query(struct site_visit *v) {
    struct json *query = json_new(v->http->arena, JSON_OBJECT);
    struct json_error err;
    v->query = query;
    if (v->http->query.n && form_parse(v->http->arena, v->http->query, &query, &err) >= 0) v->query = query;
}

static bool read_form(struct site_visit *v) {
    const struct http_request *r = v->http;
    struct json *form = r->form ? r->form : json_new(r->arena, JSON_OBJECT);
    struct json_error err;
    struct str rest = http_header(r, "Content-Type"), type = str_trim(str_cut(&rest, ';'));
    v->form = form;
    if (r->body_error) return false;
    if (r->form || r->body.n == 0) return true;
    if (!str_eqi(type, S("application/x-www-form-urlencoded")) ||
        form_parse(r->arena, r->body, &form, &err) < 0)
        return false;
    v->form = form;
    return true;
}

/* ---- rate limits ----------------------------------------------------------------------------- */

static void say_when(struct site_visit *v, int64_t wait) {
    v->secret = true; /* no-store: no cache keeps the refusal */
    http_add_header(v->http, "Retry-After", str_fmt(v->http->arena, "%" PRId64, wait));
}

static int refuse_for(struct site_visit *v, int64_t wait) {
    say_when(v, wait);
    return site_refuse(v, 429, WORD_TOO_MANY, WORD_FAILED_TEXT);
}

/* Counts the request once, although a page may run twice. Returns 0, or the seconds to wait. */
static int64_t count_get(struct site_visit *v) {
    if (!v->page->is_part && !v->counted) limits_page(&v->limited, v->api, &v->work.actor);
    v->counted = true;
    return v->limited.state.refused ? v->limited.state.retry_s : 0;
}

static int64_t count_post(struct site_visit *v) {
    int64_t wait = site_logged_in(v) ? 0 : rate_form(v->api, v->http->remote, v->work.now);
    return wait ? wait : limits_form(&v->limited, v->api, &v->work.actor);
}

/* Answers a visitor without a session cookie. The page has no frame, so that a flood costs no access to
 * the store. */
static void refuse_unframed(struct site_visit *v, int64_t wait) {
    struct buf out = {0};
    struct str locale = locale_in_path(v);
    v->status = 429;
    if (locale.p) v->language = language_of_locale(locale, S("en-us"));
    const char *title = SAY(v, WORD_TOO_MANY);
    html(&out,
         "<!DOCTYPE html>\n<html lang=\"%s\" dir=\"auto\">\n<title>%s</title>\n<h1>%s</h1>\n<p>%s</p>\n",
         language_code(v->language), title, title, SAY(v, WORD_FAILED_TEXT));
    say_when(v, wait);
    site_headers(v);
    http_add_header(v->http, "Content-Type", S("text/html; charset=utf-8"));
    site_log(v, v->status, out.n);
    http_reply(v->http, v->status, &out);
}

/* ---- GET ------------------------------------------------------------------------------------- */

/* A page that read a table whose changes are not tracked is not kept. That is a defect: the log names the
 * table. */
static void keep_if_tracked(struct site_visit *v) {
    const char *table = db_untracked(v->work.conn);
    if (table == NULL) return;
    log_often(LOG_ERROR, "pages that can't be kept",
              "%s is not kept: it reads %s, which help_center_tables lacks", v->page->path, table);
    v->key = (struct str){0};
}

static int run_get(struct site_visit *v) {
    if (v->key.p && v->generation == 0) {
        TRY(help_center_generation_in(&v->work, &v->generation));
        if (find_cached(v)) return SITE_CACHED;
    }
    int rc = site_prepare(v);
    if (rc != GO_ON) return rc < 0 ? rc : 0;
    int64_t wait = count_get(v);
    if (wait) return refuse_for(v, wait);
    rc = v->page->show(v);
    if (rc == 0 && v->key.p) keep_if_tracked(v);
    return rc;
}

/* Runs `run` in a snapshot. *spent: the budget was too small. */
static int site_read(struct site_visit *v, int budget_ms, int (*run)(struct site_visit *v), bool *spent) {
    struct conn *c = db_reader(v->api->desk->db);
    *spent = false;
    if (c == NULL) return -ERR_SERVICE_UNAVAILABLE;
    TRY(db_read_begin(c, budget_ms));
    v->work.conn = c;
    int rc = run(v);
    *spent = rc < 0 && db_budget_spent(c);
    db_read_end(c);
    return rc;
}

static void get_in_pool(struct pool_task *t) {
    struct site_visit *v = (struct site_visit *)(void *)t; /* the task is its first member */
    bool spent;
    int rc = site_read(v, BUDGET_POOL_MS, run_get, &spent);
    if (rc == SITE_LATER) return;
    if (spent)
        rc = UNAVAILABLE("pages given up", "%s exceeded the read budget of %d ms",
                         v->page->path ? v->page->path : "a page", BUDGET_POOL_MS);
    site_end(v, rc);
}

/* ---- POST ------------------------------------------------------------------------------------ */

static int prepare_post(struct site_visit *v) {
    TRY(site_prepare(v));
    int foreign = is_cross_site(&v->work, v->http);
    if (foreign > 0) site_refuse(v, 403, WORD_REFUSED, WORD_FOREIGN_TEXT);
    return foreign < 0 ? foreign : foreign || v->status != 200 || v->location.p ? ANSWERED : GO_ON;
}

static int run_post(struct site_visit *v) {
    bool spent;
    int rc = site_read(v, BUDGET_POOL_MS, prepare_post, &spent);
    if (rc != GO_ON) return rc < 0 ? rc : 0;
    int64_t wait = count_post(v);
    if (wait) return wait < 0 ? (int)wait : refuse_for(v, wait);
    return read_form(v) ? v->page->show(v)
                        : site_refuse(v, 400, WORD_NOT_UNDERSTOOD, WORD_NOT_UNDERSTOOD_TEXT);
}

static void post_in_pool(struct pool_task *t) {
    struct site_visit *v = (struct site_visit *)(void *)t;
    int rc = run_post(v);
    if (rc != SITE_LATER) site_end(v, rc);
}

/* ---- routing --------------------------------------------------------------------------------- */

static void site_park(struct site_visit *v, enum lane lane, void (*run)(struct pool_task *t)) {
    http_defer(v->http);
    v->task = (struct pool_task){.run = run, .whose = address_sharer(v->http->remote)};
    if (!pool_submit(v->api->pool, lane, &v->task)) site_end(v, -ERR_SERVICE_UNAVAILABLE);
}

/* Forgets what a run left, before the page runs again. */
static void site_rewind(struct site_visit *v) {
    work_rewind(&v->work);
    v->main.n = v->form_html.n = 0;
    v->head = (struct site_head){0};
    v->type = NULL;
    v->location = (struct str){0};
    v->status = 200;
    v->viewed = 0;
}

static void visit_get(struct site_visit *v) {
    bool spent, waits = db_blocks(v->api->desk->db);
    if (waits || v->page->in_pool) {
        site_park(v, waits ? LANE_WORK : LANE_READ, get_in_pool);
        return;
    }
    int rc = site_read(v, BUDGET_INLINE_MS, run_get, &spent);
    if (spent) {
        site_rewind(v);
        site_park(v, LANE_READ, get_in_pool);
    } else if (rc != SITE_LATER) {
        site_end(v, rc);
    }
}

static const struct site_page missing_page = {GET, .show = site_not_found};

/* / is a page only on the domain of a brand. */
static int show_not_allowed(struct site_visit *v) {
    if (!v->brand.by_domain && str_eq(v->http->path, S("/"))) return site_not_found(v);
    return site_refuse(v, 405, WORD_NOT_UNDERSTOOD, WORD_NOT_UNDERSTOOD_TEXT);
}
static const struct site_page wrong_method = {GET, .show = show_not_allowed};

static bool under_help_center(struct str path) {
    struct str root = S("/helpcenter");
    return str_starts(path, root) && (path.n == root.n || path.p[root.n] == '/');
}

/* Every request passes here, so this comes before anything is allocated. */
static bool may_be_page(struct str path) {
    return under_help_center(path) || str_eq(path, S("/")) || str_eq(path, S("/robots.txt")) ||
           str_eq(path, S("/sitemap.xml"));
}

static struct site_visit *visit_new(struct api *api, struct http_request *r, const struct site_page *pages) {
    struct site_visit *v = ARENA_NEW(r->arena, struct site_visit);
    *v = (struct site_visit){
        .api = api, .http = r, .pages = pages, .status = 200, .work.actor.remote = r->remote};
    return v;
}

static void site_run(struct site_visit *v) {
    struct api *api = v->api;
    struct http_request *r = v->http;
    bool anonymous = !http_cookie(r, "desk_session").p;
    int64_t wait = anonymous && v->page->method == GET ? count_get(v) : 0;
    if (wait) {
        refuse_unframed(v, wait);
        return;
    }
    read_query(v);
    v->generation = v->page->method == GET ? help_center_generation(api->desk) : 0;
    if (v->page->cached && anonymous) v->key = page_cache_key(v);
    if (find_cached(v)) {
        send_cached(v);
        return;
    }
    v->arena = arena_new();
    work_init(&v->work, api->desk, v->arena);
    if (v->page->method == GET) visit_get(v);
    else site_park(v, v->page->lane, post_in_pool);
}

bool site_answer(struct api *api, struct http_request *r, const struct site_page *pages) {
    if (!may_be_page(r->path) || str_eq(r->method, S("OPTIONS"))) return false;
    struct site_visit *v = visit_new(api, r, pages);
    int found = site_route(v);
    if (found < 0 && !under_help_center(r->path)) return false;
    if (found <= 0) v->page = found == 0 ? &wrong_method : &missing_page;
    site_run(v);
    return true;
}

/* An address of the API never gets a page, even if the caller accepts HTML. */
static bool is_of_api(struct str path) {
    while (path.n && path.p[0] == '/') path.p++, path.n--;
    return str_eq(str_cut(&path, '/'), S("api"));
}

/* Browsers name text/html in Accept, programs do not. */
bool site_answer_missing(struct api *api, struct http_request *r, const struct site_page *pages) {
    struct str accept = http_header(r, "Accept");
    if (!is_get(r) || is_of_api(r->path) || accept.n == 0 ||
        memmem(accept.p, accept.n, "text/html", 9) == NULL)
        return false;
    struct site_visit *v = visit_new(api, r, pages);
    v->page = &missing_page;
    site_run(v);
    return true;
}
