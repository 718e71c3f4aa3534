#include "core/letters/link.h"

#include "core/desk/setting.h"

#include <inttypes.h>

#define SECRET 24 /* random bytes */
#define VERIFY_LIFE (72 * TIME_HOUR)
#define INVITATION_LIFE (7 * TIME_DAY)

#define LIVE                                                                          \
    "used_at IS NULL AND expires_at > :now AND user_id IN (SELECT u.id FROM users u " \
    "WHERE u.is_enabled = 1 AND u.deleted_at IS NULL)"

QUERY(links_former, "DELETE FROM links WHERE user_id = :user AND purpose = :purpose AND email_id = :email");
QUERY(link_insert, "INSERT INTO links (purpose, hash, user_id, email_id, expires_at, created_at) "
                   "VALUES (:purpose, :hash, :user, :email, :expires, :now) "
                   "RETURNING id");
QUERY(link_use, "UPDATE links SET used_at = :now WHERE hash = :hash AND purpose = :purpose AND " LIVE
                " RETURNING id, user_id, email_id");
QUERY(link_by_hash,
      "SELECT id, user_id, email_id FROM links WHERE hash = :hash AND purpose = :purpose AND " LIVE);
QUERY(link_is_live, "SELECT id FROM links WHERE hash = :hash AND " LIVE);
QUERY(links_of_passwords, "DELETE FROM links WHERE user_id = :user AND purpose IN (2, 3)");

int64_t link_life(const struct work *w, enum link_purpose purpose) {
    if (purpose == LINK_VERIFY_EMAIL) return VERIFY_LIFE;
    return purpose == LINK_INVITATION ? INVITATION_LIFE
                                      : TIME_HOUR * setting_int(w->desk, "security.password_reset_hours");
}

static struct str kept(struct work *w, struct str hash) {
    return mac_hex(w->arena, &w->desk->link_key, hash);
}

int link_make(struct work *w, enum link_purpose purpose, int64_t user_id, int64_t email_id,
              struct str *hash) {
    int64_t id;
    *hash = random_hex(w->arena, SECRET);
    const struct bind *binds = BINDS(B_INT("purpose", purpose), B_INT("user", user_id),
                                     B_INT("email", email_id), B_TEXT("hash", kept(w, *hash)),
                                     B_INT("expires", w->now + link_life(w, purpose)), B_INT("now", w->now));
    /* serialises the replacement of an address's links */
    TRY(db_lock(w->conn, str_fmt(w->arena, "link:%" PRId64, email_id)));
    TRY(db_exec(w->conn, &links_former, binds));
    return db_insert(w->conn, &link_insert, binds, &id);
}

static int read_link(struct work *w, const struct query *q, enum link_purpose purpose, struct str hash,
                     struct link *out) {
    struct stmt *row;
    int rc =
        db_row(w->conn, q,
               BINDS(B_TEXT("hash", kept(w, hash)), B_INT("purpose", purpose), B_INT("now", w->now)), &row);
    if (rc <= 0) return rc;
    *out = (struct link){col_int(row, 0), col_int(row, 1), col_int(row, 2)};
    stmt_end(row);
    return 1;
}

int link_take(struct work *w, enum link_purpose purpose, struct str hash, struct link *out) {
    return read_link(w, &link_use, purpose, hash, out);
}

int link_find(struct work *w, enum link_purpose purpose, struct str hash, struct link *out) {
    return read_link(w, &link_by_hash, purpose, hash, out);
}

int link_live(struct work *w, struct str hash) {
    int64_t id;
    return db_int(w->conn, &link_is_live, BINDS(B_TEXT("hash", kept(w, hash)), B_INT("now", w->now)), &id);
}

int links_of_passwords_end(struct work *w, int64_t user_id) {
    return db_exec(w->conn, &links_of_passwords, BINDS(B_INT("user", user_id)));
}
