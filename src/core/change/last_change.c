#include "core/change/last_change.h"

QUERY(last_change_put, "INSERT INTO changes (what, at) VALUES (:what, :now) "
                       "ON CONFLICT (what) DO UPDATE "
                       "SET at = CASE WHEN changes.at < excluded.at THEN excluded.at ELSE changes.at END, "
                       "generation = changes.generation + 1");
QUERY(last_change_get, "SELECT at FROM changes WHERE what = :what");

int last_change_note(struct work *w, struct str what) {
    return db_later(w->conn, &last_change_put, BINDS(B_TEXT("what", what), B_INT("now", w->now)));
}

int last_change_time(struct work *w, struct str what, int64_t *at) {
    return db_int(w->conn, &last_change_get, BINDS(B_TEXT("what", what)), at);
}

struct str last_change_of_template(struct arena *a, int64_t brand_id, const char *name) {
    return str_fmt(a, "template %lld %s", (long long)brand_id, name);
}
