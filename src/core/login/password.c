#include "core/login/password.h"

#include "core/change/object_diff.h"
#include "core/login/auth_token.h"
#include "core/letters/letter.h"
#include "core/letters/link.h"
#include "core/login/remember.h"
#include "core/login/session.h"
#include "core/login/bearer.h"
#include "core/desk/setting.h"
#include "core/words.h"

QUERY(password_keep, "INSERT INTO password_history (user_id, hash, created_at) "
                     "SELECT id, password_hash, CAST(:now AS BIGINT) "
                     "FROM users WHERE id = :user AND password_hash IS NOT NULL");
QUERY(password_drop,
      "DELETE FROM password_history "
      "WHERE user_id = :user AND created_at NOT IN (SELECT h.created_at FROM password_history h "
      "WHERE h.user_id = :user ORDER BY h.created_at DESC LIMIT :keep)");
/* password_updated_at identifies the password, so it always increases. */
QUERY(password_write, "UPDATE users SET password_hash = :hash, updated_at = :now, "
                      "password_updated_at = CASE WHEN COALESCE(password_updated_at, 0) < :now THEN :now "
                      "ELSE password_updated_at + 1 END WHERE id = :user");
QUERY(password_hashes, "SELECT password_hash, CAST(:now AS BIGINT) AS at "
                       "FROM users WHERE id = :user AND password_hash IS NOT NULL "
                       "UNION ALL SELECT hash, created_at FROM password_history "
                       "WHERE user_id = :user ORDER BY at DESC LIMIT :keep");

bool password_expired(const struct desk *d, int rank, int64_t updated_at, int64_t now) {
    int64_t days = setting_int(d, rank > ROLE_CUSTOMER ? "security.password_days_staff"
                                                       : "security.password_days_customers");
    return days > 0 && updated_at > 0 && now - updated_at >= days * TIME_DAY;
}

int password_used_before(struct work *w, int64_t user_id, struct str password) {
    int64_t keep = setting_int(w->desk, "security.password_history");
    int rc;
    bool used = false;
    if (keep == 0) return 0;
    DB_ROWS(rc, w->conn, &password_hashes,
            BINDS(B_INT("user", user_id), B_INT("now", w->now), B_INT("keep", keep)), row)
    used = used || password_verify(col_text(row, 0), password);
    return rc < 0 ? rc : used;
}

int password_set(struct work *w, int64_t user_id, struct str hash) {
    int64_t keep = setting_int(w->desk, "security.password_history");
    const struct bind *binds =
        BINDS(B_INT("user", user_id), B_TEXT("hash", hash), B_INT("now", w->now), B_INT("keep", keep));
    TRY(object_diff_begin(w, DIFFED_USER, user_id));
    TRY(letter_password_changed(w, user_id));
    if (keep) TRY(db_exec(w->conn, &password_keep, binds));
    TRY(db_exec(w->conn, &password_drop, binds));
    TRY(db_exec(w->conn, &password_write, binds));
    TRY(links_of_passwords_end(w, user_id));
    TRY(remember_end(w, user_id));
    TRY(auth_tokens_end(w, user_id));
    TRY(tokens_end(w, user_id));
    return sessions_end(w, user_id, w->actor.user_id == user_id ? w->actor.session_id : 0);
}

int password_rule(const struct desk *d, int rank, struct str password, int64_t *least) {
    *least = setting_int(d, rank > ROLE_CUSTOMER ? "security.password_length_staff"
                                                 : "security.password_length_customers");
    return (int64_t)utf8_count(password) < *least ? -ERR_FIELD_INVALID : 0;
}
