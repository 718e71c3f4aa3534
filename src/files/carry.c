/* The rows say which contents there are, so a place with contents of no row (of refused uploads, of another
 * desk) does not matter, and a content that is missing is found. A content has its name in the target only
 * when it is complete: a folder gets it by a rename, a bucket by a PUT. So a carrying that was interrupted
 * goes on where it was: it reads and hashes what a folder has, and compares the sizes of what a bucket has.
 *
 * Threads share the contents of a subfolder, because a store answers a request in 20 to 100 ms. Only the
 * caller's thread uses the database. */
#include "files/carry.h"

#include "base/disk.h"
#include "core/desk/file.h"
#include "files/check.h"
#include "files/content.h"
#include "files/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CARRIERS 8 /* threads, as many as LANE_STORE has */

struct load { /* one content */
    const struct content_rows *rows;
    bool found;  /* the target has it */
    char *fault; /* malloc; why it can't be carried */
};

struct carry {
    struct conn *conn;
    const struct carrying *how;
    struct carried *count;
    struct arena *arena;         /* of a subfolder */
    struct remote_walk *present; /* the contents of a bucket that is the target */
    struct load *loads;
    int load_count;
    atomic_int next, failures;
};

/* ---- one content ----------------------------------------------------------------------------- */

static int carry_errno(struct why why, const char *path) {
    return db_refuse(why, "%s can't be written: %s", path, strerror(errno));
}

/* Copies and hashes in one pass. */
static int carry_bytes(int from, int to, struct arena *a, const struct content_rows *r, struct why why) {
    unsigned char piece[1 << 16], sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    int64_t length = 0;
    ssize_t n;
    crypto_hash_sha256_init(&state);
    while ((n = read(from, piece, sizeof piece)) > 0) {
        for (ssize_t done = 0, some; done < n; done += some)
            if ((some = write(to, piece + done, (size_t)(n - done))) <= 0)
                return carry_errno(why, "the copy");
        crypto_hash_sha256_update(&state, piece, (size_t)n);
        length += n;
    }
    crypto_hash_sha256_final(&state, sum);
    if (n < 0) return db_refuse(why, "it can't be read: %s", strerror(errno));
    if (length != r->size) return db_refuse(why, "it has a wrong size");
    return str_eq(str_hex(a, sum, sizeof sum), r->sha256) ? 0
                                                          : db_refuse(why, "it does not match its SHA-256");
}

static int carry_read(const struct carrying *h, struct arena *a, const struct content_rows *r, int out,
                      struct why why) {
    if (h->from->remote) return remote_read(h->from, r->sha256, r->size, out, why);
    int in = open(content_path(a, h->from, r->sha256).p, O_RDONLY | O_CLOEXEC);
    if (in < 0 && errno == ENOENT) return db_refuse(why, "it is missing");
    int rc =
        in < 0 ? db_refuse(why, "it can't be read: %s", strerror(errno)) : carry_bytes(in, out, a, r, why);
    if (in >= 0) close(in);
    return rc;
}

static int carry_to_folder(const struct carrying *h, struct arena *a, const struct content_rows *r,
                           struct why why) {
    const char *to = content_path(a, h->to, r->sha256).p;
    char *draft = (char *)(uintptr_t)STR_CAT(a, contents_tmp(a, h->to), S("/carry-XXXXXX")).p;
    int out = mkostemp(draft, O_CLOEXEC);
    if (out < 0) return carry_errno(why, draft);
    int rc = carry_read(h, a, r, out, why);
    if (rc == 0 && (fsync(out) != 0 || rename(draft, to) != 0)) rc = carry_errno(why, to);
    close(out);
    if (rc < 0) unlink(draft);
    return rc;
}

/* A file of the source is read before it is sent, because not every store compares the SHA-256. */
static int carry_to_bucket(const struct carrying *h, struct arena *a, const struct content_rows *r,
                           struct why why) {
    if (h->from->remote == NULL) {
        const char *fault = content_fault(a, h->from, r->sha256, r->size);
        if (fault) return db_refuse(why, "it %s", fault);
        return remote_write(h->to, r->sha256, content_path(a, h->from, r->sha256).p, r->size, why);
    }
    FILE *between = tmpfile();
    if (between == NULL) return carry_errno(why, "a temporary file");
    int rc = remote_read(h->from, r->sha256, r->size, fileno(between), why);
    if (rc == 0)
        rc = remote_write(h->to, r->sha256, str_fmt(a, "/proc/self/fd/%d", fileno(between)).p, r->size, why);
    fclose(between);
    return rc;
}

static void *carry_some(void *arg) {
    struct carry *k = arg;
    const struct carrying *h = k->how;
    for (int i; (i = atomic_fetch_add(&k->next, 1)) < k->load_count;) {
        struct load *l = &k->loads[i];
        struct arena *a = arena_new();
        char said[300] = "";
        struct why why = {said, sizeof said};
        if (atomic_load(&k->failures) >= CARRY_FAILURES) l->fault = strdup("");
        else if (!h->to->remote && content_fault(a, h->to, l->rows->sha256, l->rows->size) == NULL)
            l->found = true;
        else if ((h->to->remote ? carry_to_bucket : carry_to_folder)(h, a, l->rows, why) < 0) {
            atomic_fetch_add(&k->failures, 1);
            l->fault = strdup(said);
        }
        arena_free(a);
    }
    return NULL;
}

/* ---- a subfolder ----------------------------------------------------------------------------- */

static void carry_threads(struct carry *k) {
    pthread_t threads[CARRIERS];
    int n = 0;
    atomic_store(&k->next, 0);
    while (n < CARRIERS - 1 && n < k->load_count - 1 && pthread_create(&threads[n], NULL, carry_some, k) == 0)
        n++;
    carry_some(k);
    while (n) pthread_join(threads[--n], NULL);
}

/* The names of a subfolder are durable when the folder is synced. */
static int subfolder_make(const struct contents *to, const char *sub) {
    return to->remote || mkdir(sub, 0700) == 0 || errno == EEXIST ? 0 : -1;
}

static int subfolder_sync(const struct contents *to, const char *sub) {
    return to->remote || (sync_path(sub) == 0 && sync_path(to->folder) == 0) ? 0 : -1;
}

static bool is_in_bucket(const struct content_rows *r, const struct remote_content *list, int n) {
    struct remote_content key = {.sha256 = r->sha256};
    const struct remote_content *at =
        n ? bsearch(&key, list, (size_t)n, sizeof *list, remote_content_compare) : NULL;
    return at && at->size == r->size;
}

static void carry_line(struct carry *k, struct str line) {
    k->count->failed++;
    k->how->report(k->how->arg, line.p);
}

/* A content whose rows are gone was swept meanwhile. */
static int carry_results(struct carry *k) {
    for (int i = 0; i < k->load_count; i++) {
        struct load *l = &k->loads[i];
        int named = l->fault ? content_named(k->conn, l->rows->sha256) : 0;
        if (l->fault == NULL) l->found ? k->count->found++ : k->count->sent++;
        else if (named == 1 && *l->fault)
            carry_line(k, str_fmt(k->arena, "the content %s of file %" PRId64 " can't be carried: %s",
                                  l->rows->sha256.p, l->rows->file_id, l->fault));
        free(l->fault);
        TRY(named);
    }
    return 0;
}

static int carry_subfolder(struct carry *k, int nth) {
    struct content_rows *rows;
    struct remote_content *present = NULL;
    char said[300] = "";
    const char *sub = str_fmt(k->arena, "%s/%02x", k->how->to->folder, nth).p;
    int n = contents_of_rows(k->conn, k->arena, nth, &rows), there = 0;
    TRY(n);
    if (k->present)
        there = remote_walk_next(k->present, k->arena, nth, &present, (struct why){said, sizeof said});
    if (there < 0 || (n && subfolder_make(k->how->to, sub) < 0)) {
        atomic_store(&k->failures, CARRY_FAILURES);
        return carry_line(k, str_fmt(k->arena, "%s can't be used: %s", contents_name(k->arena, k->how->to),
                                     *said ? said : strerror(errno))),
               0;
    }
    if (there) qsort(present, (size_t)there, sizeof *present, remote_content_compare);
    k->loads = arena_array(k->arena, (size_t)n + 1, sizeof *k->loads);
    k->load_count = 0;
    for (int i = 0; i < n; i++) {
        k->count->contents++;
        k->count->bytes += rows[i].size;
        if (is_in_bucket(&rows[i], present, there)) k->count->found++;
        else k->loads[k->load_count++] = (struct load){.rows = &rows[i]};
    }
    if (k->load_count == 0) return 0;
    carry_threads(k);
    if (subfolder_sync(k->how->to, sub) < 0)
        carry_line(k, str_fmt(k->arena, "%s can't be written: %s", k->how->to->folder, strerror(errno)));
    return carry_results(k);
}

/* ---- all ------------------------------------------------------------------------------------- */

QUERY(contents_counted, "SELECT COUNT(DISTINCT f.sha256) FROM files f");

int carry_open(struct conn *c, const struct contents *to, char *err, size_t err_size) {
    struct why why = {err, err_size};
    if (to->remote) return remote_may_take(c, to, why);
    if (folder_has_copies(to))
        return db_refuse(why, "%s has copies of files that are in a bucket: name another folder", to->folder);
    return contents_open(to, err, err_size);
}

int contents_carry(struct conn *c, const struct carrying *how, struct carried *out) {
    struct carry k = {.conn = c, .how = how, .count = out, .arena = arena_new()};
    int64_t total = 0;
    int rc = db_int(c, &contents_counted, NULL, &total);
    *out = (struct carried){0};
    if (how->to->remote) k.present = remote_walk_new(how->to);
    for (int nth = 0; nth < CONTENT_FOLDERS && rc >= 0 && atomic_load(&k.failures) < CARRY_FAILURES; nth++) {
        struct arena_mark mark = arena_mark(k.arena);
        rc = carry_subfolder(&k, nth);
        arena_return(k.arena, mark);
        if (how->progress) how->progress(out->contents < total ? out->contents : total, total);
    }
    if (how->progress) how->progress(total, total);
    remote_walk_free(k.present);
    arena_free(k.arena);
    return rc < 0 ? rc : 0;
}
