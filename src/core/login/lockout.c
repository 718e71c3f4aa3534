/* The lock-out of wrong passwords and codes.
 *
 * The store counts failures in 15 minutes: ten by (account, address), and a hundred by address, so that
 * neither a stranger can lock out the owner, nor one colleague an office behind one address. Counting is
 * serialised for each address, so that the limits hold across processes. An IPv6 /64 is one address.
 *
 * A caller who proves a former login is not refused because of what others did: a remember-me token of the
 * account, a code of its second factor, or a session. Guesses of such a caller are counted by a name of
 * their own, so that a stolen token does not allow guesses without end. A code that is sent to pass a
 * lock-out is judged before the password. Wrong ones are counted by (account, address), because their
 * sender need not have the password, and may not use up the tries of the owner's codes.
 *
 * An account that is guessed from many addresses is slowed down. After ten failures from any addresses,
 * each login waits before its password is checked: 250 ms, doubled by each further failure up to 4 s. The
 * wait holds neither a thread nor the store. Only LIMIT_DELAYED_ALIKE logins may wait for one account;
 * further ones are refused. An attacker with a thousand addresses thus gets about four guesses a second
 * from each process. Correct and wrong passwords, known and unknown accounts wait alike. A caller from an
 * address with a live session of the account, and a remembered device, do not wait, so the owner at home
 * notices nothing.
 *
 * Guessing a code of a second factor needs the password first, but there are only a million codes.
 * Failures of codes are counted by account alone.
 *
 * The account is stored as a keyed hash of the typed e-mail, whether it exists or not, so the table does
 * not reveal who has an account. */
#include "core/login/lockout.h"

#include "base/address.h"
#include "base/fold.h"

#include <string.h>

QUERY(failures_of_account,
      "SELECT COUNT(*), COALESCE(MAX(created_at), 0) "
      "FROM login_failures WHERE account = :account AND ip_address = :ip AND created_at > :since");
QUERY(failures_of_name, "SELECT COUNT(*), COALESCE(MAX(created_at), 0) "
                        "FROM login_failures WHERE account = :account AND created_at > :since");
QUERY(failures_of_address, "SELECT COUNT(*), COALESCE(MAX(created_at), 0) "
                           "FROM login_failures WHERE ip_address = :ip AND created_at > :since");
QUERY(failure_insert, "INSERT INTO login_failures (account, ip_address, created_at, user_id) "
                      "VALUES (:account, :ip, :now, CAST(:user AS BIGINT)) "
                      "RETURNING id");
QUERY(failure_locks, "UPDATE login_failures SET locks = 1 WHERE id = :id");
/* The count stops at 32, because the delay grows no further. */
QUERY(failures_anywhere,
      "SELECT COUNT(*) "
      "FROM (SELECT 1 FROM login_failures WHERE account = :account AND created_at > :since LIMIT 32) AS f");
QUERY(login_at_home,
      "SELECT s.id FROM identity_emails e JOIN sessions s ON s.user_id = e.user_id "
      "WHERE e.email_key = :email AND e.is_claim = 0 AND s.ip_address = :ip AND s.ended_at IS NULL "
      "LIMIT 1");
QUERY(failures_forget, "DELETE FROM login_failures WHERE account = :account");

#define WINDOW LOGIN_FAILURES_KEPT
#define LOCK (10 * TIME_MINUTE)
#define DELAY_MS 250
#define DOUBLINGS 4
_Static_assert(DELAY_MS << DOUBLINGS == LOGIN_DELAY_MAX_MS, "the longest delay is a doubling of the first");

/* How the failures of a guess are counted. locked: the lock of ten failures, as the begin of a sentence. */
static const struct {
    bool everywhere; /* failures are counted by the name alone, not by (name, address) */
    bool by_address; /* failures are counted by the address alone, too */
    const char *locked;
} guesses[] = {
    [GUESS_PASSWORD] = {false, true,
                        "Ten logins to this account from your address failed. Its logins from "
                        "your address are locked"},
    [GUESS_SECRET] = {false, true,
                      "Ten wrong secrets of this client came from your address. Its secrets "
                      "from your address are locked"},
    [GUESS_OWN_PASSWORD] = {false, false,
                            "Ten wrong passwords of yours came from your address. Your password "
                            "is locked there"},
    [GUESS_CODE] = {true, false,
                    "Ten codes of this account were wrong. Its codes are locked for all "
                    "addresses"},
    [GUESS_DEVICE] = {true, false,
                      "Ten wrong passwords came from this remembered device. Its passwords are "
                      "locked"},
    [GUESS_EARLY_CODE] = {false, false,
                          "Ten logins to this account from your address failed. Its logins "
                          "from your address are locked"},
    [GUESS_PASSKEY] = {false, true,
                       "Ten logins by passkey to this account from your address failed. Its passkeys are "
                       "locked there"},
};
static const char address_locked[] = "A hundred logins from your address failed. Logins from your address "
                                     "are locked, to all accounts,";

struct str guessed_name(struct arena *a, const char *secret, struct str of) {
    return STR_CAT(a, str_of(secret), S(":"), of);
}

static struct str account_of(struct work *w, struct str name) {
    return mac_hex(w->arena, &w->desk->account_key, email_key(w->arena, name));
}

/* Returns 1, and raises *out, if so many failures within the window lock: for ten minutes from the last
 * one. */
static int locked_by(struct work *w, const struct query *q, const struct bind *binds, int most,
                     const char *what, struct lockout *out) {
    struct stmt *row;
    int rc = db_row(w->conn, q, binds, &row);
    if (rc <= 0) return rc;
    int64_t n = col_int(row, 0), left = col_int(row, 1) + LOCK - w->now;
    int seconds = n >= most && left > 0 ? (int)((left + TIME_SECOND - 1) / TIME_SECOND) : 0;
    stmt_end(row);
    if (seconds > out->seconds) *out = (struct lockout){seconds, what};
    return seconds > 0;
}

int login_locked(struct work *w, const struct guess *g, struct lockout *out) {
    char room[ADDRESS_TEXT];
    const struct bind *binds =
        BINDS(B_TEXT("account", account_of(w, g->name)),
              B_TEXT("ip", address_counted_text(room, w->actor.remote)), B_INT("since", w->now - WINDOW));
    const struct query *alike = guesses[g->of].everywhere ? &failures_of_name : &failures_of_account;
    *out = (struct lockout){0};
    TRY(locked_by(w, alike, binds, LOGIN_FAILURES, guesses[g->of].locked, out));
    if (guesses[g->of].by_address)
        TRY(locked_by(w, &failures_of_address, binds, LOGIN_FAILURES_OF_ADDRESS, address_locked, out));
    return out->seconds > 0;
}

int login_guard(struct work *w, const struct guess *g, struct lockout *out) {
    char room[ADDRESS_TEXT];
    if (guesses[g->of].everywhere) TRY(db_lock(w->conn, account_of(w, g->name)));
    TRY(db_lock(w->conn, STR_CAT(w->arena, S("login:"), address_counted_text(room, w->actor.remote))));
    return login_locked(w, g, out);
}

struct str lockout_says(struct arena *a, const struct lockout *l) {
    int minutes = (l->seconds + 59) / 60;
    if (l->seconds < 60)
        return str_fmt(a, "%s for %d second%s.", l->what, l->seconds, l->seconds == 1 ? "" : "s");
    return str_fmt(a, "%s for %d minute%s.", l->what, minutes, minutes == 1 ? "" : "s");
}

int login_failures_forget(struct work *w, struct str email) {
    return db_exec(w->conn, &failures_forget, BINDS(B_TEXT("account", account_of(w, email))));
}

int login_failed_note(struct work *w, const struct guess *g, int64_t user_id, int *attempt,
                      struct lockout *out) {
    char room[ADDRESS_TEXT];
    const struct bind *binds = BINDS(
        B_TEXT("account", account_of(w, g->name)), B_TEXT("ip", address_counted_text(room, w->actor.remote)),
        B_ID("user", user_id), B_INT("now", w->now), B_INT("since", w->now - WINDOW));
    int64_t id, n = 0;
    struct lockout now;
    int locked = login_guard(w, g, out);
    if (locked) return locked;
    TRY(db_insert(w->conn, &failure_insert, binds, &id));
    TRY(db_int(w->conn, &failures_of_account, binds, &n));
    *attempt = n < LOGIN_FAILURES ? (int)n : LOGIN_FAILURES;
    locked = login_locked(w, g, &now);
    TRY(locked);
    if (locked) TRY(db_exec(w->conn, &failure_locks, BINDS(B_INT("id", id))));
    return 0;
}

int login_delay(struct work *w, struct str email, uint64_t *key) {
    struct str account = account_of(w, email);
    int64_t n = 0, home = 0;
    memcpy(key, account.p, sizeof *key);
    TRY(db_int(w->conn, &failures_anywhere,
               BINDS(B_TEXT("account", account), B_INT("since", w->now - WINDOW)), &n));
    if (n < LOGIN_FAILURES) return 0;
    TRY(db_int(w->conn, &login_at_home,
               BINDS(B_TEXT("email", email_key(w->arena, email)), B_TEXT("ip", w->actor.remote)), &home));
    if (home) return 0;
    return n - LOGIN_FAILURES < DOUBLINGS ? DELAY_MS << (n - LOGIN_FAILURES) : LOGIN_DELAY_MAX_MS;
}
