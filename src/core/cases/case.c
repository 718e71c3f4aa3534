#include "core/cases/case.h"

#include "core/cases/case_total.h"
#include "core/cases/case_value.h"
#include "core/cases/form.h"
#include "core/people/tag.h"
#include "core/change/change.h"
#include "core/desk/rekey.h"
#include "core/sla/clocks.h"

#include "base/buf.h"
#include "base/fold.h"
#include "base/log.h"

#include <inttypes.h>
#include <stddef.h>

/* ---- loading --------------------------------------------------------------------------------- */

#define CASE_COLUMNS                                                                       \
    "SELECT requester_id, status_id, status_type, COALESCE(assigned_team_id, "             \
    "0), COALESCE(assigned_agent_id, 0), channel, message_seq, COALESCE(last_message_id, " \
    "0), creator_id, subject, COALESCE(priority_id, 0), COALESCE(type_id, 0), state, "     \
    "requester_name, COALESCE(brand_id, 1), legacy_id, COALESCE(merged_into_id, 0), "      \
    "COALESCE(form_id, 0), COALESCE(rating, 0), COALESCE(organization_id, 0), "            \
    "COALESCE(sla_version_id, 0), created_at, COALESCE(snoozed_until, 0), "                \
    "CASE WHEN snoozed_at IS NULL THEN 0 ELSE 1 END"
#define CASE_OF_ID " FROM cases WHERE id = :id AND state <> 5"
QUERY(case_by_id, CASE_COLUMNS CASE_OF_ID " @LOCK@");
QUERY(case_by_id_unlocked, CASE_COLUMNS CASE_OF_ID);
QUERY(case_by_id_of_author,
      CASE_COLUMNS ", CASE WHEN EXISTS (SELECT 1 FROM case_participants p WHERE p.case_id = cases.id AND "
                   "p.user_id = :me) THEN 1 ELSE 0 END" CASE_OF_ID " @LOCK@");
QUERY(status_of_type, "SELECT id FROM case_statuses WHERE type = :type AND is_deleted = 0 "
                      "ORDER BY is_system DESC, sort_order, id "
                      "LIMIT 1");

struct changed case_changed(const struct case_now *c) {
    return (struct changed){"case", c->id, c->id};
}

int status_id_of_type(struct work *w, enum status_type type, int64_t *id) {
    int rc = db_int(w->conn, &status_of_type, BINDS(B_INT("type", type)), id);
    return rc < 0 ? rc : rc ? 0 : -ERR_INTERNAL_ERROR;
}

QUERY(priority_above,
      "SELECT p.id FROM case_priorities p "
      "WHERE p.level > COALESCE((SELECT q.level FROM case_priorities q WHERE q.id = :id), -1) "
      "ORDER BY p.level, p.id LIMIT 1");
QUERY(priority_below, "SELECT p.id FROM case_priorities p "
                      "WHERE p.level < (SELECT q.level FROM case_priorities q WHERE q.id = :id) "
                      "ORDER BY p.level DESC, p.id LIMIT 1");

int case_priority_next(struct work *w, int64_t id, bool above, int64_t *next) {
    *next = id;
    int rc = db_int(w->conn, above ? &priority_above : &priority_below, BINDS(B_INT("id", id)), next);
    return rc < 0 ? rc : 0;
}

struct sla_decided *case_sla_decided(const struct work *w, int64_t case_id) {
    struct sla_decided *d = w->sla_decided;
    while (d && d->case_id != case_id) d = d->next;
    return d;
}

static int case_load_by(struct work *w, const struct query *q, int64_t id, struct case_now *out) {
    struct stmt *row;
    int rc = db_row(w->conn, q, BINDS(B_INT("me", w->actor.user_id), B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    bool takes_part = q == &case_by_id_of_author && col_int(row, 24);
    const struct sla_decided *decided = case_sla_decided(w, id);
    *out = (struct case_now){.id = id,
                             .requester_id = col_int(row, 0),
                             .status_id = col_int(row, 1),
                             .status_type = (int)col_int(row, 2),
                             .assigned_team_id = col_int(row, 3),
                             .assigned_agent_id = col_int(row, 4),
                             .channel = (int)col_int(row, 5),
                             .message_seq = col_int(row, 6),
                             .last_message_id = col_int(row, 7),
                             .creator_id = col_int(row, 8),
                             .subject = str_dup(w->arena, col_text(row, 9)),
                             .priority_id = col_int(row, 10),
                             .type_id = col_int(row, 11),
                             .state = (int)col_int(row, 12),
                             .requester_name = str_dup(w->arena, col_text(row, 13)),
                             .brand_id = col_int(row, 14),
                             .legacy_id = str_dup(w->arena, col_text(row, 15)),
                             .merged_into_id = col_int(row, 16),
                             .form_id = col_int(row, 17),
                             .rating = (int)col_int(row, 18),
                             .organization_id = col_int(row, 19),
                             .sla_version_id =
                                 decided && !decided->attached ? decided->before : col_int(row, 20),
                             .created_at = col_int(row, 21),
                             .snoozed_until = col_int(row, 22),
                             .is_snoozed = col_int(row, 23) != 0,
                             .participant_id = takes_part ? w->actor.user_id : 0};
    stmt_end(row);
    return 1;
}

int case_load(struct work *w, int64_t id, struct case_now *out) {
    return case_load_by(w, &case_by_id, id, out);
}

int case_load_of_author(struct work *w, int64_t id, struct case_now *out) {
    /* another process may remove the participant while the statement waits for its lock */
    bool waits = db_blocks(w->desk->db);
    return case_load_by(w, waits ? &case_by_id : &case_by_id_of_author, id, out);
}

int case_read(struct work *w, int64_t id, struct case_now *out) {
    return case_load_by(w, &case_by_id_unlocked, id, out);
}

/* ---- status ----------------------------------------------------------------------------------
 *
 *     NEW ---> OPEN <---> PENDING          Each status but CLOSED may change to each but NEW. A staff reply opens NEW. A requester's
 *                \  \        |             reply opens PENDING and COMPLETED. Nothing returns to NEW. CLOSED is final.
 *                 \  `--> COMPLETED ----.
 *                  `---- CUSTOM          `--> CLOSED */
static const bool allowed[][STATUS_CUSTOM + 1] = {
    [STATUS_NEW] = {[STATUS_NEW] = 1,
                    [STATUS_OPEN] = 1,
                    [STATUS_PENDING] = 1,
                    [STATUS_COMPLETED] = 1,
                    [STATUS_CLOSED] = 1,
                    [STATUS_CUSTOM] = 1},
    [STATUS_OPEN] = {[STATUS_OPEN] = 1,
                     [STATUS_PENDING] = 1,
                     [STATUS_COMPLETED] = 1,
                     [STATUS_CLOSED] = 1,
                     [STATUS_CUSTOM] = 1},
    [STATUS_PENDING] = {[STATUS_OPEN] = 1,
                        [STATUS_PENDING] = 1,
                        [STATUS_COMPLETED] = 1,
                        [STATUS_CLOSED] = 1,
                        [STATUS_CUSTOM] = 1},
    [STATUS_COMPLETED] = {[STATUS_OPEN] = 1,
                          [STATUS_PENDING] = 1,
                          [STATUS_COMPLETED] = 1,
                          [STATUS_CLOSED] = 1,
                          [STATUS_CUSTOM] = 1},
    [STATUS_CLOSED] = {[STATUS_CLOSED] = 1},
    [STATUS_CUSTOM] = {[STATUS_OPEN] = 1,
                       [STATUS_PENDING] = 1,
                       [STATUS_COMPLETED] = 1,
                       [STATUS_CLOSED] = 1,
                       [STATUS_CUSTOM] = 1},
};

QUERY(status_type_of, "SELECT type FROM case_statuses WHERE id = :id AND is_deleted = 0");

const char *case_why_closed(struct work *w, const struct case_now *c) {
    (void)w;
    return c->status_type == STATUS_CLOSED ? "The conversation is closed. Open a new one to continue." : NULL;
}

const char *case_why_merged(struct work *w, const struct case_now *c) {
    if (c->merged_into_id == 0) return NULL;
    return str_fmt(w->arena, "The conversation was merged into conversation %" PRId64 ". Use that one.",
                   c->merged_into_id)
        .p;
}

const char *case_why_hidden(struct work *w, const struct case_now *c) {
    (void)w;
    return c->state == CASE_ACTIVE ? NULL
                                   : "The conversation is in the trash or suspended. Restore it first.";
}

static int fail_because(struct work *w, const char *why) { return why ? fail_state(w, "%s", why) : 0; }

int case_not_closed(struct work *w, const struct case_now *c) {
    return fail_because(w, case_why_closed(w, c));
}

int case_not_hidden(struct work *w, const struct case_now *c) {
    TRY(fail_because(w, case_why_merged(w, c)));
    return fail_because(w, case_why_hidden(w, c));
}

static int case_step_status(struct work *w, struct case_now *c, int64_t status_id, bool undoes) {
    int64_t type = 0;
    int rc = db_int(w->conn, &status_type_of, BINDS(B_INT("id", status_id)), &type);
    TRY(rc);
    if (rc == 0)
        return fail_field(w, ERR_FIELD_INVALID, S("status_id"),
                          "There is no status with this id. GET /cases/statuses lists them.");
    if (!word_of(status_types, type) || !word_of(status_types, c->status_type))
        return log_error("the type of status %" PRId64 " or of the status of conversation %" PRId64
                         " is unknown: run deskd check",
                         status_id, c->id),
               -ERR_INTERNAL_ERROR;
    TRY(case_not_closed(w, c));
    if (!undoes && !allowed[c->status_type][type])
        return fail_field(w, ERR_RESOURCE_ACTION_NOT_AVAILABLE, S("status_id"),
                          "The conversation can't return to a status of type NEW. Choose another status.");
    c->status_id = status_id;
    c->status_type = (int)type;
    return 0;
}

/* Sets the status in `c`, if the transition is allowed. */
int case_follow_status(struct work *w, struct case_now *c, int64_t status_id) {
    return case_step_status(w, c, status_id, false);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Properties that are references. */
#define REFERENCE(bit, property, id)                                                                \
    {                                                                                               \
        bit, property, #id " = CAST(:" #id " AS BIGINT), ", ":" #id, offsetof(struct case_now, id), \
            offsetof(struct case_change, id)                                                        \
    }
static const struct reference {
    enum case_property bit;
    const char *property, *sets, *bind;
    size_t now, wanted; /* offsets in case_now and case_change */
} references[] = {
    REFERENCE(CASE_STATUS, "status", status_id),
    REFERENCE(CASE_PRIORITY, "priority", priority_id),
    REFERENCE(CASE_TYPE, "type", type_id),
    REFERENCE(CASE_TEAM, "assigned_team", assigned_team_id),
    REFERENCE(CASE_AGENT, "assigned_agent", assigned_agent_id),
    REFERENCE(CASE_REQUESTER, "requester", requester_id),
    REFERENCE(CASE_FORM, "form", form_id),
    REFERENCE(CASE_BRAND, "brand", brand_id),
    REFERENCE(CASE_MERGED_INTO, "merged_into", merged_into_id),
};
#define REFERENCES (sizeof references / sizeof *references)

bool case_differs_in(unsigned differ, const char *property) {
    for (size_t i = 0; i < REFERENCES; i++)
        if (differ & references[i].bit && strcmp(references[i].property, property) == 0) return true;
    return false;
}

static int64_t id_at(const void *of, size_t offset) {
    return *(const int64_t *)(const void *)((const char *)of + offset);
}

/* A snooze ends when somebody else than staff replies, and when the conversation needs no work any more. */
static bool is_woken(const struct case_now *next, const struct case_change *wanted) {
    return (wanted->reply && !wanted->reply->by_staff) || status_is_done(next->status_type) ||
           next->state != CASE_ACTIVE;
}

static void case_step_snooze(const struct case_now *c, const struct case_change *wanted,
                             struct case_now *next, unsigned *differ) {
    if (wanted->set & CASE_SNOOZE) {
        next->is_snoozed = wanted->is_snoozed;
        next->snoozed_until = wanted->snoozed_until;
    }
    if (next->is_snoozed && is_woken(next, wanted)) next->is_snoozed = false;
    if (!next->is_snoozed) next->snoozed_until = 0;
    if (next->is_snoozed != c->is_snoozed || next->snoozed_until != c->snoozed_until) *differ |= CASE_SNOOZE;
}

/* *differ: the properties that differ. *next: the conversation after the change. */
static int case_next(struct work *w, const struct case_now *c, const struct case_change *wanted,
                     struct case_now *next, unsigned *differ) {
    *next = *c;
    *differ = 0;
    if (wanted->set & CASE_SUBJECT && !str_eq(wanted->subject, c->subject)) {
        next->subject = wanted->subject;
        *differ |= CASE_SUBJECT;
    }
    if (wanted->set & CASE_LEGACY_ID && !str_eq(wanted->legacy_id, c->legacy_id)) {
        next->legacy_id = wanted->legacy_id;
        *differ |= CASE_LEGACY_ID;
    }
    for (size_t i = 0; i < REFERENCES; i++) {
        const struct reference *r = &references[i];
        int64_t id = id_at(wanted, r->wanted);
        if (!(wanted->set & r->bit) || id == id_at(c, r->now)) continue;
        if (r->bit == CASE_STATUS) TRY(case_step_status(w, next, id, wanted->undoes));
        else *(int64_t *)(void *)((char *)next + r->now) = id;
        *differ |= r->bit;
    }
    if (wanted->set & CASE_STATE && (int)wanted->state != c->state) {
        next->state = (int)wanted->state;
        *differ |= CASE_STATE;
    }
    if (wanted->set & CASE_RATING && wanted->rating != c->rating) {
        next->rating = wanted->rating;
        *differ |= CASE_RATING;
    }
    case_step_snooze(c, wanted, next, differ);
    return 0;
}

/* Columns that say who did something last and when, and counters. They are set when one of the properties
 * `on` changes; of CASE_STATUS if the new type is `to` (0: any). */
static const struct mark {
    unsigned on;
    int to;
    const char *sets;
} marks[] = {
    {CASE_TEAM | CASE_AGENT, 0, "last_assigned_at = :now, last_assigned_by_id = CAST(:actor AS BIGINT), "},
    {CASE_TEAM, 0, "team_change_count = team_change_count + 1, "},
    {CASE_AGENT, 0, "assignee_change_count = assignee_change_count + 1, "},
    {CASE_STATUS, STATUS_OPEN, "last_opened_at = :now, "},
    {CASE_STATUS, STATUS_PENDING, "last_pending_at = :now, "},
    {CASE_STATUS, STATUS_COMPLETED,
     "last_completed_at = :now, last_completed_by_id = CAST(:actor AS "
     "BIGINT), "},
    {CASE_STATUS, STATUS_CLOSED, "last_closed_at = :now, last_closed_by_id = CAST(:actor AS BIGINT), "},
    /* clocks of processes may differ */
    {CASE_STATUS | CASE_STATE, 0,
     "status_changed_at = CASE WHEN status_changed_at > :now THEN status_changed_at ELSE :now END, "},
    /* The new requester's organization; the name that a stranger gave was the former requester's. */
    {CASE_REQUESTER, 0,
     "organization_id = CAST(:organization_id AS BIGINT), requester_name = NULL, requester_is_new = 0, "},
};
#define MARKS (sizeof marks / sizeof *marks)

/* An UPDATE of a conversation. It names only the columns that differ, because each column costs its indexes,
 * and only the values that it needs. */
struct case_sets {
    struct buf sql;
    struct bind *binds;
    int count, room;
};

static void put_bind(struct work *w, struct case_sets *s, struct bind b) {
    s->binds = arena_more(w->arena, s->binds, s->count, &s->room, sizeof *s->binds);
    s->binds[s->count++] = b;
}

static void put_properties(struct work *w, struct case_sets *s, const struct case_now *next,
                           unsigned differ) {
    if (differ & CASE_SUBJECT) {
        buf_text(&s->sql, "subject = :subject, subject_key = :subject_key, ");
        put_bind(w, s, (struct bind)B_TEXT("subject", next->subject));
        put_bind(w, s, (struct bind)B_TEXT("subject_key", fold_key(w->arena, next->subject)));
    }
    if (differ & CASE_LEGACY_ID) {
        buf_text(&s->sql, "legacy_id = :legacy_id, ");
        put_bind(w, s, (struct bind)B_TEXT("legacy_id", next->legacy_id));
    }
    if (differ & CASE_STATE) {
        buf_text(&s->sql, "state = :state, ");
        put_bind(w, s, (struct bind)B_INT("state", next->state));
    }
    if (differ & CASE_RATING) {
        buf_text(&s->sql, "rating = CAST(:rating AS INTEGER), ");
        put_bind(w, s, (struct bind)B_ID("rating", next->rating));
    }
    if (differ & CASE_STATUS) {
        buf_text(&s->sql, "status_type = :status_type, ");
        put_bind(w, s, (struct bind)B_INT("status_type", next->status_type));
    }
    if (differ & CASE_SNOOZE && next->is_snoozed) {
        buf_text(&s->sql, "snoozed_at = :now, snoozed_by_id = CAST(:actor AS BIGINT), "
                          "snoozed_until = CAST(:snoozed_until AS BIGINT), ");
        put_bind(w, s, (struct bind)B_ID("snoozed_until", next->snoozed_until));
    } else if (differ & CASE_SNOOZE)
        buf_text(&s->sql, "snoozed_at = NULL, snoozed_by_id = NULL, snoozed_until = NULL, ");
    for (size_t i = 0; i < REFERENCES; i++) {
        if (!(differ & references[i].bit)) continue;
        int64_t id = id_at(next, references[i].now);
        buf_text(&s->sql, references[i].sets);
        put_bind(w, s, (struct bind){.name = references[i].bind, .type = id ? BIND_INT : BIND_NULL, .i = id});
    }
}

static void put_marks(struct work *w, struct case_sets *s, const struct case_now *next, unsigned differ) {
    for (size_t i = 0; i < MARKS; i++)
        if (differ & marks[i].on && (marks[i].to == 0 || marks[i].to == next->status_type))
            buf_text(&s->sql, marks[i].sets);
    if (differ & CASE_REQUESTER) put_bind(w, s, (struct bind)B_ID("organization_id", next->organization_id));
}

/* The person who was active, and the time: the author of a reply, and the actor of other changes. A rule is
 * neither staff nor a customer, so it changes none of these times. */
static void put_activity(const struct work *w, struct case_sets *s, const struct case_now *c,
                         const struct case_reply *r, bool changes) {
    bool acts = changes && w->actor.kind != ACTOR_RULE, as_staff = acts && w->actor.rank >= ROLE_COLLABORATOR,
         reply_of_staff = r && r->by_staff;
    if (as_staff || reply_of_staff)
        buf_text(&s->sql, "last_agent_activity_at = :now, agent_updated_at = :now, ");
    if ((as_staff && w->actor.user_id == c->assigned_agent_id) ||
        (reply_of_staff && r->creator_id == c->assigned_agent_id))
        buf_text(&s->sql, "latest_assignee_update = :now, ");
    if ((acts && !as_staff) || (r && !r->by_staff)) buf_text(&s->sql, "last_customer_activity_at = :now, ");
    if (acts) buf_text(&s->sql, "last_updated_by_id = CAST(:actor AS BIGINT), ");
    else if (r) buf_text(&s->sql, "last_updated_by_id = :creator, ");
}

static int case_update(struct work *w, const struct case_now *next, unsigned differ, bool reopened,
                       const struct case_change *wanted, const struct sla_decided *sla) {
    struct case_sets s = {0};
    buf_text(&s.sql, "UPDATE cases SET ");
    size_t set = s.sql.n;
    if (wanted->sets) buf_text(&s.sql, wanted->sets);
    for (const struct bind *b = wanted->binds; b && b->type != BIND_END; b++) put_bind(w, &s, *b);
    put_properties(w, &s, next, differ);
    if (sla && sla->version_id != sla->before) {
        buf_text(&s.sql, "sla_version_id = CAST(:sla AS BIGINT), ");
        put_bind(w, &s, (struct bind)B_ID("sla", sla->version_id));
    }
    put_marks(w, &s, next, differ);
    if (reopened) buf_text(&s.sql, "reopen_count = reopen_count + 1, ");
    put_activity(w, &s, next, wanted->reply, wanted->reply == NULL || differ);
    if (!next->updated) buf_text(&s.sql, "updated_at = :now, ");
    if (s.sql.n == set) return buf_free(&s.sql), 0;
    s.sql.n -= strlen(", ");
    buf_text(&s.sql, " WHERE id = :id");
    buf_char(&s.sql, 0);
    put_bind(w, &s, (struct bind)B_ID("actor", w->actor.user_id));
    put_bind(w, &s, (struct bind)B_INT("now", w->now));
    put_bind(w, &s, (struct bind)B_INT("id", next->id));
    put_bind(w, &s, (struct bind){.type = BIND_END});
    int rc = db_later_text(w->conn, s.sql.p, s.binds);
    buf_free(&s.sql);
    return rc;
}

static struct counted counted_of(const struct case_now *c) {
    return (struct counted){.team_id = c->assigned_team_id,
                            .agent_id = c->assigned_agent_id,
                            .requester_id = c->requester_id,
                            .organization_id = c->organization_id,
                            .priority_id = c->priority_id,
                            .status_type = c->status_type};
}

void case_now_counted(struct work *w, const struct case_now *c, int n) {
    struct counted counted = counted_of(c);
    if (c->state == CASE_ACTIVE) case_counted(w, &counted, n);
}

static int case_tags_follow(struct work *w, const struct case_now *c, const struct case_now *next) {
    struct counted before = counted_of(c), after = counted_of(next);
    return case_tags_moved(w, c->id, c->state == CASE_ACTIVE ? &before : NULL,
                           next->state == CASE_ACTIVE ? &after : NULL);
}

static struct changed_value snoozed_until(struct work *w, const struct case_now *c) {
    return c->snoozed_until ? changed_time(w->arena, c->snoozed_until) : changed_nothing();
}

static void case_record(struct work *w, const struct case_now *c, const struct case_now *next,
                        unsigned differ) {
    struct changed object = case_changed(c);
    if (differ & CASE_SUBJECT)
        change_property(w, object, "subject", changed_text(c->subject), changed_text(next->subject));
    if (differ & CASE_LEGACY_ID)
        change_property(w, object, "legacy_id", changed_text(c->legacy_id), changed_text(next->legacy_id));
    for (size_t i = 0; i < REFERENCES; i++)
        if (differ & references[i].bit)
            change_property(w, object, references[i].property, changed_id(id_at(c, references[i].now)),
                            changed_id(id_at(next, references[i].now)));
    if (differ & CASE_STATE && !(differ & CASE_MERGED_INTO))
        change_property(w, object, "state", changed_word(case_states, c->state),
                        changed_word(case_states, next->state));
    if (differ & CASE_RATING)
        change_property(w, object, "rating", changed_word(rating_scores, c->rating),
                        changed_word(rating_scores, next->rating));
    if (differ & CASE_SNOOZE) {
        change_property(w, object, "is_snoozed", changed_bool(c->is_snoozed), changed_bool(next->is_snoozed));
        change_property(w, object, "snoozed_until", snoozed_until(w, c), snoozed_until(w, next));
    }
    if (!(differ & (CASE_STATUS | CASE_TEAM | CASE_AGENT | CASE_STATE | CASE_PRIORITY | CASE_REQUESTER)))
        return;
    case_now_counted(w, c, -1);
    case_now_counted(w, next, 1);
}

/* The history from which SLA clocks are computed. */
QUERY(status_change_insert,
      "INSERT INTO case_status_changes (case_id, at, from_status_id, to_status_id, from_state, to_state) "
      "VALUES (:case, :now, :from, :to, :from_state, :to_state)");

static int status_change_keep(struct work *w, const struct case_now *c, const struct case_now *next) {
    return db_later(w->conn, &status_change_insert,
                    BINDS(B_INT("case", c->id), B_INT("from", c->status_id), B_INT("to", next->status_id),
                          B_INT("from_state", c->state), B_INT("to_state", next->state),
                          B_INT("now", w->now)));
}

/* Properties that a clock depends on. */
static void case_touch_clocks(struct work *w, const struct case_now *c, unsigned differ) {
    if (differ & (CASE_STATUS | CASE_STATE)) clocks_touch(w, c->id, CLOCKS_STATUS);
    if (differ & CASE_PRIORITY) clocks_touch(w, c->id, CLOCKS_TARGET);
    if (differ & CASE_TEAM) clocks_touch_team(w, c->id, c->assigned_team_id);
}

/* Decides the SLA of the changed conversation if this work has not yet decided it. *out NULL: the finisher
 * does. */
static int case_decide_sla(struct work *w, const struct case_now *next, unsigned differ,
                           const struct case_change *wanted, struct sla_decided **out) {
    struct sla_decided sla = {.case_id = next->id, .before = next->sla_version_id, .next = w->sla_decided};
    *out = NULL;
    if (wanted->sla == NULL || differ == 0 || case_sla_decided(w, next->id)) return 0;
    int decided = wanted->sla(w, next, differ, &sla.version_id);
    if (decided <= 0) return decided;
    *out = ARENA_NEW(w->arena, struct sla_decided);
    **out = sla;
    return 0;
}

QUERY(organization_of_requester, "SELECT COALESCE(organization_id, 0) FROM users WHERE id = :id @HOLD@");

int case_change(struct work *w, struct case_now *c, const struct case_change *wanted) {
    struct case_now next;
    unsigned differ;
    TRY(case_next(w, c, wanted, &next, &differ));
    if (differ & (CASE_FORM | CASE_BRAND)) TRY(case_form_check(w, next.form_id, next.brand_id));
    TRY(case_values_change(w, c->id, wanted->values, wanted->value_count));
    if (differ & CASE_STATUS && !wanted->incomplete)
        TRY(case_check_resolution(w, c->id, next.form_id, next.status_type));
    if (differ & CASE_REQUESTER)
        TRY(db_int(w->conn, &organization_of_requester, BINDS(B_INT("id", next.requester_id)),
                   &next.organization_id));
    struct sla_decided *earlier = differ ? case_sla_decided(w, c->id) : NULL, *sla;
    TRY(case_decide_sla(w, &next, differ, wanted, &sla));
    TRY(case_update(w, &next, differ, c->status_type == STATUS_COMPLETED && next.status_type == STATUS_OPEN,
                    wanted, sla));
    next.updated = true;
    if (earlier) earlier->outdated = true;
    if (sla) w->sla_decided = sla;
    if (differ & (CASE_STATE | CASE_STATUS | CASE_PRIORITY)) TRY(case_tags_follow(w, c, &next));
    if (differ & (CASE_STATUS | CASE_STATE)) TRY(status_change_keep(w, c, &next));
    if (c->sla_version_id) case_touch_clocks(w, c, differ);
    case_record(w, c, &next, differ);
    *c = next;
    return 0;
}

/* ---- rebuilding keys ------------------------------------------------------------------------- */

QUERY(case_subjects, "SELECT id, subject FROM cases WHERE id > :after ORDER BY id LIMIT :most");
QUERY(subject_key_set, "UPDATE cases SET subject_key = :key WHERE id = :id");

int cases_rekey(struct work *w, int64_t *after) {
    return texts_rekey(w, &case_subjects, &subject_key_set, after);
}
