/* The trash may hold any number of conversations, so one statement lists them in trash_deletions, and the
 * job deletes a part in each write. A conversation that was restored meanwhile stays. */
#include "core/cases/case_trash.h"

#include "core/access/access.h"
#include "core/cases/case_delete.h"
#include "core/desk/job.h"
#include "json/json.h"

#define TRASH_PART 50 /* conversations of one write */

QUERY(trash_total, "UPDATE jobs SET total = :total WHERE id = :job");
QUERY(trash_known, "SELECT COALESCE(total, 0) FROM jobs WHERE id = :job");
/* TRASH_PART */
QUERY(trash_next,
      "SELECT d.case_id FROM trash_deletions d WHERE d.job_id = :job ORDER BY d.case_id LIMIT 50");
QUERY(trash_lock, "SELECT k.id FROM cases k WHERE k.id IN @LIST(:ids) ORDER BY k.id @LOCK@");
QUERY(trash_still, "SELECT k.id FROM cases k WHERE k.id IN @LIST(:ids) AND k.state = 3 ORDER BY k.id");
QUERY(trash_done, "DELETE FROM trash_deletions WHERE job_id = :job AND case_id IN @LIST(:ids)");

/* Lists the conversations of the job. Returns their number, or a negative error. */
static int trash_list(struct work *w, int64_t job_id) {
    struct branches b = {0};
    struct buf sql = {0};
    struct stmt *s;
    access_cases_of_any_state(w, &b);
    branch_bind_int(&b, ":job", job_id);
    buf_text(&sql, "INSERT INTO trash_deletions (job_id, case_id) "
                   "SELECT CAST(:job AS BIGINT), t.id FROM cases t "
                   "WHERE t.state = 3 AND (1 = 0");
    for (int i = 0; i < b.count; i++) buf_fmt(&sql, " OR (%s)", b.where[i]);
    buf_text(&sql, ") RETURNING case_id");
    buf_char(&sql, 0);
    int rc = db_start(w->conn, sql.p, b.binds, &s), n = 0;
    buf_free(&sql);
    TRY(rc);
    while ((rc = stmt_step(s)) == 1) n++;
    stmt_end(s);
    return rc < 0 ? rc : n;
}

int trash_empty(struct work *w, int64_t *job_id) {
    TRY(job_add(w, JOB_EMPTY_TRASH, S("{}"), job_id));
    int n = trash_list(w, *job_id);
    TRY(n);
    return db_exec(w->conn, &trash_total, BINDS(B_INT("job", *job_id), B_INT("total", n)));
}

static int trash_empty_run(struct work *w, const struct job *j) {
    int64_t *ids, total = 0;
    int able = actor_of_person(w, j->creator_id, &w->actor);
    TRY(able);
    w->actor.cause = S("Empty the trash");
    TRY(db_int(w->conn, &trash_known, BINDS(B_INT("job", j->id)), &total));
    int n = db_ids(w->conn, &trash_next, BINDS(B_INT("job", j->id)), w->arena, &ids);
    TRY(n);
    struct str part = json_ids(w->arena, ids, (size_t)n);
    TRY(db_ids(w->conn, &trash_lock, BINDS(B_TEXT("ids", part)), w->arena, &ids));
    int still = db_ids(w->conn, &trash_still, BINDS(B_TEXT("ids", part)), w->arena, &ids);
    TRY(still);
    if (still) TRY(cases_delete(w, json_ids(w->arena, ids, (size_t)still)));
    TRY(db_exec(w->conn, &trash_done, BINDS(B_INT("job", j->id), B_TEXT("ids", part))));
    if (n == TRASH_PART) return job_continue(w, j, j->input);
    return job_finish(w, j->id, JOB_COMPLETED, (int)total, 0, 0, S("[]"));
}
JOB_CODE(EMPTY_TRASH) = {.run = trash_empty_run, .never_failed = true};
