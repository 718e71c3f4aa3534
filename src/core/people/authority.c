#include "core/people/authority.h"

#include "base/ids.h"
#include "core/words.h"
#include "json/json.h"

QUERY(role_denied_by_id, "SELECT denied FROM roles WHERE id = :role");
QUERY(role_type_by_id, "SELECT type FROM roles WHERE id = :role");
QUERY(role_type_of_user, "SELECT r.type FROM users u JOIN roles r ON r.id = u.role_id WHERE u.id = :user");

int role_type_of(struct work *w, int64_t role_id, int64_t *type) {
    return db_int(w->conn, &role_type_by_id, BINDS(B_INT("role", role_id)), type);
}

bool actor_may_change(const struct actor *a, int64_t user_id, int64_t role_type) {
    if (user_id == a->user_id) return true;
    return a->rank >= ROLE_ADMIN ? role_type <= a->rank
                                 : a->rank >= ROLE_COLLABORATOR && role_type == ROLE_CUSTOMER;
}

int user_may_change(struct work *w, int64_t user_id) {
    int64_t type = 0;
    TRY_FOUND(w, db_int(w->conn, &role_type_of_user, BINDS(B_INT("user", user_id)), &type));
    return actor_may_change(&w->actor, user_id, type) ? 0 : fail(w, ERR_PERMISSIONS_DENIED);
}

/* A role that permits what the actor's role denies. Permissions of customers have no effect. */
static bool role_exceeds(const struct actor *a, int64_t role_type, int64_t denied) {
    return a->rank < ROLE_OWNER && role_type > ROLE_CUSTOMER && (a->denied & ~(uint64_t)denied);
}

QUERY(role_denied_of_user,
      "SELECT r.type, r.denied FROM users u JOIN roles r ON r.id = u.role_id WHERE u.id = :user");

int user_may_act_as(struct work *w, int64_t user_id) {
    struct stmt *row;
    int rc = user_id == w->actor.user_id
                 ? 0
                 : db_row(w->conn, &role_denied_of_user, BINDS(B_INT("user", user_id)), &row);
    if (rc <= 0) return rc;
    int64_t type = col_int(row, 0), denied = col_int(row, 1);
    stmt_end(row);
    bool may = actor_may_change(&w->actor, user_id, type) && !role_exceeds(&w->actor, type, denied);
    return may ? 0 : fail(w, ERR_PERMISSIONS_DENIED);
}

/* Reports a problem of ids[i], or of the object that the path names. */
static void fail_of(struct work *w, enum error code, int i, bool listed, const char *why) {
    struct str none = {0};
    fail_at(w, code, listed ? S("ids") : none, listed ? str_fmt(w->arena, "ids/%d", i) : none,
            why ? "%s" : NULL, why);
}

QUERY(role_types_of_users, "SELECT u.id, r.type FROM users u JOIN roles r ON r.id = u.role_id "
                           "WHERE u.id IN @LIST(:users) ORDER BY u.id");

int users_may_change(struct work *w, const int64_t *ids, int count, bool listed) {
    int rc;
    DB_ROWS(rc, w->conn, &role_types_of_users, BINDS(B_TEXT("users", json_ids(w->arena, ids, (size_t)count))),
            row)
    if (!actor_may_change(&w->actor, col_int(row, 0), col_int(row, 1)))
        fail_of(w, ERR_PERMISSIONS_DENIED, ids_place(ids, count, col_int(row, 0)), listed, NULL);
    return rc < 0 ? rc : failed(w) ? -(int)failure(w) : 0;
}

QUERY(owners_besides,
      "SELECT COUNT(*) FROM users u JOIN roles r ON r.id = u.role_id "
      "WHERE r.type = 5 AND u.is_enabled = 1 AND u.deleted_at IS NULL AND u.id NOT IN @LIST(:users)");

int users_leave_an_owner(struct work *w, const int64_t *ids, int count, bool listed) {
    const struct bind *binds = BINDS(B_TEXT("users", json_ids(w->arena, ids, (size_t)count)));
    int64_t others = 0;
    int rc, owners = 0;
    DB_ROWS(rc, w->conn, &role_types_of_users, binds, row) owners += col_int(row, 1) == ROLE_OWNER;
    if (rc < 0 || owners == 0) return rc < 0 ? rc : 0;
    TRY(db_lock(w->conn, S("owners"))); /* otherwise two owners could remove each other */
    TRY(db_int(w->conn, &owners_besides, binds, &others));
    if (others) return 0;
    DB_ROWS(rc, w->conn, &role_types_of_users, binds, row)
    if (col_int(row, 1) == ROLE_OWNER)
        fail_of(w, ERR_RESOURCE_ACTION_NOT_AVAILABLE, ids_place(ids, count, col_int(row, 0)), listed,
                "This is the last owner. Make another person an owner first.");
    return rc < 0 ? rc : -ERR_RESOURCE_ACTION_NOT_AVAILABLE;
}

int user_may_grant(struct work *w, int64_t role_id) {
    int64_t type = 0;
    int rc = role_type_of(w, role_id, &type);
    if (rc <= 0) return rc;
    bool may = w->actor.rank >= ROLE_ADMIN ? type <= w->actor.rank : type == ROLE_CUSTOMER;
    int64_t denied = 0;
    TRY(db_int(w->conn, &role_denied_by_id, BINDS(B_INT("role", role_id)), &denied));
    return may && !role_exceeds(&w->actor, type, denied)
               ? 0
               : fail_field(w, ERR_PERMISSIONS_DENIED, S("role_id"),
                            "This role has more rights than you may grant. Choose a role with fewer.");
}

int role_may_change(struct work *w, int64_t role_id) {
    int64_t type = 0;
    TRY(role_type_of(w, role_id, &type));
    return type <= w->actor.rank ? 0 : fail(w, ERR_PERMISSIONS_DENIED);
}
