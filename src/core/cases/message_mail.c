#include "core/cases/message_mail.h"

#include "base/fold.h"
#include "base/link.h"
#include "core/cases/case.h"
#include "core/people/user.h"
#include "core/letters/letter.h"

#include <inttypes.h>

/* ---- recipients ------------------------------------------------------------------------------ */

#define PRIMARY_ADDRESS                                                                  \
    " FROM identity_emails e JOIN users u ON u.id = e.user_id AND u.deleted_at IS NULL " \
    "WHERE e.user_id = :user AND e.is_primary = 1"
QUERY(requester_address, "SELECT e.email" PRIMARY_ADDRESS);
QUERY(requester_letter, "SELECT e.email, @NEXT_MAIL_ID@" PRIMARY_ADDRESS);

int message_mail_address(struct work *w, int64_t requester_id, struct str *address) {
    *address = (struct str){0};
    return db_text(w->conn, &requester_address, BINDS(B_INT("user", requester_id)), w->arena, address);
}

/* Finds the address of the requester, and draws the id of the letter to it. */
static int requester_find(struct work *w, const struct case_now *c, struct letter_to *to,
                          int64_t *letter_id) {
    struct stmt *row;
    int rc = db_row(w->conn, &requester_letter, BINDS(B_INT("user", c->requester_id)), &row);
    if (rc <= 0) return rc;
    *to = (struct letter_to){c->id, c->requester_id, str_dup(w->arena, col_text(row, 0))};
    *letter_id = col_int(row, 1);
    stmt_end(row);
    return 1;
}

/* Finds or creates the person with the address. A new person's name is the part before the @, because
 * customers see the names of participants and may not see addresses. */
static int owner_of_copy(struct work *w, struct str address, int64_t *user_id) {
    struct str rest = address;
    return customer_of_address(w, str_cut(&rest, '@'), address, user_id);
}

static bool address_met(struct work *w, const struct str *met, int count, struct str address) {
    struct str key = email_key(w->arena, address);
    for (int i = 0; i < count; i++)
        if (str_eq(key, email_key(w->arena, met[i]))) return true;
    return false;
}

int message_mail_send(struct work *w, const struct case_now *c, int64_t message_id, const struct str *cc,
                      int count) {
    struct str *met = arena_array(w->arena, (size_t)count + 1, sizeof *met);
    struct letter_to requester;
    int64_t letter_id;
    int n = 0, queued = 0, found = requester_find(w, c, &requester, &letter_id);
    TRY(found);
    if (found && c->requester_id != w->actor.user_id) {
        TRY(letter_reply(w, letter_id, message_id, RECIPIENT_TO, requester));
        met[n++] = requester.address;
        queued++;
    }
    for (int i = 0; i < count; i++) {
        int64_t user;
        if (address_met(w, met, n, cc[i])) continue;
        met[n++] = cc[i];
        TRY(owner_of_copy(w, cc[i], &user));
        TRY(participant_add(w, c->id, user));
        TRY(letter_reply(w, 0, message_id, RECIPIENT_CC, (struct letter_to){c->id, user, cc[i]}));
        queued++;
    }
    return queued;
}

/* ---- contents -------------------------------------------------------------------------------- */

QUERY(mailed_message,
      "SELECT k.subject, COALESCE(u.full_name, ''), p.content_text, p.content_html, p.case_id "
      "FROM posts p JOIN cases k ON k.id = p.case_id AND k.state <> 5 "
      "LEFT JOIN users u ON u.id = p.creator_id "
      "WHERE p.id = :id");
QUERY(mailed_files, "SELECT t.id, f.name, f.content_type, f.sha256, f.size, t.content_id "
                    "FROM post_attachments t JOIN files f ON f.id = t.file_id "
                    "WHERE t.post_id = :id ORDER BY t.sort_order, t.id");

static int mail_files(struct work *w, int64_t message_id, int64_t case_id, struct message_mail *out) {
    struct arena *a = w->arena;
    int room = 0, rc;
    DB_ROWS(rc, w->conn, &mailed_files, BINDS(B_INT("id", message_id)), row) {
        struct str name = str_dup(a, col_text(row, 1));
        out->files = arena_more(a, out->files, out->file_count, &room, sizeof *out->files);
        out->files[out->file_count++] = (struct mail_attachment){
            .name = name,
            .type = str_dup(a, col_text(row, 2)),
            .sha256 = str_dup(a, col_text(row, 3)),
            .size = col_int(row, 4),
            .content_id = col_null(row, 5) ? (struct str){0} : str_dup(a, col_text(row, 5)),
            .line = str_fmt(a,
                            "%.*s: %s/api/v1/conversations/%" PRId64 "/messages/%" PRId64
                            "/attachments/%" PRId64 "/download",
                            (int)name.n, name.p, w->desk->base_url.p, case_id, message_id, col_int(row, 0))};
    }
    return rc;
}

int message_mail_load(struct work *w, int64_t message_id, struct message_mail *out) {
    struct arena *a = w->arena;
    struct stmt *row;
    int rc = db_row(w->conn, &mailed_message, BINDS(B_INT("id", message_id)), &row);
    if (rc <= 0) return rc;
    *out = (struct message_mail){.subject = str_dup(a, col_text(row, 0)),
                                 .author = str_dup(a, col_text(row, 1)),
                                 .text = str_dup(a, col_text(row, 2)),
                                 .html = str_dup(a, col_text(row, 3))};
    int64_t case_id = col_int(row, 4);
    stmt_end(row);
    if (out->html.p == NULL) out->html = text_to_html(a, out->text);
    rc = mail_files(w, message_id, case_id, out);
    return rc < 0 ? rc : 1;
}
