#include "pages/form.h"

#include "base/encoding.h"

#include <stdarg.h>

/* ---- the visit ------------------------------------------------------------------------------- */

struct form_page *form_begin(struct site_visit *v, int (*show)(struct form_page *a)) {
    struct form_page *a = ARENA_NEW(v->http->arena, struct form_page);
    *a = (struct form_page){
        .visit = v, .arena = v->http->arena, .posted = v->page->method == POST, .show = show, .status = 200};
    v->secret = true;
    return a;
}

bool form_forged(const struct form_page *a) {
    return a->posted && !site_token_good(a->visit, form_typed(a, "_token"));
}

int form_expired(struct form_page *a) {
    a->wrong = WORD_FORM_EXPIRED;
    a->status = 403;
    return a->show(a);
}

/* ---- input ----------------------------------------------------------------------------------- */

struct str form_typed(const struct form_page *a, const char *name) {
    struct str rest = str_of(name), first = str_cut(&rest, '[');
    const struct json *j = json_member(a->visit->form, first);
    if (rest.n) j = json_member(j, (struct str){rest.p, rest.n - 1});
    return j && j->type == JSON_STRING ? j->text : S("");
}

void form_add(struct form_page *a, struct json *body, const char *name, struct str v) {
    if (v.p == NULL) return;
    struct json *j = json_string(a->arena, v);
    j->name = str_of(name);
    json_append(body, j);
}

/* ---- calls ----------------------------------------------------------------------------------- */

bool form_ok(const struct form_page *a) { return a->subcall.status >= 200 && a->subcall.status < 300; }
const struct json *form_data(const struct form_page *a) {
    return form_ok(a) ? subcall_data(a->subcall.reply) : NULL;
}

static void act_called(struct subcall *x) {
    struct form_page *a = (struct form_page *)(void *)x; /* the call is its first member */
    if (x->crowded && (x->method == GET || !form_ok(a))) site_end(a->visit, -ERR_SERVICE_UNAVAILABLE);
    else a->then(a);
}

static void run_call(struct pool_task *t) { subcall_call((struct subcall *)(void *)t); }

/* A GET is shown in a snapshot of its thread, which a call can't share. So its first call is made by
 * another task. */
static int leave_snapshot(struct form_page *a) {
    struct site_visit *v = a->visit;
    http_defer(v->http);
    a->subcall.task = (struct pool_task){.run = run_call, .whose = address_sharer(v->http->remote)};
    if (pool_submit(v->api->pool, LANE_WORK, &a->subcall.task)) return SITE_LATER;
    a->later = false;
    return -ERR_SERVICE_UNAVAILABLE;
}

int form_call(struct form_page *a, enum method m, struct json *body, int (*then)(struct form_page *a),
              const char *path, ...) {
    bool first = !a->later;
    va_list args;
    va_start(args, path);
    struct str rest = str_vfmt(a->arena, path, args);
    va_end(args);
    struct subcall *x = &a->subcall;
    x->api = a->visit->api;
    x->http = a->visit->http;
    x->method = m;
    x->path = str_cut(&rest, '?');
    x->query = rest;
    x->body = body;
    x->done = act_called;
    a->then = then;
    subcall_header(x, "Accept", S("application/json"));
    if (site_logged_in(a->visit) && !x->stranger) subcall_header(x, "X-CSRF-Token", a->visit->csrf);
    a->later = true;
    if (first && !a->posted) return leave_snapshot(a);
    subcall_call(x);
    return SITE_LATER;
}

/* ---- replies --------------------------------------------------------------------------------- */

/* The visit may end here. */
static int act_end(struct form_page *a) {
    if (!a->later) return 0;
    site_end(a->visit, 0);
    return SITE_LATER;
}

int form_show(struct form_page *a, struct str title) {
    struct site_visit *v = a->visit;
    if (a->has_problems) title = STR_CAT(a->arena, str_of(form_say(a, WORD_ERROR)), S(": "), title);
    v->head =
        (struct site_head){.title = title, .kind = a->kind, .unindexed = true, .has_times = a->has_times};
    v->status = a->status;
    return act_end(a);
}

struct str form_path(struct form_page *a, const char *path, ...) {
    va_list args;
    va_start(args, path);
    /* a visitor chooses the words of a slug, and their length */
    struct str behind = str_vfmt(a->arena, path, args);
    va_end(args);
    return STR_CAT(a->arena, a->visit->root, behind);
}

static int redirect_to(struct form_page *a, struct str path) {
    a->visit->status = 303;
    a->visit->location = path;
    a->visit->main.n = 0;
    return act_end(a);
}

int form_redirect(struct form_page *a, const char *path, ...) {
    va_list args;
    va_start(args, path);
    struct str behind = str_vfmt(a->arena, path, args);
    va_end(args);
    return redirect_to(a, STR_CAT(a->arena, a->visit->root, behind));
}

/* After a post, the login leads to the first page: the post is not repeated. */
int form_to_login(struct form_page *a) {
    const struct site_visit *v = a->visit;
    struct str path = STR_CAT(a->arena, v->prefix, v->http->path), query = v->http->query;
    if (a->posted || !str_starts(path, v->root) || path.n + query.n > 300) return form_redirect(a, "/login");
    struct str to = {path.p + v->root.n, path.n - v->root.n};
    if (query.n) to = STR_CAT(a->arena, to, S("?"), query);
    return redirect_to(a, STR_CAT(a->arena, v->root, S("/login?to="), url_encoded(a->arena, to)));
}

struct str form_local_path(struct form_page *a, struct str url) {
    struct str base = a->visit->api->desk->base_url;
    if (!str_starts(url, base)) return url;
    return STR_CAT(a->arena, a->visit->prefix, ((struct str){url.p + base.n, url.n - base.n}));
}

static int refuse_page(struct form_page *a, int status, enum site_word title, enum site_word text) {
    if (a->subcall.retry_after.n) http_add_header(a->visit->http, "Retry-After", a->subcall.retry_after);
    site_refuse(a->visit, status, title, text);
    return act_end(a);
}

int form_refused(struct form_page *a) {
    int status = a->subcall.status;
    struct str code = subcall_code(a->subcall.reply);
    if (status == 454 || str_eq(code, S("AUTHORIZATION_REQUIRED"))) return form_to_login(a);
    if (status == 404) return refuse_page(a, 404, WORD_NOT_FOUND, WORD_NOT_FOUND_TEXT);
    if (status == 429) return refuse_page(a, 429, WORD_TOO_MANY, WORD_FAILED_TEXT);
    if (status == 403 || status == 401) return refuse_page(a, status, WORD_REFUSED, WORD_MAY_NOT);
    if (status >= 500 || a->subcall.reply == NULL) return refuse_page(a, 503, WORD_FAILED, WORD_FAILED_TEXT);
    a->verdict = a->subcall.reply;
    a->status = status;
    return a->show && a->posted ? a->show(a)
                                : refuse_page(a, 400, WORD_NOT_UNDERSTOOD, WORD_NOT_UNDERSTOOD_TEXT);
}

/* ---- forms ----------------------------------------------------------------------------------- */

const char form_multipart[] = " enctype=\"multipart/form-data\"";

struct buf *form_out(struct form_page *a) {
    return &a->visit->main;
}
const char *form_say(const struct form_page *a, enum site_word w) { return SAY(a->visit, w); }

static const char *parameter_of_field(const struct form_field *f) {
    return f->parameter ? f->parameter : f->name;
}
static const char *label_of_field(const struct form_page *a, const struct form_field *f) {
    return f->label ? f->label : form_say(a, f->word);
}

/* The id of a control: its name, with a dash for each bracket. */
const char *form_id(struct form_page *a, const struct form_field *f) {
    struct str id = STR_CAT(a->arena, S("f-"), str_of(f->name));
    for (char *at = (char *)(uintptr_t)id.p; *at; at++)
        if (*at == '[' || *at == ']') *at = '-';
    return id.p;
}

/* The message of an error in the words of the page, or as the API says it, in English. */
static void say_error(struct form_page *a, const struct json *error) {
    struct str code = json_member_text(error, "code"), message = json_member_text(error, "message");
    bool missing = str_eq(code, S("FIELD_REQUIRED")) || str_eq(code, S("FIELD_EMPTY"));
    bool foreign = a->visit->language != LANGUAGE_EN;
    if (missing) html(form_out(a), "%s", form_say(a, WORD_FIELD_REQUIRED));
    else
        html(form_out(a), foreign ? "<span lang=\"en\" dir=\"ltr\">%s</span>" : "%s",
             message.p ? message.p : "");
}

/* A value of a list ("attachment_file_ids[2]") belongs to the field of the list. */
static bool error_is_about(const struct json *error, const struct form_field *f) {
    struct str rest = json_member_text(error, "parameter");
    struct str plain = rest.p ? str_cut(&rest, '[') : S("");
    return str_eq(plain, str_of(parameter_of_field(f)));
}

static const struct json *first_error(const struct form_page *a) {
    const struct json *list = json_member(a->verdict, S("errors"));
    return list ? list->first : NULL;
}

static const struct json *error_of_field(const struct form_page *a, const struct form_field *f) {
    for (const struct json *e = first_error(a); e; e = e->next)
        if (error_is_about(e, f)) return e;
    return NULL;
}

static const struct form_field *field_of_error(const struct json *error, const struct form_field *fields) {
    for (const struct form_field *f = fields; f && f->name; f++)
        if (error_is_about(error, f)) return f;
    return NULL;
}

/* The problems of a field; f NULL: those of no field. */
static void list_problems(struct form_page *a, const struct form_field *fields, const struct form_field *f) {
    struct buf *out = form_out(a);
    for (const struct json *e = first_error(a); e; e = e->next) {
        if (field_of_error(e, fields) != f) continue;
        buf_text(out, "<li>");
        if (f) html(out, "<a href=\"#%s\">%s</a>: ", form_id(a, f), label_of_field(a, f));
        say_error(a, e);
        buf_text(out, "</li>\n");
    }
}

/* In the order of the fields. */
void form_problems(struct form_page *a, const struct form_field *fields) {
    struct buf *out = form_out(a);
    if (!a->wrong && first_error(a) == NULL) return;
    a->has_problems = true;
    html(out, "<div class=\"problems\" id=\"problems\" role=\"alert\" tabindex=\"-1\" autofocus>\n<p>%s",
         form_say(a, a->wrong ? a->wrong : WORD_CORRECT_THIS));
    if (a->wrong_number) html(out, " %d", a->wrong_number);
    buf_text(out, "</p>\n");
    if (first_error(a)) buf_text(out, "<ul>\n");
    for (const struct form_field *f = fields; f && f->name; f++) list_problems(a, fields, f);
    list_problems(a, fields, NULL);
    if (first_error(a)) buf_text(out, "</ul>\n");
    buf_text(out, "</div>\n");
}

void form_open(struct form_page *a, struct str action, const char *attributes) {
    html(form_out(a), "<form class=\"acts\" method=\"post\" action=\"%s\"%h>\n", action.p,
         attributes ? attributes : "");
    form_hidden(a, "_token", site_token(a->visit));
}

void form_hidden(struct form_page *a, const char *name, struct str value) {
    html(form_out(a), "<input type=\"hidden\" name=\"%s\" value=\"%s\">\n", name, value.p ? value.p : "");
}

bool form_is_described(struct form_page *a, const struct form_field *f) {
    return f->hint || f->hint_text || error_of_field(a, f);
}

void form_notes(struct form_page *a, const struct form_field *f) {
    struct buf *out = form_out(a);
    const struct json *e = error_of_field(a, f);
    if (!form_is_described(a, f)) return;
    html(out, "<div class=\"notes\" id=\"%s-notes\">", form_id(a, f));
    if (f->hint || f->hint_text)
        html(out, "<p class=\"hint\">%s</p>", f->hint_text ? f->hint_text : form_say(a, f->hint));
    if (e) {
        buf_text(out, "<p class=\"wrong\">");
        say_error(a, e);
        buf_text(out, "</p>");
    }
    buf_text(out, "</div>\n");
}

void form_label(struct form_page *a, const struct form_field *f) {
    html(form_out(a), "<label for=\"%s\">%s", form_id(a, f), label_of_field(a, f));
    if (!f->required) html(form_out(a), " <span class=\"optional\">(%s)</span>", form_say(a, WORD_OPTIONAL));
    buf_text(form_out(a), "</label>\n");
    form_notes(a, f);
}

void form_attributes(struct form_page *a, const struct form_field *f) {
    struct buf *out = form_out(a);
    html(out, " id=\"%s\" name=\"%s\"", form_id(a, f), f->name);
    if (f->autocomplete) html(out, " autocomplete=\"%s\"", f->autocomplete);
    if (f->required) buf_text(out, " required");
    if (f->max) html(out, " maxlength=\"%d\"", f->max);
    if (form_is_described(a, f)) html(out, " aria-describedby=\"%s-notes\"", form_id(a, f));
    if (error_of_field(a, f)) buf_text(out, " aria-invalid=\"true\"");
}

void form_field(struct form_page *a, const struct form_field *f) {
    struct buf *out = form_out(a);
    const char *type = f->type ? f->type : "text";
    bool kept = strcmp(type, "password") != 0 && strcmp(type, "file") != 0;
    struct str value = !kept ? S("") : a->posted ? form_typed(a, f->name) : f->value;
    form_label(a, f);
    if (strcmp(type, "textarea") == 0) {
        buf_text(out, "<textarea rows=\"7\"");
        form_attributes(a, f);
        html(out, ">\n%s</textarea>\n", value.n ? value.p : ""); /* HTML drops the first line break */
        return;
    }
    html(out, "<input type=\"%s\"", type);
    form_attributes(a, f);
    if (value.n) html(out, " value=\"%s\"", value.p);
    html(out, "%h>\n", f->multiple ? " multiple" : "");
}

void form_close(struct form_page *a, enum site_word button) {
    html(form_out(a), "<button>%s</button>\n</form>\n", form_say(a, button));
}
