#include "api/call/security_headers.h"

#include "core/desk/setting.h"

#include <inttypes.h>

#define GUARD_ALL                                                                                   \
    (SECURITY_API | SECURITY_FILE | SECURITY_TEXT | SECURITY_FORM | SECURITY_DOCS | SECURITY_SITE | \
     SECURITY_CONSOLE)

/* Browsers keep to HTTPS for so long. Only sent if the desk is reached by HTTPS (RFC 6797 section 7.2). */
static struct str transport(const struct desk *d, struct arena *a) {
    if (!str_starts(d->base_url, S("https://"))) return (struct str){0};
    int64_t seconds = setting_int(d, "security.hsts_seconds");
    return seconds ? str_fmt(a, "max-age=%" PRId64, seconds) : (struct str){0};
}

/* Styles, scripts and connections are those of this site. Nothing is inline. Pictures may be those of other
 * servers: files/html_clean.h. */
static struct str site_policy(const struct desk *d, struct arena *a) {
    struct str frames = setting_text(d, "security.frame_ancestors", a);
    struct str own = S("default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
                       "img-src 'self' https: data:; form-action 'self'; base-uri 'none'; frame-ancestors ");
    return STR_CAT(a, own, frames.n ? frames : S("'none'"));
}

static const struct guard_row {
    const char *name;
    unsigned kinds;
    const char *value;                                         /* NULL: made */
    struct str (*made)(const struct desk *d, struct arena *a); /* p NULL: the header is not sent */
} guard_rows[] = {
    {"X-Content-Type-Options", GUARD_ALL & ~SECURITY_FILE, "nosniff", NULL},
    {"Content-Security-Policy", SECURITY_API | SECURITY_TEXT, "default-src 'none'; frame-ancestors 'none'",
     NULL},
    {"Content-Security-Policy", SECURITY_DOCS,
     "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
     NULL},
    {"Content-Security-Policy", SECURITY_SITE, NULL, site_policy},
    /* web/build.mjs gives the policies of texts that become HTML their names. */
    {"Content-Security-Policy", SECURITY_CONSOLE,
     "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
     "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
     "require-trusted-types-for 'script'; trusted-types templates",
     NULL},
    {"X-Frame-Options", SECURITY_FORM | SECURITY_DOCS | SECURITY_CONSOLE, "DENY",
     NULL}, /* for browsers without frame-ancestors */
    {"Referrer-Policy", SECURITY_API | SECURITY_FILE | SECURITY_TEXT | SECURITY_DOCS | SECURITY_CONSOLE,
     "no-referrer", NULL},
    /* The URL may contain a link's secret, so other sites do not get it. With no-referrer, browsers would
     * send "Origin: null" with a form. */
    {"Referrer-Policy", SECURITY_FORM | SECURITY_SITE, "same-origin", NULL},
    {"Permissions-Policy", SECURITY_FORM | SECURITY_DOCS | SECURITY_SITE | SECURITY_CONSOLE,
     "camera=(), geolocation=(), microphone=(), payment=(), usb=()", NULL},
    {"Strict-Transport-Security", GUARD_ALL, NULL, transport},
};

void security_headers_add(const struct desk *d, struct http_request *r, enum security_kind kind) {
    for (size_t i = 0; i < sizeof guard_rows / sizeof *guard_rows; i++) {
        const struct guard_row *g = &guard_rows[i];
        if (g->kinds & (unsigned)kind)
            http_add_header(r, g->name, g->made ? g->made(d, r->arena) : str_of(g->value));
    }
}
