#include "api/caller/auth_steps.h"

int auth_count_failure_in(struct conn *conn, void *arg) {
    struct opening *o = arg;
    o->work->conn = conn;
    return login_failed_note(o->work, &o->guess, o->user_id, &o->attempt, &o->locked);
}

int auth_on_writer(struct call *c, int (*run)(struct conn *conn, void *arg), void *arg) {
    struct conn *reader = c->work.conn;
    int rc;
    db_read_end(reader); /* the next read must see this write */
    rc = db_write(c->work.desk->db, run, arg);
    c->work.conn = reader;
    int again = db_read_begin(reader, BUDGET_POOL_MS);
    return rc < 0 ? rc : again;
}

int auth_refused_for(struct call *c, int seconds, struct str why) {
    call_header(c, "Retry-After", str_fmt(c->work.arena, "%d", seconds));
    return fail_field(&c->work, ERR_AUTHENTICATION_LOCKED, (struct str){0}, "%.*s", (int)why.n, why.p);
}

int auth_refused_locked(struct call *c, const struct lockout *l) {
    return auth_refused_for(c, l->seconds, lockout_says(c->work.arena, l));
}

int auth_refuse_locked(struct call *c, const struct guess *g) {
    struct lockout l;
    int rc = login_locked(&c->work, g, &l);
    return rc > 0 ? auth_refused_locked(c, &l) : rc;
}

int auth_wrong(struct call *c, const struct guess *g, int64_t user_id, const char *why) {
    struct opening o = {.work = &c->work, .guess = *g, .user_id = user_id};
    TRY(auth_on_writer(c, auth_count_failure_in, &o));
    if (o.locked.seconds) return auth_refused_locked(c, &o.locked);
    return fail_field(&c->work, ERR_AUTHENTICATION_FAILED, (struct str){0}, "%s", why);
}

static int write_step(struct conn *conn, void *arg) {
    struct opening *o = arg;
    o->work->conn = conn;
    return auth_token_make(o->work, o->step, o->user_id, &o->token);
}

int auth_next_step(struct call *c, enum auth_step step, int64_t user_id) {
    struct opening o = {.work = &c->work, .user_id = user_id, .step = step};
    TRY(auth_on_writer(c, write_step, &o));
    c->auth_token = o.token;
    return fail(&c->work, step == STEP_OTP ? ERR_OTP_EXPECTED : ERR_CREDENTIAL_EXPIRED);
}
