#include "core/cases/mention.h"

#include "base/fold.h"
#include "json/json.h"

struct named_staff {
    int64_t id;
    struct str key;
    bool is_known, is_mentioned;
};

QUERY(note_mentioning, "SELECT body_text FROM notes WHERE id = :id");
QUERY(staff_mentioned,
      "SELECT u.id, u.name_key, (SELECT COUNT(*) FROM note_mentions m WHERE m.note_id = :note "
      "AND m.user_id = u.id) FROM users u "
      "WHERE u.role_type >= 2 AND u.deleted_at IS NULL AND u.is_enabled = 1 AND u.name_key <> '' "
      "AND @INSTR@(:text, '@' || u.name_key) > 0 "
      "ORDER BY u.id");
QUERY(mentions_insert, "INSERT INTO note_mentions (note_id, user_id) "
                       "SELECT CAST(:note AS BIGINT), u.id FROM users u "
                       "WHERE u.id IN @LIST(:people) ON CONFLICT DO NOTHING");

static bool name_goes_on(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* True if the folded text has the name at this place, and the name ends there. */
static bool name_stands(struct str text, struct str name) {
    return str_starts(text, name) && (text.n == name.n || !name_goes_on(text.p[name.n]));
}

/* "@Ann Bell" mentions Ann Bell, not Ann: the longest name counts. A name that two people have mentions
 * both. */
static void mentioned_at(struct str text, struct named_staff *people, int count) {
    size_t longest = 0;
    for (int i = 0; i < count; i++)
        if (people[i].key.n > longest && name_stands(text, people[i].key)) longest = people[i].key.n;
    for (int i = 0; i < count && longest; i++)
        if (people[i].key.n == longest && name_stands(text, people[i].key)) people[i].is_mentioned = true;
}

int mentions_of_note(struct work *w, int64_t note_id, int64_t **ids) {
    struct named_staff *people = NULL;
    struct str text = {0};
    int rc, n = 0, room = 0, found = 0;
    TRY(db_text(w->conn, &note_mentioning, BINDS(B_INT("id", note_id)), w->arena, &text));
    if (!may_mention(text)) return 0;
    text = fold_key(w->arena, text);
    DB_ROWS(rc, w->conn, &staff_mentioned, BINDS(B_TEXT("text", text), B_INT("note", note_id)), row) {
        people = arena_more(w->arena, people, n, &room, sizeof *people);
        people[n++] = (struct named_staff){col_int(row, 0), str_dup(w->arena, col_text(row, 1)),
                                           col_int(row, 2) > 0, false};
    }
    TRY(rc);
    for (size_t i = 0; n && i < text.n; i++)
        if (text.p[i] == '@' && (i == 0 || !name_goes_on(text.p[i - 1])))
            mentioned_at((struct str){text.p + i + 1, text.n - i - 1}, people, n);
    *ids = arena_array(w->arena, (size_t)n + 1, sizeof **ids);
    for (int i = 0; i < n; i++)
        if (people[i].is_mentioned && !people[i].is_known) (*ids)[found++] = people[i].id;
    return found;
}

int mentions_keep(struct work *w, int64_t note_id) {
    int64_t *ids;
    int n = mentions_of_note(w, note_id, &ids);
    if (n <= 0) return n;
    return db_later(w->conn, &mentions_insert,
                    BINDS(B_INT("note", note_id), B_TEXT("people", json_ids(w->arena, ids, (size_t)n))));
}
