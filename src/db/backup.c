/* Online backup of a store, and its check. Both read one snapshot through a connection of their own. They
 * hold no lock of the store and never write to it, so they work whether deskd runs or not. A killed one is
 * waited for, as by a start. */
#include "db/db_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/disk.h"
#include "base/error.h"

enum {
    BACKUP_PAGES = 2048, /* copied between two progress reports: 4 MiB */
    LOG_LARGE_MB = 256,  /* several times the size that the writer lets the log grow to */
};

/* For SQLite only, so not QUERY()s, which both engines prepare. The first gives at most 100 faults. Newer
 * versions of SQLite take an argument for the name of a table. */
static const struct query integrity = {"integrity", "SELECT integrity_check FROM pragma_integrity_check"};
static const struct query orphans = {"orphans",
                                     "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check "
                                     "ORDER BY 1, 2 LIMIT 100"};

static int open_snapshot(struct arena *a, const char *dir, struct conn **out, struct why why) {
    struct conn_options o = {
        .engine = &sqlite_engine, .path = str_fmt(a, "%s/%s", dir, STORE_FILE).p, .role = CONN_READER};
    *out = NULL;
    if (access(o.path, R_OK) != 0) return db_refuse(why, "there is no store in %s: %s", dir, strerror(errno));
    store_settle(a, dir);
    int rc = conn_open(&o, out, why);
    if (rc == 0 && db_read_begin(*out, 0) < 0) rc = db_refuse(why, "%s can't be read", o.path);
    /* BEGIN opens no snapshot. The first statement does. */
    if (rc == 0 && sqlite3_exec((*out)->handle, "SELECT 1 FROM sqlite_schema LIMIT 1", NULL, NULL, NULL) != 0)
        rc = db_refuse(why, "%s can't be read: %s", o.path, sqlite3_errmsg((*out)->handle));
    return rc;
}

static void close_snapshot(struct conn *c) {
    if (c && c->transaction) db_read_end(c);
    conn_close(c);
}

/* ---- the header ------------------------------------------------------------------------------ SQLite
 * reads page 1 from the log if the log holds it, and its integrity check does not check the header. If the
 * header is damaged, the next opening without a log fails, or ignores the log. */

#define UNTIL_CHECKPOINT "\0\0\0" /* of the first log */

static const struct {
    int at, n;
    const char *bytes, *what;
    const char *other; /* other bytes that are right; NULL: none */
} header[] = {
    {0, 16, "SQLite format 3", "mark of SQLite", NULL},
    {16, 2, "\x08\0", "size of a page", "\x10\0"}, /* STORE_PAGE, or 4,096: see sqlite_set_up */
    {18, 2, "\2\2", "mode of the log", NULL},
    {20, 4, "\0\x40\x20\x20", "layout of a page", NULL},
    {44, 4, "\0\0\0\4", "format of the schema", UNTIL_CHECKPOINT},
    {56, 4, "\0\0\0\1", "encoding of texts", UNTIL_CHECKPOINT},
    {72, 20, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "reserved part", NULL},
};
#define HEADER_SIZE 100

/* Calls wrong() for each part of a store file's header that differs from the header of deskd's stores.
 * Returns the number of such parts, or -1 if the file can't be read. */
static int header_wrong(const char *path, void (*wrong)(void *arg, const char *what), void *arg) {
    char bytes[HEADER_SIZE];
    int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
    ssize_t n = fd < 0 ? -1 : pread(fd, bytes, sizeof bytes, 0);
    if (fd >= 0) close(fd);
    if (n < 0) return -1;
    if (n < HEADER_SIZE) return wrong(arg, "whole header, because the file is truncated"), 1;
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) {
        const char *there = bytes + header[i].at, *other = header[i].other;
        size_t size = (size_t)header[i].n;
        if (memcmp(there, header[i].bytes, size) == 0 || (other && memcmp(there, other, size) == 0)) continue;
        wrong(arg, header[i].what);
        found++;
    }
    return found;
}

/* ---- verification of a copy ------------------------------------------------------------------ SQLite
 * has no checksums of pages. So three things are checked: (1) the structure of every page, (2) indexes
 * against their tables, and (3) the number of rows of each table against the snapshot that was copied. */

static void first_wrong(void *arg, const char *what) {
    struct why *why = arg;
    if (why->p[0] == 0) db_refuse(*why, "its header is damaged: the %s", what);
}

/* Opens the copy as an immutable file, because a copy has no log and SQLite must not create one. */
static int open_copy(struct arena *a, const char *path, sqlite3 **out) {
    struct buf uri = {0};
    buf_text(&uri, "file:");
    for (const char *p = path; *p; p++) {
        if (in_set(*p, "%?#")) buf_fmt(&uri, "%%%02X", (unsigned char)*p);
        else buf_char(&uri, *p);
    }
    buf_text(&uri, "?immutable=1");
    const char *name = buf_take(&uri, a).p;
    return sqlite3_open_v2(name, out, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
}

/* Returns the first column of the first row as a text; p is NULL if there is no row, or after an error. */
static struct str sqlite_text(struct arena *a, sqlite3 *db, const char *sql) {
    sqlite3_stmt *s = NULL;
    struct str out = {0};
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == 0 && sqlite3_step(s) == SQLITE_ROW &&
        sqlite3_column_text(s, 0))
        out = str_dup(a, str_of((const char *)sqlite3_column_text(s, 0)));
    sqlite3_finalize(s);
    return out;
}

int db_backup_look(const char *path, char *err, size_t err_size) {
    struct why why = {err, err_size};
    struct arena *a = arena_new();
    sqlite3 *copy = NULL;
    char first;
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
    if (fd < 0 || read(fd, &first, 1) < 0)
        rc = db_refuse(why, "the backup %s can't be read: %s", path, strerror(errno));
    else if (open_copy(a, path, &copy) != 0 ||
             sqlite_text(a, copy, "SELECT MAX(version) FROM schema_version").p == NULL)
        rc = db_refuse(why, "%s is not a backup of a desk: %s", path, sqlite3_errmsg(copy));
    if (fd >= 0) close(fd);
    sqlite3_close(copy);
    arena_free(a);
    return rc;
}

static int compare_counts(struct arena *a, struct conn *from, sqlite3 *copy, struct why why) {
    sqlite3_stmt *tables = NULL;
    int n = 0, rc = sqlite3_prepare_v2(from->handle,
                                       "SELECT name, 'SELECT count(*) FROM \"' || name || '\"' "
                                       "FROM sqlite_schema WHERE type = 'table'",
                                       -1, &tables, NULL);
    if (rc) return db_refuse(why, "the tables can't be listed: %s", sqlite3_errmsg(from->handle));
    for (rc = 0; rc == 0 && sqlite3_step(tables) == SQLITE_ROW; n++) {
        const char *name = (const char *)sqlite3_column_text(tables, 0),
                   *sql = (const char *)sqlite3_column_text(tables, 1);
        struct str there = sqlite_text(a, from->handle, sql), here = sqlite_text(a, copy, sql);
        if (there.p == NULL || here.p == NULL || !str_eq(there, here))
            rc = db_refuse(why, "table %s has %s rows in the copy and %s in the store", name,
                           here.p ? here.p : "unreadable", there.p ? there.p : "unreadable");
    }
    sqlite3_finalize(tables);
    return rc == 0 && n == 0 ? db_refuse(why, "the store has no tables") : rc;
}

static int verify_open(struct arena *a, struct conn *from, const char *path, sqlite3 *copy, struct why why) {
    struct str said = sqlite_text(a, copy, "SELECT integrity_check FROM pragma_integrity_check LIMIT 1");
    why.p[0] = 0;
    if (header_wrong(path, first_wrong, &why) != 0) return -ERR_SERVICE_UNAVAILABLE;
    if (said.p == NULL) return db_refuse(why, "it can't be read: %s", sqlite3_errmsg(copy));
    struct str line = str_cut(&said, '\n');
    while (said.p && str_starts(line, S("***"))) line = str_cut(&said, '\n'); /* skip headings */
    if (!str_eq(line, S("ok"))) return db_refuse(why, "%.*s", (int)line.n, line.p);
    return compare_counts(a, from, copy, why);
}

/* Reads the copy from the disk, not from the page cache. */
static int backup_verify(struct arena *a, struct conn *from, const char *path, struct why why) {
    char text[512] = "";
    sqlite3 *copy = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
    if (fd < 0 || fsync(fd) != 0) rc = db_refuse(why, "%s can't be synced: %s", path, strerror(errno));
    else posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (fd >= 0) close(fd);
    if (rc == 0 && open_copy(a, path, &copy) != 0)
        rc = db_refuse(why, "the copy %s can't be opened: %s", path, sqlite3_errmsg(copy));
    if (rc == 0 && verify_open(a, from, path, copy, (struct why){text, sizeof text}) < 0)
        rc = db_refuse(why, "the copy is damaged, so the store is, too (run deskd check): %s", text);
    sqlite3_close(copy);
    return rc;
}

/* ---- backup ---------------------------------------------------------------------------------- */

/* The read transaction of the source keeps the backup from starting over when another connection writes.
 * The cost: the log can't start over until the copy is done. */
static int backup_copy(struct conn *from, sqlite3 *to, void (*progress)(int done, int total)) {
    sqlite3_backup *b = sqlite3_backup_init(to, "main", from->handle, "main");
    if (!b) return sqlite3_errcode(to);
    int rc;
    do {
        rc = sqlite3_backup_step(b, BACKUP_PAGES);
        int total = sqlite3_backup_pagecount(b);
        if (progress) progress(total - sqlite3_backup_remaining(b), total);
    } while (rc == SQLITE_OK);
    int end = sqlite3_backup_finish(b);
    return rc == SQLITE_DONE ? end : rc;
}

static int copy_to(struct conn *from, const char *path, void (*progress)(int done, int total),
                   struct why why) {
    unlink(path); /* the remains of an interrupted backup */
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return db_refuse(why, "%s can't be made: %s", path, strerror(errno));
    close(fd);
    sqlite3 *to = NULL;
    int code = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == 0)
        code = sqlite3_exec(to, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL, NULL, NULL);
    if (code == 0) code = backup_copy(from, to, progress);
    int closed = sqlite3_close(to);
    code = code ? code : closed;
    return code ? db_refuse(why, "the copy to %s failed: %s", path, sqlite3_errstr(code)) : 0;
}

static int backup_keep(struct arena *a, const char *partial, const char *to, struct why why) {
    const char *slash = strrchr(to, '/');
    const char *dir = slash ? str_dup(a, (struct str){to, (size_t)(slash - to) + 1}).p : ".";
    if (sync_path(partial) != 0) return db_refuse(why, "%s can't be synced: %s", partial, strerror(errno));
    if (rename_new(partial, to) != 0) return db_refuse(why, "%s can't be made: %s", to, strerror(errno));
    return sync_path(dir) == 0 ? 0 : db_refuse(why, "%s can't be synced: %s", dir, strerror(errno));
}

int db_backup(const char *dir, const char *to, void (*progress)(int done, int total), char *err,
              size_t err_size) {
    struct why why = {err, err_size};
    if (access(to, F_OK) == 0) return db_refuse(why, "%s exists already: name a new file", to);
    struct arena *a = arena_new();
    const char *partial = str_fmt(a, "%s.partial", to).p;
    struct conn *from;
    int rc = open_snapshot(a, dir, &from, why);
    if (rc == 0) {
        rc = copy_to(from, partial, progress, why);
        if (rc == 0) rc = backup_verify(a, from, partial, why);
        if (rc == 0) rc = backup_keep(a, partial, to, why);
        if (rc < 0) unlink(partial);
    }
    close_snapshot(from);
    arena_free(a);
    return rc;
}

/* ---- check ----------------------------------------------------------------------------------- */

struct check {
    struct conn *conn;
    struct arena *memory;
    void (*report)(void *arg, const char *line);
    void *arg;
    int findings;
};

static void store_finding(struct check *k, const char *line) {
    k->findings++;
    k->report(k->arg, line);
}

static void unreadable(struct check *k, const char *what) {
    store_finding(k, str_fmt(k->memory, "%s: %s", what, sqlite3_errmsg(k->conn->handle)).p);
}

static void wrong_header(void *arg, const char *what) {
    struct check *k = arg;
    store_finding(k, str_fmt(k->memory, "the header of the store file is damaged: the %s", what).p);
}

static void check_pages(struct check *k) {
    int rc;
    DB_ROWS(rc, k->conn, &integrity, NULL, row) {
        for (struct str rest = col_text(row, 0), line; rest.p;) {
            line = str_cut(&rest, '\n');
            bool heading = line.n == 0 || str_starts(line, S("***"));
            if (!heading && !str_eq(line, S("ok"))) store_finding(k, str_dup(k->memory, line).p);
        }
    }
    if (rc < 0) unreadable(k, "the pages can't be checked");
}

static void check_all_references(struct check *k) {
    int rc;
    DB_ROWS(rc, k->conn, &orphans, NULL, row) {
        struct str table = col_text(row, 0), parent = col_text(row, 2);
        store_finding(k, str_fmt(k->memory, "row %lld of %.*s refers to no row of %.*s",
                                 (long long)col_int(row, 1), (int)table.n, table.p, (int)parent.n, parent.p)
                             .p);
    }
    if (rc < 0) unreadable(k, "the references can't be checked");
}

static void check_log(struct check *k, const char *dir) {
    struct stat st;
    long long mb =
        stat(str_fmt(k->memory, "%s/%s-wal", dir, STORE_FILE).p, &st) == 0 ? st.st_size / (1024 * 1024) : 0;
    if (mb >= LOG_LARGE_MB)
        store_finding(
            k, str_fmt(k->memory, "the log has %lld MiB: a read takes very long, or checkpoints fail", mb).p);
}

int db_check_with(const char *dir, const struct schema_file *files,
                  void (*report)(void *arg, const char *line), void *arg, struct why why) {
    struct check k = {.memory = arena_new(), .report = report, .arg = arg};
    header_wrong(str_fmt(k.memory, "%s/%s", dir, STORE_FILE).p, wrong_header, &k);
    int rc = open_snapshot(k.memory, dir, &k.conn, why);
    if (rc == 0) rc = schema_current(k.conn, files, why);
    if (rc < 0 && k.findings) { /* the damaged header is the cause */
        store_finding(&k, why.p);
        rc = 0;
    } else if (rc == 0) {
        check_pages(&k);
        check_all_references(&k);
        check_log(&k, dir);
    }
    close_snapshot(k.conn);
    arena_free(k.memory);
    return rc < 0 ? rc : k.findings;
}

int db_check(const struct db_config *cfg, void (*report)(void *arg, const char *line), void *arg, char *err,
             size_t err_size) {
    struct why why = {err, err_size};
    if (cfg->url) return postgres_check(cfg, schema_files, report, arg, why);
    return db_check_with(cfg->dir, schema_files, report, arg, why);
}
