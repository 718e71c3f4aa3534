#include "files/check.h"

#include "base/error.h"
#include "core/desk/file.h"
#include "files/content.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A content without a row may be in transit: an upload stores its content before its row, and the sweeper
 * removes it after its row. */
#define PATIENCE TIME_DAY

/* Reads one subfolder at a time, so that memory does not grow with the desk. */
QUERY(contents_of_folder, "SELECT f.sha256, MIN(f.size), MAX(f.size), MIN(f.id) "
                          "FROM files f WHERE f.sha256 >= :from AND f.sha256 < :end "
                          "GROUP BY f.sha256 ORDER BY f.sha256");

QUERY(files_any, "SELECT f.id FROM files f LIMIT 1");

struct named { /* a content that rows refer to */
    struct str sha256;
    int64_t size, largest, file_id;
};

struct check {
    struct conn *conn;
    struct arena *arena;
    const char *folder;
    void (*report)(void *arg, const char *line);
    void *arg;
    int findings;
};

static void contents_finding(struct check *k, struct str line) {
    k->findings++;
    k->report(k->arg, line.p);
}

static int read_named(struct check *k, int nth, struct named **out) {
    struct named *list = NULL;
    int n = 0, cap = 0, rc;
    const struct bind *binds =
        BINDS(B_TEXT("from", str_fmt(k->arena, "%02x", nth)),
              B_TEXT("end", nth < CONTENT_FOLDERS - 1 ? str_fmt(k->arena, "%02x", nth + 1) : S("g")));
    DB_ROWS(rc, k->conn, &contents_of_folder, binds, row) {
        list = arena_more(k->arena, list, n, &cap, sizeof *list);
        list[n++] = (struct named){str_dup(k->arena, col_text(row, 0)), col_int(row, 1), col_int(row, 2),
                                   col_int(row, 3)};
    }
    *out = list;
    return rc < 0 ? rc : n;
}

static const char *fault_of(struct check *k, const struct named *f) {
    return f->size == f->largest ? content_fault(k->arena, k->folder, f->sha256, f->size)
                                 : "has two sizes in its rows";
}

/* Rows are deleted before their contents. So a content whose rows are gone was swept during the check, and
 * is not reported. */
static int check_named(struct check *k, const struct named *f) {
    const char *fault = fault_of(k, f);
    int named = fault ? content_named(k->conn, f->sha256) : 0;
    if (named == 1)
        contents_finding(
            k, str_fmt(k->arena, "the content %s of file %" PRId64 " %s", f->sha256.p, f->file_id, fault));
    return named < 0 ? named : 0;
}

static int compare_contents(const void *x, const void *y) {
    return memcmp(((const struct str *)x)->p, ((const struct str *)y)->p, 64);
}

static int check_orphans(struct check *k, int nth, const struct named *named, int count) {
    struct str *list;
    int n = contents_listed(k->arena, k->folder, nth, &list), at = 0;
    if (n < 0)
        contents_finding(
            k, str_fmt(k->arena, "the folder %s/%02x can't be read: %s", k->folder, nth, strerror(errno)));
    if (n > 0) qsort(list, (size_t)n, sizeof *list, compare_contents);
    for (int i = 0; i < n; i++) {
        while (at < count && compare_contents(&named[at].sha256, &list[i]) < 0) at++;
        bool known = at < count && str_eq(named[at].sha256, list[i]);
        if (known || content_age(k->arena, k->folder, list[i]) <= PATIENCE) continue;
        int again = content_named(k->conn, list[i]);
        TRY(again);
        if (!again) contents_finding(k, str_fmt(k->arena, "the content %s belongs to no file", list[i].p));
    }
    return 0;
}

static int check_folder(struct check *k, int nth) {
    struct named *named;
    int n = read_named(k, nth, &named);
    TRY(n);
    for (int i = 0; i < n; i++) TRY(check_named(k, &named[i]));
    return check_orphans(k, nth, named, n);
}

int contents_check(struct conn *c, const char *folder, void (*report)(void *arg, const char *line), void *arg,
                   void (*progress)(int done, int total)) {
    struct check k = {.conn = c, .arena = arena_new(), .folder = folder, .report = report, .arg = arg};
    int64_t files;
    bool there = access(folder, F_OK) == 0;
    int rc = there ? 0 : db_int(c, &files_any, NULL, &files);
    if (rc == 1)
        contents_finding(
            &k,
            str_fmt(k.arena, "there are files, but no folder %s: name their folder with --files", folder));
    for (int nth = 0; there && nth < CONTENT_FOLDERS && rc >= 0; nth++) {
        struct arena_mark mark = arena_mark(k.arena);
        rc = check_folder(&k, nth);
        arena_return(k.arena, mark);
        if (progress) progress(nth + 1, CONTENT_FOLDERS);
    }
    arena_free(k.arena);
    return rc < 0 ? rc : k.findings;
}
