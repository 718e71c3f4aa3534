/* Logins by e-mail and password, and the lock-out (completions.md section 4).
 *
 * The store counts failures by (account, address) and by address, so that a stranger can't lock out the owner. Counting is serialised
 * for each address, so that the limit of ten holds across processes. An IPv6 /64 is one address.
 *
 * An account that is guessed from many addresses is slowed down. After ten failures from any addresses, each login waits before its
 * password is checked: 250 ms, doubled by each further failure up to 4 s. The wait holds neither a thread nor the store. Only
 * LIMIT_DELAYED_ALIKE logins may wait for one account; further ones are refused. An attacker with a thousand addresses thus gets about
 * four guesses a second from each process. Correct and wrong passwords, known and unknown accounts wait alike. A caller from an address
 * with a live session of the account does not wait, so the owner at home notices nothing.
 *
 * Guessing a code of a second factor needs the password first, but there are only a million codes. Failures of codes are counted by
 * account alone.
 *
 * The account is stored as a keyed hash of the typed e-mail, whether it exists or not, so the table does not reveal who has an account. */
#include "base/address.h"
#include "base/fold.h"
#include "core/login/session.h"
#include "core/desk/setting.h"
#include "core/words.h"

QUERY(login_by_email, "SELECT u.id, u.password_hash, COALESCE(u.password_updated_at, 0), u.role_type, u.is_mfa_enabled, u.logins_version "
                      "FROM identity_emails e "
                      "JOIN users u ON u.id = e.user_id WHERE e.email_key = :email AND e.is_claim = 0 "
                      "AND u.is_enabled = 1 AND u.deleted_at IS NULL");
QUERY(failures_of_account, "SELECT COUNT(*), COALESCE(MAX(created_at), 0) FROM login_failures WHERE account = :account AND ip_address = "
                           ":ip AND created_at > :since");
QUERY(failures_of_name,
      "SELECT COUNT(*), COALESCE(MAX(created_at), 0) FROM login_failures WHERE account = :account AND created_at > :since");
QUERY(failures_of_address,
      "SELECT COUNT(*), COALESCE(MAX(created_at), 0) FROM login_failures WHERE ip_address = :ip AND created_at > :since");
QUERY(failure_insert, "INSERT INTO login_failures (account, ip_address, created_at, user_id) VALUES (:account, :ip, :now, CAST(:user AS "
                      "BIGINT)) RETURNING id");
QUERY(failure_locks, "UPDATE login_failures SET locks = 1 WHERE id = :id");
/* The count stops at 32, because the delay grows no further. */
QUERY(failures_anywhere,
      "SELECT COUNT(*) FROM (SELECT 1 FROM login_failures WHERE account = :account AND created_at > :since LIMIT 32) AS f");
QUERY(login_at_home,
      "SELECT s.id FROM identity_emails e JOIN sessions s ON s.user_id = e.user_id WHERE e.email_key = :email AND e.is_claim = 0 "
      "AND s.ip_address = :ip AND s.ended_at IS NULL LIMIT 1");

#define WINDOW LOGIN_FAILURES_KEPT
#define LOCK (10 * TIME_MINUTE)
#define DELAY_MS 250
#define DOUBLINGS 4
_Static_assert(DELAY_MS << DOUBLINGS == LOGIN_DELAY_MAX_MS, "the longest delay is a doubling of the first");

int login_find(struct work *w, struct str email, struct login *out) {
    struct stmt *row;
    *out = (struct login){0};
    int rc = db_row(w->conn, &login_by_email, BINDS(B_TEXT("email", email_key(w->arena, email))), &row);
    if (rc <= 0) return rc;
    *out = (struct login){.user_id = col_int(row, 0),
                          .password_updated_at = col_int(row, 2),
                          .rank = (int)col_int(row, 3),
                          .wants_otp = col_int(row, 4) != 0,
                          .logins_version = col_int(row, 5),
                          .hash = str_dup(w->arena, col_text(row, 1))};
    stmt_end(row);
    return 0;
}

struct str guessed_name(struct arena *a, const char *secret, struct str of) {
    return STR_CAT(a, str_of(secret), S(":"), of);
}

static struct str account_of(struct work *w, struct str email) {
    return mac_hex(w->arena, &w->desk->account_key, email_key(w->arena, email));
}

/* Returns the seconds until the lock ends, or 0. Ten failures within the window lock for ten minutes from the last failure. */
static int locked_for(struct work *w, const struct query *q, const struct bind *binds) {
    struct stmt *row;
    int rc = db_row(w->conn, q, binds, &row);
    if (rc <= 0) return rc;
    int64_t n = col_int(row, 0), left = col_int(row, 1) + LOCK - w->now;
    stmt_end(row);
    return n >= LOGIN_FAILURES && left > 0 ? (int)((left + TIME_SECOND - 1) / TIME_SECOND) : 0;
}

int login_locked(struct work *w, struct str email) {
    char room[ADDRESS_TEXT];
    const struct bind *binds = BINDS(B_TEXT("account", account_of(w, email)), B_TEXT("ip", address_counted_text(room, w->actor.remote)),
                                     B_INT("since", w->now - WINDOW));
    int account = locked_for(w, &failures_of_account, binds);
    TRY(account);
    int address = locked_for(w, &failures_of_address, binds);
    TRY(address);
    return account > address ? account : address;
}

int login_guard(struct work *w, struct str email) {
    char room[ADDRESS_TEXT];
    TRY(db_lock(w->conn, STR_CAT(w->arena, S("login:"), address_counted_text(room, w->actor.remote))));
    return login_locked(w, email);
}

int code_guard(struct work *w, struct str name) {
    struct str account = account_of(w, name);
    TRY(db_lock(w->conn, account));
    int everywhere = locked_for(w, &failures_of_name, BINDS(B_TEXT("account", account), B_INT("since", w->now - WINDOW)));
    return everywhere ? everywhere : login_guard(w, name);
}

QUERY(failures_forget, "DELETE FROM login_failures WHERE account = :account");

int login_failures_forget(struct work *w, struct str email) {
    return db_exec(w->conn, &failures_forget, BINDS(B_TEXT("account", account_of(w, email))));
}

int login_failed_note(struct work *w, struct str email, int64_t user_id, int *attempt) {
    char room[ADDRESS_TEXT];
    const struct bind *binds = BINDS(B_TEXT("account", account_of(w, email)), B_TEXT("ip", address_counted_text(room, w->actor.remote)),
                                     B_ID("user", user_id), B_INT("now", w->now), B_INT("since", w->now - WINDOW));
    int64_t id, n = 0;
    int locked = login_guard(w, email);
    if (locked) return locked;
    TRY(db_insert(w->conn, &failure_insert, binds, &id));
    TRY(db_int(w->conn, &failures_of_account, binds, &n));
    *attempt = n < LOGIN_FAILURES ? (int)n : LOGIN_FAILURES;
    locked = login_locked(w, email);
    TRY(locked);
    if (locked) TRY(db_exec(w->conn, &failure_locks, BINDS(B_INT("id", id))));
    return 0;
}

int login_delay(struct work *w, struct str email, uint64_t *key) {
    struct str account = account_of(w, email);
    int64_t n = 0, home = 0;
    memcpy(key, account.p, sizeof *key);
    TRY(db_int(w->conn, &failures_anywhere, BINDS(B_TEXT("account", account), B_INT("since", w->now - WINDOW)), &n));
    if (n < LOGIN_FAILURES) return 0;
    TRY(db_int(w->conn, &login_at_home, BINDS(B_TEXT("email", email_key(w->arena, email)), B_TEXT("ip", w->actor.remote)), &home));
    if (home) return 0;
    return n - LOGIN_FAILURES < DOUBLINGS ? DELAY_MS << (n - LOGIN_FAILURES) : LOGIN_DELAY_MAX_MS;
}

int password_rule(const struct desk *d, int rank, struct str password, int64_t *least) {
    *least = setting_int(d, rank > ROLE_CUSTOMER ? "security.password_length_staff" : "security.password_length_customers");
    return (int64_t)utf8_count(password) < *least ? -ERR_FIELD_INVALID : 0;
}
