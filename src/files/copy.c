/* A copy goes through the 256 subfolders. Its list of contents is that of the source (contents_copy) or that
 * of the rows of files (contents_carry). With the rows, a place with contents of no row (of refused uploads,
 * of another desk) does not matter, a content that is missing is found, and each content is verified.
 *
 * A content has its name in the target only when it is complete: a folder gets it by a rename, a bucket by
 * a PUT. So a copy that was interrupted goes on where it was. It looks at what a folder has, and compares the
 * sizes of what a bucket has.
 *
 * Threads share the contents of a subfolder, because a store answers a request in 20 to 100 ms. Only the
 * caller's thread uses the database. */
#include "files/copy.h"

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
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define CARRIERS 8 /* threads, as many as LANE_STORE has */

enum { AT_ONCE = 1 << 24 };

struct load { /* one content */
    struct str sha256;
    int64_t size;    /* -1: the list of a folder does not say it */
    int64_t file_id; /* the first of its files; 0: the list is that of the source */
    bool found;      /* the target has it */
    char *fault;     /* malloc; why it can't be copied */
};

struct copying {
    const struct contents *from, *to;
    bool verified;               /* contents of folders are compared with their SHA-256 */
    int threads, most_failures;  /* it stops after so many failures */
    struct remote_walk *present; /* the contents of a bucket that is the target */
    struct arena *arena;         /* of a subfolder */
    struct load *loads;
    int load_count;
    atomic_int next, failures;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

ssize_t copy_bytes(int from, int to, int64_t n) {
    size_t some = n < AT_ONCE ? (size_t)n : AT_ONCE;
    ssize_t done = copy_file_range(from, NULL, to, NULL, some, 0);
    bool unable = done < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP);
    return unable ? sendfile(to, from, NULL, some) : done;
}

static int copy_errno(struct why why, const char *path) {
    return db_refuse(why, "%s can't be written: %s", path, strerror(errno));
}

static int copy_unread(struct why why) { return db_refuse(why, "it can't be read: %s", strerror(errno)); }

static int copy_whole(int from, int to, struct why why) {
    struct stat st;
    if (fstat(from, &st) != 0) return copy_unread(why);
    for (int64_t done = 0; done < st.st_size;) {
        ssize_t n = copy_bytes(from, to, st.st_size - done);
        if (n == 0) errno = EIO;
        if (n <= 0) return copy_errno(why, "the copy");
        done += n;
    }
    return 0;
}

/* Copies and hashes in one pass. */
static int copy_verified(int from, int to, struct arena *a, const struct load *l, struct why why) {
    unsigned char piece[1 << 16], sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    int64_t length = 0;
    ssize_t n;
    crypto_hash_sha256_init(&state);
    while ((n = read(from, piece, sizeof piece)) > 0) {
        for (ssize_t done = 0, some; done < n; done += some)
            if ((some = write(to, piece + done, (size_t)(n - done))) <= 0) return copy_errno(why, "the copy");
        crypto_hash_sha256_update(&state, piece, (size_t)n);
        length += n;
    }
    crypto_hash_sha256_final(&state, sum);
    if (n < 0) return copy_unread(why);
    if (length != l->size) return db_refuse(why, "it has a wrong size");
    return str_eq(str_hex(a, sum, sizeof sum), l->sha256) ? 0
                                                          : db_refuse(why, "it does not match its SHA-256");
}

/* ---- one content ----------------------------------------------------------------------------- */

static int load_read(const struct copying *k, struct arena *a, const struct load *l, int out,
                     struct why why) {
    if (k->from->remote) return remote_read(k->from, l->sha256, l->size, out, why);
    int in = open(content_path(a, k->from, l->sha256).p, O_RDONLY | O_CLOEXEC);
    if (in < 0) return errno == ENOENT ? db_refuse(why, "it is missing") : copy_unread(why);
    int rc = k->verified ? copy_verified(in, out, a, l, why) : copy_whole(in, out, why);
    close(in);
    return rc;
}

/* A backup has no folder for temporary files, so the file under another name stands beside its place. */
static int copy_draft(const struct copying *k, struct arena *a, const char *to, char **draft) {
    struct str path =
        k->verified ? STR_CAT(a, contents_tmp(a, k->to), S("/carry-XXXXXX")) : str_fmt(a, "%s.new", to);
    *draft = (char *)(uintptr_t)path.p;
    return k->verified ? mkostemp(*draft, O_CLOEXEC)
                       : open(*draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static int load_to_folder(const struct copying *k, struct arena *a, const struct load *l, struct why why) {
    const char *to = content_path(a, k->to, l->sha256).p;
    char *draft;
    int out = copy_draft(k, a, to, &draft);
    if (out < 0) return copy_errno(why, draft);
    int rc = load_read(k, a, l, out, why);
    if (rc == 0 && (fsync(out) != 0 || rename(draft, to) != 0)) rc = copy_errno(why, to);
    close(out);
    if (rc < 0) unlink(draft);
    return rc;
}

/* A verified content of a folder is read before it is sent, because not every store compares the SHA-256. */
static int load_to_bucket(const struct copying *k, struct arena *a, const struct load *l, struct why why) {
    if (k->from->remote == NULL) {
        const char *fault = k->verified   ? content_fault(a, k->from, l->sha256, l->size)
                            : l->size < 0 ? "is missing"
                                          : NULL;
        if (fault) return db_refuse(why, "it %s", fault);
        return remote_write(k->to, l->sha256, content_path(a, k->from, l->sha256).p, l->size, why);
    }
    FILE *between = tmpfile();
    if (between == NULL) return copy_errno(why, "a temporary file");
    int rc = remote_read(k->from, l->sha256, l->size, fileno(between), why);
    if (rc == 0)
        rc = remote_write(k->to, l->sha256, str_fmt(a, "/proc/self/fd/%d", fileno(between)).p, l->size, why);
    fclose(between);
    return rc;
}

static bool folder_has(const struct copying *k, struct arena *a, const struct load *l) {
    return k->verified ? content_fault(a, k->to, l->sha256, l->size) == NULL
                       : access(content_path(a, k->to, l->sha256).p, F_OK) == 0;
}

static void copy_load(struct copying *k, struct arena *a, struct load *l) {
    char said[300] = "";
    struct why why = {said, sizeof said};
    if (atomic_load(&k->failures) >= k->most_failures) l->fault = strdup("");
    else if (!k->to->remote && folder_has(k, a, l)) l->found = true;
    else if ((k->to->remote ? load_to_bucket : load_to_folder)(k, a, l, why) < 0) {
        atomic_fetch_add(&k->failures, 1);
        l->fault = strdup(said);
    }
}

static void *copy_some(void *arg) {
    struct copying *k = arg;
    for (int i; (i = atomic_fetch_add(&k->next, 1)) < k->load_count;) {
        struct arena *a = arena_new();
        if (!k->loads[i].found) copy_load(k, a, &k->loads[i]);
        arena_free(a);
    }
    return NULL;
}

/* ---- a subfolder ----------------------------------------------------------------------------- */

static void copy_by_threads(struct copying *k) {
    pthread_t threads[CARRIERS];
    int n = 0;
    atomic_store(&k->next, 0);
    while (n < k->threads - 1 && n < k->load_count - 1 &&
           pthread_create(&threads[n], NULL, copy_some, k) == 0)
        n++;
    copy_some(k);
    while (n) pthread_join(threads[--n], NULL);
}

static bool folder_made(const char *path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }

/* The names of a subfolder are durable when the folder is synced. */
static int subfolder_make(const struct contents *to, const char *sub) {
    return to->remote || (folder_made(to->folder) && folder_made(sub)) ? 0 : -1;
}

static int subfolder_sync(const struct contents *to, const char *sub) {
    return to->remote || (sync_path(sub) == 0 && sync_path(to->folder) == 0) ? 0 : -1;
}

/* Contents that the bucket has already, with the same size, are not sent again. */
static int find_in_bucket(struct copying *k, int nth, struct why why) {
    struct remote_content *list;
    int n = remote_walk_next(k->present, k->arena, nth, &list, why);
    if (n > 0) qsort(list, (size_t)n, sizeof *list, remote_content_compare);
    for (int i = 0; n > 0 && i < k->load_count; i++) {
        struct remote_content key = {.sha256 = k->loads[i].sha256},
                              *at = bsearch(&key, list, (size_t)n, sizeof *list, remote_content_compare);
        k->loads[i].found = at && at->size == k->loads[i].size;
    }
    return n < 0 ? -1 : 0;
}

/* Copies k->loads. Returns 0, also if contents failed, or an error with the reason if the target can't be
 * used. Then there are no loads if none was tried. */
static int copy_subfolder(struct copying *k, int nth, struct why why) {
    const char *sub = str_fmt(k->arena, "%s/%02x", k->to->folder, nth).p;
    int rc = k->present ? find_in_bucket(k, nth, why) : 0;
    if (rc == 0 && k->load_count && subfolder_make(k->to, sub) < 0)
        rc = db_refuse(why, "%s", strerror(errno));
    if (rc < 0) k->load_count = 0;
    if (k->load_count == 0) return rc;
    copy_by_threads(k);
    return subfolder_sync(k->to, sub) < 0 ? db_refuse(why, "%s", strerror(errno)) : 0;
}

/* ---- all contents of a place ----------------------------------------------------------------- */

static int64_t size_here(const struct copying *k, struct str sha256) {
    struct stat st;
    return stat(content_path(k->arena, k->from, sha256).p, &st) == 0 ? st.st_size : -1;
}

/* Only a bucket needs the sizes. */
static int loads_of_place(struct copying *k, struct remote_walk *listed, int nth, struct why why) {
    struct remote_content *objects = NULL;
    struct str *names = NULL;
    int n = listed ? remote_walk_next(listed, k->arena, nth, &objects, why)
                   : contents_listed(k->arena, k->from, nth, &names);
    if (n < 0) return listed ? -1 : db_refuse(why, "%s", strerror(errno));
    k->load_count = n;
    k->loads = arena_array(k->arena, (size_t)n + 1, sizeof *k->loads);
    for (int i = 0; i < n; i++)
        k->loads[i] =
            listed ? (struct load){.sha256 = objects[i].sha256, .size = objects[i].size}
                   : (struct load){.sha256 = names[i], .size = k->to->remote ? size_here(k, names[i]) : -1};
    return 0;
}

static int copy_listed(struct copying *k, struct remote_walk *listed, int nth, struct why why) {
    if (loads_of_place(k, listed, nth, why) < 0 || copy_subfolder(k, nth, why) < 0) return -1;
    for (int i = 0; i < k->load_count; i++) {
        if (k->loads[i].fault && *k->loads[i].fault) db_refuse(why, "%s", k->loads[i].fault);
        free(k->loads[i].fault);
    }
    return atomic_load(&k->failures) ? -1 : k->load_count;
}

int contents_copy(const struct contents *from, const struct contents *to,
                  void (*progress)(int done, int total), char *err, size_t err_size) {
    struct copying k = {.from = from, .to = to, .most_failures = 1, .arena = arena_new()};
    struct remote_walk *listed = from->remote ? remote_walk_new(from) : NULL;
    char said[300] = "";
    int sum = 0, n = 0;
    k.threads = from->remote || to->remote ? CARRIERS : 1;
    if (to->remote) k.present = remote_walk_new(to);
    for (int nth = 0; nth < CONTENT_FOLDERS && n >= 0; nth++) {
        struct arena_mark mark = arena_mark(k.arena);
        n = copy_listed(&k, listed, nth, (struct why){said, sizeof said});
        arena_return(k.arena, mark);
        sum += n;
        if (n >= 0 && progress) progress(nth + 1, CONTENT_FOLDERS);
    }
    if (n < 0)
        snprintf(err, err_size, "contents of files can't be copied from %s to %s: %s",
                 contents_name(k.arena, from), contents_name(k.arena, to), said);
    remote_walk_free(listed);
    remote_walk_free(k.present);
    arena_free(k.arena);
    return n < 0 ? -1 : sum;
}

/* ---- the contents that rows name ------------------------------------------------------------- */

QUERY(contents_counted, "SELECT COUNT(DISTINCT f.sha256) FROM files f");

int carry_open(struct conn *c, const struct contents *to, char *err, size_t err_size) {
    struct why why = {err, err_size};
    if (to->remote) return remote_may_take(c, to, why);
    if (folder_has_copies(to))
        return db_refuse(why, "%s has copies of files that are in a bucket: name another folder", to->folder);
    return contents_open(to, err, err_size);
}

struct carry {
    struct conn *conn;
    const struct carrying *how;
    struct carried *count;
    struct copying copying;
};

static int loads_of_rows(struct carry *y, int nth) {
    struct copying *k = &y->copying;
    struct content_rows *rows;
    int n = contents_of_rows(y->conn, k->arena, nth, &rows);
    TRY(n);
    k->load_count = n;
    k->loads = arena_array(k->arena, (size_t)n + 1, sizeof *k->loads);
    for (int i = 0; i < n; i++) {
        y->count->contents++;
        y->count->bytes += rows[i].size;
        k->loads[i] =
            (struct load){.sha256 = rows[i].sha256, .size = rows[i].size, .file_id = rows[i].file_id};
    }
    return 0;
}

static void carry_line(struct carry *y, struct str line) {
    y->count->failed++;
    y->how->report(y->how->arg, line.p);
}

/* A content whose rows are gone was swept meanwhile. */
static int carry_result(struct carry *y, const struct load *l) {
    int named = l->fault ? content_named(y->conn, l->sha256) : 0;
    if (l->fault == NULL) l->found ? y->count->found++ : y->count->sent++;
    else if (named == 1 && *l->fault)
        carry_line(y, str_fmt(y->copying.arena, "the content %s of file %" PRId64 " can't be carried: %s",
                              l->sha256.p, l->file_id, l->fault));
    free(l->fault);
    return named;
}

static int carry_subfolder(struct carry *y, int nth) {
    struct copying *k = &y->copying;
    char said[300] = "";
    int rc = 0;
    TRY(loads_of_rows(y, nth));
    if (copy_subfolder(k, nth, (struct why){said, sizeof said}) < 0) {
        atomic_store(&k->failures, CARRY_FAILURES);
        carry_line(y, str_fmt(k->arena, "%s can't be used: %s", contents_name(k->arena, k->to), said));
    }
    for (int i = 0; i < k->load_count; i++) {
        int named = carry_result(y, &k->loads[i]);
        if (named < 0) rc = named;
    }
    return rc;
}

int contents_carry(struct conn *c, const struct carrying *how, struct carried *out) {
    struct carry y = {.conn = c, .how = how, .count = out};
    struct copying *k = &y.copying;
    int64_t total = 0;
    int rc = db_int(c, &contents_counted, NULL, &total);
    *k = (struct copying){.from = how->from,
                          .to = how->to,
                          .verified = true,
                          .threads = CARRIERS,
                          .most_failures = CARRY_FAILURES,
                          .arena = arena_new()};
    *out = (struct carried){0};
    if (how->to->remote) k->present = remote_walk_new(how->to);
    for (int nth = 0; nth < CONTENT_FOLDERS && rc >= 0 && atomic_load(&k->failures) < CARRY_FAILURES; nth++) {
        struct arena_mark mark = arena_mark(k->arena);
        rc = carry_subfolder(&y, nth);
        arena_return(k->arena, mark);
        if (how->progress) how->progress(out->contents < total ? out->contents : total, total);
    }
    if (how->progress) how->progress(total, total);
    remote_walk_free(k->present);
    arena_free(k->arena);
    return rc < 0 ? rc : 0;
}
