/* Contents are kept by what they are, so that the same bytes uploaded twice are kept once, and a content never changes: it
 * is there whole or not at all, and nothing needs a lock to read it. Rows (core/desk/file.h) name contents. Two promises hold
 * between the two, whatever is killed or loses its power:
 *
 *     a committed row has its content                     else data is lost
 *     a content that no row names goes, in the end        else disks fill
 *
 * The first by order: the bytes are received under another name, synced, linked to their place, the folder is synced, and
 * only then the write that makes the row is queued. A crash in between leaves a content without a row, which harms nobody.
 *
 * What makes it hard is that contents go, too. The last row of a content may be deleted while somebody uploads the same
 * bytes, in this process or in another one that shares database and folder:
 *
 *     uploader                          remover
 *     the content is there: good
 *                                       no row names it
 *                                       unlink
 *     insert row, COMMIT                ...and the row has no content
 *
 * So both look again where neither can be between the other's look and its deed. The uploader's write takes the lock of
 * the content by name (db_lock), looks whether the content is still there, and if it is not, links it once more: the
 * temporary file lives until the reply is sent (content_hold). The remover takes the same lock in a write of its own,
 * looks whether a row names the content, and unlinks it within that write (contents_drop). Whoever comes second waits for
 * the COMMIT of the first. On PostgreSQL the lock is an advisory one, which all processes see, and each statement behind
 * it sees what was committed before; on SQLite writes run one after the other anyway. The lock of the database and none
 * of the file system decides, since only it ends with the COMMIT.
 *
 * "No row names it" must be what is committed, not what is about to be: on SQLite many writes share one COMMIT, and were
 * the deletion of the row undone with it, the unlink would not be. Therefore rows are deleted by the sweeper alone, in a
 * write that ends before it begins the next, which removes contents; everybody else only lets rows expire. A write that
 * removes contents changes no row, so nothing of it can be undone.
 *
 * What a crash between the two writes leaves, or an upload that was refused after its content was kept, is found by
 * walking through the folders, one at each sweep (jobs/sweep_files.c), and removed in the same way. That needs no
 * patience with uploads under way: who has linked a content but has not written its row finds it gone, and links again.
 *
 * Disks lose bytes, and programs cut files short. An upload therefore trusts no content that is there: it reads it, and puts
 * its own bytes in the place of damaged ones, so that an acknowledged upload can be downloaded. That reads as many bytes again
 * as were uploaded, in the pool, where the upload was hashed on its way in. A download does not hash: it looks at presence and
 * size (res/file_content.c), and names the SHA-256 for its receiver to compare.
 *
 * A backup copies rows first and contents then. It holds `lock` alone meanwhile; those who remove share it, since processes
 * sweep side by side, and pass when that can't be had (contents_guard). */
#include "files/content.h"

#include "base/disk.h"
#include "base/log.h"
#include "core/desk/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TMP "tmp"
#define LOCK "lock"
#define NAME_SIZE 64

static const char missing[] = "is missing";

static const char *sub_folder(struct arena *a, const char *folder, struct str sha256) { return str_fmt(a, "%s/%.2s", folder, sha256.p).p; }

struct str content_path(struct arena *a, const char *folder, struct str sha256) {
    return str_fmt(a, "%s/%.2s/%.*s", folder, sha256.p, (int)sha256.n, sha256.p);
}

struct str contents_tmp(struct arena *a, const char *folder) {
    return str_fmt(a, "%s/" TMP, folder);
}

int contents_open(const char *folder, char *err, size_t err_size) {
    struct arena *a = arena_new();
    const char *tmp = contents_tmp(a, folder).p;
    int lock = -1, rc = g_mkdir_with_parents(tmp, 0700);
    if (rc == 0) lock = open(str_fmt(a, "%s/" LOCK, folder).p, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) snprintf(err, err_size, "the folder of files %s can't be used: %s", folder, strerror(errno));
    if (lock >= 0) close(lock);
    arena_free(a);
    return lock < 0 ? -1 : 0;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

const char *content_fault(struct arena *a, const char *folder, struct str sha256, int64_t size) {
    unsigned char piece[1 << 16], sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    int fd = open(content_path(a, folder, sha256).p, O_RDONLY | O_CLOEXEC);
    int64_t length = 0;
    ssize_t n;
    if (fd < 0) return errno == ENOENT ? missing : "can't be read";
    crypto_hash_sha256_init(&state);
    for (; (n = read(fd, piece, sizeof piece)) > 0; length += n) crypto_hash_sha256_update(&state, piece, (size_t)n);
    crypto_hash_sha256_final(&state, sum);
    close(fd);
    if (n < 0) return "can't be read";
    if (length != size) return "has another size";
    return str_eq(str_hex(a, sum, sizeof sum), sha256) ? NULL : "is not what its name says";
}

/* In one step: a reader finds the damaged file or the new one. */
static int content_replace(struct arena *a, const char *path, const char *from) {
    const char *draft = str_fmt(a, "%s.new", from).p; /* among the temporary files, so that one that a crash left is removed */
    unlink(draft);
    int rc = link(from, draft) == 0 ? rename(draft, path) : -1, why = errno;
    unlink(draft);
    errno = why;
    return rc;
}

struct keeping {
    struct arena *arena;
    const char *folder, *sub, *path, *from;
};

static int content_put(const struct keeping *k, const char *fault) {
    if (sync_path(k->from) != 0 || (mkdir(k->sub, 0700) != 0 && errno != EEXIST)) return -1;
    if (fault == missing) return link(k->from, k->path) == 0 || errno == EEXIST ? 0 : -1;
    log_error("the content %s %s: it is replaced by an upload of the same bytes", k->path, fault);
    return content_replace(k->arena, k->path, k->from);
}

/* The age of a content that is there begins anew. Folders are synced in any case, because the upload that made them, or linked
 * the content, may not have come to that yet. */
static int put_in_place(const struct keeping *k, struct str sha256, int64_t size) {
    const char *fault = content_fault(k->arena, k->folder, sha256, size);
    if (fault == NULL && utimensat(AT_FDCWD, k->path, NULL, 0) != 0) fault = missing; /* removed meanwhile */
    if (fault && content_put(k, fault) != 0) return -1;
    return sync_path(k->sub) == 0 ? sync_path(k->folder) : -1;
}

int content_keep(struct arena *a, const char *folder, struct str sha256, const char *from, int64_t size) {
    struct keeping k = {a, folder, sub_folder(a, folder, sha256), content_path(a, folder, sha256).p, from};
    if (put_in_place(&k, sha256, size) == 0) return 0;
    return UNAVAILABLE("contents that can't be kept", "the content %s can't be kept: %s", k.path, strerror(errno));
}

int content_hold(struct work *w, struct str sha256, const char *from, int64_t size) {
    TRY(db_lock(w->conn, sha256));
    if (access(content_path(w->arena, w->desk->files, sha256).p, R_OK) == 0) return 0;
    return content_keep(w->arena, w->desk->files, sha256, from, size);
}

/* ---- removing ---------------------------------------------------------------------------------------------------- */

static int lock_with(const char *folder, int how) {
    struct arena *a = arena_new();
    int fd = open(str_fmt(a, "%s/" LOCK, folder).p, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    arena_free(a);
    if (fd < 0 || flock(fd, how) == 0) return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

int contents_guard(const char *folder) { return lock_with(folder, LOCK_EX); }

#define AT_ONCE 100 /* contents that one write looks at: a few ms */

struct dropping {
    struct arena *arena;
    const char *folder;
    const struct str *contents;
    int n;
};

static int contents_unlink(struct conn *c, void *arg) {
    const struct dropping *d = arg;
    for (int i = 0; i < d->n; i++) {
        TRY(db_lock(c, d->contents[i]));
        int named = content_named(c, d->contents[i]);
        TRY(named);
        const char *path = content_path(d->arena, d->folder, d->contents[i]).p;
        if (!named && unlink(path) != 0 && errno != ENOENT) log_warn("%s can't be removed: %s", path, strerror(errno));
    }
    return 0;
}

int contents_drop(struct desk *d, const struct str *contents, int n) {
    int guard = n ? lock_with(d->files, LOCK_SH | LOCK_NB) : -1, rc = 0;
    struct arena *a = arena_new();
    if (n && guard < 0 && errno != EWOULDBLOCK) log_warn("no content is removed from %s: %s", d->files, strerror(errno));
    for (int i = 0; guard >= 0 && i < n && rc >= 0; i += AT_ONCE) {
        struct dropping part = {a, d->files, contents + i, n - i < AT_ONCE ? n - i : AT_ONCE};
        rc = db_write(d->db, contents_unlink, &part);
    }
    if (guard >= 0) close(guard);
    arena_free(a);
    return rc;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static bool is_content(const char *name) { return strlen(name) == NAME_SIZE && strspn(name, "0123456789abcdef") == NAME_SIZE; }

int contents_listed(struct arena *a, const char *folder, int nth, struct str **contents) {
    struct str *list = *contents = NULL;
    int n = 0, cap = 0, fault;
    DIR *d = opendir(str_fmt(a, "%s/%02x", folder, nth).p);
    if (d == NULL) return errno == ENOENT ? 0 : -1;
    for (struct dirent *e; errno = 0, (e = readdir(d)) != NULL;) {
        if (!is_content(e->d_name)) continue;
        list = arena_more(a, list, n, &cap, sizeof *list);
        list[n++] = str_dup(a, str_of(e->d_name));
    }
    fault = errno;
    closedir(d);
    errno = fault;
    *contents = list;
    return fault ? -1 : n;
}

/* Files have the system's time, whatever the desk's clock says. */
static int64_t age_of(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) return -1;
    int64_t age = clock_now(&(struct clock){0}) - (int64_t)st.st_mtime * TIME_SECOND;
    return age > 0 ? age : 0;
}

int64_t content_age(struct arena *a, const char *folder, struct str sha256) { return age_of(content_path(a, folder, sha256).p); }

void contents_tidy(const char *folder) {
    struct arena *a = arena_new();
    const char *tmp = contents_tmp(a, folder).p;
    DIR *d = opendir(tmp);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        const char *path = str_fmt(a, "%s/%s", tmp, e->d_name).p;
        if (e->d_name[0] != '.' && age_of(path) > TIME_DAY) unlink(path); /* no request takes so long between two bytes */
    }
    if (d) closedir(d);
    arena_free(a);
}
