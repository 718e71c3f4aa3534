/* Mails to staff about conversations. core/cases/staff_notice.c decides who is told of what.
 *
 * A person gets a mail only at an address, and at most one mail for one write. If the write changed several
 * conversations, the mail is about the first and has the number of the others.
 *
 * Without a relay, nothing is queued, because an old notification is worth nothing when a relay is
 * configured later. */
#include "core/cases/staff_mail.h"

#include "base/link.h"
#include "core/cases/staff_sees.h"
#include "core/letters/letter.h"

#include <inttypes.h>

/* ---- queueing -------------------------------------------------------------------------------- */

/* The address of the reader, and whether the mail may name the reader (core/letters/letter.c). */
QUERY(staff_mail_reader, "SELECT e.email, CASE WHEN e.is_validated = 1 OR (e.is_claim = 0 "
                         "AND u.password_hash IS NOT NULL) THEN 1 ELSE 0 END "
                         "FROM users u JOIN roles r ON r.id = u.role_id "
                         "JOIN identity_emails e ON e.user_id = u.id AND e.is_primary = 1 "
                         "JOIN cases c ON c.id = :case WHERE u.id = :user AND " STAFF_SEES);

int staff_mail_queue(struct work *w, const struct notification_preferences *p,
                     const struct staff_notice *notices, int count) {
    const struct staff_notice *m = NULL;
    enum notification_type event = 0;
    int others = 0;
    for (int i = 0; i < count; i++) {
        enum notification_type wanted = notice_event(p, notices[i].events, NOTIFY_EMAIL);
        if (wanted && m) others++;
        if (wanted && m == NULL) m = &notices[i], event = wanted;
    }
    if (m == NULL) return 0;
    struct stmt *row;
    int rc = db_row(w->conn, &staff_mail_reader, BINDS(B_INT("user", m->user_id), B_INT("case", m->case_id)),
                    &row);
    if (rc <= 0) return rc;
    struct str address = str_dup(w->arena, col_text(row, 0));
    int named = (int)col_int(row, 1);
    stmt_end(row);
    struct str values = str_fmt(
        w->arena, "{\"named\":%d,\"case\":%" PRId64 ",\"said\":%" PRId64 ",\"by\":%" PRId64 ",\"others\":%d}",
        named, m->case_id, event == NOTIFY_MENTION || event == NOTIFY_REPLY ? m->said : 0, w->actor.user_id,
        others);
    return letter_staff(w, word_of(notification_types, event),
                        (struct letter_to){m->case_id, m->user_id, address}, values);
}

/* ---- contents -------------------------------------------------------------------------------- */

QUERY(staff_mail_case,
      "SELECT c.subject, COALESCE((SELECT a.full_name FROM users a WHERE a.id = :author), "
      "''), COALESCE((SELECT p.content_text FROM posts p WHERE p.id = :said AND p.case_id = c.id), "
      "(SELECT n.body_text FROM notes n WHERE n.id = :said AND n.case_id = c.id), '') "
      "FROM users u JOIN roles r ON r.id = u.role_id "
      "JOIN cases c ON c.id = :case WHERE u.id = :user AND " STAFF_SEES);

int staff_mail_load(struct work *w, int64_t case_id, int64_t reader, int64_t said, int64_t author,
                    struct message_mail *out) {
    struct stmt *row;
    int rc = db_row(
        w->conn, &staff_mail_case,
        BINDS(B_INT("case", case_id), B_INT("user", reader), B_INT("said", said), B_INT("author", author)),
        &row);
    if (rc <= 0) return rc;
    *out = (struct message_mail){.subject = str_dup(w->arena, col_text(row, 0)),
                                 .author = str_dup(w->arena, col_text(row, 1)),
                                 .text = str_dup(w->arena, col_text(row, 2))};
    stmt_end(row);
    out->html = text_to_html(w->arena, out->text);
    return 1;
}
