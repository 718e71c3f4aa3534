#include "res/own_proof.h"

#include "core/login/factor.h"

const struct field own_proof_fields[] = {
    {"code", F_TEXT, 0, .max = 32, .doc = "Code of the authenticator, or a recovery code.",
     .example = "\"123456\""},
    {"password", F_PASSWORD, 0, .doc = "Password, in place of a code.", .example = "\"correct horse\""},
    {0},
};

QUERY(factor_password, "SELECT password_hash FROM users WHERE id = :user");

static int read_own_hash(struct call *c, struct str *hash) {
    *hash = (struct str){0};
    return db_text(c->work.conn, &factor_password, BINDS(B_INT("user", c->work.actor.user_id)), c->work.arena,
                   hash);
}

int own_password_exists(struct call *c) {
    struct str hash;
    int rc = read_own_hash(c, &hash);
    return rc < 0 ? rc : hash.n > 0;
}

/* A parameter in the query or in the body. If both are given, they must be equal. p NULL: not sent. */
static int sent(struct call *c, const char *name, struct str *out) {
    const struct json *places[] = {json_named(c->query, str_of(name)), json_named(c->body, str_of(name))};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct json *j = places[i];
        if (j == NULL || (j->type != JSON_STRING && j->type != JSON_NUMBER) || j->text.n == 0) continue;
        if (out->p && !str_eq(*out, j->text))
            return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, str_of(name), NULL);
        *out = j->text;
    }
    return 0;
}

static int sent_code(struct call *c, struct str *out) {
    const struct json *argument = json_named(c->credentials, S("_otp"));
    struct str header = http_header(c->http, "X-OTP");
    if (header.n) *out = header;
    else if (argument && argument->text.n) *out = argument->text;
    return sent(c, "code", out);
}

static int prove_password(struct call *c, struct str password) {
    struct str hash;
    bool right = false;
    TRY(read_own_hash(c, &hash));
    TRY(auth_guess(c, hash, password, &right));
    return right ? 0 : fail(&c->work, ERR_AUTHENTICATION_FAILED);
}

int own_proof(struct call *c) {
    static const char *const names[] = {"code", "password", NULL};
    struct str code = {0}, password = {0};
    TRY(sent_code(c, &code));
    TRY(sent(c, "password", &password));
    if (code.n || c->code_taken) return auth_code(c, code);
    if (password.n) return prove_password(c, password);
    return fail_any(&c->work, (struct str){0}, names);
}
