#include "core/cases/message_undo.h"

#include "core/cases/attachment.h"
#include "core/cases/message.h"
#include "core/desk/cascade_step.h"
#include "core/change/change.h"
#include "core/sla/clocks.h"
#include "core/letters/letter.h"
#include "json/json.h"

/* The last reply left the state before it in the conversation (core/cases/message.c). The read markers
 * before an earlier reply follow from the messages. */
QUERY(undo_status, "SELECT COALESCE(undo_status_id, 0) FROM cases WHERE id = :case AND undo_post_id = :post");
QUERY(undo_author, "SELECT creator_id FROM posts WHERE id = :post AND case_id = :case AND kind = 1 @LOCK@");
QUERY(undo_last, "SELECT p.id, p.content_text FROM posts p "
                 "WHERE p.case_id = :case AND p.kind = 1 AND p.id <> :post "
                 "ORDER BY p.id DESC LIMIT 1");
QUERY(undo_before, "SELECT p.id FROM posts p WHERE p.case_id = :case AND p.kind = 1 AND p.id < :post "
                   "ORDER BY p.id DESC LIMIT 1");
QUERY(undo_recipients, "DELETE FROM mail_recipients WHERE post_id = :post");
QUERY(undo_mail, "UPDATE mails SET post_id = NULL, status = 5, reason = :reason WHERE post_id = :post");
#define REMEMBERED " FROM cases k WHERE k.id = :case AND k.undo_post_id = :post"
#define MARKER_OF_REPLY                                                           \
    " WHERE case_id = :case AND user_id = :author AND last_read_post_id = :post " \
    "AND EXISTS (SELECT 1" REMEMBERED
QUERY(undo_own_marker, "UPDATE read_markers SET last_read_post_id = (SELECT k.undo_read_post_id" REMEMBERED
                       "), last_read_seq = (SELECT k.undo_read_seq" REMEMBERED
                       "), last_read_at = (SELECT k.undo_read_at" REMEMBERED ")" MARKER_OF_REPLY
                       " AND k.undo_read_seq IS NOT NULL)");
QUERY(undo_new_marker, "DELETE FROM read_markers" MARKER_OF_REPLY " AND k.undo_read_seq IS NULL)");
QUERY(
    undo_participant,
    "DELETE FROM case_participants WHERE case_id = :case AND user_id = :author AND EXISTS (SELECT 1" REMEMBERED
    " AND k.undo_joined = 1) AND NOT EXISTS (SELECT 1 "
    "FROM posts p WHERE p.case_id = :case AND p.kind = 1 AND p.creator_id = :author "
    "AND p.id <> :post)");
QUERY(undo_remembered_marker,
      "UPDATE cases "
      "SET undo_read_seq = undo_read_seq - 1, undo_read_post_id = CASE WHEN undo_read_post_id = :post "
      "THEN CAST(:before AS BIGINT) ELSE undo_read_post_id END "
      "WHERE id = :case AND undo_post_id <> :post AND undo_read_post_id >= :post");
QUERY(undo_forget, "UPDATE cases SET last_note_preview = COALESCE(last_note_preview, undo_note_preview), "
                   "undo_post_id = NULL, undo_status_id = NULL, undo_read_post_id = NULL, "
                   "undo_read_seq = NULL, undo_read_at = NULL, undo_joined = NULL, undo_note_preview = NULL "
                   "WHERE id = :case AND undo_post_id = :post");
QUERY(undo_markers,
      "UPDATE read_markers "
      "SET last_read_seq = last_read_seq - 1, last_read_post_id = CASE WHEN last_read_post_id = :post "
      "THEN CAST(:before AS BIGINT) ELSE last_read_post_id END "
      "WHERE case_id = :case AND last_read_post_id >= :post");
QUERY(undo_fingerprint,
      "UPDATE fingerprint_markers "
      "SET last_read_seq = last_read_seq - 1, last_read_post_id = CASE WHEN last_read_post_id = :post "
      "THEN CAST(:before AS BIGINT) ELSE last_read_post_id END "
      "WHERE case_id = :case AND last_read_post_id >= :post");
QUERY(undo_post, "DELETE FROM posts WHERE id = :post");
#define LATEST_OF_STAFF                                                                            \
    "FROM posts p WHERE p.case_id = cases.id AND p.kind = 1 AND p.id <> :post AND p.by_staff = 1 " \
    "ORDER BY p.id DESC LIMIT 1)"
QUERY(undo_case, "UPDATE cases SET message_seq = message_seq - 1, "
                 "agent_message_count = agent_message_count - (SELECT COALESCE(p.by_staff, 0) FROM posts p "
                 "WHERE p.id = :post), requester_message_count = requester_message_count - (SELECT "
                 "COALESCE(p.is_requester, 0) FROM posts p WHERE p.id = :post), "
                 "last_message_id = :last, last_message_preview = :preview, "
                 "last_message_status = (SELECT p.message_status FROM posts p WHERE p.id = :last), "
                 "last_replier_id = (SELECT p.creator_id FROM posts p WHERE p.id = :last), "
                 "last_replied_at = (SELECT p.created_at FROM posts p WHERE p.id = :last), "
                 "last_public_channel = (SELECT p.channel FROM posts p WHERE p.id = :last), "
                 "last_agent_replier_id = (SELECT p.creator_id " LATEST_OF_STAFF
                 ", last_reply_by_agent_at = (SELECT p.created_at " LATEST_OF_STAFF
                 ", updated_at = :now WHERE id = :case");

static int undo_delete(struct work *w, struct case_now *c, int64_t message_id) {
    struct arena *a = w->arena;
    struct stmt *row;
    const struct bind *those = BINDS(B_INT("case", c->id), B_INT("post", message_id));
    int rc = db_row(w->conn, &undo_last, those, &row);
    TRY(rc);
    if (rc == 0)
        return fail_state(w,
                          "It is the only message of the conversation. Move the conversation to the trash.");
    int64_t last = col_int(row, 0), before = 0;
    struct str preview = message_preview(a, col_text(row, 1));
    stmt_end(row);
    change_deleted(w, (struct changed){"case_message", message_id, c->id});
    TRY(attachments_drop(w, (struct attached_post){.id = message_id, .case_id = c->id}));
    TRY(original_keep(w, message_id, (struct str){0}));
    TRY(db_int(w->conn, &undo_before, those, &before));
    const struct bind *binds =
        BINDS(B_INT("case", c->id), B_INT("post", message_id), B_INT("last", last), B_ID("before", before),
              B_TEXT("preview", preview), B_INT("author", w->actor.user_id),
              B_TEXT("reason", S("The author has undone the reply.")), B_INT("now", w->now));
    static const struct query *const steps[] = {&undo_own_marker,  &undo_new_marker,  &undo_markers,
                                                &undo_fingerprint, &undo_participant, &undo_remembered_marker,
                                                &undo_case,        &undo_forget,      &undo_recipients,
                                                &undo_mail,        &undo_post};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) TRY(db_exec(w->conn, steps[i], binds));
    c->message_seq--;
    c->last_message_id = last;
    if (c->sla_version_id) clocks_touch(w, c->id, CLOCKS_HISTORY);
    return 0;
}

int message_undo(struct work *w, struct case_now *c, int64_t message_id) {
    int64_t author = 0, before = 0;
    const struct bind *those = BINDS(B_INT("case", c->id), B_INT("post", message_id));
    TRY_FOUND(w, db_int(w->conn, &undo_author, those, &author));
    if (author != w->actor.user_id) return fail(w, ERR_PERMISSIONS_DENIED);
    TRY(case_not_hidden(w, c));
    TRY(case_not_closed(w, c));
    bool mailed;
    int undone = letters_undo(w, message_id, &mailed);
    if (undone == 0)
        return fail_state(w, mailed ? "mail.undo_seconds have passed, so the e-mail of the reply has left or "
                                      "leaves now. Write another reply."
                                    : "The message was not sent by e-mail, so no e-mail can be kept back. "
                                      "Write another reply.");
    TRY(undone);
    TRY(db_int(w->conn, &undo_status, those, &before));
    TRY(undo_delete(w, c, message_id));
    if (before == 0 || c->status_type != STATUS_OPEN) return 0;
    return case_change(w, c, &(struct case_change){.set = CASE_STATUS, .status_id = before, .undoes = true});
}
