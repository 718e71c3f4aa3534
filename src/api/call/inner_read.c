#include "api/call/inner_read.h"

#include "api/caller/auth.h"

static int run(struct call *c, const struct actor *actor) {
    TRY(call_route(c));
    c->work.actor = *actor;
    TRY(auth_admit(c));
    c->status = 200;
    int rc = c->route->handler(c);
    return rc < 0 ? rc : failed(&c->work) ? -(int)failure(&c->work) : c->status;
}

int inner_read(struct api *api, struct conn *conn, const struct actor *actor, struct arena *a,
               struct str path, struct str query, const struct json **data) {
    struct http_request *r = http_alone(a, S("GET"), STR_CAT(a, S("/api/v1"), path), query, actor->remote);
    struct call *c = ARENA_NEW(a, struct call);
    struct json *reply;
    struct json_error err;
    call_init(c, api, r, a);
    c->work.conn = conn;
    c->request_id = S("");
    int status = run(c, actor);
    if (status < 0) status = error_info((enum error) - status)->status;
    bool wanted = data && status == 200 && json_parse(a, buf_view(&c->out), &reply, &err) >= 0;
    if (data) *data = wanted ? json_member(reply, S("data")) : NULL;
    download_drop(c);
    buf_free(&c->out);
    return status >= 500 ? -ERR_SERVICE_UNAVAILABLE : status;
}
