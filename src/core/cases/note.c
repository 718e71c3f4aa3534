#include "core/cases/note.h"

#include "core/cases/attachment.h"
#include "core/cases/mention.h"
#include "core/cases/message.h"
#include "core/change/change.h"
#include "core/letters/letter.h"
#include "core/words.h"

QUERY(
    note_insert,
    "INSERT INTO notes (id, case_id, owner_user_id, organization_id, user_id, body_text, "
    "body_html, is_pinned, pinned_by_id, color, client_id, created_at, updated_at) "
    "VALUES (@NEXT_POST_ID@, CAST(:case AS BIGINT), CAST(:user AS BIGINT), CAST(:organization AS BIGINT), :author, "
    ":text, :html, :pinned, CAST(:by AS BIGINT), :color, :client, :now, :now) "
    "@RETURN_ID@");
QUERY(note_text_set,
      "UPDATE notes SET body_text = :text, body_html = :html, updated_at = :now WHERE id = :id");
QUERY(note_pin_set,
      "UPDATE notes SET is_pinned = :pinned, pinned_by_id = CAST(:by AS BIGINT), updated_at = :now "
      "WHERE id = :id");
QUERY(note_drop, "DELETE FROM notes WHERE id = :id");
QUERY(note_author, "SELECT user_id FROM notes WHERE id = :id");
QUERY(note_state, "SELECT COALESCE(case_id, 0), is_pinned FROM notes WHERE id = :id");
/* The counter of pinned notes changes in the write that pins, so that it is exact. */
QUERY(user_pins, "UPDATE users SET pinned_notes_count = pinned_notes_count + :more, updated_at = :now "
                 "WHERE id = (SELECT owner_user_id FROM notes WHERE id = :id)");
QUERY(organization_pins,
      "UPDATE organizations SET pinned_notes_count = pinned_notes_count + :more, updated_at = :now "
      "WHERE id = (SELECT organization_id FROM notes WHERE id = :id)");
QUERY(case_pins, "UPDATE cases SET pinned_notes_count = pinned_notes_count + :more "
                 "WHERE id = (SELECT case_id FROM notes WHERE id = :id)");
/* Notes after the last message. */
QUERY(note_last, "SELECT body_text FROM notes WHERE case_id = :case AND id > :message "
                 "ORDER BY id DESC LIMIT 1");

/* Reads the conversation of the note (0: none) into the object of its changes, and whether the note is
 * pinned. */
static int note_load(struct work *w, int64_t id, struct changed *object, bool *pinned) {
    struct stmt *row;
    TRY_FOUND(w, db_row(w->conn, &note_state, BINDS(B_INT("id", id)), &row));
    *object = (struct changed){"note", id, col_int(row, 0)};
    *pinned = col_int(row, 1) != 0;
    stmt_end(row);
    return 0;
}

/* ---- the conversation ------------------------------------------------------------------------ */

/* Locks the note's conversation; c->id 0: the note has none. */
static int note_enter_case(struct work *w, int64_t case_id, struct case_now *c) {
    *c = (struct case_now){0};
    if (case_id == 0) return 0;
    TRY_FOUND(w, case_load(w, case_id, c));
    return case_not_hidden(w, c);
}

/* Sets the last activity of the conversation. Counts `more` notes, and sets the preview of its last post. */
static int note_leave_case(struct work *w, struct case_now *c, int more, struct str last) {
    if (c->id == 0) return 0;
    struct str preview = last.p ? message_preview(w->arena, last) : last;
    return case_change(
        w, c,
        &(struct case_change){.sets = "notes_count = notes_count + :more, last_note_preview = :preview, ",
                              .binds = BINDS(B_INT("more", more), B_TEXT("preview", preview))});
}

/* The same after a change of any note. */
static int note_left_case(struct work *w, struct case_now *c, int more) {
    struct str last = {0};
    if (c->id == 0) return 0;
    TRY(db_text(w->conn, &note_last, BINDS(B_INT("case", c->id), B_INT("message", c->last_message_id)),
                w->arena, &last));
    return note_leave_case(w, c, more, last);
}

/* ---- writing --------------------------------------------------------------------------------- */

static int count_pin(struct work *w, int64_t id, int more) {
    const struct bind *binds = BINDS(B_INT("id", id), B_INT("more", more), B_INT("now", w->now));
    TRY(db_later(w->conn, &user_pins, binds));
    TRY(db_later(w->conn, &case_pins, binds));
    return db_later(w->conn, &organization_pins, binds);
}

int note_add(struct work *w, const struct note_new *n, int64_t *id) {
    int64_t case_id = n->kind == NOTE_CASE ? n->owner_id : 0;
    struct case_now c;
    TRY(note_enter_case(w, case_id, &c));
    TRY(db_insert(w->conn, &note_insert,
                  BINDS(B_ID("case", case_id), B_ID("user", n->kind == NOTE_USER ? n->owner_id : 0),
                        B_ID("organization", n->kind == NOTE_ORGANIZATION ? n->owner_id : 0),
                        B_INT("author", w->actor.user_id), B_TEXT("text", n->text), B_TEXT("html", n->html),
                        B_INT("pinned", n->pinned), B_ID("by", n->pinned ? w->actor.user_id : 0),
                        B_INT("color", n->color ? n->color : NOTE_YELLOW), B_TEXT("client", n->client_id),
                        B_INT("now", w->now)),
                  id));
    if (n->original.p) TRY(original_keep(w, *id, n->original));
    TRY(attachments_add(w, (struct attached_post){*id, case_id, n->html}, n->files, n->file_count));
    change_created(w, (struct changed){"note", *id, case_id});
    if (n->answers || may_mention(n->text)) change_tells(w, (struct changed){"note", *id, case_id});
    TRY(note_leave_case(w, &c, 1, n->text)); /* its id is the highest of the conversation */
    return n->pinned ? count_pin(w, *id, 1) : 0;
}

QUERY(note_is_forward, "SELECT 1 FROM forwards WHERE note_id = :id");

int note_rewrite(struct work *w, int64_t id, struct str text, struct str html, struct str original) {
    struct changed object;
    struct case_now c;
    bool pinned;
    TRY(note_load(w, id, &object, &pinned));
    TRY(note_enter_case(w, object.case_id, &c));
    int64_t forward;
    int forwarded = object.case_id ? db_int(w->conn, &note_is_forward, BINDS(B_INT("id", id)), &forward) : 0;
    TRY(forwarded);
    if (forwarded) return fail_state(w, "The text of a forward was mailed. Write another note.");
    if (object.case_id) TRY(mentions_keep(w, id));
    change_named(w, object, "contents");
    if (may_mention(text)) change_tells(w, object);
    TRY(db_later(w->conn, &note_text_set,
                 BINDS(B_INT("id", id), B_TEXT("text", text), B_TEXT("html", html), B_INT("now", w->now))));
    TRY(original_keep(w, id, original));
    TRY(attachments_refer(w, (struct attached_post){.id = id, .html = html}));
    return note_left_case(w, &c, 0);
}

int note_pin(struct work *w, int64_t id, bool pinned) {
    struct changed object;
    struct case_now c;
    bool was;
    TRY(note_load(w, id, &object, &was));
    if (was == pinned) return 0;
    TRY(note_enter_case(w, object.case_id, &c));
    if (c.id) TRY(case_change(w, &c, &(struct case_change){0}));
    TRY(db_later(w->conn, &note_pin_set,
                 BINDS(B_INT("id", id), B_INT("pinned", pinned), B_ID("by", pinned ? w->actor.user_id : 0),
                       B_INT("now", w->now))));
    change_property(w, object, "is_pinned", changed_bool(was), changed_bool(pinned));
    return count_pin(w, id, pinned ? 1 : -1);
}

/* The mail of an answer stays in the list of mails. */
QUERY(note_mail_forget, "UPDATE mails SET post_id = NULL WHERE post_id = :id");

static int note_mails_leave(struct work *w, int64_t id) {
    bool mailed;
    TRY(letters_undo(w, id, &mailed));
    return db_later(w->conn, &note_mail_forget, BINDS(B_INT("id", id)));
}

int note_remove(struct work *w, int64_t id) {
    struct changed object;
    struct case_now c;
    bool pinned;
    TRY(note_load(w, id, &object, &pinned));
    TRY(note_enter_case(w, object.case_id, &c));
    if (pinned) TRY(count_pin(w, id, -1));
    change_deleted(w, object);
    TRY(attachments_drop(w, (struct attached_post){.id = id, .case_id = object.case_id}));
    TRY(original_keep(w, id, (struct str){0}));
    if (object.case_id) TRY(note_mails_leave(w, id));
    TRY(db_later(w->conn, &note_drop, BINDS(B_INT("id", id))));
    return note_left_case(w, &c, -1);
}

int note_may_change(struct work *w, int64_t id) {
    int64_t author = 0;
    if (w->actor.rank >= ROLE_ADMIN) return 0;
    TRY(db_int(w->conn, &note_author, BINDS(B_INT("id", id)), &author));
    return author == w->actor.user_id ? 0 : fail(w, ERR_PERMISSIONS_DENIED);
}
