#include "pages/template_page.h"

#include "pages/files.h"
#include "api/caller/rate.h"

#include "api/call/security_headers.h"
#include "api/caller/limits.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/all/finish.h"
#include "core/letters/link.h"
#include "core/desk/setting.h"

#include <assert.h>
#include <inttypes.h>

static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
                             "'self'; frame-ancestors 'none'";

/* ---- output ---------------------------------------------------------------------------------- */

static int load_wording(struct visit *v) { return template_load(&v->work, v->template, &v->wording); }

static struct str page_filled(struct visit *v, enum block block, const struct meaning *meanings,
                              bool in_html) {
    struct str said = v->wording.blocks.block[block];
    struct buf b = {0};
    if (said.p) template_fill(&b, said, meanings, in_html);
    return buf_take(&b, v->arena);
}

/* Fills src/pages/files/link_page.html. title: plain text; style and body: HTML */
static void link_page_write(struct visit *v, struct buf *out, struct str title, struct str style,
                            struct str body) {
    struct str desk = setting_text(v->api->desk, "desk.name", v->arena);
    bool worded = v->template != NULL;
    struct str language = worded ? v->wording.language : str_of(language_code(v->language));
    bool rtl = language_is_rtl(language_of_locale(language, language));
    const char *error = worded ? word_text(LANGUAGE_EN, WORD_ERROR) : SAY(v, WORD_ERROR);
    const struct meaning meanings[] = {
        {.name = "language", .value = language},
        {.name = "direction", .value = rtl ? S("rtl") : S("ltr")},
        {.name = "error", .value = v->is_wrong ? STR_CAT(v->arena, str_of(error), S(": ")) : S("")},
        {.name = "title", .value = title},
        {.name = "desk", .value = desk},
        {.name = "tokens", .value = page_file_text("tokens.css"), .html = page_file_text("tokens.css")},
        {.name = "style", .value = style, .html = style.p ? style : S("")},
        {.name = "body", .value = body, .html = body},
        {0}};
    template_fill(out, page_file_text("link_page.html"), meanings, true);
}

/* If the template can't be read, show the built-in text, because the action is done. */
static void write_template(struct visit *v, struct buf *out) {
    const struct desk *d = v->api->desk;
    struct str desk = setting_text(d, "desk.name", v->arena), form = str_dup(v->arena, buf_view(&v->form));
    const struct meaning meanings[] = {{.name = "desk", .value = desk},
                                       {.name = "url", .value = d->base_url},
                                       {.name = "form", .value = form, .html = form},
                                       {0}};
    if (visit_read(v, load_wording) < 0) template_original(v->arena, v->template, &v->wording);
    if (v->wording.outdated) log_warn(TEMPLATE_OUTDATED, v->template->name, v->wording.outdated);
    link_page_write(v, out, page_filled(v, BLOCK_TITLE, meanings, false),
                    page_filled(v, BLOCK_STYLE, meanings, false), page_filled(v, BLOCK_BODY, meanings, true));
}

static void write_notice(struct visit *v, struct buf *out) {
    struct buf body = {0};
    if (v->text) html(&body, "<p>%s</p>\n", v->text);
    if (v->form.n) buf_add(&body, v->form.p, v->form.n);
    if (v->link.p) html(&body, "<p><a href=\"%s\">%s</a></p>\n", v->link.p, v->link_text);
    link_page_write(v, out, str_of(v->title), S(""), buf_take(&body, v->arena));
}

static void write_page(struct visit *v, struct buf *out) {
    if (v->template) write_template(v, out);
    else write_notice(v, out);
    http_add_header(v->http, "Content-Type", S("text/html; charset=utf-8"));
}

void visit_end(struct visit *v) {
    struct http_request *r = v->http;
    struct buf out = {0};
    /* a 307 would repeat the post, with a password, at the other site (RFC 9700 section 4.12) */
    if (v->location.p) v->status = 303;
    else write_page(v, &out);
    buf_free(&v->form);
    if (v->location.p) http_add_header(r, "Location", v->location);
    for (int i = 0; i < 2; i++)
        if (v->cookies[i].p) http_add_header(r, "Set-Cookie", v->cookies[i]);
    http_add_header(r, "Content-Security-Policy", v->policy.p ? v->policy : str_of(policy));
    security_headers_add(v->api->desk, r, SECURITY_FORM);
    limits_headers(&v->limited, r);
    http_add_header(r, "Cache-Control", S("no-store"));
    reply_count_outside(v->api, r, v->status, out.n, "user", v->work.actor.user_id);
    http_reply(r, v->status, &out);
}

void visit_says(struct visit *v, const char *template) {
    v->template = template_named(str_of(template));
    assert(v->template);
}

void visit_wrong(struct visit *v, const char *wrong) {
    if (wrong == NULL) return;
    html(&v->form, "<p class=\"wrong\" id=\"wrong\" role=\"alert\" tabindex=\"-1\" autofocus>%s</p>\n",
         wrong);
    v->is_wrong = true;
}

void visit_asks_code(struct visit *v, const char *wrong) {
    visit_wrong(v, wrong);
    html(&v->form,
         "<label for=\"code\">%s</label>\n<p id=\"rule\">%s</p>\n<input id=\"code\" name=\"code\" required "
         "autofocus maxlength=\"40\" autocomplete=\"one-time-code\" "
         "aria-describedby=\"rule%h\"%h>\n<button>%s</button>\n</form>\n",
         SAY(v, WORD_CODE), SAY(v, WORD_CODE_HINT), wrong ? " wrong" : "",
         wrong ? " aria-invalid=\"true\"" : "", SAY(v, WORD_CONTINUE));
}

void visit_notes(struct visit *v, int status, const char *title, const char *text) {
    buf_free(&v->form);
    v->is_wrong = false;
    v->status = status;
    v->template = NULL;
    v->title = title;
    v->text = text;
}

void visit_failed(struct visit *v) { visit_notes(v, 503, SAY(v, WORD_FAILED), SAY(v, WORD_FAILED_TEXT)); }

/* ---- input ----------------------------------------------------------------------------------- */

struct str visit_text(const struct visit *v, const char *name) {
    struct str text = json_member_text(v->given, name);
    return text.p ? text : S("");
}

static bool read_given(struct visit *v) {
    const struct http_request *r = v->http;
    bool in_body = v->posted && !v->page->one_click;
    struct json *given = json_new(v->arena, JSON_OBJECT);
    struct json_error err;
    struct str rest = http_header(r, "Content-Type"), type = str_trim(str_cut(&rest, ';')),
               text = in_body ? r->body : r->query;
    if (in_body && (r->body_error || !str_eqi(type, S("application/x-www-form-urlencoded")))) return false;
    if (text.n && form_parse(v->arena, text, &given, &err) < 0) return false;
    v->given = given;
    return true;
}

/* ---- the store ------------------------------------------------------------------------------- */

struct visit_turn {
    struct visit *visit;
    int (*run)(struct visit *v);
};

static int visit_turn_run(struct work *w, void *arg) {
    const struct visit_turn *t = arg;
    (void)w; /* the visit has it */
    return t->run(t->visit);
}

int visit_read(struct visit *v, int (*run)(struct visit *v)) {
    return work_read(&v->work, BUDGET_POOL_MS, visit_turn_run, &(struct visit_turn){v, run});
}

int visit_write(struct visit *v, int (*run)(struct visit *v)) {
    v->work.actor.cause = CAUSE_LINK;
    return work_write(&v->work, visit_turn_run, &(struct visit_turn){v, run});
}

/* ---- a visit --------------------------------------------------------------------------------- */

/* A form counts as a write without login. Returns 0, the seconds to wait, or a negative error. */
static int64_t count_visit(struct visit *v) {
    if (!v->posted) return limits_page(&v->limited, v->api, &v->work.actor);
    int64_t wait = rate_form(v->api, v->http->remote, v->work.now);
    return wait ? wait : limits_form(&v->limited, v->api, &v->work.actor);
}

static void show(struct pool_task *t) {
    struct visit *v = (struct visit *)(void *)t; /* the task is its first member */
    const struct page *page = v->page;
    bool shown = false;
    int64_t wait = count_visit(v);
    if (wait < 0) {
        visit_failed(v);
    } else if (wait) {
        http_add_header(v->http, "Retry-After", str_fmt(v->arena, "%" PRId64, wait));
        visit_notes(v, 429, SAY(v, WORD_TOO_MANY), SAY(v, WORD_TRY_IN_A_MINUTE));
    } else if (!read_given(v)) {
        visit_notes(v, 400, SAY(v, WORD_NOT_UNDERSTOOD), SAY(v, WORD_NOT_UNDERSTOOD_TEXT));
    } else {
        shown = true;
        page->show(v);
    }
    if (!shown || !page->ends) visit_end(v);
}

void visit_begin(struct api *api, struct http_request *r, const struct page *p, bool posted) {
    struct visit *v = ARENA_NEW(r->arena, struct visit);
    *v = (struct visit){.task = {.run = show, .whose = address_sharer(r->remote)},
                        .api = api,
                        .http = r,
                        .page = p,
                        .posted = posted,
                        .arena = r->arena,
                        .status = 200};
    if (p->translated) v->language = language_accepted(http_header(r, "Accept-Language"));
    work_init(&v->work, api->desk, r->arena);
    v->work.actor.remote = r->remote;
    http_defer(r);
    /* a form may set a password */
    enum lane lane = p->outside ? LANE_OUTSIDE : posted ? LANE_HASH : LANE_WORK;
    if (pool_submit(api->pool, lane, &v->task)) return;
    visit_failed(v);
    visit_end(v);
}

bool page_answer_one_of(const struct page *pages, struct api *api, struct http_request *r) {
    bool posted = str_eq(r->method, S("POST"));
    if (!posted && !str_eq(r->method, S("GET")) && !str_eq(r->method, S("HEAD"))) return false;
    for (const struct page *p = pages; p->path; p++) {
        if (!str_eq(r->path, str_of(p->path))) continue;
        visit_begin(api, r, p, posted);
        return true;
    }
    return false;
}
