/* Detects cross-site request forgery: writes that a browser sends for a page of another site.
 *
 * Browsers add Basic credentials and cookies to requests of any page. A page can't set the headers that
 * name its site: browsers send Origin with every write, current ones send Sec-Fetch-Site with every
 * request. Other programs send neither, and their requests can't be forged. A request is foreign if (1)
 * Sec-Fetch-Site is cross-site, or (2) Origin is present and not ours. An Origin is ours if it is
 * (1) the request's Host, (2) the base URL's origin, (3) an entry of security.cors_origins, or (4) the
 * domain of an enabled brand, if an owner confirmed it. `*` among the entries only admits reads; it is no
 * Origin. The
 * origins of a widget are not ours: a page there has no credentials that a browser adds
 * (api/caller/credentials.c).
 *
 * The scheme is compared only for the base URL and the entries, because behind a TLS proxy the desk does
 * not see the browser's scheme. Brands are checked last, so only a request with a foreign-looking Origin
 * costs a query. */
#include "api/caller/cross_site.h"

#include "base/fold.h"
#include "core/desk/setting.h"

QUERY(brand_of_domain,
      "SELECT id FROM brands WHERE domain = :domain AND trusted_domain = :domain AND is_enabled = 1");

struct origin {
    struct str scheme, authority; /* authority: host and port, without the scheme's default port */
};

static struct str without_default_port(struct str scheme, struct str authority) {
    struct str port = str_eqi(scheme, S("https")) ? S(":443") : S(":80");
    bool ends =
        authority.n > port.n && str_eq((struct str){authority.p + authority.n - port.n, port.n}, port);
    return ends ? (struct str){authority.p, authority.n - port.n} : authority;
}

/* Parses scheme://authority and ignores a path. Returns false for anything else, including `null`. */
static bool read_origin(struct str text, struct origin *out) {
    const char *mark = text.n ? memmem(text.p, text.n, "://", 3) : NULL;
    if (mark == NULL || mark == text.p) return false;
    struct str rest = {mark + 3, text.n - (size_t)(mark + 3 - text.p)};
    out->scheme = (struct str){text.p, (size_t)(mark - text.p)};
    out->authority = without_default_port(out->scheme, str_cut(&rest, '/'));
    return out->authority.n > 0;
}

static bool same_origin(const struct origin *o, struct str text) {
    struct origin other;
    return read_origin(text, &other) && str_eqi(o->scheme, other.scheme) &&
           str_eqi(o->authority, other.authority);
}

static bool origin_in_settings(const struct desk *d, struct arena *a, const struct origin *o) {
    if (same_origin(o, d->base_url)) return true;
    for (struct str rest = setting_text(d, "security.cors_origins", a); rest.p;)
        if (same_origin(o, str_trim(str_cut(&rest, ' ')))) return true;
    return false;
}

bool origin_listed(const struct desk *d, struct arena *a, struct str origin) {
    struct origin o;
    return read_origin(origin, &o) && origin_in_settings(d, a, &o);
}

static bool is_of_host(const struct http_request *r, const struct origin *o) {
    struct str host = str_trim(http_header(r, "Host"));
    return host.n && str_eqi(o->authority, without_default_port(o->scheme, host));
}

bool origin_trusted(const struct desk *d, const struct http_request *r) {
    struct origin o;
    return read_origin(str_trim(http_header(r, "Origin")), &o) &&
           (is_of_host(r, &o) || origin_in_settings(d, r->arena, &o));
}

static int is_brand(struct work *w, const struct origin *o) {
    struct str domain = domain_key(w->arena, o->authority); /* p NULL if it has a port */
    int64_t id;
    return domain.p ? db_int(w->conn, &brand_of_domain, BINDS(B_TEXT("domain", domain)), &id) : 0;
}

int is_cross_site(struct work *w, const struct http_request *r) {
    struct str sent = http_header(r, "Origin");
    struct origin o;
    if (str_eqi(str_trim(http_header(r, "Sec-Fetch-Site")), S("cross-site"))) return 1;
    if (sent.p == NULL) return 0;
    if (!read_origin(str_trim(sent), &o)) return 1;
    if (is_of_host(r, &o)) return 0;
    if (origin_in_settings(w->desk, w->arena, &o)) return 0;
    int found = is_brand(w, &o);
    return found < 0 ? found : !found;
}
