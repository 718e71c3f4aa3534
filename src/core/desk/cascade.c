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
 *     a purge           marked: nobody sees the values of activities and the name that a stranger gave
 *     a person moved    by the person's row: colleagues see a conversation only if its requester is in their organization now. New colleagues
 *                       don't see conversations that were not moved yet. This is the only place where a reader can notice the parts.
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
#include "core/cases/total_sql.h"
#include "core/desk/cascade_step.h"
#include "core/erasure/erase_receipt.h"
#include "core/sla/clocks.h"
#include "core/search/text.h"
#include "json/json.h"

#include <assert.h>
#include <inttypes.h>

QUERY(cascade_note_files, POST_FILES_LOCK);
QUERY(cascade_note_files_go, POST_FILES_EXPIRE);
QUERY(cascade_note_attachments, POST_ATTACHMENTS_DELETE);
QUERY(cascade_note_originals, POST_ORIGINALS_DELETE);
QUERY(cascade_note_search, SEARCH_NOTES_DROP);
#define NOTES_GO                                                                                         \
    {                                                                                                    \
        &cascade_note_files, &cascade_note_files_go, &cascade_note_attachments, &cascade_note_originals, \
            &cascade_note_search, &cascade_erase_notes                                                   \
    }

/* ---- assigned conversations ------------------------------------------------------------------ */

/* The counters move with the rows: one statement subtracts :rows before the change, one adds them after
 * it. */
#define ROWS " AND t.id IN @LIST(:rows)"
#define SINCE "updated_at = CASE WHEN updated_at < :since THEN :since ELSE updated_at END"

/* Writes the change log in the write of the part. */
#define LOG_LEAVES(property, column)                                                           \
    "INSERT INTO change_log (kind, object_id, case_id, verb, property, old_value, new_value, " \
    "actor_id, actor_kind, cause, changed_at) "                                                \
    "SELECT 'case', c.id, c.id, 3, '" property "', CAST(c." column                             \
    " AS TEXT), NULL, CAST(:actor AS BIGINT), CAST(:actor_kind AS INTEGER), "                  \
    "CAST(:cause AS TEXT), CAST(:now AS BIGINT) "                                              \
    "FROM cases c WHERE c.id IN @LIST(:rows) "                                                 \
    "ORDER BY c.id"
QUERY(cascade_team_log, LOG_LEAVES("assigned_team", "assigned_team_id"));
QUERY(cascade_agent_log, LOG_LEAVES("assigned_agent", "assigned_agent_id"));

QUERY(cascade_team_cases, "SELECT c.id, 0 FROM cases c WHERE c.assigned_team_id = :id "
                          "ORDER BY c.state, c.created_at, c.id LIMIT :most @LOCK@");
QUERY(cascade_team_uncounted, TOTALS_CHANGE("-", TEAM_TOTALS(ROWS) " UNION ALL " PAIR_TOTALS(ROWS)));
QUERY(cascade_pairs_counted, TOTALS_CHANGE("", PAIR_TOTALS(ROWS)));
QUERY(cascade_team_leave, "UPDATE cases SET assigned_team_id = NULL, " SINCE " WHERE id IN @LIST(:rows)");
QUERY(cascade_team_uncount, "DELETE FROM case_totals WHERE kind IN (2, 4) AND id = :id");
QUERY(cascade_team_drop, "DELETE FROM teams WHERE id = :id");

QUERY(cascade_agent_cases, "SELECT c.id, 0 FROM cases c WHERE c.assigned_agent_id = :id "
                           "ORDER BY c.state, c.created_at, c.id LIMIT :most @LOCK@");
QUERY(cascade_agent_uncounted, TOTALS_CHANGE("-", AGENT_TOTALS(ROWS) " UNION ALL " PAIR_TOTALS(ROWS)));
QUERY(cascade_agent_leave, "UPDATE cases SET assigned_agent_id = NULL, " SINCE " WHERE id IN @LIST(:rows)");
QUERY(cascade_agent_uncount,
      "DELETE FROM case_totals WHERE (kind = 3 AND id = :id) OR (kind = 4 AND with_id = :id)");
QUERY(cascade_agent_left, "UPDATE users SET leaving_at = NULL WHERE id = :id");

static const struct step of_team[] = {
    {&cascade_team_cases,
     {&cascade_team_log, &cascade_team_uncounted, &cascade_team_leave, &cascade_pairs_counted},
     3},
    {NULL, {&cascade_team_uncount, &cascade_team_drop}, 1},
    {0},
};

#define AGENT_LEAVES                                                                               \
    {&cascade_agent_cases,                                                                         \
     {&cascade_agent_log, &cascade_agent_uncounted, &cascade_agent_leave, &cascade_pairs_counted}, \
     3},                                                                                           \
    {                                                                                              \
        NULL, {&cascade_agent_uncount, &cascade_agent_left}, 1                                     \
    }
static const struct step of_agent[] = {AGENT_LEAVES, {0}};

/* ---- requested conversations ----------------------------------------------------------------- */

QUERY(cascade_requested, "SELECT c.id, c.created_at FROM cases c "
                         "WHERE c.requester_id = :id AND (c.created_at, c.id) > (:place, :after) "
                         "ORDER BY c.created_at, c.id LIMIT :most @LOCK@");
/* Uses the person's current organization, because of two moves the second may be carried out first. */
QUERY(cascade_follow,
      "UPDATE cases "
      "SET organization_id = (SELECT u.organization_id FROM users u WHERE u.id = cases.requester_id) "
      "WHERE id IN @LIST(:rows)");

QUERY(cascade_organization_uncounted, TOTALS_CHANGE("-", ORGANIZATION_TOTALS(ROWS)));
QUERY(cascade_organization_counted, TOTALS_CHANGE("", ORGANIZATION_TOTALS(ROWS)));

static const struct step of_requester[] = {
    {&cascade_requested,
     {&cascade_organization_uncounted, &cascade_follow, &cascade_organization_counted},
     1},
    {0}};

/* ---- purged people --------------------------------------------------------------------------- */

QUERY(cascade_erase_cases,
      "UPDATE cases SET requester_name = NULL, metadata = NULL, fingerprint = NULL, organization_id = NULL "
      "WHERE id IN @LIST(:rows)");
QUERY(cascade_posts, "SELECT p.id, 0 FROM posts p WHERE p.creator_id = :id AND p.id > :after "
                     "ORDER BY p.id LIMIT :most @LOCK@");
QUERY(cascade_erase_posts, "UPDATE posts SET creator_name = NULL, metadata = NULL WHERE id IN @LIST(:rows)");
QUERY(cascade_activities, "SELECT a.id, 0 FROM activities a WHERE a.owner_user_id = :id AND a.id > :after "
                          "ORDER BY a.id LIMIT :most");
QUERY(cascade_erase_changes,
      "UPDATE activities SET previous_values = NULL, current_values = NULL, objects = NULL "
      "WHERE id IN @LIST(:rows)");
QUERY(cascade_logged,
      "SELECT l.id, 0 FROM change_log l WHERE l.kind = 'user' AND l.object_id = :id AND l.id > :after "
      "ORDER BY l.id LIMIT :most");
QUERY(cascade_erase_logged,
      "UPDATE change_log SET old_value = NULL, new_value = NULL WHERE id IN @LIST(:rows)");
QUERY(cascade_notes,
      "SELECT n.id, 0 FROM notes n WHERE n.owner_user_id = :id ORDER BY n.id LIMIT :most @LOCK@");
QUERY(cascade_erase_notes, "DELETE FROM notes WHERE id IN @LIST(:rows)");
QUERY(cascade_mails,
      "SELECT m.id, 0 FROM outgoing_mails m WHERE m.user_id = :id ORDER BY m.id LIMIT :most @LOCK@");
/* Reports of a mail that was not delivered quote the address. */
QUERY(cascade_mails_reasons,
      "UPDATE posts SET reject_reason = NULL "
      "WHERE reject_reason IS NOT NULL AND id IN (SELECT m.post_id FROM outgoing_mails m "
      "WHERE m.id IN @LIST(:rows))");
QUERY(cascade_erase_mails, "DELETE FROM outgoing_mails WHERE id IN @LIST(:rows)");
QUERY(cascade_named,
      "SELECT r.id, 0 FROM mail_recipients r WHERE r.user_id = :id ORDER BY r.id LIMIT :most @LOCK@");
QUERY(cascade_erase_named, "DELETE FROM mail_recipients WHERE id IN @LIST(:rows)");
/* Mails that the person sent. Rows stay, without everything that the mail said. Their raw files expire at
 * once. */
QUERY(cascade_incoming,
      "SELECT m.id, 0 FROM mails m WHERE m.sender_id = :id ORDER BY m.id LIMIT :most @LOCK@");
QUERY(cascade_incoming_files, MAIL_FILES_LOCK);
QUERY(cascade_incoming_files_go, MAIL_FILES_EXPIRE_NOW);
QUERY(cascade_erase_incoming,
      "UPDATE mails SET sender_id = NULL, envelope_from = NULL, recipient = NULL, from_text = NULL, "
      "from_key = NULL, to_text = NULL, cc_text = NULL, to_addresses = NULL, cc_addresses = NULL, "
      "subject = NULL, content_text = NULL, content_html = NULL, message_id = NULL, file_id = NULL, "
      "reason = NULL WHERE id IN @LIST(:rows)");
/* Bodies of deliveries have the name and the address of the requester. */
QUERY(cascade_delivered, "SELECT d.id, 0 FROM endpoint_deliveries d "
                         "JOIN cases k ON k.id = d.case_id WHERE k.requester_id = :id AND d.id > :after "
                         "ORDER BY d.id LIMIT :most");
QUERY(cascade_erase_attempts, "UPDATE endpoint_attempts SET message = NULL "
                              "WHERE message IS NOT NULL AND delivery_id IN @LIST(:rows)");
QUERY(cascade_erase_delivered,
      "UPDATE endpoint_deliveries SET body = NULL, status = CASE WHEN status = 1 THEN 3 ELSE status END "
      "WHERE id IN @LIST(:rows)");
QUERY(cascade_sessions, "SELECT s.id, 0 FROM sessions s WHERE s.user_id = :id AND s.id > :after "
                        "ORDER BY s.id LIMIT :most @LOCK@");
QUERY(cascade_erase_sessions,
      "UPDATE sessions SET user_agent = '', ip_address = '' WHERE id IN @LIST(:rows)");
QUERY(cascade_remembered,
      "SELECT r.id, 0 FROM remember_chains r WHERE r.user_id = :id ORDER BY r.id LIMIT :most @LOCK@");
QUERY(cascade_erase_remembered, "DELETE FROM remember_chains WHERE id IN @LIST(:rows)");
QUERY(cascade_acted, "SELECT a.id, 0 FROM activities a "
                     "WHERE a.actor_id = :id AND a.ip_address IS NOT NULL AND a.id > :after "
                     "ORDER BY a.id LIMIT :most");
QUERY(cascade_erase_acted, "UPDATE activities SET ip_address = NULL WHERE id IN @LIST(:rows)");

QUERY(cascade_events, "SELECT e.id, 0 FROM events e WHERE e.user_id = :id ORDER BY e.id LIMIT :most @LOCK@");
QUERY(cascade_erase_events, "DELETE FROM events WHERE id IN @LIST(:rows)");

static const struct step of_purged[] = {
    AGENT_LEAVES,
    {&cascade_activities, {&cascade_erase_changes}, COUNTED(3, ERASED_TRAIL)},
    {&cascade_logged, {&cascade_erase_logged}, COUNTED(1, ERASED_CHANGES)},
    {&cascade_mails, {&cascade_mails_reasons, &cascade_erase_mails}, COUNTED(1, ERASED_LETTERS)},
    {&cascade_named, {&cascade_erase_named}, COUNTED(1, ERASED_RECIPIENTS)},
    {&cascade_incoming,
     {&cascade_incoming_files, &cascade_incoming_files_go, &cascade_erase_incoming},
     COUNTED(2, ERASED_MAILS)},
    {&cascade_notes, NOTES_GO, COUNTED(1, ERASED_NOTES)},
    {&cascade_delivered, {&cascade_erase_attempts, &cascade_erase_delivered}, COUNTED(1, ERASED_DELIVERIES)},
    {&cascade_sessions, {&cascade_erase_sessions}, COUNTED(1, ERASED_SESSIONS)},
    {&cascade_remembered, {&cascade_erase_remembered}, COUNTED(3, ERASED_CREDENTIALS)},
    {&cascade_requested,
     {&cascade_organization_uncounted, &cascade_erase_cases},
     COUNTED(1, ERASED_CONVERSATIONS)},
    {&cascade_posts, {&cascade_erase_posts}, COUNTED(1, ERASED_MESSAGES)},
    {&cascade_acted, {&cascade_erase_acted}, COUNTED(2, ERASED_ADDRESSES)},
    {&cascade_events, {&cascade_erase_events}, COUNTED(3, ERASED_EVENTS)},
    {0},
};

/* ---- organizations --------------------------------------------------------------------------- */

/* People come first: a conversation that a person opens afterwards has no organization, so none appears
 * behind the second step. */
QUERY(cascade_people, "SELECT u.id, 0 FROM users u WHERE u.organization_id = :id "
                      "ORDER BY u.name_key, u.id LIMIT :most @LOCK@");
QUERY(cascade_people_leave, "UPDATE users SET organization_id = NULL, " SINCE " WHERE id IN @LIST(:rows)");
QUERY(cascade_organization_cases, "SELECT c.id, 0 FROM cases c WHERE c.organization_id = :id "
                                  "ORDER BY c.created_at, c.id LIMIT :most @LOCK@");
QUERY(cascade_organization_leave, "UPDATE cases SET organization_id = NULL WHERE id IN @LIST(:rows)");
QUERY(cascade_organization_notes,
      "SELECT n.id, 0 FROM notes n WHERE n.organization_id = :id ORDER BY n.id LIMIT :most @LOCK@");
#define OF_ORGANIZATION "v.owner_id = :id AND v.area = 3"
/* While the lock is held, no write adds a value. */
QUERY(cascade_organization_lock, "SELECT id FROM organizations WHERE id = :id @LOCK@");
QUERY(cascade_organization_files, VALUE_FILES_LOCK(OF_ORGANIZATION));
QUERY(cascade_organization_files_go, VALUE_FILES_EXPIRE(OF_ORGANIZATION));
QUERY(cascade_organization_values, "DELETE FROM field_values WHERE owner_id = :id AND area = 3");
QUERY(cascade_organization_uncount, "DELETE FROM case_totals WHERE kind = 6 AND id = :id");
QUERY(cascade_organization_drop, "DELETE FROM organizations WHERE id = :id");

static const struct step of_organization[] = {
    {&cascade_people, {&cascade_people_leave}, 1},
    {&cascade_organization_cases, {&cascade_organization_uncounted, &cascade_organization_leave}, 1},
    {&cascade_organization_notes, NOTES_GO, 1},
    {NULL,
     {&cascade_organization_lock, &cascade_organization_files, &cascade_organization_files_go,
      &cascade_organization_values, &cascade_organization_uncount, &cascade_organization_drop},
     20}, /* deletes its addresses, numbers, tags and values too */
    {0},
};

/* ---- custom fields --------------------------------------------------------------------------- */

/* A field is of one area, so an owner has one value of it. */
#define OF_ROWS "v.field_id = :id AND v.owner_id IN @LIST(:rows)"
QUERY(cascade_values, "SELECT v.owner_id, 0 FROM field_values v WHERE v.field_id = :id LIMIT :most @LOCK@");
QUERY(cascade_value_files, VALUE_FILES_LOCK(OF_ROWS));
QUERY(cascade_value_files_go, VALUE_FILES_EXPIRE(OF_ROWS));
QUERY(cascade_values_drop, "DELETE FROM field_values WHERE field_id = :id AND owner_id IN @LIST(:rows)");
QUERY(cascade_options,
      "SELECT o.id, 0 FROM custom_field_options o WHERE o.field_id = :id ORDER BY o.id LIMIT :most @LOCK@");
QUERY(cascade_options_untitle, "DELETE FROM locale_fields WHERE owner_kind = 2 AND owner_id IN @LIST(:rows)");
QUERY(cascade_options_drop, "DELETE FROM custom_field_options WHERE id IN @LIST(:rows)");
QUERY(cascade_field_drop, "DELETE FROM custom_fields WHERE id = :id");

static const struct step of_field[] = {
    {&cascade_values, {&cascade_value_files, &cascade_value_files_go, &cascade_values_drop}, 1},
    {&cascade_options, {&cascade_options_untitle, &cascade_options_drop}, 3},
    {NULL, {&cascade_field_drop}, 1},
    {0},
};

/* ---- endpoints ------------------------------------------------------------------------------- */

QUERY(cascade_deliveries,
      "SELECT d.id, 0 FROM endpoint_deliveries d WHERE d.endpoint_id = :id ORDER BY d.id LIMIT :most @LOCK@");
/* their attempts, too */
QUERY(cascade_deliveries_drop, "DELETE FROM endpoint_deliveries WHERE id IN @LIST(:rows)");
QUERY(cascade_endpoint_lease,
      "DELETE FROM leases WHERE name = 'endpoint ' || CAST(CAST(:id AS BIGINT) AS TEXT)");
QUERY(cascade_endpoint_drop, "DELETE FROM endpoints WHERE id = :id");

static const struct step of_endpoint[] = {{&cascade_deliveries, {&cascade_deliveries_drop}, 4},
                                          {NULL, {&cascade_endpoint_lease, &cascade_endpoint_drop}, 1},
                                          {0}};

/* ---- monitors -------------------------------------------------------------------------------- */

QUERY(cascade_monitored, "SELECT m.case_id, 0 FROM monitor_cases m "
                         "WHERE m.monitor_id = :id ORDER BY m.case_id "
                         "LIMIT :most @LOCK@");
QUERY(cascade_monitored_drop, "DELETE FROM monitor_cases WHERE monitor_id = :id AND case_id IN @LIST(:rows)");

static const struct step of_monitor[] = {{&cascade_monitored, {&cascade_monitored_drop}, 1}, {0}};

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *name;                        /* name in the input of jobs */
    const struct step *steps[3];             /* these lists, one after the other */
    int (*done)(struct work *w, int64_t id); /* called at the end of each object; NULL: nothing */
} cascades[] = {
    [CASCADE_TEAM] = {"team", {of_team}, NULL},
    [CASCADE_AGENT] = {"agent", {of_agent}, NULL},
    [CASCADE_PURGED] = {"purged", {of_purged}, NULL},
    [CASCADE_ERASED] = {"erased", {of_purged, erase_steps}, erasure_done},
    [CASCADE_ERASED_TEXTS] = {"erased_texts", {of_purged, erase_text_steps, erase_steps}, erasure_done},
    [CASCADE_REQUESTER] = {"requester", {of_requester}, NULL},
    [CASCADE_ORGANIZATION] = {"organization", {of_organization}, NULL},
    [CASCADE_FIELD] = {"field", {of_field}, NULL},
    [CASCADE_MERGE] = {"merge", {case_merge_steps}, NULL},
    [CASCADE_CASE] = {"case", {case_delete_steps}, NULL},
    [CASCADE_ENDPOINT] = {"endpoint", {of_endpoint}, NULL},
    [CASCADE_MONITOR] = {"monitor", {of_monitor}, NULL},
    [CASCADE_SECTION] = {"section", {section_delete_steps}, NULL},
    [CASCADE_CLIENT] = {"client", {client_delete_steps}, NULL},
    [CASCADE_ARTICLE] = {"article", {article_delete_steps}, NULL},
};
#define CASCADES (sizeof cascades / sizeof *cascades)

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

const struct step *cascade_step(enum cascade what, int64_t n) {
    const struct step *step = NULL;
    for (size_t list = 0;
         list < sizeof cascades->steps / sizeof *cascades->steps && cascades[what].steps[list]; list++)
        for (step = cascades[what].steps[list]; step->apply[0]; step++)
            if (n-- == 0) return step;
    return step;
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
    if (changed <= 0 || !step_counted(step) || !cascades[s->what].done) return changed < 0 ? changed : 0;
    return erasure_count(p->work, s->ids[s->at], (enum erased)step_counted(step), changed);
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
    for (; s->at < s->count; s->at++, begin_step(s, 0)) {
        for (const struct step *step; (step = cascade_step(s->what, s->step))->apply[0];
             begin_step(s, s->step + 1)) {
            if (p->left <= 0) return 1;
            int rc = step->pick ? step_take(p, step) : once(p, step);
            if (rc) return rc;
        }
        if (cascades[s->what].done) TRY(cascades[s->what].done(p->work, s->ids[s->at]));
    }
    return 0;
}

QUERY(cascade_survivors,
      "SELECT s.id FROM cases s "
      "WHERE s.sla_version_id IS NOT NULL AND s.id IN (SELECT k.merged_into_id FROM cases k "
      "WHERE k.id IN @LIST(:ids)) ORDER BY s.id @LOCK@");

/* A merge moves messages, so the SLA clocks of the surviving conversations change. */
static int survivors_touch(struct work *w, const struct progress *s) {
    int64_t *ids;
    int n = db_ids(w->conn, &cascade_survivors,
                   BINDS(B_TEXT("ids", json_ids(w->arena, s->ids, (size_t)s->count))), w->arena, &ids);
    for (int i = 0; i < n; i++) clocks_touch(w, ids[i]);
    return n;
}

static int take_part(struct work *w, struct progress *s) {
    int rows = w->desk->cascade_rows;
    int rc = cascade_continue(&(struct part){.work = w, .progress = s, .left = rows ? rows : LIMIT_CASCADE});
    if (rc >= 0 && s->what == CASCADE_MERGE) TRY(survivors_touch(w, s));
    return rc;
}

/* ---- between two parts ----------------------------------------------------------------------- */

static struct str progress_write(struct arena *a, const struct progress *s) {
    return str_fmt(a,
                   "{\"of\":\"%s\",\"ids\":%s,\"at\":%" PRId64 ",\"step\":%" PRId64 ",\"place\":%" PRId64
                   ",\"after\":%" PRId64 ",\"since\":%" PRId64 "}",
                   cascades[s->what].name, json_ids(a, s->ids, (size_t)s->count).p, s->at, s->step, s->place,
                   s->after, s->since);
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

static bool progress_read(struct arena *a, struct str text, struct progress *s) {
    struct json *input;
    struct json_error err;
    size_t what = 0;
    if (json_parse(a, text, &input, &err) < 0) return false;
    const struct json *of = json_member(input, S("of"));
    while (of && what < CASCADES && !str_eq(str_of(cascades[what].name), of->text)) what++;
    s->what = (enum cascade)what;
    return of && what < CASCADES && progress_read_ids(a, json_member(input, S("ids")), s) &&
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
    return rc == 1 ? job_add_next(w, JOB_CASCADE, progress_write(w->arena, &s), &job) : rc;
}

QUERY(cascade_left, CASCADES_UNDER_WAY " LIMIT 1");

bool cascades_under_way(struct work *w) {
    int64_t one;
    int rc = db_int(w->conn, &cascade_left, NULL, &one);
    if (rc < 0) fail(w, error_of_result(rc));
    return rc == 1;
}

int cascade_run(struct work *w, const struct job *j) {
    struct progress s = {0};
    if (!progress_read(w->arena, j->input, &s)) return -ERR_INTERNAL_ERROR;
    int rc = take_part(w, &s);
    if (rc == 1) return job_continue(w, j, progress_write(w->arena, &s));
    return rc < 0 ? rc : job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
}
