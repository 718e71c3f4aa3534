#include "core/programs/event_token.h"

#include "core/desk/file.h"
#include "core/login/token_text.h"
#include "json/json.h"

QUERY(event_token_insert, "INSERT INTO event_tokens (label, description, channel, token_hash, token_sealed, "
                          "is_enabled, created_at, updated_at) "
                          "VALUES (:label, :description, :channel, :hash, :sealed, :enabled, :now, :now) "
                          "RETURNING id");
QUERY(event_token_by_hash, "SELECT id, label FROM event_tokens WHERE token_hash = :hash AND is_enabled = 1");
QUERY(event_token_touch,
      "UPDATE event_tokens SET lastused_at = :now "
      "WHERE id IN (SELECT e.id FROM event_tokens e WHERE e.id = :id AND (e.lastused_at IS NULL "
      "OR e.lastused_at <= :before) @SKIP@)");
QUERY(event_token_icons,
      "SELECT icon_file_id FROM event_tokens WHERE id IN @LIST(:tokens) AND icon_file_id IS NOT NULL "
      "ORDER BY icon_file_id");
QUERY(event_token_icon_set,
      "UPDATE event_tokens SET icon_file_id = CAST(:file AS BIGINT), updated_at = :now WHERE id = :id");

static struct key sealing_key(const struct work *w) {
    struct key k;
    key_derive(&k, &w->desk->program_key, "event tokens, sealed");
    return k;
}

int event_token_create(struct work *w, const struct event_token_new *n, int64_t *id) {
    struct key k = sealing_key(w);
    struct str text = token_text_make(w->arena, TOKEN_EVENT);
    return db_insert(w->conn, &event_token_insert,
                     BINDS(B_TEXT("label", n->label), B_TEXT("description", n->description),
                           B_TEXT("channel", n->channel), B_TEXT("hash", token_text_hash(w, text)),
                           B_TEXT("sealed", seal_text(w->arena, &k, text)), B_INT("enabled", n->is_enabled),
                           B_INT("now", w->now)),
                     id);
}

struct str event_token_open(struct work *w, struct str sealed) {
    struct key k = sealing_key(w);
    return seal_text_open(w->arena, &k, sealed);
}

int event_token_find(struct work *w, struct str text, struct event_token *out) {
    struct stmt *row;
    if (!token_text_is(TOKEN_EVENT, text)) return 0;
    int rc = db_row(w->conn, &event_token_by_hash, BINDS(B_TEXT("hash", token_text_hash(w, text))), &row);
    if (rc <= 0) return rc;
    *out = (struct event_token){col_int(row, 0), str_dup(w->arena, col_text(row, 1))};
    stmt_end(row);
    return 1;
}

int event_token_used(struct work *w, int64_t id) {
    return db_exec(w->conn, &event_token_touch,
                   BINDS(B_INT("id", id), B_INT("now", w->now), B_INT("before", w->now - TOKEN_USE_STEP)));
}

int event_tokens_icons(struct work *w, struct str tokens, struct str *files) {
    return files_listed(w, &event_token_icons, BINDS(B_TEXT("tokens", tokens)), files);
}

int event_token_set_icon(struct work *w, int64_t id, int64_t file_id) {
    struct str before;
    TRY(event_tokens_icons(w, json_ids(w->arena, &id, 1), &before));
    TRY(db_exec(w->conn, &event_token_icon_set,
                BINDS(B_INT("id", id), B_ID("file", file_id), B_INT("now", w->now))));
    if (file_id) TRY(files_attached(w, json_ids(w->arena, &file_id, 1)));
    return files_released(w, before);
}
