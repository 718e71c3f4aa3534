/* The second factor of the caller's own login. */
#include "core/login/factor.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "core/login/qr.h"
#include "core/login/totp.h"
#include "res/own_proof.h"

static void recovery_codes(struct view *v, const struct row *row, const struct value *own);

static const struct field twofactor_fields[] = {
    {"is_enabled", F_BOOL, READONLY, .doc = "True if logins ask for a second factor."},
    {"secret", F_TEXT, READONLY | NULLABLE | SECRET,
     .doc = "Secret for the authenticator, in Base32. Null after the "
            "confirmation.",
     .example = "\"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP\""},
    {"otpauth_url", F_TEXT, READONLY | NULLABLE | SECRET,
     .doc = "The secret as an address that authenticator apps open.",
     .example =
         "\"otpauth://totp/desk:ada@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=desk\""},
    {"qr_code", F_LONG, READONLY | NULLABLE | SECRET, .doc = "otpauth_url as a QR code (SVG).",
     .example = "\"<svg></svg>\""},
    {"recovery_codes", F_COMPUTED, READONLY | SECRET, .render = recovery_codes,
     .doc = "Recovery codes, shown only in the reply to POST. Each replaces one code of the authenticator, "
            "once.",
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

/* Percent-encodes all but the unreserved characters of RFC 3986. Authenticators decode the rest. */
static struct str percent_escaped(struct arena *a, struct str s) {
    static const char hex[] = "0123456789ABCDEF";
    char *out = arena_alloc(a, 3 * s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        bool plain = (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
                     in_set(ch, "-_.~@");
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
        struct str secret = base32(a, f->secret), host = percent_escaped(a, c->work.desk->host);
        struct str url = str_fmt(a, "otpauth://totp/%s:%s?secret=%s&issuer=%s", host.p,
                                 percent_escaped(a, f->account).p, secret.p, host.p);
        *row_cell(row, "secret") = value_text(secret);
        *row_cell(row, "otpauth_url") = value_text(url);
        *row_cell(row, "qr_code") = value_text(qr_svg(a, url.p));
    }
    return envelope_row(v, row);
}

static int get_twofactor(struct call *c) {
    struct factor f;
    TRY(api_input(c));
    int rc = factor_read(&c->work, c->work.actor.user_id, &f);
    return rc < 0 ? rc : rc ? reply_factor(c, &f) : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

static int post_twofactor(struct call *c) {
    struct str *codes = arena_array(c->work.arena, RECOVERY_CODES, sizeof *codes);
    TRY(api_input(c));
    int rc = factor_enable(&c->work, c->work.actor.user_id, in_text(c, "code"), codes);
    TRY(rc);
    if (rc == 0)
        return in_fail(c, "code", ERR_FIELD_INVALID, "This is not the current code of the authenticator.");
    c->prepared = codes;
    return reply_factor(c, &(struct factor){.enabled = true});
}

/* Runs in the pool. A stolen session alone can't remove the second factor. Guesses are counted and locked,
 * like those of logins. */
static int prove(struct call *c) {
    struct factor f;
    TRY_FOUND(&c->work, factor_read(&c->work, c->work.actor.user_id, &f));
    return f.enabled ? own_proof(c) : 0; /* factor_remove reports it */
}

static int delete_twofactor(struct call *c) {
    TRY(api_input(c));
    TRY(factor_remove(&c->work, c->work.actor.user_id));
    return api_reply(c);
}

static const struct field enable_input[] = {
    {"code", F_TEXT, PRESENT, .max = 16, .doc = "Code of the authenticator.", .example = "\"123456\""},
    {0},
};
static const struct route twofactor_routes[] = {
    {GET, "/profile/twofactor", ALL, "", ONE, get_twofactor, .summary = "Get your second factor",
     .doc = "Until the confirmation, the reply has the secret for an authenticator. It stays the same "
            "within this session."},
    {POST, "/profile/twofactor", ALL, "", ONE, post_twofactor, .input = enable_input,
     .summary = "Confirm your second factor",
     .doc = "Logins ask for a code from now on. Ends your other sessions. The recovery codes are shown only "
            "in this reply.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.refused = "FIELD_INVALID"}},
    {DELETE, "/profile/twofactor", ALL, "", NONE, delete_twofactor, .prepare = prove,
     .args = own_proof_fields, .summary = "Remove your second factor",
     .doc = "Send a code of the authenticator or a recovery code, as `code` or in X-OTP, or send the "
            "password. Send codes and passwords in the body, because bodies are never logged.",
     .errors = "ANY_FIELD_REQUIRED AUTHENTICATION_FAILED AUTHENTICATION_LOCKED RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.refused = "RESOURCE_ACTION_NOT_AVAILABLE"}},
    {0},
};

const struct resource twofactor_resource = {
    .type = "twofactor",
    .scope = "",
    .title = "Two-factor login",
    .doc = "Second factor of logins: one-time passwords of an authenticator "
           "(RFC 6238).",
    .fields = twofactor_fields,
    .routes = twofactor_routes};
