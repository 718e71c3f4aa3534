#include "api/call/inner_read.h"

#include "api/caller/auth_admit.h"

static int run(struct call *c, const struct actor *actor) {
    TRY(call_route(c));
    c->work.actor = *actor;
    TRY(auth_admit(c));
    c->status = 200;
    int rc = c->route->handler(c);
    return rc < 0 ? rc : failed(&c->work) ? -(int)failure(&c->work) : c->status;
}

/* Sets *reply to the body, NULL: it is not wanted, or there is none. */
static int inner_reply(struct api *api, struct conn *conn, const struct actor *actor, struct arena *a,
                       struct str path, struct str query, struct json **reply) {
    struct http_request *r = http_alone(a, S("GET"), STR_CAT(a, S("/api/v1"), path), query, actor->remote);
    struct call *c = ARENA_NEW(a, struct call);
    struct json_error err;
    call_init(c, api, r, a);
    c->work.conn = conn;
    c->request_id = S("");
    int status = run(c, actor);
    if (status < 0) status = error_info((enum error) - status)->status;
    if (reply && (status != 200 || json_parse(a, buf_view(&c->out), reply, &err) < 0)) *reply = NULL;
    download_drop(c);
    buf_free(&c->out);
    return status >= 500 ? -ERR_SERVICE_UNAVAILABLE : status;
}

int inner_read(struct api *api, struct conn *conn, const struct actor *actor, struct arena *a,
               struct str path, struct str query, const struct json **data) {
    struct json *reply = NULL;
    int status = inner_reply(api, conn, actor, a, path, query, data ? &reply : NULL);
    if (data) *data = reply ? json_member(reply, S("data")) : NULL;
    return status;
}

int inner_count(struct api *api, struct conn *conn, const struct actor *actor, struct arena *a,
                struct str path, struct str query, int64_t *total) {
    struct json *reply = NULL;
    int status = inner_reply(api, conn, actor, a, path, query, &reply);
    const struct json *count = reply ? json_member(reply, S("total_count")) : NULL;
    *total = 0;
    if (count) str_to_int(count->text, total);
    return status;
}
