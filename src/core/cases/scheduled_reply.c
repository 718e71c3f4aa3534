#include "core/cases/scheduled_reply.h"

#include "base/limits.h"
#include "core/change/change.h"
#include "core/desk/file.h"

#include <inttypes.h>

QUERY(scheduled_row, "SELECT s.case_id, s.creator_id, s.send_at, s.is_note, s.is_html, s.refused_at, "
                     "s.content_text, s.parameters FROM scheduled_replies s WHERE s.id = :id @LOCK@");
QUERY(scheduled_of_client,
      "SELECT s.id FROM scheduled_replies s WHERE s.creator_id = :me AND s.case_id = :case "
      "AND s.client_id = :client");
QUERY(scheduled_count, "SELECT COUNT(*) FROM scheduled_replies s WHERE s.creator_id = :me");
QUERY(
    scheduled_insert,
    "INSERT INTO scheduled_replies (case_id, creator_id, send_at, created_at, updated_at, is_note, is_html, "
    "client_id, content_text, parameters) VALUES (:case, :me, :at, :now, :now, :note, :html, :client, :text, "
    ":parameters) RETURNING id");
QUERY(scheduled_update, "UPDATE scheduled_replies SET send_at = :at, refused_at = NULL, refusal = NULL, "
                        "updated_at = :now, parameters = :parameters WHERE id = :id");
QUERY(scheduled_delete, "DELETE FROM scheduled_replies WHERE id = :id");
QUERY(scheduled_refuse,
      "UPDATE scheduled_replies SET refused_at = :now, updated_at = :now, refusal = :refusal "
      "WHERE id = :id");
QUERY(scheduled_due,
      "SELECT s.id, s.case_id FROM scheduled_replies s WHERE s.refused_at IS NULL AND s.send_at <= :now "
      "ORDER BY s.send_at, s.id LIMIT :most");

const char scheduled_reply_refused[] = "scheduled_reply_refused";

/* from, to: 0: none waits */
static void scheduled_changed(struct work *w, int64_t case_id, int64_t from, int64_t to) {
    change_property(w, (struct changed){"case", case_id, case_id}, "scheduled_reply",
                    from ? changed_time(w->arena, from) : changed_nothing(),
                    to ? changed_time(w->arena, to) : changed_nothing());
}

/* The row of a reply that waits, or that was refused, gets another time or is deleted (to: 0). */
static void scheduled_left(struct work *w, const struct scheduled_reply *s, int64_t to) {
    scheduled_changed(w, s->case_id, s->is_refused ? 0 : s->send_at, to);
    if (s->is_refused)
        change_property(w, (struct changed){"case", s->case_id, s->case_id}, scheduled_reply_refused,
                        changed_text(S("refused")), changed_nothing());
}

int scheduled_reply_lock(struct work *w, int64_t id, struct scheduled_reply *out) {
    struct stmt *row;
    *out = (struct scheduled_reply){.id = id};
    int rc = db_row(w->conn, &scheduled_row, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    out->case_id = col_int(row, 0);
    out->creator_id = col_int(row, 1);
    out->send_at = col_int(row, 2);
    out->is_note = col_int(row, 3) != 0;
    out->is_html = col_int(row, 4) != 0;
    out->is_refused = !col_null(row, 5);
    out->content_text = str_dup(w->arena, col_text(row, 6));
    out->parameters = str_dup(w->arena, col_text(row, 7));
    stmt_end(row);
    return 1;
}

int scheduled_reply_of_client(struct work *w, int64_t case_id, struct str client_id, int64_t *id) {
    return db_int(w->conn, &scheduled_of_client,
                  BINDS(B_INT("me", w->actor.user_id), B_INT("case", case_id), B_TEXT("client", client_id)),
                  id);
}

int scheduled_reply_add(struct work *w, struct scheduled_reply *s, struct str files) {
    int64_t present = 0, me = w->actor.user_id;
    TRY(db_lock(w->conn, str_fmt(w->arena, "scheduled replies of %" PRId64, me)));
    TRY(db_int(w->conn, &scheduled_count, BINDS(B_INT("me", me)), &present));
    if (present >= LIMIT_SCHEDULED)
        return fail_state(w, "You have %d scheduled replies. Delete some of them first.", LIMIT_SCHEDULED);
    s->creator_id = me;
    TRY(db_insert(w->conn, &scheduled_insert,
                  BINDS(B_INT("case", s->case_id), B_INT("me", me), B_INT("at", s->send_at),
                        B_INT("now", w->now), B_INT("note", s->is_note), B_INT("html", s->is_html),
                        B_TEXT("client", s->client_id), B_TEXT("text", s->content_text),
                        B_TEXT("parameters", s->parameters)),
                  &s->id));
    TRY(files_outlive(w, files, s->send_at + SCHEDULED_REFUSED_KEPT));
    scheduled_changed(w, s->case_id, 0, s->send_at);
    return 0;
}

int scheduled_reply_move(struct work *w, struct scheduled_reply *s, int64_t send_at, struct str parameters) {
    scheduled_left(w, s, send_at);
    s->send_at = send_at;
    s->parameters = parameters;
    s->is_refused = false;
    return db_exec(w->conn, &scheduled_update,
                   BINDS(B_INT("id", s->id), B_INT("at", send_at), B_INT("now", w->now),
                         B_TEXT("parameters", parameters)));
}

int scheduled_reply_drop(struct work *w, const struct scheduled_reply *s) {
    scheduled_left(w, s, 0);
    return db_exec(w->conn, &scheduled_delete, BINDS(B_INT("id", s->id)));
}

int scheduled_reply_refuse(struct work *w, const struct scheduled_reply *s, struct str refusal,
                           struct str reason) {
    scheduled_changed(w, s->case_id, s->send_at, 0);
    change_property(w, (struct changed){"case", s->case_id, s->case_id}, scheduled_reply_refused,
                    changed_nothing(),
                    (struct changed_value){.given = true, .number = s->creator_id, .text = reason});
    return db_exec(w->conn, &scheduled_refuse,
                   BINDS(B_INT("id", s->id), B_INT("now", w->now), B_TEXT("refusal", refusal)));
}

int scheduled_replies_due(struct work *w, int most, struct scheduled_due **out) {
    struct scheduled_due *list = *out = arena_array(w->arena, (size_t)most, sizeof *list);
    int n = 0, rc;
    DB_ROWS(rc, w->conn, &scheduled_due, BINDS(B_INT("now", w->now), B_INT("most", most)), row)
    if (n < most) list[n++] = (struct scheduled_due){col_int(row, 0), col_int(row, 1)};
    return rc < 0 ? rc : n;
}
