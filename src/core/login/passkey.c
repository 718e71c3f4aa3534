#include "core/login/passkey.h"

#include "base/buf.h"
#include "base/encoding.h"
#include "core/change/audit.h"
#include "core/letters/letter.h"
#include "core/login/session.h"
#include "json/json.h"

#include <inttypes.h>

/* ---- the party ------------------------------------------------------------------------------- */

/* An RP id is a name, not an address (WebAuthn section 5.1.2). Its last label has a letter. */
static bool is_host_name(struct str host) {
    bool letter = false;
    for (size_t i = 0; i < host.n; i++) {
        if (host.p[i] == '[') return false;
        if (host.p[i] == '.') letter = false;
        letter = letter || (host.p[i] >= 'a' && host.p[i] <= 'z') || (host.p[i] >= 'A' && host.p[i] <= 'Z');
    }
    return letter;
}

static struct str host_lower(struct arena *a, struct str s) {
    char *out = (char *)str_dup(a, s).p;
    for (size_t i = 0; i < s.n; i++)
        if (out[i] >= 'A' && out[i] <= 'Z') out[i] = (char)(out[i] - 'A' + 'a');
    return (struct str){out, s.n};
}

/* Scheme, host and port of the base URL, without the default port: as a browser writes them. */
static struct str origin_of(struct str url) {
    bool secure = str_starts(url, S("https://"));
    size_t scheme = secure ? 8 : 7;
    struct str rest = {url.p + scheme, url.n - scheme}, authority = str_cut(&rest, '/'),
               port = secure ? S(":443") : S(":80");
    size_t n = authority.n;
    if (n > port.n && memcmp(authority.p + n - port.n, port.p, port.n) == 0) n -= port.n;
    return (struct str){url.p, scheme + n};
}

bool passkey_possible(struct work *w) {
    struct str host = w->desk->host;
    return is_host_name(host) &&
           (str_starts(w->desk->base_url, S("https:")) || str_eqi(host, S("localhost")));
}

int passkey_party(struct work *w, struct webauthn_party *out) {
    if (!passkey_possible(w))
        return fail_state(w,
                          "Browsers permit passkeys only at https and a host name. The base URL of the desk "
                          "is another one.");
    *out = (struct webauthn_party){host_lower(w->arena, w->desk->host), origin_of(w->desk->base_url)};
    return 0;
}

/* ---- challenges ------------------------------------------------------------------------------ */

QUERY(passkey_challenge_known, "SELECT 1 FROM passkey_challenges WHERE challenge_hash = :hash");
QUERY(passkey_challenge_insert, "INSERT INTO passkey_challenges (challenge_hash, expires_at) "
                                "VALUES (:hash, :until) ON CONFLICT (challenge_hash) DO NOTHING");

/* 16 random bytes, the 8 of its end (milliseconds since 1970), 16 of the MAC. */
enum { CHALLENGE_RANDOM = 16, CHALLENGE_SIGNED = 24, CHALLENGE_SIZE = 40 };

static void challenge_mac(struct work *w, enum passkey_ceremony of, struct str subject,
                          const unsigned char *head, unsigned char out[MAC_SIZE]) {
    struct str hex = str_hex(w->arena, head, CHALLENGE_SIGNED);
    struct str text = STR_CAT(w->arena, str_fmt(w->arena, "passkey challenge %d\n", (int)of), hex, S("\n"),
                              subject.p ? subject : S(""));
    mac(out, &w->desk->factor_key, text);
}

struct str passkey_challenge(struct work *w, enum passkey_ceremony of, struct str subject) {
    unsigned char bytes[CHALLENGE_SIZE], sum[MAC_SIZE];
    uint64_t until = (uint64_t)(w->now + PASSKEY_TIME);
    random_bytes(bytes, CHALLENGE_RANDOM);
    for (int i = 0; i < 8; i++) bytes[CHALLENGE_RANDOM + i] = (unsigned char)(until >> (8 * (7 - i)));
    challenge_mac(w, of, subject, bytes, sum);
    memcpy(bytes + CHALLENGE_SIGNED, sum, CHALLENGE_SIZE - CHALLENGE_SIGNED);
    return base64url_encode(w->arena, bytes, sizeof bytes);
}

static struct str challenge_hash(struct work *w, struct str challenge) {
    return mac_hex(w->arena, &w->desk->factor_key,
                   STR_CAT(w->arena, S("used passkey challenge "), challenge));
}

int passkey_challenge_good(struct work *w, enum passkey_ceremony of, struct str subject,
                           struct str challenge) {
    unsigned char sum[MAC_SIZE];
    uint64_t until = 0;
    int64_t used;
    struct str bytes = base64url_decode(w->arena, challenge);
    if (bytes.p == NULL || bytes.n != CHALLENGE_SIZE) return 0;
    const unsigned char *at = (const unsigned char *)bytes.p;
    challenge_mac(w, of, subject, at, sum);
    if (!secret_eq((struct str){bytes.p + CHALLENGE_SIGNED, CHALLENGE_SIZE - CHALLENGE_SIGNED},
                   (struct str){(char *)sum, CHALLENGE_SIZE - CHALLENGE_SIGNED}))
        return 0;
    for (int i = 0; i < 8; i++) until = until << 8 | at[CHALLENGE_RANDOM + i];
    if ((int64_t)until <= w->now) return 0;
    int known =
        db_int(w->conn, &passkey_challenge_known, BINDS(B_TEXT("hash", challenge_hash(w, challenge))), &used);
    return known < 0 ? known : !known;
}

int passkey_challenge_use(struct work *w, struct str challenge) {
    return db_exec(
        w->conn, &passkey_challenge_insert,
        BINDS(B_TEXT("hash", challenge_hash(w, challenge)), B_INT("until", w->now + PASSKEY_TIME)));
}

struct str passkey_maker(struct work *w) {
    return str_fmt(w->arena, "%" PRId64 " %" PRId64, w->actor.user_id, w->actor.session_id);
}

/* ---- rows ------------------------------------------------------------------------------------ */

QUERY(passkey_by_credential,
      "SELECT p.id, p.user_id, COALESCE(u.password_updated_at, 0), u.role_type, p.algorithm, p.public_key, "
      "p.sign_count, p.user_handle FROM passkeys p JOIN users u ON u.id = p.user_id "
      "WHERE p.credential_id = :credential AND " MAY_LOG_IN);
QUERY(passkey_count_up, "UPDATE passkeys SET sign_count = :count, last_used_at = :now "
                        "WHERE id = :id AND (sign_count < :count OR (sign_count = 0 AND :count = 0))");
QUERY(passkey_handle, "SELECT user_handle FROM passkeys WHERE user_id = :user ORDER BY id LIMIT 1");
QUERY(passkeys_of_person, "SELECT COUNT(*) FROM passkeys WHERE user_id = :user");
QUERY(passkey_insert,
      "INSERT INTO passkeys (user_id, name, credential_id, algorithm, public_key, sign_count, transports, "
      "user_handle, rp_id, created_at, updated_at) VALUES (:user, :name, :credential, :algorithm, :key, "
      ":count, :transports, :handle, :rp, :now, :now) @RETURN_ID@");
QUERY(passkey_delete, "DELETE FROM passkeys WHERE id = :id");
QUERY(passkey_name, "SELECT name FROM passkeys WHERE id = :id");
QUERY(passkeys_names, "SELECT name FROM passkeys WHERE user_id = :user ORDER BY id");
QUERY(passkey_owner, "SELECT user_id FROM passkeys WHERE id = :id");
QUERY(passkeys_delete, "DELETE FROM passkeys WHERE user_id = :user");
QUERY(passkey_session, "SELECT 1 FROM sessions WHERE id = :session AND remembered_by IS NULL "
                       "AND ended_at IS NULL AND created_at > :since");

int passkey_find(struct work *w, struct str credential_id, struct passkey *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &passkey_by_credential, BINDS(B_TEXT("credential", credential_id)), &row);
    if (rc <= 0) return rc;
    *out = (struct passkey){
        .id = col_int(row, 0),
        .user_id = col_int(row, 1),
        .password_updated_at = col_int(row, 2),
        .rank = (int)col_int(row, 3),
        .credential = {.algorithm = (int)col_int(row, 4),
                       .public_key = base64url_decode(w->arena, str_dup(w->arena, col_text(row, 5))),
                       .sign_count = col_int(row, 6)},
        .user_handle = str_dup(w->arena, col_text(row, 7))};
    stmt_end(row);
    return out->credential.public_key.p ? 1 : 0;
}

int passkey_used(struct work *w, int64_t id, int64_t sign_count) {
    return db_exec(w->conn, &passkey_count_up,
                   BINDS(B_INT("id", id), B_INT("count", sign_count), B_INT("now", w->now)));
}

int passkey_user_handle(struct work *w, int64_t user_id, struct str *out) {
    unsigned char sum[MAC_SIZE];
    int rc = db_text(w->conn, &passkey_handle, BINDS(B_INT("user", user_id)), w->arena, out);
    if (rc) return rc < 0 ? rc : 0;
    mac(sum, &w->desk->factor_key, str_fmt(w->arena, "passkey handle %" PRId64, user_id));
    *out = base64url_encode(w->arena, sum, sizeof sum);
    return 0;
}

/* The entry has the name, which nobody finds after the deletion. */
static int passkey_note(struct work *w, enum audit_action action, int64_t user_id, struct str name) {
    struct json_writer j;
    struct buf b = {0};
    jw_init(&j, &b);
    jw_object(&j);
    jw_key(&j, S("name"));
    jw_str(&j, name);
    jw_end(&j);
    int rc = audit_add(
        w, &(struct audit_entry){
               .action = action, .object_type = "user", .object_id = user_id, .details = buf_view(&b)});
    buf_free(&b);
    return rc;
}

int passkey_add(struct work *w, struct str name, const struct webauthn_credential *c, struct str transports,
                struct str rp_id, int64_t *id) {
    struct arena *a = w->arena;
    int64_t user = w->actor.user_id, count = 0;
    struct str handle;
    TRY(db_lock_row(w->conn, "users", user));
    TRY(db_int(w->conn, &passkeys_of_person, BINDS(B_INT("user", user)), &count));
    if (count >= PASSKEYS_MAX) return fail_state(w, "You have %d passkeys. Remove one first.", PASSKEYS_MAX);
    TRY(passkey_user_handle(w, user, &handle));
    TRY(db_insert(w->conn, &passkey_insert,
                  BINDS(B_INT("user", user), B_TEXT("name", name),
                        B_TEXT("credential", base64url_encode(a, c->id.p, c->id.n)),
                        B_INT("algorithm", c->algorithm),
                        B_TEXT("key", base64url_encode(a, c->public_key.p, c->public_key.n)),
                        B_INT("count", c->sign_count), B_TEXT("transports", transports),
                        B_TEXT("handle", handle), B_TEXT("rp", rp_id), B_INT("now", w->now)),
                  id));
    TRY(letter_passkeys(w, "passkey_added", user, name));
    return passkey_note(w, AUDIT_PASSKEY_ADDED, user, name);
}

int passkey_remove(struct work *w, int64_t id) {
    struct str name;
    int64_t user;
    const struct bind *binds = BINDS(B_INT("id", id));
    int rc = db_int(w->conn, &passkey_owner, binds, &user);
    if (rc <= 0) return rc;
    TRY(db_text(w->conn, &passkey_name, binds, w->arena, &name));
    rc = db_exec(w->conn, &passkey_delete, binds);
    if (rc <= 0) return rc;
    TRY(letter_passkeys(w, "passkey_removed", user, name));
    TRY(passkey_note(w, AUDIT_PASSKEY_REMOVED, user, name));
    return 1;
}

int passkeys_remove(struct work *w, int64_t user_id) {
    struct str names = S("");
    int rc;
    DB_ROWS(rc, w->conn, &passkeys_names, BINDS(B_INT("user", user_id)), row)
    names =
        names.n ? STR_CAT(w->arena, names, S(", "), col_text(row, 0)) : str_dup(w->arena, col_text(row, 0));
    TRY(rc);
    int rows = db_exec(w->conn, &passkeys_delete, BINDS(B_INT("user", user_id)));
    if (rows <= 0) return rows;
    TRY(letter_passkeys(w, "passkey_removed", user_id, names));
    TRY(audit_add(w, &(struct audit_entry){.action = AUDIT_PASSKEY_REMOVED,
                                           .object_type = "user",
                                           .object_id = user_id,
                                           .details = str_fmt(w->arena, "{\"count\":%d}", rows)}));
    return rows;
}

int passkey_login_is_recent(struct work *w) {
    int64_t one;
    return db_int(w->conn, &passkey_session,
                  BINDS(B_INT("session", w->actor.session_id), B_INT("since", w->now - PASSKEY_RECENT)),
                  &one);
}
