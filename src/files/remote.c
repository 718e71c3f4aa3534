/* A content in a bucket is the object PREFIX/ab/ab12.... The two rules of content.c hold here, too:
 *
 *     (1) a committed row has its content
 *     (2) a content without a row is removed in the end
 *
 * No write and no event loop may wait for the network, so the order of content.c is not enough: a write
 * could not look at the bucket while it holds the lock. Rows take the place of the look.
 *
 * Storing. The pool sends the bytes with their SHA-256 as the signed hash of the body, so the store refuses
 * a body that was damaged on its way. It acknowledges the upload when the object is there. Only then the
 * write that inserts the row is queued.
 *
 * Removing. A row of content_removals is the state of a removal:
 *
 *     (none) --no row of files--> WAITING --an hour--> DELETING --it is deleted--> GONE --a day--> (none)
 *                                    |                    |  ^
 *                                    | a row comes        |__| no answer: again after 15 minutes
 *                                    v
 *                                  (none)
 *
 * Each arrow is a write under the lock of the content (db_lock), so it is between two writes of uploads. The
 * write of an upload (remote_hold) finds
 *
 *     no row     the object is there, because it was stored or found before, and nobody deletes it
 *     WAITING    the same; it deletes the row, which ends the removal
 *     DELETING   the deletion may be under way: 503, and the upload is tried again
 *     GONE       the object is there only if it was stored after the deletion. `kept` has the time of the
 *                last storing by this process. If it is later by a minute (clocks differ), the row is
 *                deleted, else 503.
 *
 * A content lingers for an hour, so the last two are rare: bytes that nobody had for an hour come again in
 * the very minute of their deletion. A deletion that was sent but not answered might reach the store late.
 * The store refuses it 15 minutes after its signature, so the next attempt waits for that long.
 *
 * Reading. Copies of contents lie in a folder, as a desk without a bucket has them. A content that is not
 * here is fetched whole, verified by its SHA-256 and renamed to its place before a byte is sent to a client.
 * So half a body, or other bytes, never reach a client: the fetch is tried again, and then refused by 503.
 * All code that reads contents opens files. The price is the time of the fetch before the first byte.
 *
 * The copies are a cache: the sweep of each process removes those that are used least recently above the
 * limit, but none that was used in the last 15 minutes, because a call that has fetched a content opens it
 * later. It also removes copies without a row. */
#include "files/remote.h"

#include "base/disk.h"
#include "base/log.h"
#include "core/desk/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPIES_MARK "copies" /* a file in a folder of copies: its contents may be removed */
#define CLAIM "desk"         /* the object with the name of the desk */
#define KEPT 512             /* storings that are remembered: more than those of a few seconds */

enum removal { REMOVAL_WAITING = 1, REMOVAL_DELETING, REMOVAL_GONE };
#define CLOCKS_DIFFER TIME_MINUTE

struct kept {
    char sha256[64];
    int64_t at;
};

struct remote {
    struct s3 *s3;
    int64_t copies;
    const struct clock *clock;
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t woken;
    struct kept kept[KEPT]; /* a ring */
    int next;
    bool sweep_due, stopping;
};

struct remote *remote_new(const struct s3_place *p, int64_t copies, const struct clock *clock) {
    struct remote *r = calloc(1, sizeof *r);
    if (r == NULL || (r->s3 = s3_new(p)) == NULL) return free(r), NULL;
    r->copies = copies;
    r->clock = clock;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->woken, NULL);
    return r;
}

void remote_stop(struct remote *r) {
    s3_stop(r->s3);
    pthread_mutex_lock(&r->lock);
    r->stopping = true;
    pthread_cond_broadcast(&r->woken);
    pthread_mutex_unlock(&r->lock);
}

void remote_free(struct remote *r) {
    if (r == NULL) return;
    s3_free(r->s3);
    pthread_cond_destroy(&r->woken);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

struct s3 *remote_s3(const struct remote *r) {
    return r->s3;
}

bool remote_await_sweep(struct remote *r) {
    pthread_mutex_lock(&r->lock);
    while (!r->sweep_due && !r->stopping) pthread_cond_wait(&r->woken, &r->lock);
    r->sweep_due = false;
    bool goes_on = !r->stopping;
    pthread_mutex_unlock(&r->lock);
    return goes_on;
}

void remote_sweep_now(struct remote *r) {
    pthread_mutex_lock(&r->lock);
    r->sweep_due = true;
    pthread_cond_signal(&r->woken);
    pthread_mutex_unlock(&r->lock);
}

struct str remote_object(struct arena *a, struct str sha256) {
    return STR_CAT(a, (struct str){sha256.p, 2}, S("/"), sha256);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A folder of contents that is no folder of copies would be emptied, so it is refused. */
static int copies_open(const struct contents *k, struct why why) {
    struct arena *a = arena_new();
    const char *mark = str_fmt(a, "%s/" COPIES_MARK, k->folder).p;
    const struct contents here = {.folder = k->folder};
    struct str *list;
    int rc = access(mark, F_OK) == 0, fd;
    for (int nth = 0; rc == 0 && nth < CONTENT_FOLDERS; nth++)
        if (folder_listed(a, &here, nth, &list) > 0)
            rc = db_refuse(why,
                           "%s has contents of files that may be the only ones: name another folder for "
                           "copies with --files-cache, or move them into the bucket with deskd move",
                           k->folder);
    if (rc == 0 && (fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) >= 0) close(fd), rc = 1;
    if (rc == 0) rc = db_refuse(why, "%s can't be written: %s", mark, strerror(errno));
    arena_free(a);
    return rc < 0 ? rc : 0;
}

int remote_open(const struct contents *k, struct why why) {
    TRY(copies_open(k, why));
    return s3_look(k->remote->s3, why);
}

QUERY(content_store_name, "SELECT name FROM content_store WHERE id = 1");
QUERY(content_store_insert, "INSERT INTO content_store (id, name) VALUES (1, :name) ON CONFLICT DO NOTHING");

struct naming {
    struct arena *arena;
    struct str name;
};

static int desk_name_read(struct conn *c, void *arg) {
    struct naming *n = arg;
    struct stmt *row;
    TRY(db_exec(c, &content_store_insert, BINDS(B_TEXT("name", random_hex(n->arena, 16)))));
    int rc = db_row(c, &content_store_name, NULL, &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_SERVICE_UNAVAILABLE;
    n->name = STR_CAT(n->arena, col_text(row, 0), S("\n"));
    stmt_end(row);
    return 0;
}

bool folder_has_copies(const struct contents *k) {
    struct arena *a = arena_new();
    bool has = access(str_fmt(a, "%s/" COPIES_MARK, k->folder).p, F_OK) == 0;
    arena_free(a);
    return has;
}

static int claim_compare(struct s3 *s, struct arena *a, struct str name, struct why why) {
    struct str there;
    char said[300] = "";
    struct why clause = {said, sizeof said};
    enum s3_outcome outcome = s3_get_text(s, S(CLAIM), a, &there, clause);
    if (outcome == S3_ABSENT && (outcome = s3_put_text(s, S(CLAIM), name, clause)) == S3_DONE) there = name;
    if (outcome != S3_DONE) return db_refuse(why, "%s can't be read and written: %s", s3_name(a, s).p, said);
    if (str_eq(there, name)) return 0;
    return db_refuse(why,
                     "%s has the files of another desk, and a desk removes files that it does not know: add "
                     "a folder of its own to --files, as %s/second",
                     s3_name(a, s).p, s3_name(a, s).p);
}

int remote_claim(struct desk *d, struct why why) {
    struct arena *a = arena_new();
    struct naming n = {.arena = a};
    int rc = db_write(d->db, desk_name_read, &n);
    if (rc < 0) db_refuse(why, "the store can't be written");
    else rc = claim_compare(d->files->remote->s3, a, n.name, why);
    arena_free(a);
    return rc < 0 ? rc : 0;
}

/* A desk that was never served with a bucket has no name. It gets one at that start. */
int remote_may_take(struct conn *c, const struct contents *k, struct why why) {
    struct arena *a = arena_new();
    struct s3 *s = k->remote->s3;
    struct stmt *row;
    struct str name, there;
    int rc = s3_look(s, why), found = rc < 0 ? rc : db_row(c, &content_store_name, NULL, &row);
    if (found == 1) {
        name = STR_CAT(a, col_text(row, 0), S("\n"));
        stmt_end(row);
        rc = claim_compare(s, a, name, why);
    } else if (found == 0) {
        char said[300] = "";
        enum s3_outcome outcome = s3_get_text(s, S(CLAIM), a, &there, (struct why){said, sizeof said});
        if (outcome == S3_FAILED) rc = db_refuse(why, "%s can't be read: %s", s3_name(a, s).p, said);
        if (outcome == S3_DONE)
            rc = db_refuse(why, "%s has the files of another desk: name another bucket, or a folder in it",
                           s3_name(a, s).p);
    } else if (rc == 0) {
        rc = db_refuse(why, "the store can't be read");
    }
    arena_free(a);
    return rc;
}

/* ---- storing --------------------------------------------------------------------------------- */

static void note_kept(struct remote *r, struct str sha256, int64_t at) {
    pthread_mutex_lock(&r->lock);
    struct kept *k = &r->kept[r->next];
    r->next = (r->next + 1) % KEPT;
    memcpy(k->sha256, sha256.p, sizeof k->sha256);
    k->at = at;
    pthread_mutex_unlock(&r->lock);
}

/* When the last storing of this content began; 0: not remembered. */
static int64_t kept_at(struct remote *r, struct str sha256) {
    int64_t at = 0;
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < KEPT; i++)
        if (r->kept[i].at > at && memcmp(r->kept[i].sha256, sha256.p, sizeof r->kept[i].sha256) == 0)
            at = r->kept[i].at;
    pthread_mutex_unlock(&r->lock);
    return at;
}

/* Puts a file in the place of a copy. It is synced, because a crash would leave a file of the right size
 * with other bytes. */
static int copy_put(struct arena *a, const struct contents *k, struct str sha256, const char *from) {
    const char *path = content_path(a, k, sha256).p;
    if (mkdir(str_fmt(a, "%s/%.2s", k->folder, sha256.p).p, 0700) != 0 && errno != EEXIST) return -1;
    return sync_path(from) == 0 ? rename(from, path) : -1;
}

/* The upload becomes a copy: pictures are often read at once. Its file stays, so the copy is a link. */
static void copy_link(struct arena *a, const struct contents *k, struct str sha256, const char *from) {
    const char *draft = str_fmt(a, "%s.copy", from).p;
    if (remote_is_here(a, k, sha256, -1) || link(from, draft) != 0) return;
    if (copy_put(a, k, sha256, draft) != 0) unlink(draft);
}

int remote_keep(struct arena *a, const struct contents *k, struct str sha256, const char *from,
                int64_t size) {
    struct remote *r = k->remote;
    char said[300] = "";
    int64_t began = clock_now(r->clock);
    if (s3_put(r->s3, remote_object(a, sha256), sha256, from, size, (struct why){said, sizeof said}) !=
        S3_DONE)
        return UNAVAILABLE("contents that can't be stored", "the content %.*s can't be stored in %s: %s",
                           (int)sha256.n, sha256.p, s3_name(a, r->s3).p, said);
    note_kept(r, sha256, began);
    copy_link(a, k, sha256, from);
    return 0;
}

QUERY(removal_of, "SELECT r.state, r.due_at FROM content_removals r WHERE r.sha256 = :sha256");
QUERY(removal_end, "DELETE FROM content_removals WHERE sha256 = :sha256");

int removal_ended(struct conn *c, struct str sha256) {
    return db_exec(c, &removal_end, BINDS(B_TEXT("sha256", sha256)));
}

int remote_hold(struct work *w, struct str sha256) {
    struct stmt *row;
    TRY(db_lock(w->conn, sha256));
    int rc = db_row(w->conn, &removal_of, BINDS(B_TEXT("sha256", sha256)), &row);
    if (rc <= 0) return rc;
    int64_t state = col_int(row, 0), gone_at = col_int(row, 1) - REMOTE_GONE;
    stmt_end(row);
    bool there = state == REMOVAL_WAITING ||
                 (state == REMOVAL_GONE && kept_at(w->desk->files->remote, sha256) > gone_at + CLOCKS_DIFFER);
    if (there) return removal_ended(w->conn, sha256) < 0 ? -ERR_SERVICE_UNAVAILABLE : 0;
    return UNAVAILABLE(
        "uploads of contents that are being deleted",
        "the content %.*s is being deleted: its upload is refused, and succeeds in two minutes",
        (int)sha256.n, sha256.p);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Notes the use of a copy, once a minute. */
static void copy_used(const char *path, const struct stat *st) {
    if (clock_now(&(struct clock){0}) - (int64_t)st->st_mtime * TIME_SECOND > TIME_MINUTE)
        utimensat(AT_FDCWD, path, NULL, 0);
}

bool remote_is_here(struct arena *a, const struct contents *k, struct str sha256, int64_t size) {
    struct stat st;
    const char *path = content_path(a, k, sha256).p;
    if (stat(path, &st) != 0 || (size >= 0 && st.st_size != size)) return false;
    copy_used(path, &st);
    return true;
}

static enum s3_outcome fetch_to(const struct contents *k, struct arena *a, struct str sha256, int64_t size,
                                const char *draft, int fd, struct why why) {
    struct s3 *s = k->remote->s3;
    enum s3_outcome outcome = size < 0 ? s3_head(s, remote_object(a, sha256), &size, why) : S3_DONE;
    if (outcome == S3_DONE) outcome = s3_get(s, remote_object(a, sha256), sha256, size, fd, why);
    if (outcome == S3_DONE && copy_put(a, k, sha256, draft) != 0)
        return db_refuse(why, "%s can't be written: %s", draft, strerror(errno)), S3_FAILED;
    return outcome;
}

int remote_fetch(struct arena *a, const struct contents *k, struct str sha256, int64_t size) {
    char said[300] = "";
    struct why why = {said, sizeof said};
    if (remote_is_here(a, k, sha256, size)) return 0;
    char *draft = (char *)(uintptr_t)STR_CAT(a, contents_tmp(a, k), S("/fetch-XXXXXX")).p;
    int fd = mkostemp(draft, O_CLOEXEC);
    enum s3_outcome outcome = S3_FAILED;
    if (fd < 0) db_refuse(why, "%s can't be written: %s", draft, strerror(errno));
    else outcome = fetch_to(k, a, sha256, size, draft, fd, why);
    if (fd >= 0) close(fd);
    if (outcome != S3_DONE) unlink(draft);
    if (outcome != S3_FAILED) return 0;
    return UNAVAILABLE("contents that can't be fetched", "the content %.*s can't be fetched from %s: %s",
                       (int)sha256.n, sha256.p, s3_name(a, k->remote->s3).p, said);
}

const char *remote_fault(struct arena *a, const struct contents *k, struct str sha256, int64_t size) {
    char said[300] = "";
    enum s3_outcome outcome =
        s3_get(k->remote->s3, remote_object(a, sha256), sha256, size, -1, (struct why){said, sizeof said});
    if (outcome == S3_DONE) return NULL;
    return outcome == S3_ABSENT ? "is missing" : str_fmt(a, "can't be read as it was: %s", said).p;
}

/* ---- the copies ------------------------------------------------------------------------------ */

struct copy {
    struct str path;
    int64_t size, used; /* used: milliseconds since 1970 */
};

static int compare_copies(const void *x, const void *y) {
    const struct copy *a = x, *b = y;
    return a->used < b->used ? -1 : a->used > b->used;
}

void remote_tidy(const struct contents *k) {
    struct arena *a = arena_new();
    const struct contents here = {.folder = k->folder};
    struct copy *copies = NULL;
    int n = 0, room = 0;
    int64_t sum = 0, now = clock_now(&(struct clock){0});
    for (int nth = 0; nth < CONTENT_FOLDERS; nth++) {
        struct str *list;
        int count = folder_listed(a, &here, nth, &list);
        for (int i = 0; i < count; i++) {
            struct stat st;
            struct str path = content_path(a, k, list[i]);
            if (stat(path.p, &st) != 0) continue;
            copies = arena_more(a, copies, n, &room, sizeof *copies);
            copies[n++] = (struct copy){path, st.st_size, (int64_t)st.st_mtime * TIME_SECOND};
            sum += st.st_size;
        }
    }
    if (sum > k->remote->copies) qsort(copies, (size_t)n, sizeof *copies, compare_copies);
    for (int i = 0; i < n && sum > k->remote->copies && now - copies[i].used > REMOTE_STAYS; i++)
        if (unlink(copies[i].path.p) == 0) sum -= copies[i].size;
    arena_free(a);
}
