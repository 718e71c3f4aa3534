#include "api/call/inner_write.h"

#include "api/caller/auth_admit.h"

#include <assert.h>

struct call *inner_call(struct api *api, struct arena *a, struct str method, struct str path) {
    struct http_request *r = http_alone(a, method, STR_CAT(a, S("/api/v1"), path), (struct str){0}, S(""));
    struct call *c = ARENA_NEW(a, struct call);
    call_init(c, api, r, a);
    c->request_id = S("");
    int rc = call_route(c);
    assert(rc == 0);
    (void)rc;
    return c;
}

void inner_begin(struct call *c) { call_reset(c); }

int inner_write(struct call *c, const struct json *body, void *prepared) {
    c->body = body;
    c->prepared = prepared;
    TRY(auth_admit(c));
    int rc = c->route->handler(c);
    buf_free(&c->out);
    return rc < 0 ? rc : -(int)failure(&c->work);
}
