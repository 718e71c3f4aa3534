#include "core/cases/case_merge.h"

#include "base/ids.h"
#include "base/limits.h"
#include "core/desk/cascade.h"
#include "core/people/tag.h"
#include "core/search/text.h"
#include "core/sla/clocks.h"
#include "json/json.h"

/* ---- the cascade: what moves, part by part ---------------------------------------------------
 *
 * :id is the merged conversation. Each part reads the survivor from its row, because the survivor may have
 * been merged meanwhile, and locks both rows. A message and the counters that include it move in one
 * write. */

/* The state excludes a survivor that is being deleted together with the merged conversation. */
#define SURVIVOR "(SELECT k.merged_into_id FROM cases k WHERE k.id = :id AND k.state = 4)"
#define STILL_MERGED " AND " SURVIVOR " IS NOT NULL "
QUERY(merge_lock, "SELECT k.id FROM cases k WHERE k.id = :id @LOCK@");
QUERY(merge_lock_survivor, "SELECT s.id FROM cases s WHERE s.id = " SURVIVOR " @LOCK@");

/* Number of messages of the survivor up to a message. */
#define READ_IN_SURVIVOR(post) \
    "(SELECT COUNT(*) FROM posts p WHERE p.case_id = " SURVIVOR " AND p.id <= " post ")"

/* The earlier of two markers of one person stays, so that no unread message counts as read. Markers come
 * before the messages. */
QUERY(merge_markers, "SELECT m.user_id, 0 FROM read_markers m WHERE m.case_id = :id" STILL_MERGED
                     "ORDER BY m.user_id LIMIT :most @LOCK@");
#define MARKERS_OF_ROWS                                                         \
    "SELECT m.user_id, m.last_read_post_id, m.last_read_at, " READ_IN_SURVIVOR( \
        "m.last_read_post_id") " AS last_read_seq FROM read_markers m "         \
                               "WHERE m.case_id = :id AND m.user_id IN @LIST(:rows)"
QUERY(merge_markers_back,
      "UPDATE read_markers SET last_read_post_id = x.last_read_post_id, last_read_at = x.last_read_at, "
      "last_read_seq = x.last_read_seq FROM (" MARKERS_OF_ROWS ") x WHERE read_markers.case_id = " SURVIVOR
      " AND read_markers.user_id = x.user_id AND x.last_read_post_id < "
      "read_markers.last_read_post_id");
QUERY(
    merge_markers_add,
    "INSERT INTO read_markers (case_id, user_id, last_read_post_id, last_read_seq, last_read_at) SELECT " SURVIVOR
    ", x.user_id, x.last_read_post_id, x.last_read_seq, x.last_read_at FROM (" MARKERS_OF_ROWS
    ") x WHERE x.user_id > 0 ON CONFLICT (user_id, case_id) DO NOTHING");
QUERY(merge_markers_drop, "DELETE FROM read_markers WHERE case_id = :id AND user_id IN @LIST(:rows)");
/* The marker of the survivor's fingerprint moves back only if the merged conversation was made with the
 * same fingerprint. */
QUERY(merge_fingerprint_back,
      "UPDATE fingerprint_markers "
      "SET last_read_post_id = x.last_read_post_id, last_read_at = x.last_read_at, "
      "last_read_seq = x.last_read_seq FROM (SELECT m.last_read_post_id, m.last_read_at, " READ_IN_SURVIVOR(
          "m.last_read_post_id") " AS last_read_seq FROM fingerprint_markers m "
                                 "JOIN cases k ON k.id = m.case_id "
                                 "JOIN cases s ON s.id = k.merged_into_id "
                                 "AND s.fingerprint = k.fingerprint WHERE m.case_id = :id) x "
                                 "WHERE fingerprint_markers.case_id = " SURVIVOR
                                 " AND x.last_read_post_id < fingerprint_markers.last_read_post_id");
QUERY(merge_fingerprint_drop, "DELETE FROM fingerprint_markers WHERE case_id = :id" STILL_MERGED);

QUERY(merge_participants, "SELECT p.user_id, 0 FROM case_participants p WHERE p.case_id = :id" STILL_MERGED
                          "ORDER BY p.user_id LIMIT :most @LOCK@");
QUERY(merge_participants_add, "INSERT INTO case_participants (case_id, user_id) SELECT " SURVIVOR
                              ", p.user_id FROM case_participants p "
                              "WHERE p.case_id = :id AND p.user_id IN @LIST(:rows) "
                              "ON CONFLICT (case_id, user_id) DO NOTHING");
QUERY(merge_participants_drop,
      "DELETE FROM case_participants WHERE case_id = :id AND user_id IN @LIST(:rows)");

/* A client_id that its author used in both conversations is erased. */
#define CLIENT_ID(table, author)                                                                         \
    "client_id = CASE WHEN client_id IS NOT NULL AND EXISTS (SELECT 1 FROM " table                       \
    " o WHERE o.case_id = " SURVIVOR " AND o." author " = " table "." author " AND o.client_id = " table \
    ".client_id) THEN NULL ELSE client_id END"
#define MOVED(table) "(SELECT COUNT(*) FROM " table " x WHERE x.id IN @LIST(:rows))"
#define FILES_OF_ROWS "(SELECT COUNT(*) FROM post_attachments x WHERE x.post_id IN @LIST(:rows))"
#define FILES_MOVE                                                                                           \
    "attachments_count = attachments_count + CASE WHEN id = :id THEN -" FILES_OF_ROWS " ELSE " FILES_OF_ROWS \
    " END"
#define READ_OF_ROWS(markers)                                                                   \
    "last_read_seq = last_read_seq + (SELECT COUNT(*) FROM posts p WHERE p.id IN @LIST(:rows) " \
    "AND p.id <= " markers ".last_read_post_id)"
QUERY(merge_posts,
      "SELECT p.id, 0 FROM posts p WHERE p.case_id = :id" STILL_MERGED "ORDER BY p.id LIMIT :most @LOCK@");
QUERY(merge_posts_read, "UPDATE read_markers SET " READ_OF_ROWS("read_markers") " WHERE case_id = " SURVIVOR);
QUERY(merge_posts_seen,
      "UPDATE fingerprint_markers SET " READ_OF_ROWS("fingerprint_markers") " WHERE case_id = " SURVIVOR);
/* A message of the merged conversation may become one of the survivor's requester, or stop to be one. */
#define MOVED_IF(condition) "(SELECT COUNT(*) FROM posts x WHERE x.id IN @LIST(:rows) AND " condition ")"
#define COUNTS_MOVE                                                                                                       \
    "agent_message_count = agent_message_count + CASE WHEN id = :id THEN -" MOVED_IF("x.by_staff = 1") " ELSE " MOVED_IF( \
        "x.by_staff = 1") " END, requester_message_count = requester_message_count + CASE WHEN id = :id "                 \
                          "THEN -" MOVED_IF("x.is_requester = 1") " ELSE " MOVED_IF(                                      \
                              "x.creator_id = cases.requester_id") " END"
QUERY(merge_posts_count, "UPDATE cases SET " COUNTS_MOVE ", " FILES_MOVE
                         ", message_seq = message_seq + CASE WHEN id = :id THEN -" MOVED(
                             "posts") " ELSE " MOVED("posts") " END WHERE id = :id OR id = " SURVIVOR);
QUERY(merge_posts_move,
      "UPDATE posts SET case_id = " SURVIVOR ", written_case_id = COALESCE(written_case_id, case_id), "
      "is_requester = CASE WHEN creator_id = (SELECT s.requester_id FROM cases s WHERE s.id = " SURVIVOR
      ") THEN 1 ELSE 0 END, " CLIENT_ID("posts", "creator_id") " WHERE id IN @LIST(:rows)");

QUERY(merge_search_lock, SEARCH_LOCK);
QUERY(merge_posts_search, SEARCH_MESSAGES_MOVE(SURVIVOR));
QUERY(merge_notes_search, SEARCH_NOTES_MOVE(SURVIVOR));

QUERY(merge_notes,
      "SELECT n.id, 0 FROM notes n WHERE n.case_id = :id" STILL_MERGED "ORDER BY n.id LIMIT :most @LOCK@");
#define PINNED "(SELECT COUNT(*) FROM notes x WHERE x.id IN @LIST(:rows) AND x.is_pinned = 1)"
QUERY(merge_notes_count,
      "UPDATE cases SET " FILES_MOVE
      ", notes_count = notes_count + CASE WHEN id = :id THEN -" MOVED("notes") " ELSE " MOVED(
          "notes") " END, pinned_notes_count = pinned_notes_count + CASE WHEN id = :id "
                   "THEN -" PINNED " ELSE " PINNED " END WHERE id = :id OR id = " SURVIVOR);
QUERY(merge_notes_move,
      "UPDATE notes SET case_id = " SURVIVOR ", " CLIENT_ID("notes", "user_id") " WHERE id IN @LIST(:rows)");

/* The activity of the merge itself stays with the merged conversation. */
QUERY(merge_activities,
      "SELECT a.id, 0 FROM activities a WHERE a.owner_case_id = :id AND a.id > :after AND (a.fields IS NULL "
      "OR a.fields NOT LIKE '%\"merged_into\"%')" STILL_MERGED "ORDER BY a.id LIMIT :most @LOCK@");
QUERY(merge_activities_move, "UPDATE activities SET owner_case_id = " SURVIVOR " WHERE id IN @LIST(:rows)");

QUERY(merge_mails,
      "SELECT m.id, 0 FROM mails m WHERE m.case_id = :id" STILL_MERGED "ORDER BY m.id LIMIT :most @LOCK@");
QUERY(merge_mails_move, "UPDATE mails SET case_id = " SURVIVOR " WHERE id IN @LIST(:rows)");

/* Letters that still wait leave after those of the survivor with smaller ids. */
QUERY(merge_letters, "SELECT m.id, 0 FROM outgoing_mails m WHERE m.case_id = :id" STILL_MERGED
                     "ORDER BY m.id LIMIT :most @LOCK@");
QUERY(merge_letters_move, "UPDATE outgoing_mails SET case_id = " SURVIVOR " WHERE id IN @LIST(:rows)");

/* They come after the posts that they are about. */
QUERY(merge_notifications, "SELECT n.id, 0 FROM notifications n WHERE n.case_id = :id" STILL_MERGED
                           "ORDER BY n.id LIMIT :most @LOCK@");
QUERY(merge_notifications_move, "UPDATE notifications SET case_id = " SURVIVOR " WHERE id IN @LIST(:rows)");

QUERY(merge_empty, "UPDATE cases SET last_message_id = NULL, last_message_status = NULL, "
                   "last_message_preview = NULL, last_note_preview = NULL "
                   "WHERE id = :id");

#define MARKER_WEIGHT 20 /* each counts messages */
const struct step case_merge_steps[] = {
    {&merge_markers,
     {&merge_lock, &merge_lock_survivor, &merge_markers_back, &merge_markers_add, &merge_markers_drop},
     MARKER_WEIGHT},
    {NULL,
     {&merge_lock, &merge_lock_survivor, &merge_fingerprint_back, &merge_fingerprint_drop},
     MARKER_WEIGHT},
    {&merge_participants,
     {&merge_lock, &merge_lock_survivor, &merge_participants_add, &merge_participants_drop},
     1},
    {&merge_posts,
     {&merge_lock, &merge_lock_survivor, &merge_posts_read, &merge_posts_seen, &merge_posts_count,
      &merge_posts_move, &merge_search_lock, &merge_posts_search},
     1},
    {&merge_notes,
     {&merge_lock, &merge_lock_survivor, &merge_notes_count, &merge_notes_move, &merge_search_lock,
      &merge_notes_search},
     1},
    {&merge_activities, {&merge_lock, &merge_lock_survivor, &merge_activities_move}, 1},
    {&merge_mails, {&merge_lock, &merge_lock_survivor, &merge_mails_move}, 1},
    {&merge_letters, {&merge_lock, &merge_lock_survivor, &merge_letters_move}, 1},
    {&merge_notifications, {&merge_lock, &merge_lock_survivor, &merge_notifications_move}, 1},
    {NULL, {&merge_empty}, 1},
    {0},
};

/* Messages leave the merged conversations and come to the survivors. */
QUERY(merge_clocked,
      "SELECT s.id FROM cases s WHERE s.sla_version_id IS NOT NULL AND s.id IN (SELECT k.id FROM cases k "
      "WHERE k.id IN @LIST(:ids) UNION SELECT k.merged_into_id FROM cases k WHERE k.id IN @LIST(:ids)) "
      "ORDER BY s.id @LOCK@");

int case_merge_part(struct work *w, const int64_t *merged, size_t count) {
    int64_t *ids;
    int n = db_ids(w->conn, &merge_clocked, BINDS(B_TEXT("ids", json_ids(w->arena, merged, count))), w->arena,
                   &ids);
    for (int i = 0; i < n; i++) clocks_touch(w, ids[i], CLOCKS_HISTORY);
    return n;
}

/* ---- the write that merges ------------------------------------------------------------------- */

/* The last message and note of both are those of the survivor at once, so that a message which is posted
 * before the cascade ends is the last one. It runs before the conversation is marked as merged. */
#define LATER(column)                                                                              \
    column " = CASE WHEN COALESCE(m." column ", 0) > COALESCE(cases." column ", 0) THEN m." column \
           " ELSE cases." column " END"
#define IF_LATER(time, column)                                                                 \
    column " = CASE WHEN COALESCE(m." time ", 0) > COALESCE(cases." time ", 0) THEN m." column \
           " ELSE cases." column " END"
#define LAST_MESSAGE                                                                 \
    "CASE WHEN COALESCE(m.last_message_id, 0) > COALESCE(cases.last_message_id, 0) " \
    "THEN m.last_message_id ELSE cases.last_message_id END"
#define OF_LAST_MESSAGE(column) IF_LATER("last_message_id", column)
#define LAST_CHANNEL                                                                           \
    "last_public_channel = CASE WHEN COALESCE(m.last_message_id, "                             \
    "0) > COALESCE(cases.last_message_id, 0) THEN COALESCE(m.last_public_channel, m.channel) " \
    "ELSE cases.last_public_channel END"
#define LAST_NOTE                                                                                         \
    "last_note_preview = CASE WHEN m.last_note > COALESCE(m.own_note, 0) AND m.last_note > " LAST_MESSAGE \
    " THEN m.last_note_preview WHEN COALESCE(m.own_note, 0) > " LAST_MESSAGE                              \
    " THEN cases.last_note_preview END"
#define LAST_OF_MESSAGES     \
    LATER("last_message_id") \
    ", " OF_LAST_MESSAGE("last_message_status") ", " OF_LAST_MESSAGE("last_message_preview")
#define LAST_REPLIERS \
    OF_LAST_MESSAGE("last_replier_id") ", " OF_LAST_MESSAGE("last_replied_at") ", " LAST_CHANNEL
#define LAST_AGENT \
    IF_LATER("last_reply_by_agent_at", "last_agent_replier_id") ", " LATER("last_reply_by_agent_at")
#define LAST_TIMES                      \
    LATER("last_reply_by_requester_at") \
    ", " LATER("last_agent_activity_at") ", " LATER("last_customer_activity_at")
#define LAST_POSTS LAST_OF_MESSAGES ", " LAST_REPLIERS ", " LAST_AGENT ", " LAST_TIMES ", " LAST_NOTE
QUERY(merge_last_posts, "UPDATE cases SET " LAST_POSTS " FROM (SELECT k.*, (SELECT MAX(n.id) FROM notes n "
                        "WHERE n.case_id = k.id) AS last_note, (SELECT MAX(n.id) "
                        "FROM notes n WHERE n.case_id IN (SELECT o.id FROM cases o "
                        "WHERE o.id = :survivor OR o.merged_into_id = :survivor)) AS own_note "
                        "FROM cases k WHERE k.id = :merged) m WHERE cases.id = :survivor");
/* Conversations that were merged into one that is merged now. */
QUERY(merge_earlier, "SELECT k.id FROM cases k WHERE k.merged_into_id = :merged ORDER BY k.id @LOCK@");
QUERY(merge_earlier_follow, "UPDATE cases SET merged_into_id = :survivor WHERE merged_into_id = :merged");
QUERY(merge_requesters, "INSERT INTO case_participants (case_id, user_id) "
                        "SELECT CAST(:survivor AS BIGINT), k.requester_id "
                        "FROM cases k WHERE k.id IN @LIST(:ids) GROUP BY k.requester_id "
                        "ON CONFLICT (case_id, user_id) DO NOTHING");
QUERY(merge_tags, "SELECT t.name FROM tags t "
                  "WHERE t.id IN (SELECT k.tag_id FROM case_tags k WHERE k.case_id IN @LIST(:ids)) "
                  "AND t.id NOT IN (SELECT k.tag_id FROM case_tags k WHERE k.case_id = :survivor) "
                  "ORDER BY t.name_key LIMIT 1000");

/* The place of the conversation. */
static struct case_now *merge_place(struct merge *m, int64_t survivor, int64_t id) {
    return id == survivor ? &m->survivor : &m->merged[ids_place(m->ids, m->count, id)];
}

int case_merge_load(struct work *w, int64_t survivor, const int64_t *ids, int count, struct merge *m) {
    int64_t *sorted = arena_array(w->arena, (size_t)count + 1, sizeof *sorted);
    *m = (struct merge){
        .merged = arena_array(w->arena, (size_t)count + 1, sizeof *m->merged), .ids = ids, .count = count};
    memcpy(sorted, ids, (size_t)count * sizeof *sorted);
    sorted[count] = survivor;
    ids_sort(sorted, count + 1);
    for (int i = 0; i <= count; i++) {
        int rc = case_load(w, sorted[i], merge_place(m, survivor, sorted[i]));
        if (rc <= 0) return rc < 0 ? rc : -ERR_RESOURCE_NOT_FOUND;
    }
    return 0;
}

/* Conversations that were merged earlier follow, so that one step leads from each of them to the survivor. */
static int earlier_follow(struct work *w, int64_t merged, int64_t survivor) {
    int64_t *ids;
    const struct bind *binds = BINDS(B_INT("merged", merged), B_INT("survivor", survivor));
    int n = db_ids(w->conn, &merge_earlier, binds, w->arena, &ids);
    for (int i = 0; i < n; i++)
        change_property(w, (struct changed){"case", ids[i], ids[i]}, "merged_into", changed_id(merged),
                        changed_id(survivor));
    return n <= 0 ? n : db_exec(w->conn, &merge_earlier_follow, binds);
}

static int merge_one(struct work *w, struct case_now *merged, int64_t survivor, int64_t closed) {
    TRY(earlier_follow(w, merged->id, survivor));
    TRY(db_exec(w->conn, &merge_last_posts, BINDS(B_INT("merged", merged->id), B_INT("survivor", survivor))));
    unsigned status = merged->status_type == STATUS_CLOSED ? 0 : CASE_STATUS;
    return case_change(w, merged,
                       &(struct case_change){.set = CASE_STATE | CASE_MERGED_INTO | status,
                                             .status_id = closed,
                                             .state = CASE_MERGED,
                                             .merged_into_id = survivor,
                                             .incomplete = true});
}

/* Adds the tags that fit. Returns the number of the others. */
static int merge_add_tags(struct work *w, int64_t survivor, struct str ids) {
    struct str *names = arena_array(w->arena, 1000, sizeof *names);
    int64_t present = 0;
    int n = 0, rc;
    TRY(tags_count(w, &case_tagging, survivor, &present));
    DB_ROWS(rc, w->conn, &merge_tags, BINDS(B_INT("survivor", survivor), B_TEXT("ids", ids)), row)
    names[n++] = str_dup(w->arena, col_text(row, 0));
    TRY(rc);
    int room = LIMIT_TAGS - (int)present, fit = n < room ? n : room;
    if (fit > 0) TRY(tags_add(w, &case_tagging, survivor, names, fit));
    return n - fit;
}

/* "4, 7" */
static struct str merged_text(struct work *w, const struct merge *m) {
    struct str list = json_ids(w->arena, m->ids, (size_t)m->count);
    return (struct str){list.p + 1, list.n - 2};
}

/* True if a merged conversation waits for staff, who would not see it in a snoozed survivor. */
static bool merge_wakes(const struct merge *m) {
    for (int i = 0; i < m->count; i++)
        if (!m->merged[i].is_snoozed && !status_is_done(m->merged[i].status_type)) return true;
    return false;
}

int case_merge(struct work *w, struct merge *m) {
    const struct case_change survives = {.set = merge_wakes(m) ? CASE_SNOOZE : 0};
    int64_t survivor = m->survivor.id, closed;
    struct str ids = json_ids(w->arena, m->ids, (size_t)m->count);
    TRY(status_id_of_type(w, STATUS_CLOSED, &closed));
    for (int i = 0; i < m->count; i++) TRY(merge_one(w, &m->merged[i], survivor, closed));
    TRY(db_exec(w->conn, &merge_requesters, BINDS(B_INT("survivor", survivor), B_TEXT("ids", ids))));
    TRY(case_change(w, &m->survivor, &survives));
    change_property(w, case_changed(&m->survivor), "merged_cases", changed_nothing(),
                    changed_text(merged_text(w, m)));
    int left = merge_add_tags(w, survivor, ids);
    TRY(left);
    TRY(cascade(w, CASCADE_MERGE, ids));
    return left;
}
