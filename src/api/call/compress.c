#include "api/call/compress.h"

#include "api/call/machine.h"
#include "base/limits.h"

/* ---- when ------------------------------------------------------------------------------------ */

/* Rule 2. All browsers call themselves Mozilla. */
static bool may_be_of_other_site(const struct call *c) {
    struct str site = str_trim(http_header(c->http, "Sec-Fetch-Site"));
    if (!c->ambient) return false; /* a page of another site can't send these credentials */
    if (site.n) return !str_eqi(site, S("same-origin")) && !str_eqi(site, S("none"));
    return str_starts(str_trim(http_header(c->http, "User-Agent")), S("Mozilla/"));
}

bool compress_wanted(const struct call *c) {
    if (c->raw || c->subcall || c->out.n <= LIMIT_PLAIN_REPLY) return false;
    return coding_accepted(http_header(c->http, "Accept-Encoding")) && !may_be_of_other_site(c);
}

/* ---- where ----------------------------------------------------------------------------------- */

struct packed_reply {
    struct pool_task task; /* the first member */
    struct http_request *http;
    int status;
    struct buf body;
    const struct plain_part *parts;
    int count;
};

static void send_packed(struct packed_reply *p) {
    if (gzip_body(&p->body, p->parts, p->count)) http_add_header(p->http, "Content-Encoding", S("gzip"));
    http_reply(p->http, p->status, &p->body);
}

static void run_packing(struct pool_task *t) { send_packed((struct packed_reply *)(void *)t); }

void compress_and_send(struct api *api, struct http_request *r, int status, struct buf body,
                       const struct plain_part *parts, int count, bool here, uint64_t whose) {
    struct packed_reply *p = ARENA_NEW(r->arena, struct packed_reply);
    *p = (struct packed_reply){{.run = run_packing, .whose = whose}, r, status, body, parts, count};
    if (here) {
        send_packed(p);
        return;
    }
    http_defer(r);
    if (!pool_submit(api->pool, p->body.n > LIMIT_PACKED_HERE ? LANE_READ : LANE_WORK, &p->task))
        http_reply(r, status, &p->body);
}
