#include "api/call/trace.h"

#define TRACEPARENT "traceparent"
#define LENGTH 55 /* version, 00 or higher, - trace id, 32 digits - parent id, 16 - flags, 2 */

static bool is_zero(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '0') return false;
    return true;
}

/* Section 3.2.2. A later version may have more after its flags. */
struct trace trace_of(const struct http_request *r) {
    struct str s = http_header(r, TRACEPARENT);
    if (s.n < LENGTH || s.p[2] != '-' || s.p[35] != '-' || s.p[52] != '-') return (struct trace){0};
    struct str version = {s.p, 2}, id = {s.p + 3, 32}, parent = {s.p + 36, 16}, flags = {s.p + 53, 2};
    bool first = str_eq(version, S("00"));
    if (s.n > LENGTH && (first || s.p[LENGTH] != '-')) return (struct trace){0};
    if (!str_is_hex(version) || str_eq(version, S("ff")) || !str_is_hex(flags)) return (struct trace){0};
    if (!str_is_hex(id) || is_zero(id) || !str_is_hex(parent) || is_zero(parent)) return (struct trace){0};
    return (struct trace){id, flags};
}

void trace_return(struct http_request *r, struct str id) {
    struct trace t = trace_of(r);
    if (t.id.p == NULL) return;
    http_add_header(r, TRACEPARENT,
                    str_fmt(r->arena, "00-%.*s-%.*s-%.*s", (int)t.id.n, t.id.p, (int)id.n, id.p,
                            (int)t.flags.n, t.flags.p));
}
