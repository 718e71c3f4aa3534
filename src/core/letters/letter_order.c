/* The order of letters. The letters of one conversation leave in the order of their ids, also if several
 * threads and processes send mail.
 *
 * A letter waits for an earlier one of its conversation that is QUEUED, if (1) both have the same
 * recipient, or (2) less than WAIT_FOR_OTHERS has passed since the letter could leave, the earlier one
 * need not wait to be undone, and they are not copies of one message. So a relay that does not take the
 * mail for one address delays the others by WAIT_FOR_OTHERS at most; after that only each recipient gets
 * the letters in their order. A letter is QUEUED for a day at most. HELD letters do not count: without a
 * relay nothing is sent.
 *
 * The job of a letter that waits is put off for LETTER_LOOK. The end of a letter makes the next one's job
 * due at once. Both writes hold a lock of the conversation, so that no end falls between the look and the
 * postponement. */
#include "core/letters/letter.h"

#include "core/desk/job.h"
#include "json/json.h"

#include <inttypes.h>

#define WAIT_FOR_OTHERS (5 * TIME_MINUTE)

QUERY(letter_before, "SELECT e.id FROM outgoing_mails m "
                     "JOIN outgoing_mails e ON e.case_id = m.case_id AND e.id < m.id AND e.status = 1 "
                     "WHERE m.id = :id AND (e.recipient = m.recipient OR (COALESCE(m.send_after, "
                     "m.created_at) > :since AND COALESCE(e.send_after, 0) <= :now AND (m.post_id IS NULL "
                     "OR e.post_id IS NULL OR e.post_id <> m.post_id))) "
                     "LIMIT 1");
QUERY(letter_known_job, "UPDATE outgoing_mails SET job_id = :job WHERE id = :id");
QUERY(letter_next_due,
      "UPDATE jobs SET run_at = :now, updated_at = :now "
      "WHERE status = 1 AND run_at > :now AND id IN (SELECT m.job_id FROM outgoing_mails m "
      "WHERE m.case_id = :case AND m.id > :id AND m.status = 1 AND m.attempts = 0 "
      "AND COALESCE(m.send_after, 0) <= :now AND m.job_id IS NOT NULL ORDER BY m.id LIMIT 1)");

static int lock_order(struct work *w, int64_t case_id) {
    return db_lock(w->conn, str_fmt(w->arena, "letters of %" PRId64, case_id));
}

int letter_waits(struct work *w, const struct letter *l) {
    int64_t id;
    if (l->case_id == 0) return 0;
    return db_int(w->conn, &letter_before,
                  BINDS(B_INT("id", l->id), B_INT("since", w->now - WAIT_FOR_OTHERS), B_INT("now", w->now)),
                  &id);
}

int letter_waits_still(struct work *w, const struct letter *l, int64_t job_id) {
    TRY(lock_order(w, l->case_id));
    TRY(db_later(w->conn, &letter_known_job, BINDS(B_INT("id", l->id), B_INT("job", job_id))));
    return letter_waits(w, l);
}

static int wake_after(struct work *w, int64_t case_id, int64_t id) {
    int woken = db_exec(w->conn, &letter_next_due,
                        BINDS(B_INT("case", case_id), B_INT("id", id), B_INT("now", w->now)));
    return woken > 0 ? jobs_announce(w, JOB_MAIL) : woken;
}

int letter_wake_next(struct work *w, const struct letter *l) {
    if (l->case_id == 0) return 0;
    TRY(lock_order(w, l->case_id));
    return wake_after(w, l->case_id, l->id);
}

/* ---- undo ------------------------------------------------------------------------------------ */

QUERY(letters_of_message,
      "SELECT m.job_id, m.case_id, m.id FROM outgoing_mails m WHERE m.post_id = :post ORDER BY m.id @LOCK@");
/* A job that a thread has claimed is not PENDING any more, so its letter stays. */
QUERY(letter_jobs_drop, "DELETE FROM jobs WHERE id IN @LIST(:ids) AND status = 1");
QUERY(letters_tried, "SELECT COUNT(*) FROM outgoing_mails m "
                     "WHERE m.post_id = :post AND (m.status <> 1 OR m.attempts > 0 OR m.send_after IS NULL "
                     "OR m.send_after <= :now)");
QUERY(letters_drop, "DELETE FROM outgoing_mails WHERE post_id = :post");

int letters_undo(struct work *w, int64_t message_id, bool *mailed) {
    int64_t *jobs = NULL, case_id = 0, last = 0, tried = 0;
    int n = 0, room = 0, rc;
    DB_ROWS(rc, w->conn, &letters_of_message, BINDS(B_INT("post", message_id)), row) {
        jobs = arena_more(w->arena, jobs, n, &room, sizeof *jobs);
        jobs[n++] = col_int(row, 0);
        case_id = col_int(row, 1);
        last = col_int(row, 2);
    }
    *mailed = n > 0;
    if (rc < 0 || n == 0) return rc < 0 ? rc : 0;
    TRY(lock_order(w, case_id));
    TRY(db_int(w->conn, &letters_tried, BINDS(B_INT("post", message_id), B_INT("now", w->now)), &tried));
    if (tried) return 0;
    int dropped =
        db_exec(w->conn, &letter_jobs_drop, BINDS(B_TEXT("ids", json_ids(w->arena, jobs, (size_t)n))));
    if (dropped < n) return dropped < 0 ? dropped : 0; /* the caller fails, so the write is undone */
    TRY(db_exec(w->conn, &letters_drop, BINDS(B_INT("post", message_id))));
    TRY(wake_after(w, case_id, last));
    return 1;
}

/* ---- threads of mail readers ----------------------------------------------------------------- */

/* Message-IDs of letters to others are left out, because they prove that their sender got the letter
 * (mail/bounce.c). Forwards and their answers are another thread, which the people of the conversation do not
 * see. */
QUERY(letter_thread,
      "SELECT x.name "
      "FROM (SELECT i.name, i.at, i.own FROM (SELECT m.message_id AS name, m.created_at AS at, "
      "0 AS own FROM mails m WHERE m.case_id = :case AND m.message_id IS NOT NULL "
      "AND m.forward_id IS NULL AND m.created_at <= :at ORDER BY m.id DESC LIMIT :most) i "
      "UNION ALL SELECT l.name, l.at, l.own FROM (SELECT o.message_id AS name, o.created_at AS at, 1 AS own "
      "FROM outgoing_mails o WHERE o.case_id = :case AND o.recipient = :recipient "
      "AND o.template <> 'forward' AND o.id < :id ORDER BY o.id DESC LIMIT :most) l) x "
      "ORDER BY x.at DESC, x.own DESC LIMIT :most");

int letter_references(struct work *w, const struct letter *l, struct str *list, int most) {
    int n = 0, rc;
    if (l->case_id == 0) return 0;
    DB_ROWS(rc, w->conn, &letter_thread,
            BINDS(B_INT("case", l->case_id), B_INT("at", l->created_at), B_INT("id", l->id),
                  B_TEXT("recipient", l->recipient), B_INT("most", most)),
            row)
    list[n++] = str_dup(w->arena, col_text(row, 0));
    for (int i = 0; i < n / 2; i++) {
        struct str swapped = list[i];
        list[i] = list[n - 1 - i];
        list[n - 1 - i] = swapped;
    }
    return rc < 0 ? rc : n;
}
