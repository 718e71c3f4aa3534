#include "core/people/proof.h"

#include "base/fold.h"
#include "core/desk/job.h"
#include "core/people/identity.h"
#include "core/letters/letter.h"
#include "core/login/password.h"
#include "core/people/user.h"

#define RESETS_AN_HOUR 5 /* letters to one person; a limit, because anyone can request them */

/* A validated address, or the only address of an account. An address that people added to their profile
 * and did not verify is a claim and is not used. */
QUERY(reset_address,
      "SELECT e.id, e.user_id FROM identity_emails e "
      "JOIN users u ON u.id = e.user_id "
      "WHERE e.email_key = :key AND e.is_claim = 0 AND u.is_enabled = 1 AND u.deleted_at IS NULL "
      "AND (e.is_validated = 1 OR NOT EXISTS (SELECT 1 FROM identity_emails o "
      "WHERE o.user_id = e.user_id AND o.id <> e.id AND o.is_claim = 0))");
QUERY(rank_of_user, "SELECT role_type FROM users WHERE id = :user");

int email_verify(struct work *w, struct str hash) {
    struct link l;
    int rc = link_take(w, LINK_VERIFY_EMAIL, hash, &l);
    if (rc <= 0) return rc;
    TRY(email_validate(w, l.email_id));
    return 1;
}

int password_reset_ask(struct work *w, struct str email) {
    int64_t job;
    /* Sealed, because anyone may type anything, and the job row keeps it. */
    struct str sealed = seal_text(w->arena, &w->desk->mail_key, email_key(w->arena, email));
    return job_add(w, JOB_PASSWORD_RESET, str_fmt(w->arena, "\"%s\"", sealed.p), &job);
}

static int send_reset(struct work *w, struct str key) {
    struct stmt *row;
    int rc = db_row(w->conn, &reset_address, BINDS(B_TEXT("key", key)), &row);
    if (rc <= 0) return rc;
    int64_t email = col_int(row, 0), user = col_int(row, 1);
    stmt_end(row);
    int count = letters_lately(w, user, "password_reset");
    TRY(count);
    return count < RESETS_AN_HOUR ? letter_reset(w, email) : 0;
}

static int password_reset_run(struct work *w, const struct job *j) {
    struct str sealed = {j->input.p + 1, j->input.n - 2},
               key = seal_text_open(w->arena, &w->desk->mail_key, sealed);
    if (key.p) TRY(send_reset(w, key));
    return job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
}
JOB_CODE(PASSWORD_RESET) = {.run = password_reset_run};

int password_link_find(struct work *w, struct str hash, struct link *out, int *rank) {
    int64_t type = 0;
    int rc = link_find(w, LINK_RESET_PASSWORD, hash, out);
    if (rc == 0) rc = link_find(w, LINK_INVITATION, hash, out);
    if (rc <= 0) return rc;
    rc = db_int(w->conn, &rank_of_user, BINDS(B_INT("user", out->user_id)), &type);
    *rank = (int)type;
    return rc;
}

int password_reset_complete(struct work *w, struct str hash, struct str password_hash) {
    struct link l;
    int rc = link_take(w, LINK_RESET_PASSWORD, hash, &l);
    if (rc == 0) rc = link_take(w, LINK_INVITATION, hash, &l);
    if (rc <= 0) return rc;
    TRY(email_validate(w, l.email_id));
    TRY(password_set(w, l.user_id, password_hash));
    return 1;
}
