#include "core/cases/case_split.h"

#include "base/fold.h"
#include "core/cases/message.h"
#include "core/search/text.h"
#include "core/sla/clocks.h"
#include "json/json.h"

/* ---- the posts that move --------------------------------------------------------------------- */

#define FILES_OF(post) "(SELECT COUNT(*) FROM post_attachments x WHERE x.post_id = " post ".id)"
QUERY(split_posts,
      "SELECT p.id, 0 AS is_note, p.creator_id, p.created_at, p.channel, p.is_requester, "
      "p.by_staff, 0 AS is_pinned, " FILES_OF(
          "p") " FROM posts p WHERE p.case_id = :case "
               "AND p.kind = 1 AND p.id IN @LIST(:ids) UNION ALL "
               "SELECT n.id, 1, n.user_id, n.created_at, 0, 0, 0, n.is_pinned, " FILES_OF(
                   "n") " FROM notes n WHERE n.case_id = :case AND n.id IN @LIST(:ids) ORDER BY 1");
QUERY(split_notes, "SELECT notes_count FROM cases WHERE id = :case");

int case_split_load(struct work *w, int64_t case_id, struct split *s) {
    struct str ids = json_ids(w->arena, s->ids, (size_t)s->count);
    int rc;
    s->posts = arena_array(w->arena, (size_t)s->count + 1, sizeof *s->posts);
    s->post_count = 0;
    int64_t notes = 0;
    TRY_FOUND(w, case_load(w, case_id, &s->from));
    TRY(db_int(w->conn, &split_notes, BINDS(B_INT("case", case_id)), &notes));
    s->note_count = (int)notes;
    DB_ROWS(rc, w->conn, &split_posts, BINDS(B_INT("case", case_id), B_TEXT("ids", ids)), row)
    s->posts[s->post_count++] = (struct split_post){.id = col_int(row, 0),
                                                    .is_note = col_int(row, 1) != 0,
                                                    .creator_id = col_int(row, 2),
                                                    .created_at = col_int(row, 3),
                                                    .channel = (int)col_int(row, 4),
                                                    .by_requester = col_int(row, 5) != 0,
                                                    .by_staff = col_int(row, 6) != 0,
                                                    .is_pinned = col_int(row, 7) != 0,
                                                    .files = col_int(row, 8)};
    return rc;
}

/* Counts the posts as the conversation that they leave counts them; to: as the one that they come to. */
struct split_counts {
    int64_t messages, notes, pinned, files, by_staff, by_requester;
};

static struct split_counts split_counted(const struct split *s, bool to) {
    struct split_counts n = {0};
    for (int i = 0; i < s->post_count; i++) {
        const struct split_post *p = &s->posts[i];
        n.messages += !p->is_note;
        n.notes += p->is_note;
        n.pinned += p->is_pinned;
        n.files += p->files;
        n.by_staff += p->by_staff;
        n.by_requester += !p->is_note && (to ? p->creator_id == s->requester_id : p->by_requester);
    }
    return n;
}

/* The first message that moves; without messages, the first note. */
static const struct split_post *split_first(const struct split *s) {
    for (int i = 0; i < s->post_count; i++)
        if (!s->posts[i].is_note) return &s->posts[i];
    return &s->posts[0];
}

static struct str split_ids(struct work *w, const struct split *s, bool notes) {
    int64_t *ids = arena_array(w->arena, (size_t)s->post_count + 1, sizeof *ids);
    size_t n = 0;
    for (int i = 0; i < s->post_count; i++)
        if (s->posts[i].is_note == notes) ids[n++] = s->posts[i].id;
    return json_ids(w->arena, ids, n);
}

/* ---- the new conversation -------------------------------------------------------------------- */

/* It begins with its first post, so its clocks, its reports and its place in lists by creation are those of a
 * conversation that the customer had opened then, and no message is older than its conversation. The name and
 * the fingerprint that a caller without login gave belong to the requester. */
#define IF_SAME_REQUESTER(column) "CASE WHEN k.requester_id = :requester THEN k." column " END"
#define SAME_NAME IF_SAME_REQUESTER("requester_name")
#define SAME_FINGERPRINT IF_SAME_REQUESTER("fingerprint")
QUERY(
    split_insert,
    "INSERT INTO cases (id, uuid, subject, subject_key, channel, source, state, requester_id, "
    "requester_name, fingerprint, creator_id, organization_id, status_id, status_type, priority_id, type_id, "
    "assigned_team_id, assigned_agent_id, brand_id, mailbox_id, last_assigned_by_id, last_assigned_at, "
    "split_from_id, message_seq, last_customer_activity_at, reopen_count, created_at, updated_at) "
    "SELECT @NEXT_CASE_ID@, :uuid, :subject, :subject_key, :channel, k.source, 1, "
    "CAST(:requester AS BIGINT), " SAME_NAME ", " SAME_FINGERPRINT ", CAST(:actor AS BIGINT), "
    "(SELECT u.organization_id FROM users u WHERE u.id = :requester @HOLD@), "
    "CAST(:status AS BIGINT), CAST(:status_type AS INTEGER), k.priority_id, k.type_id, "
    "k.assigned_team_id, k.assigned_agent_id, k.brand_id, k.mailbox_id, "
    "CASE WHEN k.assigned_team_id IS NOT NULL OR k.assigned_agent_id IS NOT NULL "
    "THEN CAST(:actor AS BIGINT) END, "
    "CASE WHEN k.assigned_team_id IS NOT NULL OR k.assigned_agent_id IS NOT NULL "
    "THEN CAST(:now AS BIGINT) END, k.id, 0, CAST(:by_customer_at AS BIGINT), 0, "
    "CAST(:created AS BIGINT), CAST(:now AS BIGINT) FROM cases k WHERE k.id = :from RETURNING id");

static int split_open(struct work *w, const struct split *s, struct case_now *made) {
    const struct split_post *first = split_first(s);
    struct split_counts n = split_counted(s, true);
    enum status_type type = n.by_staff ? STATUS_OPEN : STATUS_NEW;
    int64_t status, id, by_customer_at = 0;
    for (int i = 0; i < s->post_count; i++)
        if (!s->posts[i].is_note && !s->posts[i].by_staff) by_customer_at = s->posts[i].created_at;
    TRY(status_id_of_type(w, type, &status));
    TRY(db_insert(w->conn, &split_insert,
                  BINDS(B_TEXT("uuid", random_uuid(w->arena)), B_TEXT("subject", s->subject),
                        B_TEXT("subject_key", fold_key(w->arena, s->subject)),
                        B_INT("channel", first->is_note ? CHANNEL_NOTE : first->channel),
                        B_INT("requester", s->requester_id), B_INT("actor", w->actor.user_id),
                        B_INT("status", status), B_INT("status_type", type), B_INT("now", w->now),
                        B_ID("by_customer_at", by_customer_at), B_INT("created", first->created_at),
                        B_INT("from", s->from.id)),
                  &id));
    TRY_FOUND(w, case_load(w, id, made));
    struct changed object = case_changed(made);
    change_created(w, object);
    if (made->assigned_agent_id || made->assigned_team_id) change_tells(w, object);
    change_beside_creation(w, object, "split_from", changed_nothing(), changed_id(s->from.id));
    case_now_counted(w, made, 1);
    return 0;
}

/* ---- what moves ------------------------------------------------------------------------------ */

#define LAST_READ_OF_MOVED \
    "(SELECT MAX(p.id) FROM posts p WHERE p.id IN @LIST(:rows) AND p.id <= m.last_read_post_id)"
#define READ_OF_MOVED(marker) \
    "(SELECT COUNT(*) FROM posts p WHERE p.id IN @LIST(:rows) AND p.id <= " marker ".last_read_post_id)"
#define LAST_READ_OF_KEPT(marker)                                                               \
    "(SELECT MAX(p.id) FROM posts p WHERE p.case_id = :from AND p.kind = 1 AND p.id <= " marker \
    ".last_read_post_id AND p.id NOT IN @LIST(:rows))"
#define MARKERS_COPY(table, user)                                                                     \
    "INSERT INTO " table " (case_id, " user "last_read_post_id, last_read_seq, last_read_at) SELECT " \
    "CAST(:to AS BIGINT), " user LAST_READ_OF_MOVED                                                   \
    ", " READ_OF_MOVED("m") ", m.last_read_at FROM " table                                            \
                            " m WHERE m.case_id = :from AND m.last_read_post_id >= :first"
#define MARKERS_BACK(table)                                                                                  \
    "UPDATE " table                                                                                          \
    " SET last_read_seq = last_read_seq - " READ_OF_MOVED(table) ", last_read_post_id = " LAST_READ_OF_KEPT( \
        table) " WHERE case_id = :from AND last_read_post_id >= :first"
#define MARKERS_DROP(table) "DELETE FROM " table " WHERE case_id = :from AND last_read_seq <= 0"
QUERY(split_markers, MARKERS_COPY("read_markers", "user_id, "));
QUERY(split_markers_back, MARKERS_BACK("read_markers"));
QUERY(split_markers_drop, MARKERS_DROP("read_markers"));
/* Only the requester has the fingerprint, and the new conversation has it only with the same requester. */
QUERY(split_fingerprint,
      MARKERS_COPY("fingerprint_markers",
                   "") " AND EXISTS (SELECT 1 FROM cases k WHERE k.id = :to AND k.fingerprint IS NOT NULL)");
QUERY(split_fingerprint_back, MARKERS_BACK("fingerprint_markers"));
QUERY(split_fingerprint_drop, MARKERS_DROP("fingerprint_markers"));
/* The authors of the messages, and the people who got one by mail. */
QUERY(
    split_participants,
    "INSERT INTO case_participants (case_id, user_id) SELECT CAST(:to AS BIGINT), x.user_id FROM ("
    "SELECT p.creator_id AS user_id FROM posts p WHERE p.id IN @LIST(:rows) UNION "
    "SELECT m.user_id FROM outgoing_mails m WHERE m.post_id IN @LIST(:rows) AND m.user_id IS NOT NULL UNION "
    "SELECT CAST(:requester AS BIGINT)) x WHERE x.user_id > 0 ON CONFLICT (case_id, user_id) DO NOTHING");
/* A reply is undone in its conversation, so what the former remembers of it is forgotten. */
QUERY(split_undo_forget,
      "UPDATE cases SET undo_post_id = NULL, undo_status_id = NULL, undo_read_post_id = NULL, "
      "undo_read_seq = NULL, undo_read_at = NULL, undo_joined = NULL, undo_note_preview = NULL "
      "WHERE id = :from AND (undo_post_id IN @LIST(:rows) OR undo_read_post_id IN @LIST(:rows))");
/* written_case_id NULL: a reply counts from the start of the new conversation. */
QUERY(split_posts_move,
      "UPDATE posts SET case_id = :to, written_case_id = NULL, "
      "is_requester = CASE WHEN creator_id = :requester THEN 1 ELSE 0 END WHERE id IN @LIST(:rows)");
QUERY(split_mails, "UPDATE mails SET case_id = :to WHERE post_id IN @LIST(:rows)");
QUERY(split_letters, "UPDATE outgoing_mails SET case_id = :to WHERE post_id IN @LIST(:rows)");
QUERY(split_search_lock, SEARCH_LOCK);
QUERY(split_posts_search, SEARCH_MESSAGES_MOVE(":to"));
QUERY(split_notes_move, "UPDATE notes SET case_id = :to WHERE id IN @LIST(:rows)");
QUERY(split_notes_search, SEARCH_NOTES_MOVE(":to"));
QUERY(split_notifications,
      "UPDATE notifications SET case_id = :to WHERE case_id = :from AND post_id IN @LIST(:rows)");

/* The markers come before the messages that they count. */
static const struct query *const message_steps[] = {
    &split_markers,      &split_markers_back,     &split_markers_drop,
    &split_fingerprint,  &split_fingerprint_back, &split_fingerprint_drop,
    &split_participants, &split_undo_forget,      &split_posts_move,
    &split_mails,        &split_letters,          &split_search_lock,
    &split_posts_search, &split_notifications,    NULL};
/* Forwards are notes with mails, and so are their answers. */
static const struct query *const note_steps[] = {
    &split_notes_move,    &split_mails, &split_letters, &split_search_lock, &split_notes_search,
    &split_notifications, NULL};

static int split_move(struct work *w, const struct split *s, int64_t to, bool notes) {
    struct str rows = split_ids(w, s, notes);
    if (rows.n <= strlen("[]")) return 0;
    const struct bind *binds =
        BINDS(B_INT("from", s->from.id), B_INT("to", to), B_INT("requester", s->requester_id),
              B_INT("first", split_first(s)->id), B_TEXT("rows", rows));
    for (const struct query *const *q = notes ? note_steps : message_steps; *q; q++)
        TRY(db_exec(w->conn, *q, binds));
    return 0;
}

/* ---- the counters and the last posts of both ------------------------------------------------- */

/* While a merge moves posts, some are still in the conversations that were merged. */
#define POSTS_OF " IN (SELECT k.id FROM cases k WHERE k.id = :case OR k.merged_into_id = :case)"
QUERY(split_newest,
      "SELECT COALESCE(MAX(p.id), 0), COALESCE(MAX(CASE WHEN p.by_staff = 1 THEN p.id END), 0), "
      "COALESCE(MAX(CASE WHEN p.is_requester = 1 THEN p.id END), 0) FROM posts p "
      "WHERE p.kind = 1 AND p.case_id" POSTS_OF);
QUERY(split_text, "SELECT p.content_text FROM posts p WHERE p.id = :id");
QUERY(split_last_note, "SELECT n.body_text FROM notes n WHERE n.id = (SELECT MAX(x.id) FROM notes x "
                       "WHERE x.id > :after AND x.case_id" POSTS_OF ")");

#define OF_POST(column, post) "(SELECT p." column " FROM posts p WHERE p.id = CAST(" post " AS BIGINT))"
#define COUNTS                                                                                    \
    "message_seq = message_seq + :messages, notes_count = notes_count + :notes, "                 \
    "pinned_notes_count = pinned_notes_count + :pinned, attachments_count = attachments_count + " \
    ":files, agent_message_count = agent_message_count + :by_staff, requester_message_count = "   \
    "requester_message_count + :by_requester, "
#define LAST_MESSAGE                                                             \
    "last_message_id = CAST(:last AS BIGINT), last_message_preview = :preview, " \
    "last_message_status = " OF_POST("message_status", ":last") ", "
#define LAST_REPLIER "last_replier_id = " OF_POST("creator_id", ":last") ", "
#define LAST_REPLIED "last_replied_at = " OF_POST("created_at", ":last") ", "
#define LAST_CHANNEL "last_public_channel = " OF_POST("channel", ":last") ", "
#define LAST_OF_STAFF "last_agent_replier_id = " OF_POST("creator_id", ":last_of_staff") ", "
#define LAST_BY_STAFF "last_reply_by_agent_at = " OF_POST("created_at", ":last_of_staff") ", "
#define LAST_BY_REQUESTER "last_reply_by_requester_at = " OF_POST("created_at", ":last_of_requester") ", "
#define LAST_NOTE "last_note_preview = :note_preview, "
#define LAST_POSTS                                                                                    \
    LAST_MESSAGE LAST_REPLIER LAST_REPLIED LAST_CHANNEL LAST_OF_STAFF LAST_BY_STAFF LAST_BY_REQUESTER \
        LAST_NOTE

/* sign: 1 for the conversation that the posts come to, -1 for the one that they leave. */
static int split_count(struct work *w, const struct split *s, struct case_now *c, int sign) {
    struct split_counts n = split_counted(s, sign > 0);
    struct str text = {0}, note = {0};
    struct stmt *row;
    TRY_FOUND(w, db_row(w->conn, &split_newest, BINDS(B_INT("case", c->id)), &row));
    int64_t last = col_int(row, 0), of_staff = col_int(row, 1), of_requester = col_int(row, 2);
    stmt_end(row);
    if (last) TRY(db_text(w->conn, &split_text, BINDS(B_INT("id", last)), w->arena, &text));
    TRY(db_text(w->conn, &split_last_note, BINDS(B_INT("case", c->id), B_INT("after", last)), w->arena,
                &note));
    c->message_seq += sign * n.messages;
    c->last_message_id = last;
    clocks_touch(w, c->id, CLOCKS_HISTORY);
    return case_change(
        w, c,
        &(struct case_change){
            .sets = COUNTS LAST_POSTS,
            .binds = BINDS(B_INT("messages", sign * n.messages), B_INT("notes", sign * n.notes),
                           B_INT("pinned", sign * n.pinned), B_INT("files", sign * n.files),
                           B_INT("by_staff", sign * n.by_staff), B_INT("by_requester", sign * n.by_requester),
                           B_ID("last", last), B_ID("last_of_staff", of_staff),
                           B_ID("last_of_requester", of_requester),
                           B_TEXT("preview", text.p ? message_preview(w->arena, text) : text),
                           B_TEXT("note_preview", note.p ? message_preview(w->arena, note) : note))});
}

int case_split(struct work *w, struct split *s, int64_t *id) {
    struct case_now made;
    TRY(split_open(w, s, &made));
    TRY(split_move(w, s, made.id, false));
    TRY(split_move(w, s, made.id, true));
    TRY(split_count(w, s, &s->from, -1));
    TRY(split_count(w, s, &made, 1));
    change_property(w, case_changed(&s->from), "split_into", changed_nothing(), changed_id(made.id));
    *id = made.id;
    return 0;
}
