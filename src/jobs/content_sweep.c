/* Removes files that have expired, and contents without a row. With a bucket a thread does what waits for
 * the network, once a minute when the runner says so, because the runner has other work that is due every
 * few seconds. */
#include "base/log.h"
#include "core/desk/file.h"
#include "files/content.h"
#include "files/remote.h"
#include "jobs/periodic.h"
#include "json/json.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Works in two steps, with a write each: src/files/content.c gives the reason. */

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

static int sweep_list(struct desk *d, struct arena *a, struct str *list, int n,
                      int (*drop)(struct desk *d, const struct str *contents, int n)) {
    if (n < 0) return -ERR_SERVICE_UNAVAILABLE;
    if (n) qsort(list, (size_t)n, sizeof *list, compare_names);
    for (int i = 0; i < n; i += AT_ONCE) {
        int gone = without_rows(d, a, list + i, n - i < AT_ONCE ? n - i : AT_ONCE);
        TRY(gone);
        TRY(drop(d, list + i, gone));
    }
    return 0;
}

static int subfolder_now(const struct desk *d) {
    return (int)(clock_now(&d->clock) / TIME_MINUTE % CONTENT_FOLDERS);
}

static int sweep_folder(struct desk *d, struct arena *a, const struct contents *k,
                        int (*drop)(struct desk *d, const struct str *contents, int n)) {
    struct str *list;
    int n = contents_listed(a, k, subfolder_now(d), &list);
    return sweep_list(d, a, list, n, drop);
}

/* ---- contents in a bucket -------------------------------------------------------------------- */

#define UPLOAD_TAKES TIME_HOUR /* younger objects may get their row yet */

static int copies_drop(struct desk *d, const struct str *contents, int n) {
    struct arena *a = arena_new();
    for (int i = 0; i < n; i++) unlink(content_path(a, d->files, contents[i]).p);
    arena_free(a);
    return 0;
}

/* Objects without a row: remains of uploads that were refused, or of a crash. */
static int sweep_objects(struct desk *d, struct arena *a) {
    struct remote_content *all = NULL;
    char said[300] = "";
    int n = remote_contents(a, d->files, subfolder_now(d), &all, (struct why){said, sizeof said}), old = 0;
    if (n < 0)
        return UNAVAILABLE("lists of contents", "%s can't be listed: %s", contents_name(a, d->files), said);
    struct str *list = arena_array(a, (size_t)n + 1, sizeof *list);
    for (int i = 0; i < n; i++)
        if (all[i].age > UPLOAD_TAKES) list[old++] = all[i].sha256;
    return sweep_list(d, a, list, old, contents_drop);
}

static int sweep_remote(struct desk *d, struct arena *a, bool at_once) {
    const struct contents copies = {.folder = d->files->folder};
    int rc = sweep_folder(d, a, &copies, copies_drop), removed = remote_remove(d, at_once),
        swept = sweep_objects(d, a);
    return rc < 0 ? rc : removed < 0 ? removed : swept;
}

struct content_sweeper {
    struct desk *desk;
    pthread_t thread;
};

static void *content_sweeper_main(void *arg) {
    struct desk *d = ((struct content_sweeper *)arg)->desk;
    while (remote_await_sweep(d->files->remote)) {
        struct arena *a = arena_new();
        if (sweep_remote(d, a, false) < 0)
            log_often(LOG_WARN, "sweeps of contents",
                      "contents could not be removed; the next sweep tries again");
        arena_free(a);
    }
    return NULL;
}

int content_sweeper_start(struct desk *d, struct content_sweeper **out) {
    *out = NULL;
    if (d->files->remote == NULL) return 0;
    struct content_sweeper *s = calloc(1, sizeof *s);
    if (s == NULL) return -1;
    s->desk = d;
    if (pthread_create(&s->thread, NULL, content_sweeper_main, s) != 0) return free(s), -1;
    *out = s;
    return 0;
}

void content_sweeper_stop(struct content_sweeper *s) {
    if (s == NULL) return;
    remote_stop(s->desk->files->remote);
    pthread_join(s->thread, NULL);
    free(s);
}

/* ---- both ------------------------------------------------------------------------------------ */

static int sweep_place(struct desk *d, struct arena *a, bool waits) {
    if (d->files->remote == NULL) return sweep_folder(d, a, d->files, contents_drop);
    if (waits) return sweep_remote(d, a, true);
    remote_sweep_now(d->files->remote);
    return 0;
}

static void sweep_contents(struct desk *d, bool waits) {
    struct arena *a = arena_new();
    if (d->files) contents_tidy(d->files);
    if (d->files && (sweep_expired(d, a) < 0 || sweep_place(d, a, waits) < 0))
        log_warn("expired files could not be removed; the next sweep tries again");
    arena_free(a);
}

void sweep_files(struct desk *d) { sweep_contents(d, false); }
void sweep_files_alone(struct desk *d) { sweep_contents(d, true); }
