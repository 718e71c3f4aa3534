/* The finisher of clocks, and jobs for changes that concern many conversations.
 *
 * A conversation changes under its lock, and its clocks are computed in the same write. A change of
 * business hours, of the hours of a team, or of is_sla_active of a status concerns any number of
 * conversations. A job computes their clocks again. Completed conversations keep theirs, because a new
 * calendar does not change what happened. On PostgreSQL a write that began before the change may commit
 * clocks with the old hours after the job has passed. So the job passes a second time a minute later, when
 * all such writes have ended. */
#include "core/sla/clocks.h"

#include "core/change/change.h"
#include "core/sla/clock_step.h"
#include "core/desk/job.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>

/* The touches and breaches of a work. A touch is the events of one call. */
struct clocks {
    struct clock_events *touches;
    int count, room;
    struct breach *first, **last;
};

static struct clocks *clocks_of(struct work *w) {
    if (w->clocks) return w->clocks;
    w->clocks = ARENA_NEW(w->arena, struct clocks);
    w->clocks->last = &w->clocks->first;
    return w->clocks;
}

static void touch_add(struct work *w, struct clock_events e) {
    struct clocks *c = clocks_of(w);
    c->touches = arena_more(w->arena, c->touches, c->count, &c->room, sizeof *c->touches);
    e.order = c->count;
    c->touches[c->count++] = e;
}

void clocks_touch(struct work *w, int64_t case_id, enum clock_touch what) {
    touch_add(w, (struct clock_events){.case_id = case_id,
                                       .turns = what == CLOCKS_STATUS,
                                       .messages = what == CLOCKS_REPLY || what == CLOCKS_REQUEST,
                                       .replied = what == CLOCKS_REPLY,
                                       .asked = what == CLOCKS_REQUEST,
                                       .target = what == CLOCKS_TARGET,
                                       .history = what == CLOCKS_HISTORY});
}

void clocks_touch_team(struct work *w, int64_t case_id, int64_t team_before) {
    touch_add(w, (struct clock_events){.case_id = case_id, .team = true, .team_before = team_before});
}

/* ---- settings of the desk that clocks depend on ---------------------------------------------- */

/* Settings that clocks are computed with. */
static bool is_clock_setting(const struct change *c) {
    static const char *const kinds[] = {"business_hour", "team", "case_status"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(c->kind, kinds[i]) == 0) return true;
    return false;
}

/* Changes of them that move clocks which were computed before. */
static bool moves_clocks(const struct change *c) {
    if (strcmp(c->kind, "business_hour") == 0)
        return c->verb != CHANGE_CREATED && !(c->property && strcmp(c->property, "title") == 0);
    if (strcmp(c->kind, "team") == 0)
        return c->verb == CHANGE_DELETED || (c->property && strcmp(c->property, "businesshour") == 0);
    return strcmp(c->kind, "case_status") == 0 && c->property && strcmp(c->property, "is_sla_active") == 0;
}

QUERY(clocks_any, "SELECT 1 FROM sla_metrics LIMIT 1");

static int settings_moved(struct work *w) {
    bool changed = false, moves = false;
    int64_t job;
    for (const struct change *c = changes_of(w); c; c = c->next) {
        changed = changed || is_clock_setting(c);
        moves = moves || moves_clocks(c);
    }
    if (changed) TRY(clock_settings_changed(w, moves));
    if (!moves) return 0;
    int rc = db_int(w->conn, &clocks_any, NULL, &job);
    if (rc == 0 && !db_blocks(w->desk->db)) return 0;
    return rc < 0 ? rc : job_add(w, JOB_CLOCKS, S("{\"after\":0,\"pass\":1}"), &job);
}

/* ---- the finisher ---------------------------------------------------------------------------- */

static int touch_order(const void *a, const void *b) {
    const struct clock_events *x = a, *y = b;
    if (x->case_id != y->case_id) return x->case_id < y->case_id ? -1 : 1;
    return x->order - y->order;
}

/* Adds later events of the same conversation. */
static void events_join(struct clock_events *e, const struct clock_events *later) {
    if (!e->team) e->team_before = later->team_before;
    e->turns += later->turns;
    e->messages += later->messages;
    e->replied = e->replied || later->replied;
    e->asked = e->asked || later->asked;
    e->target = e->target || later->target;
    e->team = e->team || later->team;
    e->history = e->history || later->history;
}

/* Makes the touches one for each conversation, by id. Returns their number. */
static int touches_join(struct clock_events *list, int count) {
    int n = 0;
    qsort(list, (size_t)count, sizeof *list, touch_order);
    for (int i = 0; i < count; i++) {
        if (n && list[n - 1].case_id == list[i].case_id) events_join(&list[n - 1], &list[i]);
        else list[n++] = list[i];
    }
    return n;
}

int clocks_finish(struct work *w) {
    struct clocks *c = w->clocks;
    TRY(settings_moved(w));
    if (c == NULL || c->count == 0) return 0;
    c->count = touches_join(c->touches, c->count);
    return clocks_update(w, c->touches, c->count);
}

/* No index has only the open clocks, because each new clock and each completed one would write it for this
 * job alone. So a part reads the next WINDOW clocks, of which few or many are open. */
QUERY(clocks_window,
      "SELECT MAX(x.case_id) FROM (SELECT m.case_id FROM sla_metrics m WHERE m.case_id > :after "
      "ORDER BY m.case_id LIMIT :window) x");
QUERY(clocks_open_cases, "SELECT DISTINCT m.case_id FROM sla_metrics m "
                         "WHERE m.stage <> 3 AND m.case_id > :after AND m.case_id <= :last "
                         "ORDER BY m.case_id LIMIT :most");
QUERY(clocks_lock_cases, "SELECT k.id FROM cases k WHERE k.id IN @LIST(:ids) ORDER BY k.id @LOCK@");

#define PART 200    /* conversations of one write: about 10 ms */
#define WINDOW 5000 /* clocks that one write reads: about 3 ms */

static int64_t progress_number(const struct json *input, struct str name) {
    const struct json *j = json_member(input, name);
    int64_t v = 0;
    return j && str_to_int(j->text, &v) ? v : 0;
}

/* Business hours or a status changed. Computes the clocks that are not completed again, part by part. */
static int clocks_run(struct work *w, const struct job *j) {
    struct json *input;
    struct json_error err;
    int64_t *ids, *locked, last = 0;
    if (json_parse(w->arena, j->input, &input, &err) < 0) return -ERR_INTERNAL_ERROR;
    int64_t after = progress_number(input, S("after")), pass = progress_number(input, S("pass"));
    int rc = db_int(w->conn, &clocks_window, BINDS(B_INT("after", after), B_INT("window", WINDOW)), &last);
    TRY(rc);
    if (rc) {
        int n =
            db_ids(w->conn, &clocks_open_cases,
                   BINDS(B_INT("after", after), B_INT("last", last), B_INT("most", PART)), w->arena, &ids);
        TRY(n);
        if (n == PART) last = ids[n - 1];
        if (n) {
            struct str list = json_ids(w->arena, ids, (size_t)n);
            TRY(db_ids(w->conn, &clocks_lock_cases, BINDS(B_TEXT("ids", list)), w->arena, &locked));
            TRY(clocks_recompute(w, ids, n));
        }
        return job_continue(w, j,
                            str_fmt(w->arena, "{\"after\":%" PRId64 ",\"pass\":%" PRId64 "}", last, pass));
    }
    if (pass == 1 && db_blocks(w->desk->db)) {
        int64_t again;
        TRY(job_add_at(w, JOB_CLOCKS, S("{\"after\":0,\"pass\":2}"), w->now + TIME_MINUTE, &again));
    }
    return job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
}
JOB_CODE(CLOCKS) = {.run = clocks_run, .never_failed = true};

/* ---- breaches -------------------------------------------------------------------------------- */

const struct breach *breaches_of(const struct work *w) { return w->clocks ? w->clocks->first : NULL; }

static const char *const breach_properties[] = {[SLA_FIRST_REPLY] = "sla_first_reply_breached",
                                                [SLA_NEXT_REPLY] = "sla_next_reply_breached",
                                                [SLA_RESOLUTION] = "sla_resolution_breached"};

void breach_raise(struct work *w, int64_t case_id, enum sla_target_type type, int64_t due_at) {
    struct clocks *c = clocks_of(w);
    struct breach *b = ARENA_NEW(w->arena, struct breach);
    char *due = arena_alloc(w->arena, TIME_ISO_SIZE);
    *b = (struct breach){case_id, type, due_at, NULL};
    *c->last = b;
    c->last = &b->next;
    struct str text = {due, time_iso(due, due_at)};
    change_property(w, (struct changed){"case", case_id, case_id}, breach_properties[type], changed_nothing(),
                    changed_text(text));
}

QUERY(breach_case, "SELECT k.id FROM cases k WHERE k.id = :id AND k.state <> 5 @LOCK@");

static int breach_run(struct work *w, const struct job *j) {
    struct json *input;
    struct json_error err;
    int64_t id;
    if (json_parse(w->arena, j->input, &input, &err) < 0) return -ERR_INTERNAL_ERROR;
    int64_t type = progress_number(input, S("type"));
    int rc = db_int(w->conn, &breach_case, BINDS(B_INT("id", progress_number(input, S("case_id")))), &id);
    TRY(rc);
    if (rc && type >= SLA_FIRST_REPLY && type <= SLA_RESOLUTION)
        breach_raise(w, id, (enum sla_target_type)type, progress_number(input, S("due_at")));
    return job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
}
JOB_CODE(BREACH) = {.run = breach_run, .never_failed = true};
