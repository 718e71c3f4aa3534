#include "commands/listen.h"

#include "base/address.h"
#include "base/log.h"
#include "db/db.h"
#include "files/s3.h"

#include <arpa/inet.h>
#include <assert.h>
#include <sys/resource.h>
#include <sys/un.h>

/* Returns 4, 6 or 0. An IPv6 address may have brackets. */
static int family(struct str host) {
    char text[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
        host = (struct str){host.p + 1, host.n - 2};
    if (host.n >= sizeof text) return 0;
    memcpy(text, host.p, host.n);
    text[host.n] = 0;
    return inet_pton(AF_INET, text, bytes) == 1 ? 4 : inet_pton(AF_INET6, text, bytes) == 1 ? 6 : 0;
}

/* Returns the part before the last colon; p NULL: no valid port. */
static struct str host_of(struct str text, int64_t *port) {
    const char *colon = memrchr(text.p, ':', text.n);
    if (colon == NULL) return (struct str){0};
    struct str host = {text.p, (size_t)(colon - text.p)};
    return str_to_int((struct str){colon + 1, text.n - host.n - 1}, port) ? host : (struct str){0};
}

bool listen_valid(struct str text) {
    int64_t port = -1;
    struct str host = host_of(text, &port);
    int kind = host.n ? family(host) : 0;
    bool bracketed = host.n && host.p[0] == '[';
    return kind != 0 && (kind == 6) == bracketed && port >= 0 && port <= 65535;
}

struct listen listen_of(struct str text, struct arena *a) {
    int64_t port = -1;
    assert(listen_valid(text));
    struct str host = host_of(text, &port);
    return (struct listen){str_dup(a, host), (int)port};
}

bool lmtp_valid(struct str text) {
    int64_t port = 0;
    if (str_starts(text, S("/"))) return text.n < sizeof((struct sockaddr_un *)NULL)->sun_path;
    return listen_valid(text) && host_of(text, &port).n && port != 25;
}

bool proxies_valid(struct str list) {
    struct network n;
    while (list.p) {
        struct str one = str_trim(str_cut(&list, ','));
        if (one.n && !network_parse(one, &n)) return false;
    }
    return true;
}

struct str *proxies_of(struct str list, struct arena *a) {
    size_t n = 0;
    if (list.p == NULL) return NULL;
    struct str *out = arena_array(a, list.n + 2, sizeof *out);
    while (list.p) {
        struct str one = str_trim(str_cut(&list, ','));
        if (one.n) out[n++] = str_dup(a, one);
    }
    return out;
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
        if (in_set(rest.p[i], " ?#@\"<>\\")) return (struct str){0};
    if (scheme == 0) return (struct str){0};
    struct str host = str_cut(&rest, '/');
    const char *colon = memrchr(host.p, ':', host.n);
    bool bracketed = host.n && host.p[host.n - 1] == ']';
    if (colon && !bracketed) host.n = (size_t)(colon - host.p);
    return host;
}

bool url_valid(struct str url) { return url_host(url).n != 0; }

bool files_valid(struct str text) {
    struct str bucket, prefix;
    return !str_starts(text, S("s3:")) || s3_url_read(text, &bucket, &prefix);
}

bool store_valid(struct str text) {
    return db_url_valid(text) || (str_starts(text, S(STORE_FOLDER)) && text.n > sizeof STORE_FOLDER - 1);
}

void raise_file_limit(int64_t connections, int64_t others) {
    struct rlimit limit;
    rlim_t need = (rlim_t)connections + (rlim_t)others;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need) return;
    limit.rlim_cur = need;
    if (limit.rlim_max < need) limit.rlim_max = need; /* root may raise it */
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    log_warn("%lld files may be open, %lld connections need %lld: raise the limit (LimitNOFILE=) or lower "
             "max-connections",
             (long long)limit.rlim_cur, (long long)connections, (long long)need);
}
