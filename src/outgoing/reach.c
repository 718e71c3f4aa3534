#include "outgoing/reach.h"

#include <sys/socket.h>
#include <unistd.h>

static bool may_reach(struct reach *r, const struct address *a) {
    if (r->private_allowed || address_is_public(a)) return true;
    address_text(a, r->refused);
    return false;
}

static int port_of(const struct curl_sockaddr *to) {
    const void *at = &to->addr;
    return ntohs(to->family == AF_INET ? ((const struct sockaddr_in *)at)->sin_port
                                       : ((const struct sockaddr_in6 *)at)->sin6_port);
}

static curl_socket_t open_checked(void *arg, curlsocktype purpose, struct curl_sockaddr *to) {
    struct reach *r = arg;
    bool internet = to->family == AF_INET || to->family == AF_INET6;
    struct address a = internet ? address_of(&to->addr) : (struct address){0};
    r->refused_port = internet && port_is_bad(port_of(to)); /* the address may be older than this rule */
    if (r->refused_port || purpose != CURLSOCKTYPE_IPCXN || !internet || !may_reach(r, &a))
        return CURL_SOCKET_BAD;
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* Called for each request when its connection is ready, also if an earlier request made the connection. */
static int recheck(void *arg, char *remote, char *local, int remote_port, int local_port) {
    struct address a;
    (void)local, (void)remote_port, (void)local_port;
    return address_parse(str_of(remote), &a) && may_reach(arg, &a) ? CURL_PREREQFUNC_OK
                                                                   : CURL_PREREQFUNC_ABORT;
}

void reach_set(CURL *c, struct reach *r) {
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(c, CURLOPT_PROXY, ""); /* ignore proxies from the environment */
    curl_easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, open_checked);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, r);
    curl_easy_setopt(c, CURLOPT_PREREQFUNCTION, recheck);
    curl_easy_setopt(c, CURLOPT_PREREQDATA, r);
    curl_easy_setopt(c, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    /* a look-up that hangs must not block the end of the request */
    curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(c, CURLOPT_MAXLIFETIME_CONN, 60L);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
}
