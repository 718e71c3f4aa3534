#include "core/programs/client_url.h"

#include "base/limits.h"
#include "core/endpoints/endpoint.h"

#include <string.h>

const char *client_page_wrong(struct arena *a, struct str url) { return endpoint_url_wrong(a, url, true); }

/* The host of a valid http address, without port. */
static struct str http_host(struct str url) {
    struct str rest = {url.p + strlen("http://"), url.n - strlen("http://")};
    size_t n = 0;
    bool bracket = rest.n && rest.p[0] == '[';
    while (n < rest.n && !memchr(bracket ? "]/?" : ":/?", rest.p[n], 3)) n++;
    return (struct str){rest.p, bracket && n < rest.n ? n + 1 : n};
}

static bool is_of_this_computer(struct str host) {
    return str_eqi(host, S("localhost")) || str_eq(host, S("127.0.0.1")) || str_eq(host, S("[::1]"));
}

static bool is_graphic(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || (unsigned char)s.p[i] >= 0x7F || s.p[i] == '\\') return false;
    return true;
}

/* RFC 8252 section 7.1: com.example.app:/path. A slash must follow, so that nothing is a second scheme:
 * com.x:javascript:... A scheme with a dot, as RFC 8252 section 7.1 asks for. So none is one that browsers
 * run or open: javascript, data, file. */
static bool is_app_scheme(struct str s) {
    bool letter = s.n && ((s.p[0] >= 'a' && s.p[0] <= 'z') || (s.p[0] >= 'A' && s.p[0] <= 'Z'));
    for (size_t i = 0; letter && i < s.n; i++)
        letter = (s.p[i] >= '0' && s.p[i] <= '9') || ((s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z') ||
                 in_set(s.p[i], "+.-");
    return letter && memchr(s.p, '.', s.n) && s.p[s.n - 1] != '.';
}

const char *client_callback_wrong(struct arena *a, struct str url) {
    struct str rest = url, scheme = str_cut(&rest, ':');
    if (str_eqi(scheme, S("https"))) return endpoint_url_wrong(a, url, true);
    if (str_eqi(scheme, S("http"))) {
        const char *why = endpoint_url_wrong(a, url, true);
        if (why || is_of_this_computer(http_host(url))) return why;
        return "The URL must begin with https://. http is allowed for localhost, 127.0.0.1 and [::1] only.";
    }
    if (url.n > LIMIT_ENDPOINT_URL) return "The URL is too long: at most 2048 characters.";
    if (!is_app_scheme(scheme) || rest.n == 0 || rest.p[0] != '/' || !is_graphic(url))
        return "An address like https://example.com/callback is expected, or for an app "
               "com.example.app:/callback.";
    return memchr(url.p, '#', url.n) ? "The URL must not contain a fragment (#)." : NULL;
}
