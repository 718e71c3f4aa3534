#include "core/desk/brand_logo.h"

QUERY(brand_logo_put, "INSERT INTO brand_logos (brand_id, type, data) "
                      "VALUES (:brand, :type, :data) ON CONFLICT (brand_id) DO UPDATE "
                      "SET type = excluded.type, data = excluded.data");
QUERY(brand_logo_drop, "DELETE FROM brand_logos WHERE brand_id = :brand");
/* logo_at is part of the picture's address. It increases with each change. */
QUERY(brand_logo_moved,
      "UPDATE brands SET updated_at = :now, logo_at = CASE WHEN COALESCE(logo_at, 0) < :now THEN :now "
      "ELSE logo_at + 1 END WHERE id = :brand");
QUERY(brand_logo_gone, "UPDATE brands SET updated_at = :now, logo_at = NULL WHERE id = :brand");
QUERY(brand_logo_get, "SELECT type, data FROM brand_logos WHERE brand_id = :brand");

int brand_logo_set(struct work *w, int64_t brand_id, struct str type, struct str data) {
    bool gone = data.p == NULL;
    const struct bind *binds =
        BINDS(B_INT("brand", brand_id), B_TEXT("type", type), B_BLOB("data", data), B_INT("now", w->now));
    TRY(db_exec(w->conn, gone ? &brand_logo_drop : &brand_logo_put, binds));
    return db_exec(w->conn, gone ? &brand_logo_gone : &brand_logo_moved, binds);
}

int brand_logo_find(struct work *w, int64_t brand_id, struct str *type, struct str *data) {
    struct stmt *row;
    int rc = db_row(w->conn, &brand_logo_get, BINDS(B_INT("brand", brand_id)), &row);
    if (rc <= 0) return rc;
    *type = str_dup(w->arena, col_text(row, 0));
    *data = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    return 1;
}
