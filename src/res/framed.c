#include "res/framed.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"

static void framed_guards(struct call *c, struct str policy) {
    call_header(c, "Content-Type", S("text/html; charset=utf-8"));
    call_header(c, "X-Content-Type-Options", S("nosniff"));
    call_header(c, "Content-Security-Policy", policy);
    call_header(c, "X-Frame-Options", S("SAMEORIGIN"));
    call_header(c, "Cross-Origin-Resource-Policy", S("same-origin"));
    call_header(c, "Cache-Control", S("private, max-age=0, must-revalidate"));
}

bool framed_elsewhere(const struct call *c) {
    struct str asks = http_header(c->http, "Sec-Fetch-Dest");
    return asks.p && !str_eq(asks, S("iframe")) && !str_eq(asks, S("empty"));
}

int framed_reply(struct call *c, struct str policy, struct str page) {
    struct tag t;
    char tag[33];
    tag_init(&t);
    tag_text(&t, page);
    tag_end(&t, tag);
    c->etag = str_dup(c->work.arena, str_of(tag));
    framed_guards(c, policy);
    int rc = conditional(c);
    c->raw = rc >= 0; /* also a 304: a policy of JSON in it would replace that of the page */
    if (rc != 0) return rc < 0 ? rc : 0;
    buf_str(&c->out, page);
    return 0;
}
