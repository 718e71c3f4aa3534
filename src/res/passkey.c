/* Passkeys of staff (docs/ARCHITECTURE.md "Passkeys"). The login itself is a stage of a call: GET /session
 * with X-Passkey (src/api/caller/auth_passkey.c). */
#include "core/login/passkey.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/encoding.h"
#include "core/login/auth_token.h"
#include "core/login/factor.h"
#include "core/people/authority.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/own_proof.h"

/* ---- members --------------------------------------------------------------------------------- */

static void put_transports(struct json_writer *j, struct str words) {
    jw_array(j);
    while (words.n) jw_str(j, str_cut(&words, ' '));
    jw_end(j);
}

static void render_transports(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    put_transports(&v->w, own->s);
}

static const struct field passkey_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Name that the person gave it.", .example = "\"Laptop\""},
    {"credential_id", F_TEXT, READONLY, .max = 1400, .doc = "Its id at the authenticator, in Base64url.",
     .example = "\"pP5g0wGk\""},
    {"rp_id", F_TEXT, READONLY,
     .doc = "Host for which it was made. It works only while the base URL of the desk has this host.",
     .example = "\"desk.example.com\""},
    {"transports", F_COMPUTED, READONLY, .column = "t.transports", .render = render_transports,
     .doc = "Ways to the authenticator, as the browser named them.", .example = "[\"internal\", \"hybrid\"]"},
    {"last_used_at", F_TIME, READONLY | NULLABLE, .doc = "Time of the last login by it. Null: none."},
    {"user_id", F_INT, HIDDEN, .column = "t.user_id"},
    {"*", .group = row_times},
    {0},
};

/* Admins see those of all, others their own. */
static void passkey_visible(struct work *w, struct branches *out) {
    out->all = w->actor.rank >= ROLE_ADMIN;
    if (out->all) return;
    branch_add(out, "t.user_id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

/* ---- options of the ceremonies --------------------------------------------------------------- */

QUERY(passkeys_listed,
      "SELECT credential_id, transports FROM passkeys WHERE user_id = :user AND rp_id = :rp ORDER BY id");
QUERY(passkey_person, "SELECT u.full_name, (SELECT e.email FROM identity_emails e WHERE e.user_id = u.id "
                      "AND e.is_primary = 1) FROM users u WHERE u.id = :user");

/* The handler leaves the options in c->prepared. */
static void render_passkey_options(struct view *v, const struct row *row, const struct value *own) {
    const struct str *options = v->c->prepared;
    (void)row, (void)own;
    jw_raw(&v->w, *options);
}

static const struct field passkey_options_fields[] = {
    {"public_key", F_COMPUTED, READONLY, .column = "", .render = render_passkey_options,
     .doc =
         "Options in the form of the standard (PublicKeyCredentialCreationOptionsJSON or "
         "PublicKeyCredentialRequestOptionsJSON). A browser reads them by "
         "`PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. The challenge "
         "works once, within five minutes.",
     .example = "{\"challenge\": \"3q2-7w\", \"rpId\": \"desk.example.com\", \"timeout\": 300000, "
                "\"userVerification\": \"required\", \"allowCredentials\": []}"},
    {0},
};

static int reply_options(struct call *c, struct buf *b) {
    struct str *text = ARENA_NEW(c->work.arena, struct str);
    *text = buf_take(b, c->work.arena);
    c->prepared = text;
    struct view *v = view_new(c);
    return envelope_row(v, row_new(v, layout_of(c->resource), 0));
}

static void put_json_text(struct json_writer *j, const char *name, struct str text) {
    jw_key_raw(j, str_of(name));
    jw_str(j, text);
}

static void put_credential(struct json_writer *j, struct str id, struct str transports) {
    jw_object(j);
    put_json_text(j, "type", S("public-key"));
    put_json_text(j, "id", id);
    jw_key_raw(j, S("transports"));
    put_transports(j, transports);
    jw_end(j);
}

/* Returns the number of passkeys, or a negative error. */
static int put_credentials(struct call *c, struct json_writer *j, const char *name, int64_t user_id,
                           struct str rp_id) {
    int rc, n = 0;
    jw_key_raw(j, str_of(name));
    jw_array(j);
    DB_ROWS(rc, c->work.conn, &passkeys_listed, BINDS(B_INT("user", user_id), B_TEXT("rp", rp_id)), row) {
        put_credential(j, col_text(row, 0), col_text(row, 1));
        n++;
    }
    jw_end(j);
    return rc < 0 ? rc : n;
}

static void put_common(struct json_writer *j, struct str challenge) {
    put_json_text(j, "challenge", challenge);
    jw_key_raw(j, S("timeout"));
    jw_int(j, PASSKEY_TIME);
}

static int put_person(struct call *c, struct json_writer *j) {
    struct work *w = &c->work;
    struct stmt *row;
    struct str handle;
    TRY(passkey_user_handle(w, w->actor.user_id, &handle));
    TRY_FOUND(w, db_row(w->conn, &passkey_person, BINDS(B_INT("user", w->actor.user_id)), &row));
    jw_key_raw(j, S("user"));
    jw_object(j);
    put_json_text(j, "id", handle);
    put_json_text(j, "name", col_text(row, col_null(row, 1) ? 0 : 1));
    put_json_text(j, "displayName", col_text(row, 0));
    jw_end(j);
    stmt_end(row);
    return 0;
}

static void put_algorithms(struct json_writer *j) {
    jw_key_raw(j, S("pubKeyCredParams"));
    jw_array(j);
    for (const int *a = webauthn_algorithms; *a; a++) {
        jw_object(j);
        put_json_text(j, "type", S("public-key"));
        jw_key_raw(j, S("alg"));
        jw_int(j, *a);
        jw_end(j);
    }
    jw_end(j);
}

static int put_creation(struct call *c, struct json_writer *j) {
    struct webauthn_party party;
    TRY(passkey_party(&c->work, &party));
    jw_object(j);
    jw_key_raw(j, S("rp"));
    jw_object(j);
    put_json_text(j, "id", party.id);
    put_json_text(j, "name", party.id);
    jw_end(j);
    TRY(put_person(c, j));
    put_common(j, passkey_challenge(&c->work, PASSKEY_MADE, passkey_maker(&c->work)));
    put_algorithms(j);
    TRY(put_credentials(c, j, "excludeCredentials", c->work.actor.user_id, party.id));
    jw_key_raw(j, S("authenticatorSelection"));
    jw_object(j);
    put_json_text(j, "residentKey", S("preferred"));
    put_json_text(j, "userVerification", S("preferred"));
    jw_end(j);
    put_json_text(j, "attestation", S("none"));
    jw_end(j);
    return 0;
}

/* person 0: a login without a password, by any passkey of the browser. */
static int put_request(struct call *c, struct json_writer *j, int64_t person, struct str token) {
    struct work *w = &c->work;
    struct webauthn_party party;
    TRY(passkey_party(w, &party));
    jw_object(j);
    put_common(j, person ? passkey_challenge(w, PASSKEY_STEP, token)
                         : passkey_challenge(w, PASSKEY_LOGIN, w->actor.user_agent));
    put_json_text(j, "rpId", party.id);
    put_json_text(j, "userVerification", person ? S("preferred") : S("required"));
    int n = put_credentials(c, j, "allowCredentials", person, party.id);
    TRY(n);
    jw_end(j);
    return person && n == 0 ? fail_state(w, "This account has no passkey. Send a code in X-OTP.") : 0;
}

static int post_passkey_creation(struct call *c) {
    struct json_writer j;
    struct buf b = {0};
    TRY(api_input(c));
    jw_init(&j, &b);
    int rc = put_creation(c, &j);
    if (rc >= 0) return reply_options(c, &b);
    buf_free(&b);
    return rc;
}

static int post_passkey_request(struct call *c) {
    struct json_writer j;
    struct buf b = {0};
    struct auth_token t = {0};
    TRY(api_input(c));
    struct str token = in_text(c, "auth_token");
    if (given(c, "auth_token")) {
        int rc = auth_token_find(&c->work, token, &t);
        TRY(rc);
        if (rc == 0 || t.step != STEP_OTP)
            return in_fail(c, "auth_token", ERR_FIELD_INVALID,
                           "The token is unknown, was used or has expired. Log in again.");
    }
    jw_init(&j, &b);
    int rc = put_request(c, &j, t.user_id, token);
    if (rc >= 0) return reply_options(c, &b);
    buf_free(&b);
    return rc;
}

/* ---- registration ---------------------------------------------------------------------------- */

/* In the pool. A stolen session alone neither adds nor removes a passkey. A person who has neither a password
 * nor a code proves it by a new login. */
static int prove_person(struct call *c) {
    struct factor f;
    TRY_FOUND(&c->work, factor_read(&c->work, c->work.actor.user_id, &f));
    int has_password = own_password_exists(c);
    TRY(has_password);
    if (has_password || f.enabled) return own_proof(c);
    int recent = passkey_login_is_recent(&c->work);
    if (recent) return recent < 0 ? recent : 0;
    return fail_state(&c->work,
                      "You have no password, and your login is older than ten minutes. Log in again, "
                      "then repeat this.");
}

/* A member of the reply of a browser, decoded; p NULL: absent, or no Base64url. */
static struct str decoded(struct arena *a, const struct json *of, const char *name) {
    struct str text = json_member_text(of, name);
    return text.p && text.n <= 2 * WEBAUTHN_MAX ? base64url_decode(a, text) : (struct str){0};
}

/* The known words of the list, separated by blanks. */
static struct str transports_of(struct arena *a, const struct json *response) {
    const struct json *list = json_member(response, S("transports"));
    struct str out = S(""), known = S(PASSKEY_TRANSPORTS);
    while (list && list->type == JSON_ARRAY && known.n) {
        struct str word = str_cut(&known, ' ');
        for (const struct json *j = list->first; j; j = j->next)
            if (j->type == JSON_STRING && str_eq(j->text, word)) {
                out = out.n ? STR_CAT(a, out, S(" "), word) : word;
                break;
            }
    }
    return out;
}

static int refuse_credential(struct call *c, const char *why) {
    return in_fail(c, "credential", ERR_FIELD_INVALID, "%s", why);
}

/* Checks the reply of the browser, and uses its challenge. Returns 0 or a negative error. */
static int take_credential(struct call *c, const struct json *sent_credential,
                           const struct webauthn_party *party, struct webauthn_credential *out) {
    struct work *w = &c->work;
    const struct json *response = json_member(sent_credential, S("response")),
                      *id = json_member(sent_credential, S("id"));
    struct str client = decoded(w->arena, response, "clientDataJSON"),
               attestation = decoded(w->arena, response, "attestationObject"), challenge;
    if (client.p == NULL || attestation.p == NULL || id == NULL || id->type != JSON_STRING)
        return refuse_credential(c,
                                 "The members id, response.clientDataJSON and response.attestationObject are "
                                 "needed, in Base64url without padding.");
    const char *why = webauthn_client(w->arena, party, client, "webauthn.create", &challenge);
    if (why) return refuse_credential(c, why);
    int good = passkey_challenge_good(w, PASSKEY_MADE, passkey_maker(w), challenge);
    if (good == 1) good = passkey_challenge_use(w, challenge);
    TRY(good);
    if (good == 0)
        return refuse_credential(
            c, "The challenge is not yours, was used or is older than five minutes. Ask for "
               "new options.");
    why = webauthn_created(w->arena, party, attestation, out);
    if (why) return refuse_credential(c, why);
    if (!str_eq(base64url_encode(w->arena, out->id.p, out->id.n), id->text))
        return refuse_credential(c, "The id differs from that in the attestation.");
    return 0;
}

static int post_passkey(struct call *c) {
    struct webauthn_party party;
    struct webauthn_credential made;
    TRY(api_input(c));
    TRY(passkey_party(&c->work, &party));
    const struct json *credential = in(c, "credential")->json;
    TRY(take_credential(c, credential, &party, &made));
    struct str transports = transports_of(c->work.arena, json_member(credential, S("response")));
    int rc = passkey_add(&c->work, in_text(c, "name"), &made, transports, party.id, &c->id);
    if (rc == -ERR_FIELD_DUPLICATE)
        return in_fail(c, "credential", ERR_FIELD_DUPLICATE, "This passkey belongs to an account already.");
    return rc < 0 ? rc : api_reply(c);
}

static int delete_passkey(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, passkey_remove(&c->work, c->id));
    return api_reply(c);
}

static int delete_user_passkeys(struct call *c) {
    TRY(api_of(c));
    TRY(user_may_change(&c->work, c->vars[0].id));
    TRY(api_input(c));
    int removed = passkeys_remove(&c->work, c->vars[0].id);
    TRY(removed);
    return removed ? api_reply(c)
                   : fail_state(&c->work, "This person has no passkey. There is nothing to remove.");
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct field passkey_input[] = {
    {"name", F_TEXT, REQUIRED, .max = 80, .doc = "Name that you give it.", .example = "\"Laptop\""},
    {"credential", F_OBJECT, REQUIRED | CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "",
     .doc = "The result of `navigator.credentials.create()` in the form of the standard "
            "(RegistrationResponseJSON), as `toJSON()` makes it: id, response.clientDataJSON, "
            "response.attestationObject and response.transports.",
     .example =
         "{\"id\": \"pP5g0wGk\", \"type\": \"public-key\", \"response\": {\"clientDataJSON\": \"e30\", "
         "\"attestationObject\": \"oA\"}}"},
    {0},
};

static const struct field passkey_request_input[] = {
    {"auth_token", F_TEXT, 0,
     .doc = "The `auth_token` of the reply OTP_EXPECTED, for a passkey as second factor. Without it: for a "
            "login by passkey alone.",
     .example = "\"0f1e2d\""},
    {0},
};

#define OWN_PASSKEYS "t.user_id = :me"
#define PROOF_ERRORS \
    "ANY_FIELD_REQUIRED AUTHENTICATION_FAILED AUTHENTICATION_LOCKED RESOURCE_ACTION_NOT_AVAILABLE"
#define PROOF_DOC                                                                                 \
    "Send a code of the authenticator, as `code` or in X-OTP, or the password. A person who has " \
    "neither needs a login of the last ten minutes."

static const struct route passkey_routes[] = {
    {GET, "/profile/passkeys", COL_PLUS, "", LIST, api_list, .where = OWN_PASSKEYS,
     .summary = "List your passkeys"},
    {GET, "/profile/passkeys/:id", COL_PLUS, "", ONE, api_get, .where = OWN_PASSKEYS,
     .summary = "Get one of your passkeys", .sample = {.refused = "RESOURCE_NOT_FOUND"}},
    {POST, "/profile/passkeys", COL_PLUS, "", ONE, post_passkey, .input = passkey_input,
     .summary = "Add a passkey",
     .doc = "After POST /profile/passkeys/options in the same session. At most 20 for each person. Any "
            "attestation is accepted and none is examined.",
     .errors = "FIELD_DUPLICATE RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.refused = "RESOURCE_ACTION_NOT_AVAILABLE"}},
    {PUT, "/profile/passkeys/:id", COL_PLUS, "", ONE, api_update, .where = OWN_PASSKEYS,
     .input = passkey_input, .summary = "Rename one of your passkeys",
     .sample = {.refused = "RESOURCE_NOT_FOUND"}},
    {DELETE, "/profile/passkeys/:id", COL_PLUS, "", NONE, delete_passkey, .where = OWN_PASSKEYS,
     .prepare = prove_person, .lane = LANE_HASH, .args = own_proof_fields,
     .summary = "Remove one of your passkeys", .doc = PROOF_DOC, .errors = PROOF_ERRORS,
     .sample = {.path = "1", .refused = "ANY_FIELD_REQUIRED"}},
    {GET, "/users/:id/passkeys", AD, "users", LIST, api_list, .within = {"user", "user_id"},
     .summary = "List the passkeys of a user"},
    {DELETE, "/users/:id/passkeys", AD, "users", NONE, delete_user_passkeys, .within = {"user", "user_id"},
     .permission = "users.update", .summary = "Remove all passkeys of a user",
     .doc = "For a user who lost a device.", .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.refused = "RESOURCE_ACTION_NOT_AVAILABLE"}},
    {0},
};

static const struct route passkey_options_routes[] = {
    {POST, "/profile/passkeys/options", COL_PLUS, "", ONE, post_passkey_creation, .status = 200,
     .prepare = prove_person, .lane = LANE_HASH, .input = own_proof_fields,
     .summary = "Begin to add a passkey", .doc = PROOF_DOC, .errors = PROOF_ERRORS,
     .sample = {.refused = "AUTHENTICATION_FAILED"}},
    {POST, "/session/passkey/options", PUBLIC, "", ONE, post_passkey_request, .status = 200, .reads = true,
     .input = passkey_request_input, .summary = "Begin a login by passkey",
     .doc = "Then send the result of `navigator.credentials.get()` to GET /session in the header X-Passkey.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.body = "{}", .refused = "RESOURCE_ACTION_NOT_AVAILABLE"}},
    {0},
};

const struct resource passkey_options_resource = {
    .type = "passkey_options",
    .scope = "",
    .title = "Options of passkeys",
    .doc = "Options for the browser, with a challenge: the first step of adding or using a passkey.",
    .fields = passkey_options_fields,
    .routes = passkey_options_routes};

const struct resource passkey_resource = {
    .type = "passkey",
    .scope = "users",
    .title = "Passkeys",
    .doc = "Passkeys (WebAuthn) of staff, for a login without a password or as second factor.",
    .url = "profile/passkeys/:id",
    .table = "passkeys",
    .fields = passkey_fields,
    .routes = passkey_routes,
    .visible = passkey_visible,
    .unlogged = "the audit log has an entry of the person for each new and each removed one",
    .changes_unseen = true};
