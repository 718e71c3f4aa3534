#include "core/access/permission.h"

#include "core/change/change.h"
#include "core/words.h"

#include <assert.h>

const char *const permissions[] = {"cases.public_reply",
                                   "cases.merge",
                                   "cases.split",
                                   "cases.trash",
                                   "users.update",
                                   "users.delete",
                                   "organizations.update",
                                   "organizations.delete",
                                   "help_center.manage",
                                   "help_center_articles.manage",
                                   "help_center_articles.publish",
                                   "teams.manage",
                                   "roles.manage",
                                   "apps.manage",
                                   "endpoints.manage",
                                   "channels.manage",
                                   "brands.manage",
                                   "case_views.manage",
                                   "macros.manage",
                                   "localization.manage",
                                   "automations.manage",
                                   "slas.manage",
                                   "business_hours.manage",
                                   "case_fields.manage",
                                   "organizations_fields.manage",
                                   "user_fields.manage",
                                   "settings.manage",
                                   "insights.access",
                                   NULL};

int permission_bit(struct str name) {
    for (int i = 0; permissions[i]; i++)
        if (str_eq(str_of(permissions[i]), name)) return i;
    return -1;
}

bool permitted(const struct actor *a, const char *name) {
    int bit = permission_bit(str_of(name));
    assert(bit >= 0);
    return a->rank == ROLE_OWNER || !(a->denied >> bit & 1);
}

QUERY(permission_create, "INSERT INTO role_permissions (role_id, name, value, created_at, updated_at) "
                         "VALUES (:role, :name, 1, :now, :now)");
QUERY(permission_update, "UPDATE role_permissions SET value = :value, updated_at = :now "
                         "WHERE role_id = :role AND name = :name AND value <> :value");
QUERY(role_denied_get, "SELECT denied FROM roles WHERE id = :role @LOCK@");
QUERY(role_denied_set, "UPDATE roles SET denied = :denied, updated_at = :now WHERE id = :role");

int permissions_create(struct work *w, int64_t role_id) {
    for (int i = 0; permissions[i]; i++)
        TRY(db_exec(w->conn, &permission_create,
                    BINDS(B_INT("role", role_id), B_TEXT("name", str_of(permissions[i])), B_INT("now", w->now))));
    return 0;
}

int permission_set(struct work *w, int64_t role_id, int bit, bool value) {
    int64_t denied = 0;
    int changed =
        db_exec(w->conn, &permission_update,
                BINDS(B_INT("role", role_id), B_TEXT("name", str_of(permissions[bit])), B_INT("value", value), B_INT("now", w->now)));
    TRY(changed);
    if (changed) change_property(w, (struct changed){"role", role_id, 0}, permissions[bit], changed_bool(!value), changed_bool(value));
    TRY(db_int(w->conn, &role_denied_get, BINDS(B_INT("role", role_id)), &denied));
    int64_t mask = (int64_t)1 << bit;
    denied = value ? denied & ~mask : denied | mask;
    return db_exec(w->conn, &role_denied_set, BINDS(B_INT("role", role_id), B_INT("denied", denied), B_INT("now", w->now)));
}
