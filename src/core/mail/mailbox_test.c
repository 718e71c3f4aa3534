#include "core/mail/mailbox_test.h"

#include "base/buf.h"
#include "core/desk/job.h"

#include <inttypes.h>

QUERY(mailbox_test_last,
      "SELECT COALESCE(test_started_at, 0) FROM mailboxes WHERE id = :id AND deleted_at IS NULL");
QUERY(mailbox_test_start,
      "UPDATE mailboxes SET test_token = :token, test_status = 2, test_steps = NULL, test_started_at = :now, "
      "test_arrived_at = NULL, test_verdicts = NULL, test_ended_at = NULL WHERE id = :id");
QUERY(mailbox_test_note, "UPDATE mailboxes SET test_arrived_at = :now, test_verdicts = :verdicts "
                         "WHERE test_token = :token AND test_arrived_at IS NULL AND deleted_at IS NULL");
QUERY(mailbox_test_seen, "SELECT COALESCE(test_arrived_at, 0), test_verdicts FROM mailboxes "
                         "WHERE id = :id AND test_token = :token");
QUERY(mailbox_test_close,
      "UPDATE mailboxes SET test_token = NULL, test_status = :status, test_steps = :steps, "
      "test_ended_at = :now WHERE id = :id AND test_token = :token");

int mailbox_test_begin(struct work *w, int64_t id, int64_t *wait) {
    int64_t last = 0, job;
    TRY(db_lock_row(w->conn, "mailboxes", id));
    int found = db_int(w->conn, &mailbox_test_last, BINDS(B_INT("id", id)), &last);
    if (found <= 0) return found;
    *wait = last + MAILBOX_TEST_WAIT > w->now ? (last + MAILBOX_TEST_WAIT - w->now + 999) / 1000 : 0;
    if (*wait) return 1;
    struct str token = random_hex(w->arena, 16);
    TRY(db_exec(w->conn, &mailbox_test_start,
                BINDS(B_INT("id", id), B_TEXT("token", token), B_INT("now", w->now))));
    TRY(job_add(w, JOB_MAILBOX_TEST, str_fmt(w->arena, "{\"id\":%" PRId64 "}", id), &job));
    return 1;
}

#define MARK "[test-"
#define TOKEN_HEX 32

struct str mailbox_test_subject(struct arena *a, struct str token) {
    return STR_CAT(a, S("Test of this mailbox " MARK), token, S("]"));
}

/* p NULL: the subject has no token. */
static struct str token_of_subject(struct str subject) {
    const struct str mark = S(MARK);
    const char *at = subject.n ? memmem(subject.p, subject.n, mark.p, mark.n) : NULL;
    size_t before = at ? (size_t)(at - subject.p) + mark.n : 0;
    if (at == NULL || subject.n - before < TOKEN_HEX) return (struct str){0};
    return (struct str){at + mark.n, TOKEN_HEX};
}

static struct str verdicts_text(struct arena *a, const struct mail_authentication *seen) {
    const struct {
        const char *name;
        enum mail_verdict verdict;
    } all[] = {{"DKIM", seen->dkim}, {"SPF", seen->spf}, {"DMARC", seen->dmarc}};
    struct buf b = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].verdict)
            buf_fmt(&b, "%s%s: %s", b.n ? ", " : "", all[i].name, word_of(mail_verdicts, all[i].verdict));
    return b.n ? buf_take(&b, a) : (struct str){0};
}

int mailbox_test_arrived(struct work *w, const struct incoming *m, const struct mail_authentication *seen) {
    struct str token = token_of_subject(m->subject);
    if (token.p == NULL || m->fault.p) return 0;
    return db_exec(w->conn, &mailbox_test_note,
                   BINDS(B_TEXT("token", token), B_INT("now", w->now),
                         B_TEXT("verdicts", verdicts_text(w->arena, seen))));
}

int mailbox_test_look(struct work *w, int64_t id, struct str token, bool *arrived, struct str *verdicts) {
    struct stmt *row;
    int rc = db_row(w->conn, &mailbox_test_seen, BINDS(B_INT("id", id), B_TEXT("token", token)), &row);
    if (rc <= 0) return rc;
    *arrived = col_int(row, 0) != 0;
    *verdicts = col_null(row, 1) ? (struct str){0} : str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    return 1;
}

int mailbox_test_end(struct work *w, int64_t id, struct str token, bool passed, struct str steps) {
    return db_exec(w->conn, &mailbox_test_close,
                   BINDS(B_INT("id", id), B_TEXT("token", token), B_TEXT("steps", steps),
                         B_INT("status", passed ? MAILBOX_TEST_PASSED : MAILBOX_TEST_FAILED),
                         B_INT("now", w->now)));
}
