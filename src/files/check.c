#include "files/check.h"

#include "base/error.h"
#include "core/desk/file.h"
#include "files/content.h"
#include "files/remote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A content without a row may be in transit: an upload stores its content before its row, and the sweeper
 * removes it after its row. */
#define PATIENCE TIME_DAY

/* Reads one subfolder at a time, so that memory does not grow with the desk. */
QUERY(contents_of_folder, "SELECT f.sha256, MIN(f.size), MAX(f.size), MIN(f.id) "
                          "FROM files f WHERE f.sha256 >= :from AND f.sha256 < :end "
                          "GROUP BY f.sha256 ORDER BY f.sha256");

QUERY(files_any, "SELECT f.id FROM files f LIMIT 1");

struct check {
    struct conn *conn;
    struct arena *arena;
    const struct contents *contents;
    struct remote_walk *walk; /* of the bucket */
    bool deep, only_rows;
    void (*report)(void *arg, const char *line);
    void *arg;
    int findings;
};

static void contents_finding(struct check *k, struct str line) {
    k->findings++;
    k->report(k->arg, line.p);
}

int contents_of_rows(struct conn *c, struct arena *a, int nth, struct content_rows **out) {
    struct content_rows *list = NULL;
    int n = 0, cap = 0, rc;
    const struct bind *binds =
        BINDS(B_TEXT("from", str_fmt(a, "%02x", nth)),
              B_TEXT("end", nth < CONTENT_FOLDERS - 1 ? str_fmt(a, "%02x", nth + 1) : S("g")));
    DB_ROWS(rc, c, &contents_of_folder, binds, row) {
        list = arena_more(a, list, n, &cap, sizeof *list);
        list[n++] = (struct content_rows){str_dup(a, col_text(row, 0)), col_int(row, 1), col_int(row, 2),
                                          col_int(row, 3)};
    }
    *out = list;
    return rc < 0 ? rc : n;
}

static const char *fault_of(struct check *k, const struct content_rows *f) {
    return f->size == f->largest ? content_fault(k->arena, k->contents, f->sha256, f->size)
                                 : "has two sizes in its rows";
}

static int compare_contents(const void *x, const void *y) {
    return memcmp(((const struct str *)x)->p, ((const struct str *)y)->p, 64);
}

/* Rows are deleted before their contents. So a content whose rows are gone was swept during the check, and
 * is not reported. */
static int report_fault(struct check *k, const struct content_rows *f, const char *fault) {
    int named = fault ? content_named(k->conn, f->sha256) : 0;
    if (named == 1)
        contents_finding(
            k, str_fmt(k->arena, "the content %s of file %" PRId64 " %s", f->sha256.p, f->file_id, fault));
    return named < 0 ? named : 0;
}

static int report_orphan(struct check *k, struct str sha256) {
    int named = content_named(k->conn, sha256);
    if (named == 0) contents_finding(k, str_fmt(k->arena, "the content %s belongs to no file", sha256.p));
    return named < 0 ? named : 0;
}

static int check_orphans(struct check *k, int nth, const struct content_rows *named, int count) {
    struct str *list;
    int n = contents_listed(k->arena, k->contents, nth, &list), at = 0;
    if (n < 0)
        contents_finding(k, str_fmt(k->arena, "the folder %s/%02x can't be read: %s", k->contents->folder,
                                    nth, strerror(errno)));
    if (n > 0) qsort(list, (size_t)n, sizeof *list, compare_contents);
    for (int i = 0; i < n; i++) {
        while (at < count && compare_contents(&named[at].sha256, &list[i]) < 0) at++;
        bool known = at < count && str_eq(named[at].sha256, list[i]);
        if (known || content_age(k->arena, k->contents, list[i]) <= PATIENCE) continue;
        TRY(report_orphan(k, list[i]));
    }
    return 0;
}

/* Returns the defect of a content of a bucket, or NULL. at: its place in the list; NULL: it is not in it. */
static const char *fault_in_bucket(struct check *k, const struct content_rows *f,
                                   const struct remote_content *at) {
    char said[300] = "";
    int64_t size = at ? at->size : -1;
    if (f->size != f->largest) return "has two sizes in its rows";
    /* a content that came after this page of the list */
    int there = at ? 1 : remote_size(k->contents, f->sha256, &size, (struct why){said, sizeof said});
    if (there < 0) return str_fmt(k->arena, "can't be read: %s", said).p;
    if (there == 0) return "is missing";
    if (size != f->size) return "has a wrong size";
    return k->deep ? content_fault(k->arena, k->contents, f->sha256, f->size) : NULL;
}

static int check_orphan(struct check *k, const struct remote_content *f) {
    return f->age > PATIENCE && !k->only_rows ? report_orphan(k, f->sha256) : 0;
}

/* The list has the sizes, so a check asks the store once for a thousand contents. */
static int check_bucket(struct check *k, int nth, const struct content_rows *named, int count) {
    struct remote_content *list;
    char said[300] = "";
    int n = remote_walk_next(k->walk, k->arena, nth, &list, (struct why){said, sizeof said}), at = 0;
    if (n < 0) {
        contents_finding(
            k, str_fmt(k->arena, "%s can't be listed: %s", contents_name(k->arena, k->contents), said));
        return 1; /* the others are not to be had either */
    }
    if (n) qsort(list, (size_t)n, sizeof *list, remote_content_compare);
    for (int i = 0; i < count; i++) {
        for (; at < n && compare_contents(&list[at].sha256, &named[i].sha256) < 0; at++)
            TRY(check_orphan(k, &list[at]));
        bool found = at < n && str_eq(list[at].sha256, named[i].sha256);
        TRY(report_fault(k, &named[i], fault_in_bucket(k, &named[i], found ? &list[at] : NULL)));
        at += found;
    }
    for (; at < n; at++) TRY(check_orphan(k, &list[at]));
    return 0;
}

static int check_folder(struct check *k, int nth) {
    struct content_rows *named;
    int n = contents_of_rows(k->conn, k->arena, nth, &named);
    TRY(n);
    if (k->contents->remote) return check_bucket(k, nth, named, n);
    for (int i = 0; i < n; i++) TRY(report_fault(k, &named[i], fault_of(k, &named[i])));
    return k->only_rows ? 0 : check_orphans(k, nth, named, n);
}

/* Their parts take room, and no list of objects has them. */
static void check_uploads(struct check *k) {
    int left = remote_uploads_left(k->contents);
    if (left > 0)
        contents_finding(
            k, str_fmt(k->arena,
                       "%s has uploads in parts that began more than a day ago and were not completed "
                       "(%d): remove them by a rule of the bucket (AbortIncompleteMultipartUpload)",
                       contents_name(k->arena, k->contents), left));
}

int contents_check(struct conn *c, const struct contents_checking *how) {
    struct check k = {.conn = c,
                      .arena = arena_new(),
                      .contents = how->contents,
                      .deep = how->deep,
                      .only_rows = how->only_rows,
                      .report = how->report,
                      .arg = how->arg};
    int64_t files;
    bool there = contents_there(how->contents);
    int rc = there ? 0 : db_int(c, &files_any, NULL, &files);
    if (rc == 1)
        contents_finding(&k,
                         str_fmt(k.arena, "there are files, but no folder %s: name their folder with --files",
                                 how->contents->folder));
    if (how->contents->remote) k.walk = remote_walk_new(how->contents);
    for (int nth = 0; there && nth < CONTENT_FOLDERS && rc == 0; nth++) {
        struct arena_mark mark = arena_mark(k.arena);
        rc = check_folder(&k, nth);
        arena_return(k.arena, mark);
        if (how->progress) how->progress(nth + 1, CONTENT_FOLDERS);
    }
    if (how->contents->remote && !k.only_rows && rc == 0) check_uploads(&k);
    remote_walk_free(k.walk);
    arena_free(k.arena);
    return rc < 0 ? rc : k.findings;
}
