#include "core/cases/original.h"

QUERY(original_put, "INSERT INTO post_originals (post_id, html) "
                    "VALUES (:post, :html) ON CONFLICT (post_id) DO UPDATE "
                    "SET html = excluded.html");
QUERY(original_drop, "DELETE FROM post_originals WHERE post_id = :post");

int original_keep(struct work *w, int64_t post_id, struct str html) {
    if (html.p == NULL) return db_exec(w->conn, &original_drop, BINDS(B_INT("post", post_id)));
    return db_exec(w->conn, &original_put, BINDS(B_INT("post", post_id), B_TEXT("html", html)));
}
