#include "core/desk/setting_wrong.h"

#include "base/address.h"
#include "base/fold.h"

const char *plus_wrong(struct arena *a, struct str text) {
    const char *at = text.n ? memrchr(text.p, '@', text.n) : NULL;
    (void)a;
    if (at == NULL || memchr(text.p, '+', (size_t)(at - text.p)) == NULL) return NULL;
    return "The address has a plus sign. Leave out the part after it: the desk puts its tokens there.";
}

const char *dns_server_wrong(struct arena *a, struct str text) {
    struct address address;
    int64_t port = 0;
    (void)a;
    return text.n == 0 || address_port_parse(text, &address, &port)
               ? NULL
               : "An IPv4 address is expected, with or without a port.";
}

/* RFC 8601 section 2.2: a token. A host name is one. */
const char *authserv_id_wrong(struct arena *a, struct str text) {
    (void)a;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] <= ' ' || text.p[i] > '~' || in_set(text.p[i], "()<>@,;:\\\"/[]?="))
            return "A name without blanks and signs is expected, like mx.example.com: the first word of the "
                   "header Authentication-Results.";
    return NULL;
}

static bool blocklist_line_valid(struct arena *a, struct str line) {
    if (memchr(line.p, '@', line.n)) /* *@example.com is refused, because the domain alone means the same. */
        return email_valid(line) && *line.p != '*';
    struct str domain = str_starts(line, S("*.")) ? (struct str){line.p + 2, line.n - 2} : line;
    return domain_read(a, domain).p != NULL;
}

const char *blocklist_wrong(struct arena *a, struct str text) {
    for (int n = 1; text.p; n++) {
        struct str line = str_trim(str_cut(&text, '\n'));
        if (line.n && !blocklist_line_valid(a, line))
            return str_fmt(a, "Line %d is neither an address, nor a domain, nor *. and a domain.", n).p;
    }
    return NULL;
}

/* scheme://host or scheme://host:port. Signs of a policy (; , ') must not get into a header. */
static bool origin_valid(struct str text) {
    size_t scheme = str_starts(text, S("https://")) ? 8 : str_starts(text, S("http://")) ? 7 : text.n;
    struct str host = {text.p + scheme, text.n - scheme};
    for (size_t i = 0; i < host.n; i++)
        if (host.p[i] <= ' ' || host.p[i] > '~' || in_set(host.p[i], "/;,'\"\\?#@")) return false;
    return host.n > 0;
}

static const char *origins_wrong(struct arena *a, struct str text, struct str also) {
    while (text.p) {
        struct str one = str_cut(&text, ' ');
        if (one.n && !str_eq(one, also) && !origin_valid(one))
            return str_fmt(a,
                           "`%.*s` is no origin. An origin is a scheme and a host, like "
                           "https://app.example.com.",
                           (int)one.n, one.p)
                .p;
    }
    return NULL;
}

const char *cors_origins_wrong(struct arena *a, struct str text) { return origins_wrong(a, text, S("*")); }
const char *frame_ancestors_wrong(struct arena *a, struct str text) {
    return origins_wrong(a, text, S("'self'"));
}
