/* Works in two steps, with a write each: src/files/content.c gives the reason. */
#include "jobs/sweep_files.h"

#include "base/log.h"
#include "core/desk/file.h"
#include "files/content.h"
#include "json/json.h"

#include <stdlib.h>

#define AT_ONCE 1000
#define ROUNDS 100 /* rounds of one sweep: more than the uploads of a minute */

struct expiring {
    struct arena *arena;
    int64_t now;
    struct str *contents;
    int n;
};

static int expire(struct conn *c, void *arg) {
    struct expiring *e = arg;
    return e->n = files_expire(c, e->arena, e->now, AT_ONCE, &e->contents);
}

static int sweep_expired(struct desk *d, struct arena *a) {
    struct expiring e = {.arena = a, .now = clock_now(&d->clock), .n = AT_ONCE};
    for (int round = 0; round < ROUNDS && e.n == AT_ONCE; round++) {
        struct arena_mark mark = arena_mark(a);
        TRY(db_write(d->db, expire, &e));
        TRY(contents_drop(d, e.contents, e.n));
        arena_return(a, mark);
    }
    return 0;
}

QUERY(contents_named,
      "SELECT f.sha256 FROM files f WHERE f.sha256 IN @TEXTS(:contents) GROUP BY f.sha256 ORDER BY f.sha256");

static int compare_names(const void *x, const void *y) {
    const struct str *a = x, *b = y;
    return memcmp(a->p, b->p, a->n);
}

/* Moves unreferenced contents to the front of the sorted list, in order. Returns their number, or an
 * error. */
static int without_rows(struct desk *d, struct arena *a, struct str *list, int n) {
    struct conn *c = db_reader(d->db);
    int at = 0, kept = 0, rc;
    if (c == NULL) return -ERR_SERVICE_UNAVAILABLE;
    TRY(db_read_begin(c, 0));
    DB_ROWS(rc, c, &contents_named, BINDS(B_TEXT("contents", json_texts(a, list, (size_t)n))), row) {
        while (at < n && !str_eq(list[at], col_text(row, 0))) list[kept++] = list[at++];
        if (at < n) at++;
    }
    while (at < n) list[kept++] = list[at++];
    db_read_end(c);
    return rc < 0 ? rc : kept;
}

static int sweep_folder(struct desk *d, struct arena *a) {
    struct str *list;
    int nth = (int)(clock_now(&d->clock) / TIME_MINUTE % CONTENT_FOLDERS),
        n = contents_listed(a, d->files, nth, &list);
    if (n < 0) return -ERR_SERVICE_UNAVAILABLE;
    if (n) qsort(list, (size_t)n, sizeof *list, compare_names);
    for (int i = 0; i < n; i += AT_ONCE) {
        int gone = without_rows(d, a, list + i, n - i < AT_ONCE ? n - i : AT_ONCE);
        TRY(gone);
        TRY(contents_drop(d, list + i, gone));
    }
    return 0;
}

void sweep_files(struct desk *d) {
    struct arena *a = arena_new();
    if (d->files) contents_tidy(d->files);
    if (d->files && (sweep_expired(d, a) < 0 || sweep_folder(d, a) < 0))
        log_warn("expired files could not be removed; the next sweep tries again");
    arena_free(a);
}
