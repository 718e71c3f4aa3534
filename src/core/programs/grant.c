#include "core/programs/grant.h"

#include "core/access/scope.h"
#include "core/change/change.h"

QUERY(grant_row,
      "SELECT id, scopes, expiry_at FROM oauth_grants WHERE user_id = :user AND client_id = :client");
QUERY(grant_put, "INSERT INTO oauth_grants (user_id, client_id, scopes, created_at, updated_at) "
                 "VALUES (:user, :client, :scopes, :now, :now) "
                 "ON CONFLICT (user_id, client_id) DO UPDATE "
                 "SET scopes = excluded.scopes, updated_at = excluded.updated_at "
                 "RETURNING id");
QUERY(grant_lasts,
      "UPDATE oauth_grants SET expiry_at = :until WHERE id = :id AND COALESCE(expiry_at, 0) < :until");

int grant_find(struct work *w, int64_t user_id, int64_t client_id, struct grant *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &grant_row, BINDS(B_INT("user", user_id), B_INT("client", client_id)), &row);
    if (rc <= 0) return rc;
    *out = (struct grant){.id = col_int(row, 0),
                          .user_id = user_id,
                          .client_id = client_id,
                          .scopes = (uint32_t)col_int(row, 1),
                          .expiry_at = col_int(row, 2)};
    stmt_end(row);
    return 1;
}

int grant_give(struct work *w, int64_t user_id, const struct client *c, uint32_t mask, int64_t *grant_id) {
    struct grant before = {0};
    uint32_t given = mask ? scopes_within(mask, c->scopes) : c->scopes;
    if (given == 0) return fail(w, ERR_PERMISSIONS_DENIED);
    TRY(db_lock_row(w->conn, "users", user_id));
    TRY(client_hold(w, c->id));
    int known = grant_find(w, user_id, c->id, &before);
    TRY(known);
    TRY(db_insert(
        w->conn, &grant_put,
        BINDS(B_INT("user", user_id), B_INT("client", c->id), B_INT("scopes", given), B_INT("now", w->now)),
        grant_id));
    struct changed object = {"oauth_grant", *grant_id, 0};
    if (!known) change_created(w, object);
    else
        change_property(w, object, "scopes", changed_text(scopes_text(w->arena, before.scopes)),
                        changed_text(scopes_text(w->arena, given)));
    return 0;
}

int grant_extend(struct work *w, int64_t grant_id, int64_t until) {
    return db_exec(w->conn, &grant_lasts, BINDS(B_INT("id", grant_id), B_INT("until", until)));
}
