#include "core/programs/client.h"

#include "core/login/session.h"
#include "core/access/scope.h"
#include "core/desk/cascade.h"
#include "core/change/change.h"
#include "core/login/last_use.h"
#include "core/login/token_text.h"

#include <glib.h>
#include <inttypes.h>

QUERY(client_by_key, "SELECT id, creator_id, key, name, url, author, author_url, description, callback_url, "
                     "scopes, is_public, is_password_grant_enabled, logo_created_at, secret_hash "
                     "FROM oauth_clients WHERE key = :key AND deleted_at IS NULL");

static void client_read(struct work *w, struct stmt *row, struct client *out, struct str *hash) {
    *out = (struct client){.id = col_int(row, 0), .creator_id = col_int(row, 1)};
    struct str *const texts[] = {&out->key,        &out->name,        &out->url,         &out->author,
                                 &out->author_url, &out->description, &out->callback_url};
    for (int i = 0; i < 7; i++) *texts[i] = str_dup(w->arena, col_text(row, i + 2));
    out->scopes = scopes_common((uint32_t)col_int(row, 9), scopes_every());
    out->is_public = col_int(row, 10) != 0;
    out->is_password_grant_enabled = col_int(row, 11) != 0;
    out->logo_at = col_int(row, 12);
    *hash = str_dup(w->arena, col_text(row, 13));
}

static int client_find_hash(struct work *w, struct str key, struct client *out, struct str *hash) {
    struct stmt *row;
    int rc = db_row(w->conn, &client_by_key, BINDS(B_TEXT("key", key)), &row);
    if (rc <= 0) return rc;
    client_read(w, row, out, hash);
    stmt_end(row);
    return 1;
}

int client_find(struct work *w, struct str key, struct client *out) {
    struct str hash;
    return client_find_hash(w, key, out, &hash);
}

int client_authenticate(struct work *w, struct str key, struct str secret, struct client *out) {
    struct str hash = {0}, given = token_text_hash(w, secret);
    int rc = client_find_hash(w, key, out, &hash);
    if (rc < 0) return rc;
    bool right = secret_eq(given, hash.p ? hash : token_text_hash(w, S("no secret"))) && hash.p;
    if (rc == 0) return 0;
    return out->is_public ? secret.n == 0 : secret.n && right;
}

void client_used(struct work *w, int64_t client_id) { last_use(w, &client_uses, client_id, 0); }

/* ---- names ----------------------------------------------------------------------------------- */

/* Letters of Unicode without a shape: fillers of Hangul, and the empty cell of Braille. */
static bool is_filler(gunichar c) {
    return c == 0x115F || c == 0x1160 || c == 0x2800 || c == 0x3164 || c == 0xFFA0;
}

const char *client_name_wrong(struct str name) {
    bool seen = false;
    const char *end = name.p + name.n;
    for (const char *at = name.p; at < end; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        if (utf8_turns_direction(at, (size_t)(end - at)))
            return "A name has no characters that change the direction of the text.";
        seen = seen || (g_unichar_isgraph(c) && !g_unichar_ismark(c) && !is_filler(c));
    }
    return seen ? NULL : "A name has at least one visible character.";
}

/* ---- secrets --------------------------------------------------------------------------------- */

QUERY(client_secret_set, "UPDATE oauth_clients SET secret_hash = :hash, updated_at = :now WHERE id = :id");

static int client_set_secret(struct work *w, int64_t client_id, struct str hash) {
    change_named(w, (struct changed){"oauth_client", client_id, 0}, "secret");
    return db_exec(w->conn, &client_secret_set,
                   BINDS(B_INT("id", client_id), B_TEXT("hash", hash), B_INT("now", w->now)));
}

int client_renew_secret(struct work *w, int64_t client_id, struct str *secret) {
    *secret = token_text_make(w->arena, TOKEN_SECRET);
    return client_set_secret(w, client_id, token_text_hash(w, *secret));
}

int client_drop_secret(struct work *w, int64_t client_id) {
    return client_set_secret(w, client_id, (struct str){0});
}

QUERY(client_scopes_set, "UPDATE oauth_clients SET scopes = :scopes, updated_at = :now WHERE id = :id");

int client_set_scopes(struct work *w, int64_t client_id, uint32_t before, uint32_t mask) {
    change_property(w, (struct changed){"oauth_client", client_id, 0}, "scopes",
                    changed_text(scopes_text(w->arena, before)), changed_text(scopes_text(w->arena, mask)));
    return db_exec(w->conn, &client_scopes_set,
                   BINDS(B_INT("id", client_id), B_INT("scopes", mask), B_INT("now", w->now)));
}

/* ---- logos ----------------------------------------------------------------------------------- */

/* logo_created_at is part of the picture's address. It increases with each change. */
QUERY(client_logo_put, "UPDATE oauth_clients SET logo_type = :type, logo_data = :data, updated_at = :now, "
                       "logo_created_at = CASE WHEN COALESCE(logo_created_at, 0) < :now THEN :now "
                       "ELSE logo_created_at + 1 END WHERE id = :id");
QUERY(client_logo_drop, "UPDATE oauth_clients "
                        "SET logo_type = NULL, logo_data = NULL, logo_created_at = NULL, updated_at = :now "
                        "WHERE id = :id");
QUERY(client_logo_get, "SELECT logo_type, logo_data FROM oauth_clients "
                       "WHERE id = :id AND logo_data IS NOT NULL AND deleted_at IS NULL");

static const struct word logo_media[] = {
    {LOGO_JPEG, "image/jpeg"}, {LOGO_PNG, "image/png"}, {LOGO_GIF, "image/gif"}, {0}};

int client_logo_set(struct work *w, int64_t client_id, enum logo_type type, struct str data) {
    return db_exec(
        w->conn, data.p ? &client_logo_put : &client_logo_drop,
        BINDS(B_INT("id", client_id), B_INT("type", type), B_BLOB("data", data), B_INT("now", w->now)));
}

int client_logo_find(struct work *w, int64_t client_id, struct str *type, struct str *data) {
    struct stmt *row;
    int rc = db_row(w->conn, &client_logo_get, BINDS(B_INT("id", client_id)), &row);
    if (rc <= 0) return rc;
    *type = str_of(word_of(logo_media, col_int(row, 0)));
    *data = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    return type->p != NULL; /* a logo of an unknown type is none */
}

struct str client_logo_url(const struct desk *d, struct arena *a, int64_t client_id, int64_t logo_at) {
    if (logo_at == 0) return (struct str){0};
    return str_fmt(a, "%.*s/api/v1/oauth/clients/%" PRId64 "/logo?v=%" PRId64, (int)d->base_url.n,
                   d->base_url.p, client_id, logo_at);
}

QUERY(client_creator_live, "SELECT u.id FROM users u WHERE u.id = :id AND " MAY_LOG_IN);

int client_creator_may_log_in(struct work *w, const struct client *c) {
    int64_t id;
    return db_int(w->conn, &client_creator_live, BINDS(B_INT("id", c->creator_id)), &id);
}

/* ---- deletion -------------------------------------------------------------------------------- */

QUERY(client_live, "SELECT id FROM oauth_clients WHERE id = :id AND deleted_at IS NULL @HOLD@");

int client_hold(struct work *w, int64_t client_id) {
    int64_t id;
    int rc = db_int(w->conn, &client_live, BINDS(B_INT("id", client_id)), &id);
    return rc == 0 ? -ERR_FIELD_INVALID : rc < 0 ? rc : 0;
}

/* Tokens come first, because a grant may have any number of them. A grant has few codes: the sweep deletes
 * them a day after their end. */
QUERY(delete_tokens, "SELECT t.id, 0 FROM oauth_tokens t WHERE t.client_id = :id AND t.id > :after "
                     "ORDER BY t.id LIMIT :most @LOCK@");
QUERY(delete_tokens_go, "DELETE FROM oauth_tokens WHERE id IN @LIST(:rows)");
QUERY(delete_grants, "SELECT g.id, 0 FROM oauth_grants g WHERE g.client_id = :id AND g.id > :after "
                     "ORDER BY g.id LIMIT :most @LOCK@");
QUERY(delete_codes_go, "DELETE FROM oauth_codes WHERE grant_id IN @LIST(:rows)");
QUERY(delete_grants_go, "DELETE FROM oauth_grants WHERE id IN @LIST(:rows)");
QUERY(delete_client, "DELETE FROM oauth_clients WHERE id = :id");

const struct step client_delete_steps[] = {
    {&delete_tokens, {&delete_tokens_go}, 1},
    {&delete_grants, {&delete_codes_go, &delete_grants_go}, 2},
    {NULL, {&delete_client}, 1},
    {0},
};

QUERY(clients_mark, "UPDATE oauth_clients SET deleted_at = :now, secret_hash = NULL WHERE id IN @LIST(:ids)");

int clients_delete(struct work *w, struct str ids) {
    TRY(db_exec(w->conn, &clients_mark, BINDS(B_TEXT("ids", ids), B_INT("now", w->now))));
    TRY(changes_deleted(w, "oauth_client", ids));
    return cascade(w, CASCADE_CLIENT, ids);
}
