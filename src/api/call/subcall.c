#include "api/call/subcall.h"

#include "base/encoding.h"

#include <assert.h>

static const char *const methods[] = {[GET] = "GET", [POST] = "POST", [PUT] = "PUT", [DELETE] = "DELETE"};

void subcall_header(struct subcall *x, const char *name, struct str value) {
    int n = 0;
    while (n < SUBCALL_HEADERS && x->headers[n].name) n++;
    assert(n < SUBCALL_HEADERS);
    x->headers[n].name = name;
    x->headers[n].value = value;
}

bool subcall_login(struct subcall *x, struct str login, struct str password) {
    if (memchr(login.p, ':', login.n)) return false;
    subcall_header(x, "Authorization", basic_credentials(x->http->arena, login, password));
    return true;
}

/* These headers say who calls, and from which page. No other header of a browser is a part of the call. */
static void same_visitor(const struct subcall *x, struct http_request *r) {
    static const char *const kept[] = {"Host", "Origin", "Sec-Fetch-Site", "User-Agent"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        http_inner_header(r, kept[i], http_header(x->http, kept[i]));
    struct str session = http_cookie(x->http, "desk_session");
    if (session.n && !x->stranger)
        http_inner_header(r, "Cookie", STR_CAT(x->http->arena, S("desk_session="), session));
}

/* ---- the reply ------------------------------------------------------------------------------- */

static void run_done(struct pool_task *t) {
    struct subcall *x = (struct subcall *)(void *)t; /* the task is its first member */
    x->done(x);
}

static void take_reply(struct subcall *x, const struct call *c) {
    struct arena *a = x->http->arena;
    struct json *tree;
    struct json_error err;
    x->status = c->status;
    x->reply = c->out.n && !c->raw && json_parse(a, buf_view(&c->out), &tree, &err) >= 0 ? tree : NULL;
    for (const struct header *h = c->headers; h; h = h->next) {
        if (strcmp(h->name, "Set-Cookie") == 0) x->set_cookie = str_dup(a, h->value);
        if (strcmp(h->name, "Retry-After") == 0) x->retry_after = str_dup(a, h->value);
        if (strcmp(h->name, "X-Logout-URL") == 0) x->logout_url = str_dup(a, h->value);
    }
}

/* Passes the reply to the page. */
static void subcall_end(struct call *c) {
    struct subcall *x = c->subcall;
    uint64_t whose = call_sharer(c);
    take_reply(x, c);
    struct api *api = c->api;
    download_drop(c);
    buf_free(&c->out);
    arena_free(c->work.arena); /* c->work.arena does not hold c */
    x->task = (struct pool_task){.run = run_done, .whose = whose};
    if (pool_submit(api->pool, LANE_WORK, &x->task)) return;
    x->crowded = true;
    x->done(x);
}

void subcall_call(struct subcall *x) {
    struct str path = STR_CAT(x->http->arena, S("/api/v1"), x->path);
    struct http_request *r = http_inner(x->http, str_of(methods[x->method]), path, x->query);
    r->form = x->body ? x->body : json_new(x->http->arena, JSON_OBJECT);
    r->files = x->files;
    same_visitor(x, r);
    for (int i = 0; i < SUBCALL_HEADERS && x->headers[i].name; i++)
        http_inner_header(r, x->headers[i].name, x->headers[i].value);
    memset(x->headers, 0, sizeof x->headers);
    x->set_cookie = x->retry_after = x->logout_url = (struct str){0};
    x->end = subcall_end;
    subcall_run(x->api, r, x);
}

const struct json *subcall_data(const struct json *reply) { return json_member(reply, S("data")); }

int64_t tree_int(const struct json *object, const char *name) {
    const struct json *j = json_member(object, str_of(name));
    int64_t i;
    return j && j->type == JSON_NUMBER && str_to_int(j->text, &i) ? i : 0;
}

static const struct json *subcall_errors(const struct json *reply) {
    const struct json *list = json_member(reply, S("errors"));
    return list ? list->first : NULL;
}

struct str subcall_code(const struct json *reply) {
    return json_member_text(subcall_errors(reply), "code");
}

struct str subcall_message(const struct json *reply) {
    return json_member_text(subcall_errors(reply), "message");
}

struct str subcall_problem(const struct json *reply, const char *parameter) {
    for (const struct json *e = subcall_errors(reply); e; e = e->next)
        if (str_eq(json_member_text(e, "parameter"), str_of(parameter)))
            return json_member_text(e, "message");
    return (struct str){0};
}
