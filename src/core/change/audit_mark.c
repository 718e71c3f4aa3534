#include "core/change/audit_mark.h"

#include "base/disk.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

QUERY(audit_mark_last,
      "SELECT seq, chain FROM audit_entries WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1");
QUERY(audit_mark_anchor, "SELECT seq, chain FROM audit_anchors ORDER BY seq DESC LIMIT 1");
QUERY(audit_mark_chain, "SELECT seq, chain FROM audit_entries WHERE seq = :seq UNION "
                        "SELECT seq, chain FROM audit_anchors WHERE seq = :seq");

#define MARK_BYTES 300
#define BITS_DIGITS 13

static int mark_row(struct conn *c, struct arena *a, const struct query *q, int64_t seq,
                    struct audit_mark *out) {
    struct stmt *row;
    int rc = db_row(c, q, BINDS(B_INT("seq", seq)), &row);
    if (rc <= 0) return rc;
    *out = (struct audit_mark){col_int(row, 0), str_dup(a, col_text(row, 1))};
    stmt_end(row);
    return 1;
}

int audit_mark_of_anchor(struct conn *c, struct arena *a, struct audit_mark *out) {
    return mark_row(c, a, &audit_mark_anchor, 0, out);
}

int audit_mark_of(struct conn *c, struct arena *a, struct audit_mark *out) {
    *out = (struct audit_mark){0, S("")};
    int rc = mark_row(c, a, &audit_mark_last, 0, out);
    if (rc == 0) rc = audit_mark_of_anchor(c, a, out); /* all entries were deleted by age */
    return rc < 0 ? rc : 0;
}

int64_t audit_mark_bits(const struct audit_mark *m) {
    int64_t bits = 0;
    for (size_t i = 0; i < m->chain.n && i < BITS_DIGITS; i++) {
        char c = m->chain.p[i];
        bits = bits << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return bits;
}

/* ---- the file -------------------------------------------------------------------------------- */

int audit_mark_read(struct arena *a, const char *path, struct audit_mark *out, const char **why) {
    char text[MARK_BYTES];
    if (access(path, F_OK) != 0 && errno == ENOENT) return 0;
    int fd = plain_open(path, why);
    if (fd < 0) return -1;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    struct str rest = str_trim((struct str){text, n > 0 ? (size_t)n : 0}), seq = str_cut(&rest, ' ');
    *out = (struct audit_mark){.chain = str_dup(a, str_trim(rest))};
    if (str_to_int(seq, &out->seq) && out->seq > 0 && str_is_hex(out->chain)) return 1;
    *why = "it is not a place and a chain";
    return -1;
}

int audit_mark_write(struct arena *a, const char *path, const struct audit_mark *m) {
    const char *draft = str_fmt(a, "%s.new%ld", path, (long)getpid()).p;
    struct str line = str_fmt(a, "%" PRId64 " %.*s\n", m->seq, (int)m->chain.n, m->chain.p);
    int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    int rc = write(fd, line.p, line.n) == (ssize_t)line.n && fsync(fd) == 0 ? 0 : -1, why = errno;
    close(fd);
    if (rc == 0 && (rc = rename(draft, path)) != 0) why = errno;
    if (rc != 0) unlink(draft);
    errno = why;
    return rc;
}

/* ---- comparison ------------------------------------------------------------------------------ */

int audit_mark_missing(struct conn *c, struct arena *a, const struct audit_mark *m, const char *path,
                       struct str *finding) {
    struct audit_mark here, anchor = {0};
    int rc = mark_row(c, a, &audit_mark_chain, m->seq, &here);
    TRY(rc);
    if (rc == 1 && str_eq(here.chain, m->chain)) return 0;
    if (rc == 1)
        return *finding = str_fmt(a, "audit log: place %" PRId64 " has another chain than %s", m->seq, path),
               1;
    TRY(audit_mark_of_anchor(c, a, &anchor));
    if (anchor.seq > m->seq) return 0; /* deleted by age */
    TRY(audit_mark_of(c, a, &here));
    *finding = str_fmt(a,
                       "audit log: it ends with place %" PRId64 ", but %s has place %" PRId64
                       ": the newest entries are missing",
                       here.seq, path, m->seq);
    return 1;
}
