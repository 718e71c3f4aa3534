#include "core/endpoints/endpoint.h"

#include "base/address.h"
#include "base/limits.h"

#include <curl/curl.h>

/* libcurl parses the URL here, too, so that no other parser accepts what it reads differently. */
static struct str url_part(struct arena *a, CURLU *u, CURLUPart part) {
    char *text = NULL;
    if (curl_url_get(u, part, &text, 0) != CURLUE_OK) return (struct str){0};
    struct str copy = str_dup(a, str_of(text));
    curl_free(text);
    return copy;
}

static const char *host_wrong(struct str host, bool private_allowed) {
    if (host.n == 0 || str_eq(host, S("."))) return "The URL must name a host.";
    if (private_allowed || !host_is_private(host)) return NULL;
    return "The host is an address of this machine or of a private network. An owner can allow such "
           "addresses by the setting endpoints.allow_private_addresses.";
}

static bool is_bad_port(struct str text) {
    int64_t port;
    return text.p && str_to_int(text, &port) && port_is_bad(port);
}

static const char *parsed_wrong(struct arena *a, CURLU *u, bool private_allowed) {
    if (url_part(a, u, CURLUPART_USER).p || url_part(a, u, CURLUPART_PASSWORD).p)
        return "The URL must not contain a user or a password.";
    if (url_part(a, u, CURLUPART_FRAGMENT).p) return "The URL must not contain a fragment (#).";
    if (is_bad_port(url_part(a, u, CURLUPART_PORT)))
        return "The port is one of a service that does not speak HTTP. Choose "
               "another one.";
    return host_wrong(url_part(a, u, CURLUPART_HOST), private_allowed);
}

const char *endpoint_url_wrong(struct arena *a, struct str url, bool private_allowed) {
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] == 0x7F || (unsigned char)url.p[i] >= 0x80 || url.p[i] == '\\')
            return "The URL must be ASCII without blanks. Percent-encode other characters.";
    if (url.n > LIMIT_ENDPOINT_URL) return "The URL is too long: at most 2048 characters.";
    struct str start = {url.p, url.n < 8 ? url.n : 8}; /* libcurl also takes one or three slashes */
    bool secure = str_eqi(start, S("https://")),
         plain = url.n > 7 && str_eqi((struct str){url.p, 7}, S("http://"));
    if ((!secure && !plain) || (url.n > 8 && url.p[secure ? 8 : 7] == '/'))
        return "The URL must begin with https:// or http://.";
    CURLU *u = curl_url();
    CURLUcode rc = u ? curl_url_set(u, CURLUPART_URL, str_dup(a, url).p, 0) : CURLUE_OUT_OF_MEMORY;
    const char *why = rc == CURLUE_OK ? parsed_wrong(a, u, private_allowed)
                                      : "This is not a URL, like https://example.com/hook.";
    curl_url_cleanup(u);
    return why;
}
