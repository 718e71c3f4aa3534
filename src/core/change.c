#include "core/change.h"

QUERY(change_put, "INSERT INTO changes (what, at) VALUES (:what, :now) "
                  "ON CONFLICT (what) DO UPDATE SET at = CASE WHEN changes.at < excluded.at THEN excluded.at ELSE changes.at END");
QUERY(change_get, "SELECT at FROM changes WHERE what = :what");

int change_note(struct work *w, struct str what) {
    return db_exec(w->conn, &change_put, BINDS(B_TEXT("what", what), B_INT("now", w->now)));
}

int change_time(struct work *w, struct str what, int64_t *at) {
    return db_int(w->conn, &change_get, BINDS(B_TEXT("what", what)), at);
}

struct str change_of_template(struct arena *a, int64_t brand_id, const char *name) {
    return str_fmt(a, "template %lld %s", (long long)brand_id, name);
}
