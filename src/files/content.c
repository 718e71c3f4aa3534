/* Contents in a folder. Contents in a bucket of an object store keep the same two rules by other means:
 * remote.c has that essay.
 *
 * Contents are stored under their SHA-256. So equal uploads are stored once, and a content never changes:
 * it is complete or absent, and reading needs no lock. Rows (core/desk/file.h) refer to contents. Two
 * rules hold, whichever process is killed or loses power:
 *
 *     (1) a committed row has its content                          otherwise data is lost
 *     (2) a content without a row is removed in the end            otherwise disks fill
 *
 * Rule 1 follows from the order: the bytes are received under another name, synced, linked to their place,
 * the folder is synced, and only then the write that inserts the row is queued. A crash in between leaves
 * a content without a row, which does no harm.
 *
 * The difficulty is the removal of contents. The last row of a content may be deleted while the same bytes
 * are uploaded, in this process or in another one that shares database and folder:
 *
 *     uploader                          remover
 *     the content is there: good
 *                                       no row refers to it
 *                                       unlink
 *     insert row, COMMIT                ...and the row has no content
 *
 * So both check again under a lock. The uploader's write takes the lock of the content by name (db_lock),
 * checks that the content is still there, and if not, links it again: the temporary file exists until the
 * reply is sent (content_hold). The remover takes the same lock in a write of its own, checks that no row
 * refers to the content, and unlinks it in that write (contents_drop). The second one waits for the COMMIT
 * of the first. On PostgreSQL the lock is an advisory lock, which all processes share, and each statement
 * after it sees what was committed before. On SQLite writes run one after the other. The lock must be one
 * of the database, because only such a lock ends with the COMMIT.
 *
 * "No row refers to it" must be a committed state. On SQLite many writes share one COMMIT. If it failed,
 * the deletion of the row would be undone, but not the unlink. Therefore only the sweeper deletes rows of
 * files, in a write that ends before it begins the next one, which removes contents. All other code only
 * lets rows expire. A write that removes contents changes no rows, so nothing of it can be undone.
 *
 * A crash between the two writes, or an upload that was refused after its content was stored, leaves a
 * content without a row. Each sweep looks through one subfolder (jobs/sweep.c) and removes such
 * contents in the same way. It need not spare uploads in progress, because an uploader that has linked a
 * content, but has not written its row, finds it gone and links it again.
 *
 * Disks lose bytes, and programs truncate files. So an upload reads a content that is already there, and
 * replaces a damaged one by its own bytes, so that every acknowledged upload can be downloaded. That reads
 * the uploaded size once more, in the pool. A download does not hash: it checks presence and size
 * (res/file_content.c), and sends the SHA-256, so that the client can compare.
 *
 * A backup copies rows first and contents then. It holds `lock` exclusively meanwhile. Removers share it,
 * because processes sweep at the same time, and skip the removal if they can't get it (contents_guard). */
#include "files/content.h"

#include "base/disk.h"
#include "base/log.h"
#include "core/desk/file.h"
#include "files/remote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char missing[] = "is missing";

static const char *sub_folder(struct arena *a, const struct contents *k, struct str sha256) {
    return str_fmt(a, "%s/%.2s", k->folder, sha256.p).p;
}

bool contents_there(const struct contents *k) { return k->remote || access(k->folder, F_OK) == 0; }

const char *contents_name(struct arena *a, const struct contents *k) {
    return k->remote ? s3_name(a, remote_s3(k->remote)).p : k->folder;
}

int contents_open(const struct contents *k, char *err, size_t err_size) {
    struct arena *a = arena_new();
    const char *tmp = contents_tmp(a, k).p;
    int lock = g_mkdir_with_parents(tmp, 0700) == 0 ? contents_lock_open(a, k) : -1;
    if (lock < 0)
        snprintf(err, err_size, "the folder of files %s can't be used: %s", k->folder, strerror(errno));
    if (lock >= 0) close(lock);
    arena_free(a);
    if (lock < 0) return -1;
    return k->remote && remote_open(k, (struct why){err, err_size}) < 0 ? -1 : 0;
}

bool content_is_here(struct arena *a, const struct contents *k, struct str sha256, int64_t size) {
    return k->remote == NULL || remote_is_here(a, k, sha256, size);
}

int content_fetch(struct arena *a, const struct contents *k, struct str sha256, int64_t size) {
    return k->remote ? remote_fetch(a, k, sha256, size) : 0;
}

/* ---- storing --------------------------------------------------------------------------------- */

static const char *fault_in_folder(struct arena *a, const struct contents *k, struct str sha256,
                                   int64_t size) {
    unsigned char piece[1 << 16], sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    int fd = open(content_path(a, k, sha256).p, O_RDONLY | O_CLOEXEC);
    int64_t length = 0;
    ssize_t n;
    if (fd < 0) return errno == ENOENT ? missing : "can't be read";
    crypto_hash_sha256_init(&state);
    for (; (n = read(fd, piece, sizeof piece)) > 0; length += n)
        crypto_hash_sha256_update(&state, piece, (size_t)n);
    crypto_hash_sha256_final(&state, sum);
    close(fd);
    if (n < 0) return "can't be read";
    if (length != size) return "has a wrong size";
    return str_eq(str_hex(a, sum, sizeof sum), sha256) ? NULL : "does not match its SHA-256";
}

const char *content_fault(struct arena *a, const struct contents *k, struct str sha256, int64_t size) {
    return k->remote ? remote_fault(a, k, sha256, size) : fault_in_folder(a, k, sha256, size);
}

/* Replaces a file in one step: a reader finds the damaged file or the new one. */
static int content_replace(struct arena *a, const char *path, const char *from) {
    /* in the folder of temporary files, so that a draft left by a crash is removed */
    const char *draft = str_fmt(a, "%s.new", from).p;
    unlink(draft);
    int rc = link(from, draft) == 0 ? rename(draft, path) : -1, why = errno;
    unlink(draft);
    errno = why;
    return rc;
}

struct keeping {
    struct arena *arena;
    const struct contents *contents;
    const char *sub, *path, *from;
    bool unsynced;
};

static int content_put(const struct keeping *k, const char *fault) {
    if ((!k->unsynced && sync_path(k->from) != 0) || (mkdir(k->sub, 0700) != 0 && errno != EEXIST)) return -1;
    if (fault == missing) return link(k->from, k->path) == 0 || errno == EEXIST ? 0 : -1;
    log_error("the content %s %s: it is replaced by an upload of the same bytes", k->path, fault);
    return content_replace(k->arena, k->path, k->from);
}

/* Resets the age of a content that is there. Folders are synced in any case, because the upload that made
 * them, or linked the content, may not have synced them yet. */
static int put_in_place(const struct keeping *k, struct str sha256, int64_t size) {
    const char *fault = fault_in_folder(k->arena, k->contents, sha256, size);
    if (fault == NULL && utimensat(AT_FDCWD, k->path, NULL, 0) != 0) fault = missing; /* removed meanwhile */
    if (fault && content_put(k, fault) != 0) return -1;
    if (k->unsynced) return 0;
    return sync_path(k->sub) == 0 ? sync_path(k->contents->folder) : -1;
}

static int content_store(struct arena *a, const struct contents *k, struct str sha256, const char *from,
                         int64_t size, bool unsynced) {
    struct keeping p = {a, k, sub_folder(a, k, sha256), content_path(a, k, sha256).p, from, unsynced};
    if (k->remote) return remote_keep(a, k, sha256, from, size);
    if (put_in_place(&p, sha256, size) == 0) return 0;
    return UNAVAILABLE("contents that can't be stored", "the content %s can't be stored: %s", p.path,
                       strerror(errno));
}

int content_keep(struct arena *a, const struct contents *k, struct str sha256, const char *from,
                 int64_t size) {
    return content_store(a, k, sha256, from, size, false);
}

int content_lay(struct arena *a, const struct contents *k, struct str sha256, const char *from,
                int64_t size) {
    return content_store(a, k, sha256, from, size, true);
}

int contents_synced(const struct contents *k) {
    if (k->remote) return 0;
    int fd = open(k->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? 0 : -1;
    int rc = syncfs(fd), why = errno;
    close(fd);
    errno = why;
    return rc;
}

int content_hold(struct work *w, struct str sha256, const char *from, int64_t size) {
    if (w->desk->files->remote) return remote_hold(w, sha256);
    TRY(db_lock(w->conn, sha256));
    if (access(content_path(w->arena, w->desk->files, sha256).p, R_OK) == 0) return 0;
    return content_keep(w->arena, w->desk->files, sha256, from, size);
}

/* ---- removing -------------------------------------------------------------------------------- */

#define AT_ONCE 100 /* contents that one write checks: a few ms */

struct dropping {
    struct arena *arena;
    const struct contents *from;
    const struct str *contents;
    int n;
};

/* Begins a batch: it may not see a deletion that another write of the batch has made and that a failed
 * COMMIT or a crash undoes, because the row would come back without its content. */
static int contents_unlink(struct conn *c, void *arg) {
    const struct dropping *d = arg;
    for (int i = 0; i < d->n; i++) {
        TRY(db_lock(c, d->contents[i]));
        int named = content_named(c, d->contents[i]);
        TRY(named);
        const char *path = content_path(d->arena, d->from, d->contents[i]).p;
        if (!named && unlink(path) != 0 && errno != ENOENT)
            log_warn("%s can't be removed: %s", path, strerror(errno));
    }
    return 0;
}

int contents_drop(struct desk *d, const struct str *contents, int n) {
    if (d->files->remote) return remote_drop(d, contents, n);
    int guard = n ? contents_share(d->files) : -1, rc = 0;
    struct arena *a = arena_new();
    for (int i = 0; guard >= 0 && i < n && rc >= 0; i += AT_ONCE) {
        struct dropping part = {a, d->files, contents + i, n - i < AT_ONCE ? n - i : AT_ONCE};
        rc = db_write_first(d->db, contents_unlink, &part);
    }
    if (guard >= 0) close(guard);
    arena_free(a);
    return rc;
}

/* ---- listing --------------------------------------------------------------------------------- */

int contents_listed(struct arena *a, const struct contents *k, int nth, struct str **contents) {
    return k->remote ? remote_listed(a, k, nth, contents) : folder_listed(a, k, nth, contents);
}

/* Files have the system's time, which may differ from the desk's clock. */
static int64_t age_of(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) return -1;
    int64_t age = clock_now(&(struct clock){0}) - (int64_t)st.st_mtime * TIME_SECOND;
    return age > 0 ? age : 0;
}

int64_t content_age(struct arena *a, const struct contents *k, struct str sha256) {
    return age_of(content_path(a, k, sha256).p);
}

void contents_tidy(const struct contents *k) {
    struct arena *a = arena_new();
    const char *tmp = contents_tmp(a, k).p;
    DIR *d = opendir(tmp);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        const char *path = str_fmt(a, "%s/%s", tmp, e->d_name).p;
        if (e->d_name[0] != '.' && age_of(path) > TIME_DAY) unlink(path); /* no request pauses that long */
    }
    if (d) closedir(d);
    arena_free(a);
    if (k->remote) remote_tidy(k);
}
