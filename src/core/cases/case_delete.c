#include "core/cases/case_delete.h"

#include "core/desk/cascade.h"
#include "core/change/change.h"
#include "core/fields/field_value.h"
#include "core/search/text.h"
#include "core/words.h"
#include "json/json.h"

/* ---- the cascade: everything that belongs to a conversation ----------------------------------
 *
 * A table that refers to conversations has a line here. Tables with few rows for each conversation are
 * deleted in the last steps. */

QUERY(delete_posts, "SELECT p.id, 0 FROM posts p WHERE p.case_id = :id ORDER BY p.id LIMIT :most @LOCK@");
QUERY(delete_post_files, POST_FILES_LOCK);
QUERY(delete_post_files_go, POST_FILES_EXPIRE);
QUERY(delete_post_attachments, POST_ATTACHMENTS_DELETE);
QUERY(delete_post_originals, POST_ORIGINALS_DELETE);
QUERY(delete_search_lock, SEARCH_LOCK);
QUERY(delete_posts_search, SEARCH_MESSAGES_DROP);
QUERY(delete_notes_search, SEARCH_NOTES_DROP);
QUERY(delete_case_search, SEARCH_CASE_DROP);
QUERY(delete_mails, "DELETE FROM outgoing_mails WHERE post_id IN @LIST(:rows)");
QUERY(delete_posts_go, "DELETE FROM posts WHERE id IN @LIST(:rows)");
QUERY(delete_notes, "SELECT n.id, 0 FROM notes n WHERE n.case_id = :id ORDER BY n.id LIMIT :most @LOCK@");
QUERY(delete_notes_go, "DELETE FROM notes WHERE id IN @LIST(:rows)");
/* The activity of the deletion stays (name CASE_DELETED). */
QUERY(delete_activities, "SELECT a.id, 0 FROM activities a WHERE a.owner_case_id = :id AND a.name <> 10 "
                         "ORDER BY a.id LIMIT :most @LOCK@");
QUERY(delete_activities_go, "DELETE FROM activities WHERE id IN @LIST(:rows)");
QUERY(delete_markers,
      "SELECT m.user_id, 0 FROM read_markers m WHERE m.case_id = :id ORDER BY m.user_id LIMIT :most @LOCK@");
QUERY(delete_markers_go, "DELETE FROM read_markers WHERE case_id = :id AND user_id IN @LIST(:rows)");
QUERY(delete_participants, "SELECT p.user_id, 0 FROM case_participants p "
                           "WHERE p.case_id = :id ORDER BY p.user_id "
                           "LIMIT :most @LOCK@");
QUERY(delete_participants_go,
      "DELETE FROM case_participants WHERE case_id = :id AND user_id IN @LIST(:rows)");
/* Deletes their attempts, too: ON DELETE CASCADE. */
QUERY(delete_deliveries,
      "SELECT d.id, 0 FROM endpoint_deliveries d WHERE d.case_id = :id ORDER BY d.id LIMIT :most @LOCK@");
QUERY(delete_deliveries_go, "DELETE FROM endpoint_deliveries WHERE id IN @LIST(:rows)");
/* Mails that came in, with their raw files. A suspended mail may refer to a conversation, too. */
QUERY(delete_incoming, "SELECT m.id, 0 FROM mails m WHERE m.case_id = :id ORDER BY m.id LIMIT :most @LOCK@");
QUERY(delete_incoming_files, MAIL_FILES_LOCK);
QUERY(delete_incoming_files_go, MAIL_FILES_EXPIRE);
QUERY(delete_incoming_go, "DELETE FROM mails WHERE id IN @LIST(:rows)");
/* Letters without a message: notices, mails of rules, surveys. The job of one that still waits finds
 * nothing to send. */
QUERY(delete_letters,
      "SELECT m.id, 0 FROM outgoing_mails m WHERE m.case_id = :id ORDER BY m.id LIMIT :most @LOCK@");
QUERY(delete_letters_go, "DELETE FROM outgoing_mails WHERE id IN @LIST(:rows)");

QUERY(delete_notifications,
      "SELECT n.id, 0 FROM notifications n WHERE n.case_id = :id ORDER BY n.id LIMIT :most @LOCK@");
QUERY(delete_notifications_go, "DELETE FROM notifications WHERE id IN @LIST(:rows)");

#define OF_CASE "v.owner_id = :id AND v.area = 1"
/* While the lock is held, no write adds a value. */
QUERY(delete_case_lock, "SELECT k.id FROM cases k WHERE k.id = :id @LOCK@");
QUERY(delete_value_files, VALUE_FILES_LOCK(OF_CASE));
QUERY(delete_value_files_go, VALUE_FILES_EXPIRE(OF_CASE));
QUERY(delete_values, "DELETE FROM field_values WHERE owner_id = :id AND area = 1");

QUERY(delete_tags, "DELETE FROM case_tags WHERE case_id = :id");
QUERY(delete_fingerprint_marker, "DELETE FROM fingerprint_markers WHERE case_id = :id");
QUERY(delete_clocks, "DELETE FROM sla_metrics WHERE case_id = :id");
QUERY(delete_runs, "DELETE FROM sla_runs WHERE case_id = :id");
QUERY(delete_status_changes, "DELETE FROM case_status_changes WHERE case_id = :id");
QUERY(delete_case, "DELETE FROM cases WHERE id = :id");

const struct step case_delete_steps[] = {
    {&delete_posts,
     {&delete_post_files, &delete_post_files_go, &delete_post_attachments, &delete_post_originals,
      &delete_search_lock, &delete_posts_search, &delete_mails, &delete_posts_go},
     1},
    {&delete_notes,
     {&delete_post_files, &delete_post_files_go, &delete_post_attachments, &delete_post_originals,
      &delete_search_lock, &delete_notes_search, &delete_notes_go},
     1},
    {&delete_activities, {&delete_activities_go}, 1},
    {&delete_markers, {&delete_markers_go}, 1},
    {&delete_participants, {&delete_participants_go}, 1},
    {&delete_deliveries, {&delete_deliveries_go}, 4},
    {&delete_incoming, {&delete_incoming_files, &delete_incoming_files_go, &delete_incoming_go}, 2},
    {&delete_letters, {&delete_letters_go}, 1},
    {&delete_notifications, {&delete_notifications_go}, 1},
    {NULL, {&delete_case_lock, &delete_value_files, &delete_value_files_go, &delete_values}, 20},
    {NULL,
     {&delete_tags, &delete_fingerprint_marker, &delete_search_lock, &delete_case_search, &delete_clocks,
      &delete_runs, &delete_status_changes, &delete_case},
     20},
    {0},
};

/* ---- the write that deletes ------------------------------------------------------------------ */

/* Merged conversations come first, because they refer to the others. */
QUERY(cases_with_merged, "SELECT x.id FROM (SELECT k.id, 0 AS place FROM cases k "
                         "WHERE k.merged_into_id IN @LIST(:ids) UNION ALL SELECT k.id, 1 FROM cases k "
                         "WHERE k.id IN @LIST(:ids)) x ORDER BY x.place, x.id");
QUERY(cases_mark_deleting, "UPDATE cases SET state = :state, updated_at = :now WHERE id IN @LIST(:ids)");

int cases_delete(struct work *w, struct str ids) {
    int64_t *list;
    int n = db_ids(w->conn, &cases_with_merged, BINDS(B_TEXT("ids", ids)), w->arena, &list);
    TRY(n);
    struct str all = json_ids(w->arena, list, (size_t)n);
    TRY(db_exec(w->conn, &cases_mark_deleting,
                BINDS(B_TEXT("ids", all), B_INT("state", CASE_DELETING), B_INT("now", w->now))));
    /* Readers of the log can't see the conversation any more, so its visibility can't apply. */
    for (int i = 0; i < n; i++) change_deleted(w, (struct changed){"case", list[i], 0});
    return cascade(w, CASCADE_CASE, all);
}
