#include "core/desk/rekey.h"

#include "base/fold.h"

#define PART 200 /* rows */

int texts_rekey(struct work *w, const struct query *texts, const struct query *store, int64_t *after) {
    struct str keys[PART];
    int64_t ids[PART];
    int rc, n = 0;
    DB_ROWS(rc, w->conn, texts, BINDS(B_INT("after", *after), B_INT("most", PART)), row) {
        ids[n] = col_int(row, 0);
        keys[n++] = fold_key(w->arena, str_dup(w->arena, col_text(row, 1)));
    }
    for (int i = 0; i < n && rc >= 0; i++)
        rc = db_exec(w->conn, store, BINDS(B_INT("id", ids[i]), B_TEXT("key", keys[i])));
    if (n) *after = ids[n - 1];
    return rc < 0 ? rc : n == PART;
}
