/* Logins by e-mail and password. core/login/lockout.h has their lock-out. */
#include "base/fold.h"
#include "core/desk/setting.h"
#include "core/login/session.h"
#include "core/words.h"

QUERY(login_by_email,
      "SELECT u.id, u.password_hash, COALESCE(u.password_updated_at, 0), u.role_type, "
      "u.is_mfa_enabled, u.logins_version FROM identity_emails e "
      "JOIN users u ON u.id = e.user_id "
      "WHERE e.email_key = :email AND e.is_claim = 0 AND u.is_enabled = 1 AND u.deleted_at IS NULL");

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

int password_rule(const struct desk *d, int rank, struct str password, int64_t *least) {
    *least = setting_int(d, rank > ROLE_CUSTOMER ? "security.password_length_staff"
                                                 : "security.password_length_customers");
    return (int64_t)utf8_count(password) < *least ? -ERR_FIELD_INVALID : 0;
}
