#include "core/cases/forward.h"

#include "base/fold.h"
#include "base/ids.h"
#include "base/link.h"
#include "core/letters/letter.h"
#include "core/people/identity.h"
#include "json/json.h"

/* ---- sending --------------------------------------------------------------------------------- */

QUERY(forward_insert, "INSERT INTO forwards (note_id, subject, to_addresses, cc_addresses, post_ids) "
                      "VALUES (:note, :subject, :to, :cc, :posts)");

/* The letter names the owner of the address, if there is one. A forward creates nobody. */
static int forward_letters(struct work *w, const struct forward_new *f, int64_t note_id, bool copies) {
    const struct str *addresses = copies ? f->cc : f->to;
    enum recipient_type type = copies ? RECIPIENT_CC : RECIPIENT_TO;
    for (int i = 0; i < (copies ? f->cc_count : f->to_count); i++) {
        int64_t user = 0;
        TRY(identity_owner(w, IDENTITY_EMAIL, addresses[i], &user));
        TRY(letter_forward(w, note_id, type, (struct letter_to){f->note.owner_id, user, addresses[i]}));
    }
    return 0;
}

int forward_send(struct work *w, const struct forward_new *f, int64_t *note_id) {
    struct arena *a = w->arena;
    TRY(note_add(w, &f->note, note_id));
    TRY(db_exec(w->conn, &forward_insert,
                BINDS(B_INT("note", *note_id), B_TEXT("subject", f->subject),
                      B_TEXT("to", json_texts(a, f->to, (size_t)f->to_count)),
                      B_TEXT("cc", json_texts(a, f->cc, (size_t)f->cc_count)), B_TEXT("posts", f->posts))));
    TRY(forward_letters(w, f, *note_id, false));
    return forward_letters(w, f, *note_id, true);
}

QUERY(forward_author, "SELECT n.user_id FROM notes n JOIN forwards f ON f.note_id = n.id "
                      "WHERE n.id = :id AND n.case_id = :case");

int forward_undo(struct work *w, int64_t case_id, int64_t note_id) {
    int64_t author;
    bool mailed;
    TRY_FOUND(w,
              db_int(w->conn, &forward_author, BINDS(B_INT("id", note_id), B_INT("case", case_id)), &author));
    if (author != w->actor.user_id) return fail(w, ERR_PERMISSIONS_DENIED);
    int undone = letters_undo(w, note_id, &mailed);
    TRY(undone);
    if (undone == 0)
        return fail_state(w, "mail.undo_seconds have passed, so an e-mail of the forward has left or leaves "
                             "now. Forward a correction.");
    return note_remove(w, note_id);
}

/* ---- answers --------------------------------------------------------------------------------- */

QUERY(forward_of_note,
      "SELECT n.case_id FROM forwards f JOIN notes n ON n.id = f.note_id AND n.case_id IS NOT NULL "
      "WHERE f.note_id = :id");
QUERY(forward_addresses,
      "SELECT a.value FROM forwards f JOIN @EACH_TEXT(f.to_addresses) a ON 1 = 1 WHERE f.note_id = :id "
      "UNION ALL SELECT a.value FROM forwards f JOIN @EACH_TEXT(f.cc_addresses) a ON 1 = 1 "
      "WHERE f.note_id = :id");

int forward_case(struct work *w, int64_t note_id, int64_t *case_id) {
    return db_int(w->conn, &forward_of_note, BINDS(B_INT("id", note_id)), case_id);
}

int forward_has_address(struct work *w, int64_t note_id, struct str key) {
    int found = 0, rc;
    if (key.p == NULL) return 0;
    DB_ROWS(rc, w->conn, &forward_addresses, BINDS(B_INT("id", note_id)), row)
    if (str_eq(email_key(w->arena, col_text(row, 0)), key)) found = 1;
    return rc < 0 ? rc : found;
}

/* ---- contents of the mail -------------------------------------------------------------------- */

QUERY(forward_contents, "SELECT f.subject, COALESCE(u.full_name, ''), n.body_text, n.body_html, f.post_ids "
                        "FROM forwards f JOIN notes n ON n.id = f.note_id "
                        "JOIN cases k ON k.id = n.case_id AND k.state <> 5 "
                        "LEFT JOIN users u ON u.id = n.user_id WHERE f.note_id = :id");
/* Addresses of people in the conversation are not told. */
QUERY(forward_posts, "SELECT COALESCE(p.creator_name, u.full_name, ''), p.content_text, p.content_html, "
                     "p.created_at FROM posts p LEFT JOIN users u ON u.id = p.creator_id "
                     "WHERE p.kind = 1 AND p.id IN @LIST(:posts) ORDER BY p.id");
QUERY(forward_files, "SELECT f.id, f.name, f.content_type, f.sha256, f.size FROM post_attachments t "
                     "JOIN files f ON f.id = t.file_id WHERE t.post_id = :id ORDER BY t.sort_order, t.id");

static struct str text_or_none(struct arena *a, struct stmt *row, int column) {
    return col_null(row, column) ? (struct str){0} : str_dup(a, col_text(row, column));
}

static int forward_posts_load(struct work *w, struct str posts, struct forward_mail *out) {
    struct arena *a = w->arena;
    int room = 0, rc;
    DB_ROWS(rc, w->conn, &forward_posts, BINDS(B_TEXT("posts", posts)), row) {
        out->posts = arena_more(a, out->posts, out->post_count, &room, sizeof *out->posts);
        out->posts[out->post_count++] = (struct forwarded_post){.author = str_dup(a, col_text(row, 0)),
                                                                .text = str_dup(a, col_text(row, 1)),
                                                                .html = text_or_none(a, row, 2),
                                                                .at = col_int(row, 3)};
    }
    return rc;
}

static int forward_files_load(struct work *w, int64_t note_id, struct forward_mail *out) {
    struct arena *a = w->arena;
    int room = 0, rc;
    DB_ROWS(rc, w->conn, &forward_files, BINDS(B_INT("id", note_id)), row) {
        char id[INT_TEXT];
        out->files = arena_more(a, out->files, out->file_count, &room, sizeof *out->files);
        out->files[out->file_count++] =
            (struct mail_attachment){.name = str_dup(a, col_text(row, 1)),
                                     .type = str_dup(a, col_text(row, 2)),
                                     .sha256 = str_dup(a, col_text(row, 3)),
                                     .size = col_int(row, 4),
                                     .content_id = str_dup(a, str_int(id, col_int(row, 0)))};
    }
    return rc;
}

int forward_mail_load(struct work *w, int64_t note_id, struct forward_mail *out) {
    struct arena *a = w->arena;
    struct stmt *row;
    int rc = db_row(w->conn, &forward_contents, BINDS(B_INT("id", note_id)), &row);
    if (rc <= 0) return rc;
    *out = (struct forward_mail){.subject = str_dup(a, col_text(row, 0)),
                                 .author = str_dup(a, col_text(row, 1)),
                                 .text = str_dup(a, col_text(row, 2)),
                                 .html = text_or_none(a, row, 3)};
    struct str posts = str_dup(a, col_text(row, 4));
    stmt_end(row);
    if (out->html.p == NULL) out->html = text_to_html(a, out->text);
    TRY(forward_posts_load(w, posts, out));
    rc = forward_files_load(w, note_id, out);
    return rc < 0 ? rc : 1;
}
