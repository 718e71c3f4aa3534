#include "listen.h"

#include <arpa/inet.h>

/* 4, 6 or 0; an IPv6 address may stand in brackets. */
static int family(struct str host) {
    char text[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']') host = (struct str){host.p + 1, host.n - 2};
    if (host.n >= sizeof text) return 0;
    memcpy(text, host.p, host.n);
    text[host.n] = 0;
    return inet_pton(AF_INET, text, bytes) == 1 ? 4 : inet_pton(AF_INET6, text, bytes) == 1 ? 6 : 0;
}

int listen_parse(struct str text, struct arena *a, struct listen *out, char err[USAGE_MAX]) {
    const char *colon = memrchr(text.p, ':', text.n);
    int64_t port = 0;
    struct str host = {text.p, colon ? (size_t)(colon - text.p) : 0}, tail = {0};
    if (colon) tail = (struct str){colon + 1, text.n - host.n - 1};
    bool bracketed = host.n && host.p[0] == '[';
    int kind = host.n ? family(host) : 0;
    if (kind == 0 || (kind == 6) != bracketed || !str_to_int(tail, &port) || port < 0 || port > 65535) {
        snprintf(err, USAGE_MAX,
                 "--listen takes a numeric address and a port, as 127.0.0.1:8080 or [::1]:8080, not \"%.*s\"",
                 (int)text.n, text.p);
        return -1;
    }
    *out = (struct listen){str_dup(a, host), (int)port};
    return 0;
}

int proxies_parse(struct str list, struct arena *a, struct str **out, char err[USAGE_MAX]) {
    size_t n = 0;
    *out = NULL;
    if (list.p == NULL) return 0;
    *out = arena_array(a, list.n + 2, sizeof **out);
    while (list.p) {
        struct str one = str_trim(str_cut(&list, ','));
        if (one.n == 0) continue;
        if (family(one) == 0) {
            snprintf(err, USAGE_MAX, "--proxies takes numeric addresses, separated by commas, not \"%.*s\"", (int)one.n,
                     one.p);
            return -1;
        }
        (*out)[n++] = str_dup(a, one);
    }
    return 0;
}

bool listen_is_loopback(const struct listen *l) {
    return str_starts(l->host, S("127.")) || str_eq(l->host, S("[::1]"));
}

struct str listen_url(struct arena *a, const struct listen *l, int port) {
    return str_fmt(a, "http://%s:%d", l->host.p, port);
}

struct str url_host(struct str url) {
    size_t scheme = str_starts(url, S("https://")) ? 8 : str_starts(url, S("http://")) ? 7 : 0;
    struct str rest = {url.p + scheme, url.n - scheme};
    for (size_t i = 0; i < rest.n; i++)
        if (strchr(" ?#@\"<>\\", rest.p[i])) return (struct str){0};
    if (scheme == 0) return (struct str){0};
    struct str host = str_cut(&rest, '/');
    const char *colon = memrchr(host.p, ':', host.n);
    bool bracketed = host.n && host.p[host.n - 1] == ']';
    if (colon && !bracketed) host.n = (size_t)(colon - host.p);
    return host;
}
