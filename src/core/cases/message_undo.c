#include "core/cases/message_undo.h"

#include "core/cases/attachment.h"
#include "core/cases/message.h"
#include "core/cases/original.h"
#include "core/change/cascade_step.h"
#include "core/change/change.h"
#include "core/rules/clocks.h"
#include "core/search/text.h"
#include "core/text/letter.h"
#include "json/json.h"

QUERY(undo_status, "SELECT COALESCE(undo_status_id, 0) FROM cases WHERE id = :case AND undo_post_id = :post");
QUERY(undo_author, "SELECT creator_id FROM posts WHERE id = :post AND case_id = :case AND kind = 1 @LOCK@");
QUERY(undo_last,
      "SELECT p.id, p.content_text FROM posts p WHERE p.case_id = :case AND p.kind = 1 AND p.id <> :post ORDER BY p.id DESC LIMIT 1");
QUERY(undo_search, SEARCH_MESSAGES_DROP);
QUERY(undo_markers,
      "UPDATE read_markers SET last_read_seq = last_read_seq - 1, last_read_post_id = CASE WHEN last_read_post_id = :post THEN :last "
      "ELSE last_read_post_id END WHERE case_id = :case AND last_read_post_id >= :post");
QUERY(undo_fingerprint,
      "UPDATE fingerprint_markers SET last_read_seq = last_read_seq - 1, last_read_post_id = CASE WHEN last_read_post_id = :post "
      "THEN :last ELSE last_read_post_id END WHERE case_id = :case AND last_read_post_id >= :post");
QUERY(undo_post, "DELETE FROM posts WHERE id = :post");
#define LATEST_OF_STAFF \
    "FROM posts p WHERE p.case_id = cases.id AND p.kind = 1 AND p.id <> :post AND p.by_staff = 1 ORDER BY p.id DESC LIMIT 1)"
QUERY(undo_case, "UPDATE cases SET message_seq = message_seq - 1, agent_message_count = agent_message_count - (SELECT COALESCE(p.by_staff, "
                 "0) FROM posts p "
                 "WHERE p.id = :post), last_message_id = :last, last_message_preview = :preview, last_message_status = (SELECT "
                 "p.message_status FROM posts p "
                 "WHERE p.id = :last), last_replier_id = (SELECT p.creator_id FROM posts p WHERE p.id = :last), last_replied_at = (SELECT "
                 "p.created_at FROM "
                 "posts p WHERE p.id = :last), last_public_channel = (SELECT p.channel FROM posts p WHERE p.id = :last), "
                 "last_agent_replier_id = (SELECT "
                 "p.creator_id " LATEST_OF_STAFF ", last_reply_by_agent_at = (SELECT p.created_at " LATEST_OF_STAFF
                 ", undo_post_id = NULL, undo_status_id = NULL, updated_at = :now WHERE id = :case");

static int undo_delete(struct work *w, struct case_now *c, int64_t message_id) {
    struct arena *a = w->arena;
    struct stmt *row;
    const struct bind *those = BINDS(B_INT("case", c->id), B_INT("post", message_id), B_TEXT("rows", json_ids(a, &message_id, 1)));
    int rc = db_row(w->conn, &undo_last, those, &row);
    if (rc <= 0) return rc < 0 ? rc : fail_state(w, "It is the only message of the conversation. Move the conversation to the trash.");
    int64_t last = col_int(row, 0);
    struct str preview = message_preview(a, col_text(row, 1));
    stmt_end(row);
    change_deleted(w, (struct changed){"case_message", message_id, c->id});
    TRY(attachments_drop(w, (struct attached_post){.id = message_id, .case_id = c->id}));
    TRY(original_keep(w, message_id, (struct str){0}));
    TRY(db_exec(w->conn, &undo_search, those));
    const struct bind *binds =
        BINDS(B_INT("case", c->id), B_INT("post", message_id), B_INT("last", last), B_TEXT("preview", preview), B_INT("now", w->now));
    TRY(db_exec(w->conn, &undo_markers, binds));
    TRY(db_exec(w->conn, &undo_fingerprint, binds));
    TRY(db_exec(w->conn, &undo_case, binds));
    TRY(db_exec(w->conn, &undo_post, binds));
    c->message_seq--;
    c->last_message_id = last;
    if (c->sla_version_id) clocks_touch(w, c->id);
    return 0;
}

int message_undo(struct work *w, struct case_now *c, int64_t message_id) {
    int64_t author = 0, before = 0;
    const struct bind *those = BINDS(B_INT("case", c->id), B_INT("post", message_id));
    int rc = db_int(w->conn, &undo_author, those, &author);
    if (rc <= 0) return rc < 0 ? rc : fail(w, ERR_RESOURCE_NOT_FOUND);
    if (author != w->actor.user_id) return fail(w, ERR_PERMISSIONS_DENIED);
    TRY(case_not_hidden(w, c));
    TRY(case_not_closed(w, c));
    int undone = letters_undo(w, message_id);
    if (undone == 0) return fail_state(w, "The reply was sent already, or was not sent by mail. Write another reply.");
    TRY(undone);
    TRY(db_int(w->conn, &undo_status, those, &before));
    TRY(undo_delete(w, c, message_id));
    if (before == 0 || c->status_type != STATUS_OPEN) return 0;
    return case_change(w, c, &(struct case_change){.set = CASE_STATUS, .status_id = before, .undoes = true});
}
