#include "core/login/factor.h"

#include "core/change/object_diff.h"
#include "core/login/remember.h"
#include "core/login/session.h"
#include "core/login/totp.h"

#include <inttypes.h>

QUERY(factor_row,
      "SELECT u.is_mfa_enabled, u.totp_secret, u.totp_epoch, COALESCE(u.totp_step, 0), u.full_name, "
      "(SELECT e.email FROM identity_emails e WHERE e.user_id = u.id AND e.is_primary = 1) "
      "FROM users u WHERE u.id = :user");
QUERY(factor_set,
      "UPDATE users SET is_mfa_enabled = 1, totp_secret = :secret, totp_step = :step, updated_at = :now "
      "WHERE id = :user");
QUERY(factor_unset, "UPDATE users SET is_mfa_enabled = 0, totp_secret = NULL, totp_step = NULL, "
                    "totp_epoch = totp_epoch + 1, updated_at = :now "
                    "WHERE id = :user AND is_mfa_enabled = 1");
QUERY(factor_step, "UPDATE users SET totp_step = :step WHERE id = :user");
QUERY(recovery_insert, "INSERT INTO recovery_codes (user_id, code_hash) VALUES (:user, :hash)");
QUERY(recovery_forget, "DELETE FROM recovery_codes WHERE user_id = :user");
QUERY(recovery_take, "UPDATE recovery_codes SET used_at = :now "
                     "WHERE user_id = :user AND code_hash = :hash AND used_at IS NULL");

struct factor_state {
    struct factor factor;
    int64_t step;
};

static struct str derived_secret(struct work *w, int64_t user_id, int64_t epoch) {
    unsigned char *out = arena_alloc(w->arena, MAC_SIZE);
    mac(out, &w->desk->factor_key,
        str_fmt(w->arena, "secret %" PRId64 " %" PRId64 " %" PRId64, user_id, epoch, w->actor.session_id));
    return (struct str){(char *)out, TOTP_SECRET};
}

static int factor_state_read(struct work *w, int64_t user_id, struct factor_state *h) {
    struct stmt *row;
    int rc = db_row(w->conn, &factor_row, BINDS(B_INT("user", user_id)), &row);
    if (rc <= 0) return rc;
    bool enabled = col_int(row, 0) != 0;
    struct str account = col_null(row, 5) ? col_text(row, 4) : col_text(row, 5);
    *h = (struct factor_state){.factor = {.enabled = enabled, .account = str_dup(w->arena, account)},
                               .step = col_int(row, 3)};
    h->factor.secret = enabled
                           ? seal_open(w->arena, &w->desk->factor_key, str_dup(w->arena, col_text(row, 1)))
                           : derived_secret(w, user_id, col_int(row, 2));
    stmt_end(row);
    /* the secret was sealed under another server key */
    return h->factor.secret.p ? 1 : fail(w, ERR_INTERNAL_ERROR);
}

int factor_read(struct work *w, int64_t user_id, struct factor *out) {
    struct factor_state h;
    int rc = factor_state_read(w, user_id, &h);
    if (rc == 1) *out = h.factor;
    return rc;
}

static struct str recovery_code_hash(struct work *w, int64_t user_id, struct str code) {
    return mac_hex(w->arena, &w->desk->factor_key,
                   str_fmt(w->arena, "recovery %" PRId64 " %.*s", user_id, (int)code.n, code.p));
}

int factor_enable(struct work *w, int64_t user_id, struct str code, struct str codes[RECOVERY_CODES]) {
    struct factor_state h;
    TRY(db_lock_row(w->conn, "users", user_id));
    int rc = factor_state_read(w, user_id, &h);
    if (rc <= 0) return rc;
    if (h.factor.enabled)
        return fail_state(w, "Two-factor login is on already. Turn it off first to set it up "
                             "again.");
    int64_t step = totp_match(h.factor.secret, code, w->now, h.step);
    if (step < 0) return 0;
    TRY(object_diff_begin(w, DIFFED_USER, user_id));
    TRY(db_exec(w->conn, &factor_set,
                BINDS(B_INT("user", user_id),
                      B_BLOB("secret", seal(w->arena, &w->desk->factor_key, h.factor.secret)),
                      B_INT("step", step), B_INT("now", w->now))));
    for (int i = 0; i < RECOVERY_CODES; i++) {
        struct str hex = random_hex(w->arena, 8);
        codes[i] = str_fmt(w->arena, "%.4s-%.4s-%.4s-%.4s", hex.p, hex.p + 4, hex.p + 8, hex.p + 12);
        TRY(db_exec(w->conn, &recovery_insert,
                    BINDS(B_INT("user", user_id), B_TEXT("hash", recovery_code_hash(w, user_id, codes[i])))));
    }
    TRY(remember_end(w, user_id));
    TRY(sessions_end(w, user_id, w->actor.user_id == user_id ? w->actor.session_id : 0));
    return 1;
}

int factor_remove(struct work *w, int64_t user_id) {
    TRY(object_diff_begin(w, DIFFED_USER, user_id));
    int rc = db_exec(w->conn, &factor_unset, BINDS(B_INT("user", user_id), B_INT("now", w->now)));
    TRY(rc);
    TRY(db_exec(w->conn, &recovery_forget, BINDS(B_INT("user", user_id))));
    return rc ? 0 : fail_state(w, "Two-factor login is off. There is nothing to turn off.");
}

int factor_take(struct work *w, int64_t user_id, struct str code) {
    struct factor_state h;
    TRY(db_lock_row(w->conn, "users", user_id));
    int rc = factor_state_read(w, user_id, &h);
    if (rc <= 0 || !h.factor.enabled) return rc < 0 ? rc : 0;
    int64_t step = totp_match(h.factor.secret, code, w->now, h.step);
    if (step >= 0) {
        TRY(db_exec(w->conn, &factor_step, BINDS(B_INT("user", user_id), B_INT("step", step))));
        return 1;
    }
    return db_exec(w->conn, &recovery_take,
                   BINDS(B_INT("user", user_id), B_TEXT("hash", recovery_code_hash(w, user_id, code)),
                         B_INT("now", w->now)));
}
