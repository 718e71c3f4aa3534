/* Counts replies, and writes their lines of the log. */
#include "api/call/machine.h"
#include "api/call/trace.h"
#include "base/log.h"

#include <inttypes.h>

struct replied {
    struct api *api;
    struct http_request *http;
    int status;
    size_t bytes;
    int64_t micros;
    enum request_class class;
    const char *kind; /* "user" or "client" */
    int64_t caller;   /* its id; 0: unknown */
    struct str id;    /* X-Request-ID; p NULL: none */
};

#define FIELDS 10

/* The members of the line in JSON. Returns their number. */
static int log_fields_of(const struct replied *x, struct str path, struct trace trace,
                         struct log_field out[FIELDS]) {
    int n = 0;
    out[n++] = (struct log_field){"method", x->http->method, 0};
    out[n++] = (struct log_field){"path", path, 0};
    out[n++] = (struct log_field){"status", .number = x->status};
    out[n++] = (struct log_field){"bytes", .number = (int64_t)x->bytes};
    out[n++] = (struct log_field){"duration_ms", .number = x->micros / 1000};
    out[n++] = (struct log_field){x->kind, .number = x->caller};
    out[n++] = (struct log_field){"address", x->http->remote, 0};
    if (x->id.p) out[n++] = (struct log_field){"request_id", x->id, 0};
    if (trace.id.p) out[n++] = (struct log_field){"trace_id", trace.id, 0};
    return n;
}

/* A full queue refuses many requests, so their log lines are written once a second. */
static void log_reply(const struct replied *x) {
    const struct http_request *r = x->http;
    bool access = atomic_load(&x->api->access_log);
    if (!access && x->status < 500) return;
    struct str method = r->method, path = log_path(r->arena, r->path), id = x->id.p ? x->id : S("-");
    struct trace trace = trace_of(r);
    struct log_field fields[FIELDS];
    int n = log_fields_of(x, path, trace, fields);
    struct str of_trace = trace.id.p ? str_fmt(r->arena, " trace %.*s", (int)trace.id.n, trace.id.p) : S("");
    if (access)
        log_event(LOG_INFO, fields, n,
                  "%.*s %.*s %d %zu bytes %" PRId64 " ms %s %" PRId64 " from %.*s id %.*s%s", (int)method.n,
                  method.p, (int)path.n, path.p, x->status, x->bytes, x->micros / 1000, x->kind, x->caller,
                  (int)r->remote.n, r->remote.p, (int)id.n, id.p, of_trace.p);
    if (x->status == 503)
        log_often(LOG_ERROR, "requests answered 503", "%.*s %.*s answered 503, request %.*s%s", (int)method.n,
                  method.p, (int)path.n, path.p, (int)id.n, id.p, of_trace.p);
    else if (x->status >= 500)
        log_event(LOG_ERROR, fields, n, "%.*s %.*s answered %d, request %.*s%s", (int)method.n, method.p,
                  (int)path.n, path.p, x->status, (int)id.n, id.p, of_trace.p);
}

static void reply_count(const struct replied *x) {
    struct api_metrics *m = &x->api->metrics;
    atomic_fetch_add(&m->requests[x->status / 100 < 6 ? x->status / 100 : 5], 1);
    duration_note(&m->durations, x->class, x->micros);
    log_reply(x);
}

void reply_count_outside(struct api *api, struct http_request *r, int status, size_t bytes, const char *kind,
                         int64_t caller) {
    int64_t micros = 1000 * (clock_monotonic() - r->started);
    reply_count(&(struct replied){api, r, status, bytes, micros, REQUEST_PAGE, kind, caller, {0}});
}

void reply_count_call(const struct call *c, int64_t micros) {
    size_t bytes = c->download ? (size_t)c->download->n : c->out.n;
    reply_count(&(struct replied){c->api, c->http, c->status, bytes, micros, request_class_of(c->route),
                                  "user", c->work.actor.user_id, c->request_id});
}
