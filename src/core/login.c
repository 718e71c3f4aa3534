/* Logins by e-mail and password, and the lock-out (completions.md section 4).
 *
 * Failures are counted in the store by account and address together, and by address, so that a stranger can't lock an owner out.
 * The account is kept as a keyed hash of what was typed, known or not: the table says nothing of who has an account here. */
#include "base/fold.h"
#include "core/session.h"
#include "core/setting.h"
#include "core/words.h"

QUERY(login_by_email, "SELECT u.id, u.password_hash, COALESCE(u.password_updated_at, 0), u.role_type, u.is_mfa_enabled FROM identity_emails e "
                      "JOIN users u ON u.id = e.user_id WHERE e.email_key = :email AND e.is_claim = 0 "
                      "AND u.is_enabled = 1 AND u.deleted_at IS NULL");
QUERY(failures_of_account, "SELECT COUNT(*), COALESCE(MAX(created_at), 0) FROM login_failures WHERE account = :account AND ip_address = :ip AND created_at > :since");
QUERY(failures_of_address, "SELECT COUNT(*), COALESCE(MAX(created_at), 0) FROM login_failures WHERE ip_address = :ip AND created_at > :since");
QUERY(failure_insert, "INSERT INTO login_failures (account, ip_address, created_at) VALUES (:account, :ip, :now)");
QUERY(failures_forget, "DELETE FROM login_failures WHERE created_at <= :since");

#define FAILURES 10
#define WINDOW (15 * TIME_MINUTE)
#define LOCK (10 * TIME_MINUTE)

int login_find(struct work *w, struct str email, struct login *out) {
    struct stmt *row;
    *out = (struct login){0};
    int rc = db_row(w->conn, &login_by_email, BINDS(B_TEXT("email", email_key(w->arena, email))), &row);
    if (rc <= 0) return rc;
    *out = (struct login){.user_id = col_int(row, 0), .password_updated_at = col_int(row, 2), .rank = (int)col_int(row, 3),
                          .wants_otp = col_int(row, 4) != 0, .hash = str_dup(w->arena, col_text(row, 1))};
    stmt_end(row);
    return 0;
}

static struct str account_of(struct work *w, struct str email) {
    return mac_hex(w->arena, &w->desk->account_key, email_key(w->arena, email));
}

/* Seconds until the lock ends, 0 when there is none: ten failures in the window lock for ten minutes from the last. */
static int locked_for(struct work *w, const struct query *q, const struct bind *binds) {
    struct stmt *row;
    int rc = db_row(w->conn, q, binds, &row);
    if (rc <= 0) return rc;
    int64_t n = col_int(row, 0), left = col_int(row, 1) + LOCK - w->now;
    stmt_end(row);
    return n >= FAILURES && left > 0 ? (int)((left + TIME_SECOND - 1) / TIME_SECOND) : 0;
}

int login_locked(struct work *w, struct str email) {
    const struct bind *binds = BINDS(B_TEXT("account", account_of(w, email)), B_TEXT("ip", w->actor.remote), B_INT("since", w->now - WINDOW));
    int account = locked_for(w, &failures_of_account, binds);
    TRY(account);
    int address = locked_for(w, &failures_of_address, binds);
    TRY(address);
    return account > address ? account : address;
}

int login_failed_note(struct work *w, struct str email) {
    TRY(db_exec(w->conn, &failures_forget, BINDS(B_INT("since", w->now - WINDOW))));
    return db_exec(w->conn, &failure_insert,
                   BINDS(B_TEXT("account", account_of(w, email)), B_TEXT("ip", w->actor.remote), B_INT("now", w->now)));
}

int password_rule(const struct desk *d, int rank, struct str password, int64_t *least) {
    *least = setting_int(d, rank > ROLE_CUSTOMER ? "security.password_length_staff" : "security.password_length_customers");
    return (int64_t)utf8_count(password) < *least ? -ERR_FIELD_INVALID : 0;
}
