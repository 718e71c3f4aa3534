#include "core/cases/message.h"

#include "core/cases/attachment.h"
#include "core/cases/case.h"
#include "core/desk/setting.h"
#include "core/sla/clocks.h"

#define PREVIEW 160 /* characters of last_message_preview */

QUERY(message_of_client,
      "SELECT id FROM posts WHERE case_id = :case AND creator_id = :creator AND client_id = :client");
#define MESSAGE_INTO                                                                      \
    "INSERT INTO posts (id, case_id, kind, uuid, client_id, content_text, content_html, " \
    "creator_id, creator_name, is_requester, by_staff, channel, source, mailbox_id, "     \
    "metadata, message_status, message_status_updated_at, created_at, updated_at) VALUES ("
#define MESSAGE_VALUES                                                             \
    ":case, 1, :uuid, :client, :contents, :html, :creator, :name, :is_requester, " \
    ":reply, :channel, :source, CAST(:mailbox AS BIGINT), :metadata, :status, :now, :created, :now)"
QUERY(message_insert, MESSAGE_INTO "@NEXT_POST_ID@, " MESSAGE_VALUES " @RETURN_ID@");
QUERY(message_insert_as, MESSAGE_INTO ":id, " MESSAGE_VALUES);
QUERY(message_next_id, "SELECT @NEXT_POST_ID@");
QUERY(marker_move,
      "INSERT INTO read_markers (case_id, user_id, last_read_post_id, last_read_seq, last_read_at) "
      "VALUES (:case, :creator, :message, :seq, :now) "
      "ON CONFLICT (user_id, case_id) DO UPDATE "
      "SET last_read_post_id = excluded.last_read_post_id, "
      "last_read_seq = excluded.last_read_seq, last_read_at = excluded.last_read_at "
      "WHERE read_markers.last_read_seq < excluded.last_read_seq");
QUERY(fingerprint_marker_move,
      "INSERT INTO fingerprint_markers (case_id, last_read_post_id, last_read_seq, last_read_at) "
      "VALUES (:case, :message, :seq, :now) ON CONFLICT (case_id) DO UPDATE "
      "SET last_read_post_id = excluded.last_read_post_id, "
      "last_read_seq = excluded.last_read_seq, last_read_at = excluded.last_read_at "
      "WHERE fingerprint_markers.last_read_seq < excluded.last_read_seq");

/* Moves the read marker of the person, or without login of the fingerprint. */
static int move_marker(struct work *w, const struct bind *binds) {
    if (w->actor.rank > ROLE_PUBLIC) return db_later(w->conn, &marker_move, binds);
    return w->actor.fingerprint.p ? db_later(w->conn, &fingerprint_marker_move, binds) : 0;
}

struct str message_preview(struct arena *a, struct str contents) {
    char *text = arena_alloc(a, contents.n + 1);
    size_t n = 0, characters = 0;
    bool blank = true;
    for (size_t i = 0; i < contents.n; i++) {
        unsigned char c = (unsigned char)contents.p[i];
        bool space = c <= ' ';
        if (space && blank) continue;
        if ((c & 0xC0) != 0x80 && ++characters > PREVIEW) break;
        text[n++] = space ? ' ' : (char)c;
        blank = space;
    }
    while (n && text[n - 1] == ' ') n--;
    return (struct str){text, n};
}

int case_reopen(struct work *w, struct case_now *c) {
    int64_t open;
    if (c->status_type != STATUS_PENDING && c->status_type != STATUS_COMPLETED) return 0;
    TRY(status_id_of_type(w, STATUS_OPEN, &open));
    return case_change(w, c, &(struct case_change){.set = CASE_STATUS, .status_id = open});
}

/* The status after a reply, unless the reply sets one: a requester's reply reopens, a staff reply opens NEW. */
static int status_follows(struct work *w, const struct case_now *c, const struct message_facts *f,
                          struct case_change *change) {
    bool reopens = c->status_type == STATUS_PENDING || c->status_type == STATUS_COMPLETED;
    if (f->opens || (f->by_requester ? !reopens : !f->by_staff || c->status_type != STATUS_NEW)) return 0;
    change->set |= CASE_STATUS;
    return status_id_of_type(w, STATUS_OPEN, &change->status_id);
}

/* The state before a reply of staff, for core/cases/message_undo.c. */
#define MARKER_OF_AUTHOR " FROM read_markers m WHERE m.case_id = :case AND m.user_id = :creator), "
#define REPLY_REMEMBERED                                                                         \
    "undo_post_id = :message, undo_status_id = CAST(:status_before AS BIGINT), "                 \
    "undo_note_preview = last_note_preview, "                                                    \
    "undo_read_post_id = (SELECT m.last_read_post_id" MARKER_OF_AUTHOR                           \
    "undo_read_seq = (SELECT m.last_read_seq" MARKER_OF_AUTHOR                                   \
    "undo_read_at = (SELECT m.last_read_at" MARKER_OF_AUTHOR                                     \
    "undo_joined = CASE WHEN EXISTS (SELECT 1 FROM case_participants p WHERE p.case_id = :case " \
    "AND p.user_id = :creator) THEN 0 ELSE 1 END, "

static const char *reply_sets(struct work *w, const struct message_facts *f) {
    bool remembered = f->is_reply && setting_int(w->desk, "mail.undo_seconds");
    return STR_CAT(w->arena,
                   S("message_seq = :seq, last_message_id = :message, last_message_status = :message_status, "
                     "last_message_preview = :preview, last_note_preview = NULL, last_replier_id = :creator, "
                     "last_replied_at = :now, last_public_channel = :channel, "),
                   f->is_reply ? S("agent_message_count = agent_message_count + 1, ") : S(""),
                   f->by_requester ? S("requester_message_count = requester_message_count + 1, "
                                       "last_reply_by_requester_at = :now, ")
                                   : S(""),
                   f->staff ? S("last_agent_replier_id = :creator, last_reply_by_agent_at = :now, ") : S(""),
                   remembered ? S(REPLY_REMEMBERED) : S(""))
        .p;
}

/* Sets the last message of the conversation, and the status that follows. */
static int reply_follows(struct work *w, struct case_now *c, const struct message_new *m,
                         const struct message_facts *f, int64_t id) {
    const struct case_reply reply = {.creator_id = m->creator_id, .by_staff = f->staff};
    struct case_change change = {.sets = reply_sets(w, f), .reply = &reply};
    TRY(status_follows(w, c, f, &change));
    change.binds =
        BINDS(B_INT("case", c->id), B_INT("seq", c->message_seq), B_INT("message", id),
              B_INT("message_status", f->status), B_TEXT("preview", message_preview(w->arena, m->contents)),
              B_INT("creator", m->creator_id), B_INT("channel", f->channel),
              B_ID("status_before", change.set & CASE_STATUS ? c->status_id : 0));
    return case_change(w, c, &change);
}

static struct changed message_changed(int64_t case_id, int64_t id) {
    return (struct changed){"case_message", id, case_id};
}

struct message_facts message_facts(const struct work *w, const struct case_now *c,
                                   const struct message_new *m) {
    struct message_facts f = {.by_requester = m->creator_id == c->requester_id,
                              .by_staff = w->actor.rank >= ROLE_COLLABORATOR,
                              .channel = m->channel ? m->channel : case_message_channel(c)};
    f.staff = f.by_staff && !f.by_requester;
    /* a note opens a conversation without a message */
    f.opens = c->message_seq == 0 && c->channel != CHANNEL_NOTE;
    f.is_reply = f.staff && !f.opens;
    f.status = f.staff ? MESSAGE_SENT : MESSAGE_DELIVERED;
    return f;
}

/* The row of a new conversation was inserted with its first message (core/cases/case_new.c). */
static bool row_has_message(const struct case_now *c) { return c->message_seq == 0 && c->last_message_id; }

static int message_insert_into(struct work *w, const struct case_now *c, const struct message_new *m,
                               const struct message_facts *f, int64_t *id) {
    /* On an engine whose statements wait, the reads before bring the id, so that the INSERT waits for
     * nothing. */
    bool drawn = !row_has_message(c) && db_blocks(w->desk->db);
    *id = row_has_message(c) ? c->last_message_id : 0;
    if (drawn) TRY(db_int(w->conn, &message_next_id, NULL, id));
    /* No message is older than its conversation, although clocks of processes may differ. */
    int64_t created = c->created_at > w->now ? c->created_at : w->now;
    const struct bind *binds = BINDS(
        B_INT("id", *id), B_INT("case", c->id), B_TEXT("uuid", random_uuid(w->arena)),
        B_TEXT("client", m->client_id), B_TEXT("contents", m->contents), B_TEXT("html", m->html),
        B_INT("creator", m->creator_id), B_TEXT("name", m->creator_name),
        B_INT("is_requester", f->by_requester), B_INT("reply", f->is_reply), B_INT("channel", f->channel),
        B_ID("source", m->source), B_ID("mailbox", m->mailbox_id), B_TEXT("metadata", m->metadata),
        B_INT("status", f->status), B_INT("created", created), B_INT("now", w->now));
    if (*id == 0) return db_insert(w->conn, &message_insert, binds, id);
    return db_later(w->conn, &message_insert_as, binds);
}

int message_post(struct work *w, struct case_now *c, const struct message_new *m, int64_t *id) {
    if (m->client_id.p) {
        int rc = db_int(
            w->conn, &message_of_client,
            BINDS(B_INT("case", c->id), B_INT("creator", m->creator_id), B_TEXT("client", m->client_id)), id);
        if (rc) return rc < 0 ? rc : 0;
    }
    TRY(case_not_closed(w, c));
    struct message_facts f = message_facts(w, c, m);
    bool written = row_has_message(c);
    TRY(message_insert_into(w, c, m, &f, id));
    if (m->original.p) TRY(original_keep(w, *id, m->original));
    TRY(attachments_add(w, (struct attached_post){*id, c->id, m->html}, m->files, m->file_count));
    c->message_seq++;
    c->last_message_id = *id;
    change_created(w, message_changed(c->id, *id));
    if (c->assigned_agent_id && !f.is_reply && !f.opens) change_tells(w, message_changed(c->id, *id));
    if (c->sla_version_id && (f.is_reply || f.by_requester))
        clocks_touch(w, c->id, f.is_reply ? CLOCKS_REPLY : CLOCKS_REQUEST);
    if (!written) TRY(reply_follows(w, c, m, &f, *id));
    if (m->creator_id != c->participant_id) TRY(participant_add(w, c->id, m->creator_id));
    const struct bind *binds =
        BINDS(B_INT("case", c->id), B_INT("seq", c->message_seq), B_INT("message", *id),
              B_INT("creator", m->creator_id), B_INT("now", w->now));
    /* Without login, the requester has read only the first message. */
    if (w->actor.rank == ROLE_PUBLIC && c->message_seq == 1) TRY(db_later(w->conn, &marker_move, binds));
    return move_marker(w, binds);
}

/* ---- status and reading ---------------------------------------------------------------------- */

/* Locks the message. The number of messages up to it is computed from those after it, which are few. */
QUERY(message_state,
      "SELECT (SELECT k.message_seq FROM cases k WHERE k.id = :case) - (SELECT COUNT(*) FROM posts l "
      "WHERE l.case_id = :case AND l.id > :id) "
      "FROM posts WHERE id = :id AND case_id = :case AND kind = 1 @LOCK@");
/* The status only advances. A rejected message stays rejected. Only the other side receives a message: a
 * colleague who reads it does not count. */
#define ADVANCING                                                                              \
    "WHERE case_id = :case AND kind = 1 AND message_status < :status AND message_status <> 3 " \
    "AND is_requester <> :reader_is_requester AND (id = :id OR (id < :id AND :status = 4))"
QUERY(messages_advancing, "SELECT id, message_status FROM posts " ADVANCING " ORDER BY id @LOCK@");
QUERY(
    messages_advance,
    "UPDATE posts SET message_status = :status, message_status_updated_at = :now, updated_at = :now " ADVANCING);
QUERY(case_message_status, "UPDATE cases SET last_message_status = (SELECT message_status FROM posts p "
                           "WHERE p.id = cases.last_message_id), updated_at = :now "
                           "WHERE id = :case");

static int record_advance(struct work *w, int64_t case_id, enum message_status status,
                          const struct bind *binds) {
    int rc;
    DB_ROWS(rc, w->conn, &messages_advancing, binds, row)
    change_property(w, message_changed(case_id, col_int(row, 0)), "message_status",
                    changed_word(message_statuses, col_int(row, 1)), changed_word(message_statuses, status));
    return rc;
}

int message_set_status(struct work *w, int64_t case_id, int64_t message_id, enum message_status status) {
    struct stmt *row;
    TRY_FOUND(w,
              db_row(w->conn, &message_state, BINDS(B_INT("id", message_id), B_INT("case", case_id)), &row));
    int64_t seq = col_int(row, 0);
    stmt_end(row);
    bool requester_side = w->actor.rank <= ROLE_CUSTOMER;
    const struct bind *binds =
        BINDS(B_INT("id", message_id), B_INT("case", case_id), B_INT("status", status), B_INT("now", w->now),
              B_INT("reader_is_requester", requester_side), B_INT("creator", w->actor.user_id),
              B_INT("message", message_id), B_INT("seq", seq));
    TRY(record_advance(w, case_id, status, binds));
    int changed = db_exec(w->conn, &messages_advance, binds);
    TRY(changed);
    if (changed) TRY(db_exec(w->conn, &case_message_status, binds));
    return status == MESSAGE_SEEN ? move_marker(w, binds) : 0;
}

QUERY(newest_message, "SELECT COALESCE(last_message_id, 0), message_seq FROM cases WHERE id = :id");

int messages_read(struct work *w, int64_t case_id) {
    struct stmt *row;
    TRY_FOUND(w, db_row(w->conn, &newest_message, BINDS(B_INT("id", case_id)), &row));
    int64_t message = col_int(row, 0), seq = col_int(row, 1);
    stmt_end(row);
    if (message == 0) return 0;
    return move_marker(w, BINDS(B_INT("case", case_id), B_INT("creator", w->actor.user_id),
                                B_INT("message", message), B_INT("seq", seq), B_INT("now", w->now)));
}

/* A marker before the first message is none. */
QUERY(marker_drop, "DELETE FROM read_markers WHERE user_id = :me AND case_id = :case");
QUERY(marker_back,
      "UPDATE read_markers SET last_read_post_id = (SELECT MAX(p.id) FROM posts p WHERE p.case_id = :case "
      "AND p.kind = 1 AND p.id < :message), last_read_seq = :seq - 1 "
      "WHERE user_id = :me AND case_id = :case AND last_read_seq >= :seq");

int messages_unread(struct work *w, int64_t case_id) {
    struct stmt *row;
    TRY(db_lock_row(w->conn, "cases", case_id));
    TRY_FOUND(w, db_row(w->conn, &newest_message, BINDS(B_INT("id", case_id)), &row));
    int64_t message = col_int(row, 0), seq = col_int(row, 1), me = w->actor.user_id;
    stmt_end(row);
    if (seq <= 1) return db_later(w->conn, &marker_drop, BINDS(B_INT("me", me), B_INT("case", case_id)));
    return db_later(
        w->conn, &marker_back,
        BINDS(B_INT("me", me), B_INT("case", case_id), B_INT("message", message), B_INT("seq", seq)));
}

QUERY(message_case, "SELECT case_id FROM posts WHERE id = :id");
QUERY(message_reject_sent,
      "UPDATE posts SET message_status = 3, reject_type = :type, reject_reason = :reason, "
      "message_status_updated_at = :now, updated_at = :now "
      "WHERE id = :id AND message_status = 1");

int message_reject(struct work *w, int64_t message_id, enum reject_type type, struct str reason) {
    int64_t case_id;
    int rc = db_int(w->conn, &message_case, BINDS(B_INT("id", message_id)), &case_id);
    if (rc <= 0) return rc;
    const struct bind *binds = BINDS(B_INT("id", message_id), B_INT("case", case_id), B_INT("type", type),
                                     B_TEXT("reason", reason), B_INT("now", w->now));
    TRY(db_lock_row(w->conn, "cases", case_id));
    int rejected = db_exec(w->conn, &message_reject_sent, binds);
    if (rejected <= 0) return rejected;
    change_property(w, message_changed(case_id, message_id), "message_status",
                    changed_word(message_statuses, MESSAGE_SENT),
                    changed_word(message_statuses, MESSAGE_REJECTED));
    return db_exec(w->conn, &case_message_status, binds);
}

QUERY(original_put, "INSERT INTO post_originals (post_id, html) "
                    "VALUES (:post, :html) ON CONFLICT (post_id) DO UPDATE "
                    "SET html = excluded.html");
QUERY(original_drop, "DELETE FROM post_originals WHERE post_id = :post");

int original_keep(struct work *w, int64_t post_id, struct str html) {
    if (html.p == NULL) return db_later(w->conn, &original_drop, BINDS(B_INT("post", post_id)));
    return db_later(w->conn, &original_put, BINDS(B_INT("post", post_id), B_TEXT("html", html)));
}
