/* The second factor of one's own login (completions.md section 4). */
#include "core/factor.h"

#include "api/generic.h"
#include "api/reply.h"
#include "api/view.h"
#include "core/qr.h"
#include "core/totp.h"

static void recovery_codes(struct view *v, const struct row *row, const struct value *own);

static const struct field twofactor_fields[] = {
    {"is_enabled", F_BOOL, READONLY, .doc = "Whether logins ask for it."},
    {"secret", F_TEXT, READONLY | NULLABLE, .doc = "What an authenticator is told, in Base32; null once it is confirmed.", .example = "\"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP\""},
    {"otpauth_url", F_TEXT, READONLY | NULLABLE, .doc = "The same as an address that authenticators open.",
     .example = "\"otpauth://totp/desk:ada@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=desk\""},
    {"qr_code", F_LONG, READONLY | NULLABLE, .doc = "That address as a QR code: an SVG picture.", .example = "\"<svg></svg>\""},
    {"recovery_codes", F_COMPUTED, READONLY | SECRET, .render = recovery_codes, .doc = "Shown once, by POST: each replaces a code of the authenticator one time.",
     .example = "[\"0f1e-2d3c-4b5a-6978\"]"},
    {0},
};

static void recovery_codes(struct view *v, const struct row *row, const struct value *own) {
    const struct str *codes = v->c->prepared;
    (void)row, (void)own;
    jw_array(&v->w);
    for (int i = 0; codes && i < RECOVERY_CODES; i++) jw_str(&v->w, codes[i]);
    jw_end(&v->w);
}

/* RFC 3986 unreserved characters as they are; authenticators show the rest decoded. */
static struct str escaped(struct arena *a, struct str s) {
    static const char hex[] = "0123456789ABCDEF";
    char *out = arena_alloc(a, 3 * s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        bool plain = (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch && strchr("-_.~@", ch));
        if (!plain) out[n++] = '%', out[n++] = hex[ch >> 4], ch = (unsigned char)hex[ch & 15];
        out[n++] = (char)ch;
    }
    out[n] = 0;
    return (struct str){out, n};
}

static int reply_factor(struct call *c, const struct factor *f) {
    struct arena *a = c->work.arena;
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "is_enabled") = (struct value){.type = V_INT, .i = f->enabled};
    if (!f->enabled) {
        struct str secret = base32(a, f->secret), host = escaped(a, c->work.desk->host);
        struct str url = str_fmt(a, "otpauth://totp/%s:%s?secret=%s&issuer=%s", host.p, escaped(a, f->account).p, secret.p, host.p);
        *row_cell(row, "secret") = value_text(secret);
        *row_cell(row, "otpauth_url") = value_text(url);
        *row_cell(row, "qr_code") = value_text(qr_svg(a, url.p));
    }
    return envelope_row(v, row);
}

static int read_factor(struct call *c) {
    struct factor f;
    TRY(api_input(c));
    int rc = factor_read(&c->work, c->work.actor.user_id, &f);
    return rc < 0 ? rc : rc ? reply_factor(c, &f) : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

static int enable(struct call *c) {
    struct str *codes = arena_array(c->work.arena, RECOVERY_CODES, sizeof *codes);
    TRY(api_input(c));
    int rc = factor_enable(&c->work, c->work.actor.user_id, in_text(c, "code"), codes);
    if (rc <= 0) return rc < 0 ? rc : in_fail(c, "code", ERR_FIELD_INVALID, "This is not the code of the authenticator at this moment.");
    c->prepared = codes;
    return reply_factor(c, &(struct factor){.enabled = true});
}

static int disable(struct call *c) {
    TRY(api_input(c));
    TRY(factor_remove(&c->work, c->work.actor.user_id));
    return api_reply(c);
}

static const struct field enable_input[] = {
    {"code", F_TEXT, PRESENT, .max = 16, .doc = "What the authenticator shows.", .example = "\"123456\""},
    {0},
};
static const struct route twofactor_routes[] = {
    {GET, "/profile/twofactor", ALL, "", ONE, read_factor, .summary = "Read the second factor of one's login",
     .doc = "Until it is confirmed: the secret for an authenticator, the same at every look of this session."},
    {POST, "/profile/twofactor", ALL, "", ONE, enable, .input = enable_input, .summary = "Confirm the second factor",
     .doc = "From now on logins ask for a code. Other sessions of oneself end. The recovery codes are shown this once.", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/profile/twofactor", ALL, "", NONE, disable, .summary = "Remove the second factor", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource twofactor_resource = {.type = "twofactor", .title = "Two-factor login", .doc = "One-time passwords of an authenticator (RFC 6238).",
                                            .fields = twofactor_fields, .routes = twofactor_routes};
