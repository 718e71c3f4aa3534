#include "core/cases/note.h"

#include "base/link.h"
#include "core/change/change.h"
#include "core/words.h"

QUERY(note_insert,
      "INSERT INTO notes (owner_user_id, organization_id, user_id, body_text, body_html, is_pinned, pinned_by_id, created_at, updated_at) "
      "VALUES (CAST(:user AS BIGINT), CAST(:organization AS BIGINT), :author, :text, :html, 0, NULL, :now, :now) RETURNING id");
QUERY(note_text_set, "UPDATE notes SET body_text = :text, body_html = :html, updated_at = :now WHERE id = :id");
QUERY(
    note_pin_set,
    "UPDATE notes SET is_pinned = :pinned, pinned_by_id = CAST(:by AS BIGINT), updated_at = :now WHERE id = :id AND is_pinned <> :pinned");
QUERY(note_drop, "DELETE FROM notes WHERE id = :id");
QUERY(note_author, "SELECT user_id FROM notes WHERE id = :id");
/* The counter of pinned notes changes in the write that pins, so that it is exact. */
QUERY(user_pins, "UPDATE users SET pinned_notes_count = pinned_notes_count + :more, updated_at = :now WHERE id = (SELECT owner_user_id "
                 "FROM notes WHERE id = :id)");
QUERY(organization_pins, "UPDATE organizations SET pinned_notes_count = pinned_notes_count + :more, updated_at = :now "
                         "WHERE id = (SELECT organization_id FROM notes WHERE id = :id)");

static struct changed note_changed(int64_t id) { return (struct changed){"note", id, 0}; }

int note_add(struct work *w, enum note_owner kind, int64_t owner_id, struct str contents, bool pinned, int64_t *id) {
    TRY(db_insert(w->conn, &note_insert,
                  BINDS(B_ID("user", kind == NOTE_USER ? owner_id : 0), B_ID("organization", kind == NOTE_ORGANIZATION ? owner_id : 0),
                        B_INT("author", w->actor.user_id), B_TEXT("text", contents), B_TEXT("html", text_to_html(w->arena, contents)),
                        B_INT("now", w->now)),
                  id));
    change_created(w, note_changed(*id));
    return pinned ? note_pin(w, *id, true) : 0;
}

int note_rewrite(struct work *w, int64_t id, struct str contents) {
    change_named(w, note_changed(id), "contents");
    return db_exec(
        w->conn, &note_text_set,
        BINDS(B_INT("id", id), B_TEXT("text", contents), B_TEXT("html", text_to_html(w->arena, contents)), B_INT("now", w->now)));
}

static int count_pin(struct work *w, int64_t id, int more) {
    const struct bind *binds = BINDS(B_INT("id", id), B_INT("more", more), B_INT("now", w->now));
    TRY(db_exec(w->conn, &user_pins, binds));
    return db_exec(w->conn, &organization_pins, binds);
}

int note_pin(struct work *w, int64_t id, bool pinned) {
    int changed = db_exec(w->conn, &note_pin_set,
                          BINDS(B_INT("id", id), B_INT("pinned", pinned), B_ID("by", pinned ? w->actor.user_id : 0), B_INT("now", w->now)));
    if (changed > 0) change_property(w, note_changed(id), "is_pinned", changed_bool(!pinned), changed_bool(pinned));
    return changed > 0 ? count_pin(w, id, pinned ? 1 : -1) : changed;
}

int note_remove(struct work *w, int64_t id) {
    TRY(note_pin(w, id, false));
    change_deleted(w, note_changed(id));
    return db_exec(w->conn, &note_drop, BINDS(B_INT("id", id)));
}

int note_may_change(struct work *w, int64_t id) {
    int64_t author = 0;
    if (w->actor.rank >= ROLE_ADMIN) return 0;
    TRY(db_int(w->conn, &note_author, BINDS(B_INT("id", id)), &author));
    return author == w->actor.user_id ? 0 : fail(w, ERR_PERMISSIONS_DENIED);
}
