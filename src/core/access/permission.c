#include "core/access/permission.h"

#include "core/change/change.h"
#include "core/words.h"
#include "json/json.h"

#include <assert.h>
#include <stdio.h>

const struct permission permissions[] = {
    {.name = "cases.public_reply", .bit = 0},
    {.name = "cases.merge", .bit = 1},
    {.name = "cases.split", .bit = 2},
    {.name = "cases.trash", .bit = 3},
    {.name = "users.update", .bit = 4},
    {.name = "users.delete", .bit = 5},
    {.name = "organizations.update", .bit = 6},
    {.name = "organizations.delete", .bit = 7},
    {.name = "help_center.manage", .bit = 8},
    {.name = "help_center_articles.manage", .bit = 9},
    {.name = "help_center_articles.publish", .bit = 10},
    {.name = "teams.manage", .bit = 11},
    {.name = "roles.manage", .bit = 12},
    {.name = "apps.manage", .bit = 13},
    {.name = "endpoints.manage", .bit = 14},
    {.name = "channels.manage", .bit = 15},
    {.name = "brands.manage", .bit = 16},
    {.name = "case_views.manage", .bit = 17},
    {.name = "macros.manage", .bit = 18},
    {.name = "localization.manage", .bit = 19},
    {.name = "automations.manage", .bit = 20},
    {.name = "slas.manage", .bit = 21},
    {.name = "business_hours.manage", .bit = 22},
    {.name = "case_fields.manage", .bit = 23},
    {.name = "organizations_fields.manage", .bit = 24},
    {.name = "user_fields.manage", .bit = 25},
    {.name = "settings.manage", .bit = 26},
    {.name = "insights.access", .bit = 27},
    {0},
};

const struct permission *permission_of(struct str name) {
    for (const struct permission *p = permissions; p->name; p++)
        if (str_eq(str_of(p->name), name)) return p;
    return NULL;
}

bool permissions_check(const struct permission *list, char *err, size_t size) {
    uint64_t used = PERMISSIONS_RETIRED;
    for (const struct permission *p = list; p->name; p++) {
        const char *why = NULL;
        if (p->bit < 0 || p->bit >= PERMISSION_BITS) why = "a bit is a number from 0 to 62";
        else if (used >> p->bit & 1) why = "another row has its bit, or had it: take one that was never used";
        for (const struct permission *o = list; o < p && why == NULL; o++)
            if (strcmp(o->name, p->name) == 0) why = "another row has its name";
        if (why) snprintf(err, size, "table of permissions, %s: %s", p->name, why);
        if (why) return false;
        used |= UINT64_C(1) << p->bit;
    }
    return true;
}

bool permitted(const struct actor *a, const char *name) {
    const struct permission *p = permission_of(str_of(name));
    assert(p);
    return a->rank == ROLE_OWNER || !(a->denied >> p->bit & 1);
}

/* ---- rows of roles --------------------------------------------------------------------------- */

#define LACKS "NOT EXISTS (SELECT 1 FROM role_permissions p WHERE p.role_id = r.id AND p.name = :name)"

QUERY(permissions_lacking, "SELECT (SELECT COUNT(*) FROM roles) * CAST(:n AS BIGINT) - (SELECT COUNT(*) "
                           "FROM role_permissions p WHERE p.name IN @TEXTS(:names))");
QUERY(permission_deny, "UPDATE roles SET denied = denied | CAST(:mask AS BIGINT), updated_at = :now "
                       "WHERE id IN (SELECT r.id FROM roles r WHERE " LACKS ")");
QUERY(permission_fill, "INSERT INTO role_permissions (role_id, name, value, created_at, updated_at) "
                       "SELECT r.id, CAST(:name AS TEXT), CAST(:value AS INTEGER), CAST(:now AS BIGINT), "
                       "CAST(:now AS BIGINT) FROM roles r WHERE " LACKS " ORDER BY r.id");
QUERY(permission_update, "UPDATE role_permissions SET value = :value, updated_at = :now "
                         "WHERE role_id = :role AND name = :name AND value <> :value");
QUERY(role_denied_get, "SELECT denied FROM roles WHERE id = :role @LOCK@");
QUERY(role_denied_set, "UPDATE roles SET denied = :denied, updated_at = :now WHERE id = :role");

static int64_t mask_of(const struct permission *p) { return (int64_t)1 << p->bit; }

int permissions_lack(struct conn *c, const struct permission *list) {
    struct buf names = {0};
    struct json_writer w;
    int64_t n = 0, lacking = 0;
    jw_init(&w, &names);
    jw_array(&w);
    for (; list[n].name; n++) jw_str(&w, str_of(list[n].name));
    jw_end(&w);
    int rc =
        db_int(c, &permissions_lacking, BINDS(B_INT("n", n), B_TEXT("names", buf_view(&names))), &lacking);
    buf_free(&names);
    return rc < 0 ? rc : lacking != 0;
}

int permissions_fill(struct conn *c, const struct permission *list, int64_t now) {
    TRY(db_lock(c, S("permissions of roles")));
    for (const struct permission *p = list; p->name; p++) {
        struct str name = str_of(p->name);
        if (p->is_off)
            TRY(db_exec(c, &permission_deny,
                        BINDS(B_INT("mask", mask_of(p)), B_TEXT("name", name), B_INT("now", now))));
        TRY(db_exec(c, &permission_fill,
                    BINDS(B_TEXT("name", name), B_INT("value", !p->is_off), B_INT("now", now))));
    }
    return 0;
}

static int fill_all(struct conn *c, void *now) {
    return permissions_fill(c, permissions, *(const int64_t *)now);
}

int permissions_complete(struct db *db, int64_t now) {
    struct conn *c = db_reader(db);
    int lacking = c ? db_read_begin(c, 0) : -ERR_SERVICE_UNAVAILABLE;
    if (lacking >= 0) lacking = permissions_lack(c, permissions);
    if (c) db_read_end(c);
    if (lacking > 0) TRY(db_write(db, fill_all, &now));
    return lacking;
}

int permission_set(struct work *w, int64_t role_id, const struct permission *p, bool value) {
    int64_t denied = 0;
    int changed = db_exec(w->conn, &permission_update,
                          BINDS(B_INT("role", role_id), B_TEXT("name", str_of(p->name)),
                                B_INT("value", value), B_INT("now", w->now)));
    TRY(changed);
    if (changed)
        change_property(w, (struct changed){"role", role_id, 0}, p->name, changed_bool(!value),
                        changed_bool(value));
    TRY(db_int(w->conn, &role_denied_get, BINDS(B_INT("role", role_id)), &denied));
    denied = value ? denied & ~mask_of(p) : denied | mask_of(p);
    return db_exec(w->conn, &role_denied_set,
                   BINDS(B_INT("role", role_id), B_INT("denied", denied), B_INT("now", w->now)));
}
