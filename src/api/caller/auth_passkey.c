/* Logins by passkey (docs/ARCHITECTURE.md "Passkeys").
 *
 *     X-Passkey ─▸ form ─▸ client data ─▸ challenge ─▸ known? ─▸ staff? ─▸ signature, flags, count ─▸ session
 *                   └ 400    └──────────────┴────────────┴─────────┴──── refused and counted: 401, 429
 *
 * With X-Token it is the second step after a password. The signature is verified in the pool, in a snapshot.
 * The write that follows uses the challenge and raises the counter, and fails if another login did so in the
 * meantime. */
#include "api/caller/auth_passkey.h"

#include "api/caller/auth_steps.h"
#include "base/encoding.h"
#include "core/login/passkey.h"
#include "core/login/password.h"
#include "core/words.h"

#include <inttypes.h>

struct passkey_login {
    struct webauthn_party party;
    struct webauthn_assertion got;
    struct str id, user_handle; /* Base64url; handle p NULL: not sent */
    struct str challenge;
    struct auth_token step; /* id 0: a login by passkey alone */
    struct passkey passkey; /* id 0: unknown */
    int64_t sign_count;
};

/* ---- reading --------------------------------------------------------------------------------- */

static struct str assertion_part(struct arena *a, const struct json *of, const char *name) {
    struct str text = json_member_text(of, name);
    return text.p ? base64url_decode(a, text) : (struct str){0};
}

/* AuthenticationResponseJSON in Base64url. */
static int read_assertion(struct call *c, struct str sent, struct passkey_login *out) {
    struct arena *a = c->work.arena;
    struct json *tree = NULL;
    struct json_error err;
    struct str text = base64url_decode(a, sent);
    bool good = text.p && json_parse(a, text, &tree, &err) == 0 && tree->type == JSON_OBJECT;
    const struct json *response = good ? json_member(tree, S("response")) : NULL;
    if (response) {
        out->id = json_member_text(tree, "id");
        out->user_handle = json_member_text(response, "userHandle");
        out->got = (struct webauthn_assertion){.client_data = assertion_part(a, response, "clientDataJSON"),
                                               .authenticator_data =
                                                   assertion_part(a, response, "authenticatorData"),
                                               .signature = assertion_part(a, response, "signature")};
    }
    if (out->id.n && out->got.client_data.p && out->got.authenticator_data.p && out->got.signature.n)
        return 0;
    return fail_field(
        &c->work, ERR_FIELD_INVALID, S("X-Passkey"),
        "Send the result of navigator.credentials.get() as JSON, in Base64url without padding: id, "
        "response.clientDataJSON, response.authenticatorData and response.signature.");
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Returns 1 with *why, the reason of a refusal; 0 if nothing speaks against the login; or a negative
 * error. */
static int judge_passkey(struct call *c, struct passkey_login *l, struct str token, const char **why) {
    struct work *w = &c->work;
    const struct passkey *p = &l->passkey;
    bool alone = l->step.id == 0;
    *why = webauthn_client(w->arena, &l->party, l->got.client_data, "webauthn.get", &l->challenge);
    if (*why) return 1;
    int good = passkey_challenge_good(w, alone ? PASSKEY_LOGIN : PASSKEY_STEP,
                                      alone ? w->actor.user_agent : token, l->challenge);
    TRY(good);
    if (good == 0)
        *why = "The challenge is of another login, was used or is older than five minutes. Begin again.";
    else if (p->id == 0) *why = "The desk does not have this passkey, or its person may not log in.";
    else if (!alone && p->user_id != l->step.user_id) *why = "The passkey is of another person.";
    else if (p->rank <= ROLE_CUSTOMER) *why = "Passkeys are for staff. Log in by password.";
    else if (l->user_handle.n && !str_eq(l->user_handle, p->user_handle))
        *why = "The passkey is of another account.";
    if (*why) return 1;
    l->got.needs_verification = alone;
    *why = webauthn_asserted(w->arena, &l->party, &p->credential, &l->got, &l->sign_count);
    return *why != NULL;
}

/* ---- the write ------------------------------------------------------------------------------- */

struct passkey_use {
    struct work *work;
    const struct passkey_login *login;
    bool csrf, opens; /* opens: nothing else is needed, so the session is opened, too */
    int64_t session_id;
    bool taken;
};

static int use_passkey_in(struct conn *conn, void *arg) {
    struct passkey_use *u = arg;
    const struct passkey_login *l = u->login;
    const char *method = l->step.id ? "PASSWORD_AND_PASSKEY" : "PASSKEY";
    u->work->conn = conn;
    u->taken = false;
    int rc = passkey_challenge_use(u->work, l->challenge);
    if (rc == 1) rc = passkey_used(u->work, l->passkey.id, l->sign_count);
    if (rc == 1 && l->step.id) rc = auth_token_use(u->work, l->step.id);
    u->taken = rc == 1;
    if (!u->taken || !u->opens) return rc < 0 ? rc : 0;
    return session_open_new(u->work, l->passkey.user_id, u->csrf, method, &u->session_id);
}

/* ---- the login ------------------------------------------------------------------------------- */

static struct guess passkey_guess(struct arena *a, const struct passkey_login *l) {
    struct str of = l->passkey.id ? str_fmt(a, "%" PRId64, l->passkey.user_id) : l->id;
    return (struct guess){GUESS_PASSKEY, guessed_name(a, "passkey", of)};
}

int auth_passkey(struct call *c, const struct credentials_given *g, struct session *s) {
    struct work *w = &c->work;
    struct passkey_login l = {0};
    const char *why = NULL;
    TRY(read_assertion(c, g->passkey, &l));
    TRY(passkey_party(w, &l.party));
    int found = g->token.n ? auth_token_find(w, g->token, &l.step) : 1;
    TRY(found);
    if (found == 0 || (g->token.n && l.step.step != STEP_OTP)) return fail(w, ERR_AUTHENTICATION_FAILED);
    TRY(passkey_find(w, l.id, &l.passkey));
    const struct passkey *p = &l.passkey;
    struct guess guess = passkey_guess(w->arena, &l);
    TRY(auth_refuse_locked(c, &guess));
    int refused = judge_passkey(c, &l, g->token, &why);
    TRY(refused);
    if (refused) return auth_wrong(c, &guess, p->user_id, why);
    bool expired = l.step.id && password_expired(w->desk, p->rank, p->password_updated_at, w->now);
    struct passkey_use use = {.work = w, .login = &l, .csrf = g->csrf, .opens = !expired};
    TRY(auth_on_writer(c, use_passkey_in, &use));
    if (!use.taken) return fail(w, ERR_AUTHENTICATION_FAILED);
    if (expired) return auth_next_step(c, STEP_PASSWORD, p->user_id);
    int rc = session_load(w, use.session_id, s);
    return rc < 0 ? rc : rc ? 0 : fail(w, ERR_AUTHENTICATION_FAILED);
}
