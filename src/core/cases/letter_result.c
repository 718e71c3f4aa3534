#include "core/cases/letter_result.h"

#include "core/cases/message.h"
#include "core/change/activity.h"

QUERY(letter_update, "UPDATE outgoing_mails "
                     "SET status = :status, attempts = attempts + CASE WHEN :status = 6 THEN 0 ELSE 1 END, "
                     "last_error = :error, updated_at = :now, letter = CASE WHEN :status = 1 THEN letter END "
                     "WHERE id = :id AND (status = 1 OR status = 2 AND :status = 6)");
/* Claims are left out, because the trail does not show them. */
QUERY(letter_addressee,
      "SELECT m.user_id, m.template, m.recipient "
      "FROM outgoing_mails m "
      "WHERE m.id = :id AND m.user_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM identity_emails e "
      "WHERE e.user_id = m.user_id AND e.email = m.recipient AND e.is_claim <> 0)");
/* Adds an activity to the person's trail: the template, the recipient, the status and the reason. */
static int tell_person(struct work *w, int64_t id, enum mail_status status, struct str error) {
    struct stmt *row;
    int rc = db_row(w->conn, &letter_addressee, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    int64_t user = col_int(row, 0);
    const struct activity_change changes[] = {
        {.field = S("mail"), .current = str_dup(w->arena, col_text(row, 1))},
        {.field = S("recipient"), .current = str_dup(w->arena, col_text(row, 2))},
        {.field = S("status"), .current = str_of(word_of(mail_statuses, status))},
        {.field = S("reason"), .current = error}};
    stmt_end(row);
    return activity_add(w, user, USER_MAIL_FAILED, changes, sizeof changes / sizeof *changes);
}

QUERY(letter_message,
      "SELECT post_id FROM outgoing_mails WHERE id = :id AND recipient_type = 1 AND post_id IS NOT NULL");

/* Rejects the message whose mail to the requester did not arrive. */
static int reject_its_message(struct work *w, int64_t id, enum reject_type type, struct str error) {
    int64_t message;
    int rc = db_int(w->conn, &letter_message, BINDS(B_INT("id", id)), &message);
    return rc <= 0 ? rc : message_reject(w, message, type, error);
}

QUERY(letter_forward_note, "SELECT n.id, n.case_id, m.recipient FROM outgoing_mails m "
                           "JOIN notes n ON n.id = m.post_id AND n.case_id IS NOT NULL "
                           "WHERE m.id = :id AND m.template = 'forward'");

/* A forward is a note, so it has no state of its own: each of its letters has one. */
static int reject_its_forward(struct work *w, int64_t id) {
    struct stmt *row;
    int rc = db_row(w->conn, &letter_forward_note, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    const struct changed note = {"note", col_int(row, 0), col_int(row, 1)};
    struct str recipient = str_dup(w->arena, col_text(row, 2));
    stmt_end(row);
    change_property(w, note, "not_delivered_to", changed_nothing(), changed_text(recipient));
    return 0;
}

/* type: 0 for a status that is not a failure. */
static int letter_store_result(struct work *w, int64_t id, enum mail_status status, enum reject_type type,
                               struct str error) {
    int set = db_exec(
        w->conn, &letter_update,
        BINDS(B_INT("id", id), B_INT("status", status), B_TEXT("error", error), B_INT("now", w->now)));
    TRY(set);
    if (set && (status == MAIL_REFUSED || status == MAIL_BOUNCED)) TRY(tell_person(w, id, status, error));
    if (set && type) TRY(reject_its_message(w, id, type, error));
    if (set && type) TRY(reject_its_forward(w, id));
    return set;
}

int letter_set(struct work *w, int64_t id, enum mail_status status, struct str error) {
    enum reject_type type = status == MAIL_FAILED    ? REJECT_EXPIRED
                            : status == MAIL_REFUSED ? REJECT_BLOCKED
                                                     : 0;
    return letter_store_result(w, id, status, type, error);
}

int letter_bounced(struct work *w, int64_t id, enum reject_type type, struct str reason) {
    return letter_store_result(w, id, MAIL_BOUNCED, type, reason);
}
