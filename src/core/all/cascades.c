/* The cascades (core/desk/cascade.h): the steps of each. Cascades that one file of another folder describes
 * have their steps there. */
#include "core/all/cascades.h"

#include "core/cases/case_delete.h"
#include "core/cases/case_merge.h"
#include "core/cases/total_sql.h"
#include "core/desk/cascade_step.h"
#include "core/erasure/erase.h"
#include "core/helpcenter/article.h"
#include "core/helpcenter/section.h"
#include "core/programs/client.h"
#include "core/reports/follow.h"
#include "core/rules/tag_change.h"
#include "core/search/text.h"

QUERY(cascade_note_files, POST_FILES_LOCK);
QUERY(cascade_note_files_go, POST_FILES_EXPIRE);
QUERY(cascade_note_attachments, POST_ATTACHMENTS_DELETE);
QUERY(cascade_note_originals, POST_ORIGINALS_DELETE);
QUERY(cascade_search_lock, SEARCH_LOCK);
QUERY(cascade_note_search, SEARCH_NOTES_DROP);
#define NOTES_GO                                                                                         \
    {                                                                                                    \
        &cascade_note_files, &cascade_note_files_go, &cascade_note_attachments, &cascade_note_originals, \
            &cascade_search_lock, &cascade_note_search, &cascade_erase_notes                             \
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
QUERY(cascade_team_uncount,
      "DELETE FROM case_totals WHERE (kind = 1 AND id = :id) OR (kind = 2 AND with_id = :id)");
QUERY(cascade_team_drop, "DELETE FROM teams WHERE id = :id");

QUERY(cascade_agent_cases, "SELECT c.id, 0 FROM cases c WHERE c.assigned_agent_id = :id "
                           "ORDER BY c.state, c.created_at, c.id LIMIT :most @LOCK@");
QUERY(cascade_agent_uncounted, TOTALS_CHANGE("-", AGENT_TOTALS(ROWS) " UNION ALL " PAIR_TOTALS(ROWS)));
QUERY(cascade_agent_leave, "UPDATE cases SET assigned_agent_id = NULL, " SINCE " WHERE id IN @LIST(:rows)");
QUERY(cascade_agent_uncount, "DELETE FROM case_totals WHERE kind = 2 AND id = :id");
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

QUERY(cascade_reports_pending, REPORTS_PENDING);
QUERY(cascade_organization_uncounted, TOTALS_CHANGE("-", ORGANIZATION_TOTALS(ROWS)));
QUERY(cascade_organization_counted, TOTALS_CHANGE("", ORGANIZATION_TOTALS(ROWS)));

static const struct step of_requester[] = {{&cascade_requested,
                                            {&cascade_organization_uncounted, &cascade_follow,
                                             &cascade_organization_counted, &cascade_reports_pending},
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
/* Both parts are in the order of an index: activities_by_actor, activities_of_address. */
#define ACTED(owner)                                                                        \
    "SELECT a.id, 0 FROM activities a WHERE a.actor_id = :id AND a.owner_case_id IS " owner \
    " AND a.ip_address IS NOT NULL AND a.id > :after"
QUERY(cascade_acted, ACTED("NOT NULL") " UNION ALL " ACTED("NULL") " ORDER BY 1 LIMIT :most");
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
     {&cascade_organization_uncounted, &cascade_reports_pending, &cascade_erase_cases},
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
    {&cascade_organization_cases,
     {&cascade_organization_uncounted, &cascade_organization_leave, &cascade_reports_pending},
     1},
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

static int receipt_count(struct work *w, int64_t user_id, int what, int64_t n) {
    return erasure_count(w, user_id, (enum erased)what, n);
}

const struct cascade_row cascades[CASCADES] = {
    [CASCADE_TEAM] = {"team", {of_team}},
    [CASCADE_AGENT] = {"agent", {of_agent}},
    [CASCADE_PURGED] = {"purged", {of_purged}},
    [CASCADE_ERASED] = {"erased", {of_purged, erase_steps}, .counted = receipt_count, .done = erasure_done},
    [CASCADE_ERASED_TEXTS] = {"erased_texts",
                              {of_purged, erase_text_steps, erase_steps},
                              .counted = receipt_count,
                              .done = erasure_done},
    [CASCADE_REQUESTER] = {"requester", {of_requester}},
    [CASCADE_ORGANIZATION] = {"organization", {of_organization}},
    [CASCADE_FIELD] = {"field", {of_field}},
    [CASCADE_MERGE] = {"merge", {case_merge_steps}, .part = case_merge_part},
    [CASCADE_CASE] = {"case", {case_delete_steps}},
    [CASCADE_ENDPOINT] = {"endpoint", {of_endpoint}},
    [CASCADE_MONITOR] = {"monitor", {of_monitor}},
    [CASCADE_SECTION] = {"section", {section_delete_steps}},
    [CASCADE_CLIENT] = {"client", {client_delete_steps}},
    [CASCADE_ARTICLE] = {"article", {article_delete_steps}},
    [CASCADE_TAG] = {"tag", {tag_leave_steps}, .part = tag_part},
    [CASCADE_TAG_NAMED] = {"tag_named", {tag_named_steps}, .part = tag_part},
};
