#include "core/desk/job.h"

#include "core/change/outbox.h"

#define ATTEMPTS 8

#define STORED(NAME, name) [JOB_##NAME] = name,
const char *const job_names[] = {JOBS(STORED)};

bool is_job_name(struct str name) {
    int kind = 1;
    while (kind < JOB_NAMES && !str_eq(str_of(job_names[kind]), name)) kind++;
    return kind < JOB_NAMES;
}

QUERY(job_insert,
      "INSERT INTO jobs (id, kind, status, creator_id, input, attempts, run_at, created_at, updated_at) "
      "VALUES (@NEXT_JOB_ID@, :kind, 1, CAST(:creator AS BIGINT), :input, 0, :run_at, :now, :now) "
      "@RETURN_ID@");
QUERY(job_due, "SELECT id, kind, COALESCE(creator_id, 0), input, attempts "
               "FROM jobs WHERE status IN (1, 2) AND run_at <= :now AND kind IN @TEXTS(:kinds) "
               "ORDER BY run_at, id LIMIT 1 @SKIP@");
/* run_at of a leased job is the end of its lease, so the job is not due before. */
QUERY(job_take,
      "UPDATE jobs "
      "SET status = 2, attempts = attempts + 1, run_at = :until, lease_until = :until, updated_at = :now "
      "WHERE id = :id");
QUERY(job_end, "UPDATE jobs SET status = :status, lease_until = NULL, total = :total, inserted = :inserted, "
               "rejected = :rejected, errors = :errors, updated_at = :now "
               "WHERE id = :id");
/* A claim may change its row only until another claim begins. */
QUERY(job_mine, "SELECT id FROM jobs WHERE id = :id AND status = 2 AND attempts = :attempts @LOCK@");
QUERY(job_longer, "UPDATE jobs SET run_at = :until, lease_until = :until "
                  "WHERE id = :id AND status = 2 AND attempts = :attempts");
QUERY(job_further,
      "UPDATE jobs SET status = 1, attempts = 0, lease_until = NULL, input = :input, run_at = :run_at, "
      "updated_at = :now WHERE id = :id AND status = 2 AND attempts = :attempts");
QUERY(job_again, "UPDATE jobs SET status = :status, lease_until = NULL, run_at = :run_at, updated_at = :now "
                 "WHERE id = :id AND status = 2 AND attempts = :attempts");

QUERY(job_pending, "SELECT id FROM jobs WHERE kind = :kind AND status IN (1, 2) LIMIT 1");

static void jobs_notified(struct desk *d, struct str payload) {
    (void)payload;
    if (d->wake_jobs) d->wake_jobs(d->wake_arg);
}
TOPIC_CODE(JOBS) = jobs_notified;

static void jobs_wake(struct desk *d, void *arg) {
    (void)arg;
    jobs_notified(d, (struct str){0});
}

int jobs_announce(struct work *w, enum job_name kind) {
    after_commit(w, jobs_wake, NULL);
    return outbox_add(w, TOPIC_JOBS, str_of(job_names[kind]));
}

static int insert(struct work *w, enum job_name kind, struct str input, int64_t run_at, int64_t *id) {
    TRY(jobs_announce(w, kind));
    return db_insert(w->conn, &job_insert,
                     BINDS(B_TEXT("kind", str_of(job_names[kind])), B_ID("creator", w->actor.user_id),
                           B_TEXT("input", input), B_INT("run_at", run_at), B_INT("now", w->now)),
                     id);
}

int job_add(struct work *w, enum job_name kind, struct str input, int64_t *id) {
    return insert(w, kind, input, w->now, id);
}
int job_add_next(struct work *w, enum job_name kind, struct str input, int64_t *id) {
    return insert(w, kind, input, w->now + 1, id);
}

int job_add_at(struct work *w, enum job_name kind, struct str input, int64_t run_at, int64_t *id) {
    return insert(w, kind, input, run_at, id);
}

int job_ensure(struct work *w, enum job_name kind) {
    struct str name = str_of(job_names[kind]);
    int64_t id;
    TRY(db_lock(w->conn, name));
    int rc = db_int(w->conn, &job_pending, BINDS(B_TEXT("kind", name)), &id);
    return rc ? rc : job_add(w, kind, S("{}"), &id);
}

int job_claim(struct work *w, struct str kinds, struct job *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &job_due, BINDS(B_TEXT("kinds", kinds), B_INT("now", w->now)), &row);
    if (rc <= 0) return rc;
    *out = (struct job){col_int(row, 0),
                        col_int(row, 2),
                        str_dup(w->arena, col_text(row, 1)),
                        str_dup(w->arena, col_text(row, 3)),
                        (int)col_int(row, 4) + 1,
                        NULL};
    stmt_end(row);
    TRY(db_later(w->conn, &job_take,
                 BINDS(B_INT("id", out->id), B_INT("until", w->now + JOB_LEASE), B_INT("now", w->now))));
    return 1;
}

int job_hold(struct work *w, const struct job *j) {
    int64_t id;
    return db_int(w->conn, &job_mine, BINDS(B_INT("id", j->id), B_INT("attempts", j->attempts)), &id);
}

int job_renew(struct work *w, int64_t id, int attempts) {
    return db_exec(w->conn, &job_longer,
                   BINDS(B_INT("id", id), B_INT("attempts", attempts), B_INT("until", w->now + JOB_LEASE)));
}

int job_finish(struct work *w, int64_t id, enum job_status status, int total, int inserted, int rejected,
               struct str errors) {
    return db_later(w->conn, &job_end,
                    BINDS(B_INT("id", id), B_INT("status", status), B_INT("total", total),
                          B_INT("inserted", inserted), B_INT("rejected", rejected), B_TEXT("errors", errors),
                          B_INT("now", w->now)));
}

static int job_go_on(struct work *w, const struct job *j, struct str input, int64_t run_at) {
    return db_exec(w->conn, &job_further,
                   BINDS(B_INT("id", j->id), B_INT("attempts", j->attempts), B_TEXT("input", input),
                         B_INT("run_at", run_at), B_INT("now", w->now)));
}

int job_continue(struct work *w, const struct job *j, struct str input) {
    return job_go_on(w, j, input, w->now + 1);
}

int job_wait(struct work *w, const struct job *j, int64_t until) { return job_go_on(w, j, j->input, until); }

int job_repeat(struct work *w, const struct job *j, int64_t until) { return job_go_on(w, j, S("{}"), until); }

int job_retry(struct work *w, const struct job *j) {
    int64_t wait = (TIME_SECOND * 5) << (j->attempts > 10 ? 10 : j->attempts - 1);
    return db_exec(w->conn, &job_again,
                   BINDS(B_INT("id", j->id), B_INT("attempts", j->attempts),
                         B_INT("status", j->attempts >= ATTEMPTS ? JOB_FAILED : JOB_PENDING),
                         B_INT("run_at", w->now + wait), B_INT("now", w->now)));
}

int job_postpone(struct work *w, const struct job *j, int64_t until) {
    return db_exec(w->conn, &job_again,
                   BINDS(B_INT("id", j->id), B_INT("attempts", j->attempts), B_INT("status", JOB_PENDING),
                         B_INT("run_at", until), B_INT("now", w->now)));
}
