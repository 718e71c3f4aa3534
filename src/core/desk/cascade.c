/* Cascades. A team is deleted and 100,000 conversations refer to it. One write that changed them all would
 * block every other write of the desk for seconds. So a write changes LIMIT_CASCADE rows (about 20 ms). If
 * more are left, it commits a job with its own change. Each run of the job changes as many rows, until
 * none is left.
 *
 *     DELETE /teams/5:  mark the team  -> a part -> job -> reply        job: a part -> due again ... a part, drop the team -> done
 *
 * Readers must not see the parts. The rule is: *rows and their counters change together, part by part, and
 * readers leave out marked objects*. A conversation of a deleted team refers to it in its row, and is
 * counted there (case_totals), until its part is done. But readers show it without a team, list it as
 * unassigned, and add the counters of deleted teams to the total of that list (core/access/access.c,
 * core/cases/case_total.c). Between any two parts, lists, totals and members have their final values. The
 * other order (first the counters, then the rows) would need a lock on the team in every write that
 * counts. This order needs none, because a write counts a conversation by its row, under the row's lock.
 *
 * Readers leave out:
 *
 *     a team            marked: 404, has no members, no conversation shows it; its conversations without agent are unassigned
 *     a person          marked: no conversation shows the person as agent
 *     an organization   marked: shares nothing, nobody shows it
 *     a custom field    marked and disabled: values of disabled fields are neither shown nor queried
 *     an endpoint       marked: 404, nothing is sent to it
 *     an OAuth client   marked: 404, and its tokens, codes and grants count as deleted
 *     a monitor         deleted: nothing reads the rows that say where it has acted
 *     a category        marked: 404, and so are its sections and articles (core/access/help_center.h)
 *     a section         marked: 404, and so are its articles
 *     an article        marked: 404
 *     a conversation    in the state CASE_DELETING: 404. In the state CASE_MERGED: customers get 404. The posts that were not moved yet are
 *                       shown to staff as posts of the merged conversation, and to customers not at all
 *     a tag             marked: deleted, it has no name, and nobody shows it. Merged, it has the name of the
 *                       surviving tag, so a reader who looks by name finds its rows. The search by tag: and
 *                       the visibility of sections look by id: they show less until the rows have moved.
 *     a purge           marked: nobody sees the values of activities and the name that a stranger gave
 *     a person moved    by the person's row: colleagues see a conversation only if its requester is in their organization now. New colleagues
 *                       don't see conversations that were not moved yet. Here and with merged tags a
 *                       reader can notice the parts.
 *
 * No row escapes a cascade, although writes run concurrently on PostgreSQL. A part locks its rows before
 * it reads them. A write that stores a reference holds the object (@HOLD@) or changes it until the write
 * ends: the mark waits for earlier writes, and later writes find the mark. If a dangling reference would
 * remain, the foreign key refuses the last step, and the cascade runs again.
 *
 * An interrupted part is repeated: the job's input says where the previous part ended. A job of this kind
 * is retried for ever, because nothing else would finish its work. */
#include "core/desk/cascade.h"

#include "base/limits.h"
#include "core/desk/cascade_step.h"
#include "core/desk/kept_value.h"
#include "json/json.h"

#include <inttypes.h>

/* ---- a part ---------------------------------------------------------------------------------- */

/* The progress of a cascade: object by object, step by step. */
struct progress {
    enum cascade what;
    int64_t *ids, count, at; /* current object: ids[at] */
    int64_t step, place, after, since;
};

struct part {
    struct work *work;
    struct progress *progress;
    int64_t left; /* rows that this write may still change */
};

const struct step *cascade_step(const struct cascade_row *row, int64_t n) {
    const struct step *step = NULL;
    for (size_t list = 0; list < sizeof row->steps / sizeof *row->steps && row->steps[list]; list++)
        for (step = row->steps[list]; step->apply[0]; step++)
            if (n-- == 0) return step;
    return step;
}

static const struct cascade_row *row_of(const struct part *p) {
    return &p->work->desk->cascades[p->progress->what];
}

/* Returns the number of rows that the last statement changed, or an error. */
static int step_apply(const struct part *p, const struct step *step, struct str rows) {
    const struct progress *s = p->progress;
    int changed = 0;
    for (size_t i = 0; i < sizeof step->apply / sizeof *step->apply && step->apply[i]; i++) {
        changed =
            db_exec(p->work->conn, step->apply[i],
                    BINDS(B_INT("id", s->ids[s->at]), B_TEXT("rows", rows), B_INT("since", s->since),
                          B_INT("now", p->work->now), B_ID("actor", p->work->actor.user_id),
                          B_INT("actor_kind", p->work->actor.kind), B_TEXT("cause", p->work->actor.cause)));
        TRY(changed);
    }
    return changed;
}

/* Returns 0 or an error. */
static int step_count(const struct part *p, const struct step *step, int changed) {
    const struct progress *s = p->progress;
    const struct cascade_row *row = row_of(p);
    if (changed <= 0 || !step_counted(step) || !row->counted) return changed < 0 ? changed : 0;
    return row->counted(p->work, s->ids[s->at], step_counted(step), changed);
}

/* Changes as many rows of a step as are left. Returns 1 if there may be more. */
static int step_take(struct part *p, const struct step *step) {
    struct progress *s = p->progress;
    struct work *w = p->work;
    int64_t most = (p->left + step_weight(step) - 1) / step_weight(step),
            *rows = arena_array(w->arena, (size_t)most, sizeof *rows);
    size_t n = 0;
    int rc;
    DB_ROWS(rc, w->conn, step->pick,
            BINDS(B_INT("id", s->ids[s->at]), B_INT("most", most), B_INT("place", s->place),
                  B_INT("after", s->after)),
            row) {
        rows[n++] = s->after = col_int(row, 0);
        s->place = col_int(row, 1);
    }
    TRY(rc);
    if (n) TRY(step_count(p, step, step_apply(p, step, json_ids(w->arena, rows, n))));
    p->left -= (int64_t)n * step_weight(step);
    return (int64_t)n == most;
}

static int once(struct part *p, const struct step *step) {
    p->left -= step_weight(step);
    return step_count(p, step, step_apply(p, step, (struct str){0}));
}

static void begin_step(struct progress *s, int64_t step) {
    s->step = step;
    s->place = -1;
    s->after = 0;
}

/* Returns 1 if more is left for another write, 0 if the cascade is done, or a negative error. */
static int cascade_continue(struct part *p) {
    struct progress *s = p->progress;
    const struct cascade_row *row = row_of(p);
    for (; s->at < s->count; s->at++, begin_step(s, 0)) {
        for (const struct step *step; (step = cascade_step(row, s->step))->apply[0];
             begin_step(s, s->step + 1)) {
            if (p->left <= 0) return 1;
            int rc = step->pick ? step_take(p, step) : once(p, step);
            if (rc) return rc;
        }
        if (row->done) TRY(row->done(p->work, s->ids[s->at]));
    }
    return 0;
}

static int take_part(struct work *w, struct progress *s) {
    int rows = w->desk->cascade_rows;
    struct part part = {.work = w, .progress = s, .left = rows ? rows : LIMIT_CASCADE};
    int rc = cascade_continue(&part);
    if (rc >= 0 && row_of(&part)->part) TRY(row_of(&part)->part(w, s->ids, (size_t)s->count));
    return rc;
}

/* ---- between two parts ----------------------------------------------------------------------- */

static struct str progress_write(struct work *w, const struct progress *s) {
    return str_fmt(w->arena,
                   "{\"of\":\"%s\",\"ids\":%s,\"at\":%" PRId64 ",\"step\":%" PRId64 ",\"place\":%" PRId64
                   ",\"after\":%" PRId64 ",\"since\":%" PRId64 "}",
                   w->desk->cascades[s->what].name, json_ids(w->arena, s->ids, (size_t)s->count).p, s->at,
                   s->step, s->place, s->after, s->since);
}

static bool progress_read_number(const struct json *input, struct str name, int64_t *out) {
    const struct json *j = json_member(input, name);
    return j && str_to_int(j->text, out);
}

static bool progress_read_ids(struct arena *a, const struct json *list, struct progress *s) {
    if (list == NULL) return false;
    s->ids = arena_array(a, list->count + 1, sizeof *s->ids);
    for (const struct json *j = list->first; j; j = j->next)
        if (!str_to_int(j->text, &s->ids[s->count++])) return false;
    return true;
}

static bool progress_read(struct work *w, struct str text, struct progress *s) {
    struct json *input;
    struct json_error err;
    size_t what = 0;
    if (json_parse(w->arena, text, &input, &err) < 0) return false;
    const struct json *of = json_member(input, S("of"));
    while (of && what < CASCADES && !str_eq(str_of(w->desk->cascades[what].name), of->text)) what++;
    s->what = (enum cascade)what;
    return of && what < CASCADES && progress_read_ids(w->arena, json_member(input, S("ids")), s) &&
           progress_read_number(input, S("at"), &s->at) && progress_read_number(input, S("step"), &s->step) &&
           progress_read_number(input, S("place"), &s->place) &&
           progress_read_number(input, S("after"), &s->after) &&
           progress_read_number(input, S("since"), &s->since);
}

int cascade(struct work *w, enum cascade what, struct str ids) {
    struct progress s = {.what = what, .since = w->now};
    struct json *list;
    struct json_error err;
    int64_t job;
    if (json_parse(w->arena, ids, &list, &err) < 0 || !progress_read_ids(w->arena, list, &s))
        return -ERR_INTERNAL_ERROR;
    begin_step(&s, 0);
    int rc = take_part(w, &s);
    return rc == 1 ? job_add_next(w, JOB_CASCADE, progress_write(w, &s), &job) : rc;
}

QUERY(cascade_left, CASCADES_UNDER_WAY " LIMIT 1");

bool cascades_under_way(struct work *w) {
    int64_t one;
    int rc = db_int(w->conn, &cascade_left, NULL, &one);
    if (rc < 0) fail(w, error_of_result(rc));
    return rc == 1;
}

bool nothing_is_gone(struct work *w) {
    static const struct kept_key key = {.of = &cascade_left};
    struct kept_value none;
    if (!kept_value_may(w, KEPT_GONE)) return false;
    if (kept_value_find(w, KEPT_GONE, &key, &none)) return true;
    if (cascades_under_way(w) || failed(w)) return false;
    kept_value_put(w, KEPT_GONE, &key, &(struct kept_value){0});
    return true;
}

static int cascade_run(struct work *w, const struct job *j) {
    struct progress s = {0};
    if (!progress_read(w, j->input, &s)) return -ERR_INTERNAL_ERROR;
    int rc = take_part(w, &s);
    if (rc == 1) return job_continue(w, j, progress_write(w, &s));
    return rc < 0 ? rc : job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
}
JOB_CODE(CASCADE) = {.run = cascade_run, .never_failed = true};
