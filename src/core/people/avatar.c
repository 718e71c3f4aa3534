#include "core/people/avatar.h"

#include "core/change/object_diff.h"

QUERY(avatar_put, "INSERT INTO avatars (user_id, type, data, updated_at) "
                  "VALUES (:user, :type, :data, :now) ON CONFLICT (user_id) DO UPDATE "
                  "SET type = excluded.type, data = excluded.data, updated_at = excluded.updated_at");
QUERY(avatar_drop, "DELETE FROM avatars WHERE user_id = :user");
/* avatar_updated_at is part of the picture's address. It increases with each change and removal. */
QUERY(avatar_moved,
      "UPDATE users "
      "SET updated_at = :now, avatar_updated_at = CASE WHEN COALESCE(avatar_updated_at, 0) < :now "
      "THEN :now ELSE avatar_updated_at + 1 END "
      "WHERE id = :user");
QUERY(avatar_get, "SELECT type, data FROM avatars WHERE user_id = :user");

int avatar_set(struct work *w, int64_t user_id, struct str type, struct str data) {
    const struct bind *binds =
        BINDS(B_INT("user", user_id), B_TEXT("type", type), B_BLOB("data", data), B_INT("now", w->now));
    TRY(object_diff_begin(w, DIFFED_USER, user_id));
    TRY(db_exec(w->conn, &avatar_put, binds));
    return db_exec(w->conn, &avatar_moved, binds);
}

int avatar_clear(struct work *w, int64_t user_id) {
    const struct bind *binds = BINDS(B_INT("user", user_id), B_INT("now", w->now));
    TRY(object_diff_begin(w, DIFFED_USER, user_id));
    int dropped = db_exec(w->conn, &avatar_drop, binds);
    return dropped > 0 ? db_exec(w->conn, &avatar_moved, binds) : dropped;
}

int avatar_find(struct work *w, int64_t user_id, struct str *type, struct str *data) {
    struct stmt *row;
    int rc = db_row(w->conn, &avatar_get, BINDS(B_INT("user", user_id)), &row);
    if (rc <= 0) return rc;
    *type = str_dup(w->arena, col_text(row, 0));
    *data = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    return 1;
}
