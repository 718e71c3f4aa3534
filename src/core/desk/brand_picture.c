#include "core/desk/brand_picture.h"

#include <inttypes.h>

const int brand_picture_widths[BRAND_PICTURE_WIDTHS] = {BRAND_PICTURE_LEAST, 1280, 1920};

QUERY(brand_picture_put, "INSERT INTO brand_pictures (brand_id, width, data) VALUES (:brand, :width, :data)");
QUERY(brand_pictures_drop, "DELETE FROM brand_pictures WHERE brand_id = :brand");
/* picture_at is part of the address. It increases with each change. */
QUERY(brand_picture_moved,
      "UPDATE brands SET updated_at = :now, picture_width = :width, picture_at = CASE "
      "WHEN COALESCE(picture_at, 0) < :now THEN :now ELSE picture_at + 1 END WHERE id = :brand");
QUERY(brand_picture_gone,
      "UPDATE brands SET updated_at = :now, picture_width = NULL, picture_at = NULL WHERE id = :brand");
QUERY(brand_picture_get, "SELECT data FROM brand_pictures WHERE brand_id = :brand AND width = :width");

int brand_picture_set(struct work *w, int64_t brand_id, const struct brand_picture *list, int count) {
    TRY(db_exec(w->conn, &brand_pictures_drop, BINDS(B_INT("brand", brand_id))));
    for (int i = 0; i < count; i++)
        TRY(db_exec(
            w->conn, &brand_picture_put,
            BINDS(B_INT("brand", brand_id), B_INT("width", list[i].width), B_BLOB("data", list[i].data))));
    return db_exec(w->conn, count ? &brand_picture_moved : &brand_picture_gone,
                   BINDS(B_INT("brand", brand_id), B_INT("now", w->now),
                         B_INT("width", count ? list[count - 1].width : 0)));
}

int brand_picture_find(struct work *w, int64_t brand_id, int64_t width, struct str *data) {
    struct stmt *row;
    int rc =
        db_row(w->conn, &brand_picture_get, BINDS(B_INT("brand", brand_id), B_INT("width", width)), &row);
    if (rc <= 0) return rc;
    *data = str_dup(w->arena, col_text(row, 0));
    stmt_end(row);
    return 1;
}

struct str brand_picture_path(struct arena *a, int64_t brand_id, int width, int64_t at) {
    return str_fmt(a, "/helpcenter/picture/%" PRId64 "/%d?v=%" PRId64, brand_id, width, at);
}
