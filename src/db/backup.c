/* A copy of a store in use, and a check of one. Both read one snapshot through a connection of their own, take no lock
 * of the store and never write to it, so they work beside a running deskd as well as without one. */
#include "db/db_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/error.h"

enum {
    BACKUP_PAGES = 1024, /* between two looks at the progress: 4 MiB */
    LOG_LARGE_MB = 256,  /* several times what the writer lets it grow to */
};

/* Of SQLite alone, so not among the QUERY()s that both engines prepare. */
static const struct query integrity = {"integrity", "SELECT integrity_check FROM pragma_integrity_check(100)"};
static const struct query orphans = {
    "orphans", "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check ORDER BY 1, 2 LIMIT 100"};

static int open_snapshot(struct arena *a, const char *dir, struct conn **out, struct why why) {
    struct conn_options o = {.path = str_fmt(a, "%s/%s", dir, STORE_FILE).p, .role = CONN_READER};
    *out = NULL;
    if (access(o.path, R_OK) != 0) return refuse(why, "there is no store in %s: %s", dir, strerror(errno));
    int rc = conn_open(&o, out, why);
    if (rc == 0 && db_read_begin(*out, 0) < 0) rc = refuse(why, "%s can't be read", o.path);
    return rc;
}

static void close_snapshot(struct conn *c) {
    if (c && c->transaction) db_read_end(c);
    conn_close(c);
}

/* ---- backup -------------------------------------------------------------------------------------------- */

/* The read transaction of the source keeps the copy from starting over whenever somebody writes. Its price: the log
 * can't start over until the copy is done. */
static int copy(struct conn *from, sqlite3 *to, void (*progress)(int done, int total)) {
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

static int copy_to(struct conn *from, const char *path, void (*progress)(int done, int total), struct why why) {
    unlink(path); /* what an interrupted backup left */
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return refuse(why, "%s can't be made: %s", path, strerror(errno));
    close(fd);
    sqlite3 *to = NULL;
    int code = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == 0) code = sqlite3_exec(to, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL, NULL, NULL);
    if (code == 0) code = copy(from, to, progress);
    int closed = sqlite3_close(to);
    code = code ? code : closed;
    return code ? refuse(why, "the copy to %s failed: %s", path, sqlite3_errstr(code)) : 0;
}

static int keep(struct arena *a, const char *partial, const char *to, struct why why) {
    const char *slash = strrchr(to, '/');
    const char *dir = slash ? str_dup(a, (struct str){to, (size_t)(slash - to) + 1}).p : ".";
    if (sync_path(partial) != 0) return refuse(why, "%s can't be synced: %s", partial, strerror(errno));
    if (rename_new(partial, to) != 0)
        return refuse(why, "%s can't be made: %s", to, strerror(errno));
    return sync_path(dir) == 0 ? 0 : refuse(why, "%s can't be synced: %s", dir, strerror(errno));
}

int db_backup(const char *dir, const char *to, void (*progress)(int done, int total), char *err, size_t err_size) {
    struct why why = {err, err_size};
    if (access(to, F_OK) == 0) return refuse(why, "%s exists already: name a new file", to);
    struct arena *a = arena_new();
    const char *partial = str_fmt(a, "%s.partial", to).p;
    struct conn *from;
    int rc = open_snapshot(a, dir, &from, why);
    if (rc == 0) {
        rc = copy_to(from, partial, progress, why);
        if (rc == 0) rc = keep(a, partial, to, why);
        if (rc < 0) unlink(partial);
    }
    close_snapshot(from);
    arena_free(a);
    return rc;
}

/* ---- check --------------------------------------------------------------------------------------------- */

struct check {
    struct conn *conn;
    struct arena *memory;
    void (*report)(void *arg, const char *line);
    void *arg;
    int findings;
};

static void finding(struct check *k, const char *line) {
    k->findings++;
    k->report(k->arg, line);
}

static void unreadable(struct check *k, const char *what) {
    finding(k, str_fmt(k->memory, "%s: %s", what, sqlite3_errmsg(k->conn->handle)).p);
}

static void check_pages(struct check *k) {
    int rc;
    DB_ROWS(rc, k->conn, &integrity, NULL, row) {
        for (struct str rest = col_text(row, 0), line; rest.p;) {
            line = str_cut(&rest, '\n');
            bool heading = line.n == 0 || str_starts(line, S("***"));
            if (!heading && !str_eq(line, S("ok"))) finding(k, str_dup(k->memory, line).p);
        }
    }
    if (rc < 0) unreadable(k, "the pages can't be checked");
}

static void check_references(struct check *k) {
    int rc;
    DB_ROWS(rc, k->conn, &orphans, NULL, row) {
        struct str table = col_text(row, 0), parent = col_text(row, 2);
        finding(k, str_fmt(k->memory, "row %lld of %.*s refers to no row of %.*s", (long long)col_int(row, 1),
                           (int)table.n, table.p, (int)parent.n, parent.p)
                       .p);
    }
    if (rc < 0) unreadable(k, "the references can't be checked");
}

static void check_log(struct check *k, const char *dir) {
    struct stat st;
    long long mb = stat(str_fmt(k->memory, "%s/%s-wal", dir, STORE_FILE).p, &st) == 0 ? st.st_size / (1024 * 1024) : 0;
    if (mb >= LOG_LARGE_MB)
        finding(k,
                str_fmt(k->memory, "the log has %lld MiB: something reads for very long, or checkpoints fail", mb).p);
}

int db_check_with(const char *dir, const struct schema_file *files, void (*report)(void *arg, const char *line),
                  void *arg, struct why why) {
    struct check k = {.memory = arena_new(), .report = report, .arg = arg};
    int rc = open_snapshot(k.memory, dir, &k.conn, why);
    if (rc == 0) rc = schema_current(k.conn, files, why);
    if (rc == 0) {
        check_pages(&k);
        check_references(&k);
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
