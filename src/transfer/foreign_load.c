/* Organizations, teams and roles of an import. */
#include "transfer/foreign_row.h"

#include "base/error.h"
#include "core/access/permission.h"
#include "core/change/record.h"
#include "core/people/organization.h"
#include "core/people/team.h"
#include "base/fold.h"
#include "transfer/foreign_follow.h"
#include "transfer/foreign_identities.h"

enum { system_owner = 5 };

/* ---- organizations and teams ----------------------------------------------------------------- */

static int organization_rows(struct foreign *f, struct work *w, const struct foreign_organization *o) {
    struct str name = foreign_line(f, o->name, "Without name"), keys[FOREIGN_DOMAINS], legacy;
    TRY(foreign_legacy_id(f, &foreign_organization, o->id, o->legacy_id, &legacy));
    const struct column columns[] = {
        COLUMN_UNRECORDED(B_TEXT, "name", name),
        COLUMN_UNRECORDED(B_TEXT, "name_key", fold_key(f->item, name)),
        COLUMN_UNRECORDED(B_TEXT, "legacy_id", legacy),
        COLUMN_UNRECORDED(B_INT, "is_shared", o->is_shared),
        COLUMN_UNRECORDED(B_INT, "is_validated", !o->is_unvalidated),
        COLUMN_UNRECORDED(B_INT, "id", o->id),
    };
    int64_t id;
    TRY(organization_create(w, columns, foreign_columns(f, sizeof columns / sizeof *columns), &id));
    TRY(imported_keep(f, foreign_organization.kind, o->id, id, f->changed_at));
    TRY(foreign_note(f, w, NOTE_ORGANIZATION, id, o->note));
    int n = organization_domains(f, w, o, 0, keys);
    TRY(n);
    if (n) TRY(organization_set_domains(w, id, keys, (size_t)n));
    TRY(organization_carried(f, o, keys, n));
    TRY(organization_phones_add(f, w, o, id));
    return foreign_tags(f, w, &organization_tagging, id, o->tags, o->id);
}

QUERY(organization_with_domain, "SELECT d.organization_id FROM identity_domains d "
                                "JOIN organizations o ON o.id = d.organization_id "
                                "WHERE d.domain_key = :key AND d.is_validated = 1 AND o.deleted_at IS NULL");
QUERY(organization_with_name, "SELECT MIN(id) FROM organizations "
                              "WHERE name_key = :key AND deleted_at IS NULL HAVING COUNT(*) = 1");

/* Finds the organization of the desk with a verified domain of this one, or else with its name. */
static int organization_same(struct foreign *f, const struct foreign_organization *o, int64_t *here) {
    const struct json *domains = o->is_unvalidated ? NULL : o->domains;
    struct str name = foreign_line(f, o->name, "");
    int found = 0;
    *here = 0;
    for (const struct json *j = domains ? domains->first : NULL; j && found == 0; j = j->next) {
        struct str key = j->type == JSON_STRING ? domain_read(f->item, j->text) : (struct str){0};
        if (key.p) found = db_int(f->conn, &organization_with_domain, BINDS(B_TEXT("key", key)), here);
    }
    if (found || !name.n) return found;
    return db_int(f->conn, &organization_with_name, BINDS(B_TEXT("key", fold_key(f->item, name))), here);
}

enum { ORGANIZATION_IS_NEW = 2 };

/* An organization that an earlier run has made follows the source. One of the desk that stands for it stays.
 * Returns 1 if the row has changed, 0 if it stays, ORGANIZATION_IS_NEW, or a negative error. */
static int organization_mapped(struct foreign *f, const struct foreign_organization *o) {
    struct imported row;
    int64_t here;
    int found = imported_find(f, foreign_organization.kind, o->id, &row);
    if (found == 1 && row.changed_at && row.changed_at != f->changed_at)
        return organization_follow(f, o, &row);
    if (found) return found < 0 ? found : 0;
    TRY(found = organization_same(f, o, &here));
    if (found == 0) return ORGANIZATION_IS_NEW;
    foreign_made(f, "organizations that were here", 1);
    return imported_keep(f, foreign_organization.kind, o->id, here, 0);
}

int load_organization(struct foreign *f, const struct foreign_organization *o) {
    struct work w;
    int64_t there;
    int found =
        f->maps_ids ? organization_mapped(f, o) : foreign_found(f, &foreign_organization, o->id, &there);
    if (f->maps_ids && found != ORGANIZATION_IS_NEW) return found;
    if (!f->maps_ids && found) return found < 0 ? found : foreign_twice(f, "id", o->id);
    foreign_work(f, &w, o->created_at, foreign_owner(f));
    foreign_made(f, "organizations", 1);
    TRY(foreign_done(f, &w, organization_rows(f, &w, o)));
    return 1;
}

int load_team(struct foreign *f, const struct foreign_team *t) {
    struct work w;
    struct imported row;
    struct str legacy;
    int64_t team;
    int found = f->maps_ids ? imported_find(f, foreign_team.kind, t->id, &row)
                            : foreign_found(f, &foreign_team, t->id, &team);
    if (found && f->maps_ids) return found < 0 ? found : 0;
    if (found) return found < 0 ? found : foreign_twice(f, "id", t->id);
    TRY(foreign_legacy_id(f, &foreign_team, t->id, t->legacy_id, &legacy));
    foreign_work(f, &w, t->created_at, foreign_owner(f));
    foreign_made(f, "teams", 1);
    const struct column columns[] = {
        COLUMN_UNRECORDED(B_TEXT, "title", foreign_line(f, t->name, "Without name")),
        COLUMN_UNRECORDED(B_TEXT, "legacy_id", legacy),
        COLUMN_UNRECORDED(B_ID, "businesshour_id", t->hours_id),
        COLUMN_UNRECORDED(B_INT, "id", t->id),
    };
    int rc = record_insert(&w, (struct record){"team", "teams", NULL}, columns,
                           foreign_columns(f, sizeof columns / sizeof *columns), &team);
    if (rc >= 0) rc = imported_keep(f, foreign_team.kind, t->id, team, f->changed_at);
    TRY(foreign_done(f, &w, rc));
    return 1;
}

/* ---- roles ----------------------------------------------------------------------------------- */

/* A permission that is off there is off here. Names that are unknown here are reported. */
static int role_permissions(struct foreign *f, struct work *w, const struct foreign_role *r) {
    TRY(permissions_fill(f->conn, permissions, f->now));
    for (const struct json *j = r->permissions ? r->permissions->first : NULL; j; j = j->next) {
        const struct json *value = json_member(j, S("value"));
        const struct permission *p = permission_of(json_member_text(j, "name"));
        if (!p) foreign_skip(f, "permissions that are unknown here", r->id);
        else if (value && value->type == JSON_FALSE && r->role_id != system_owner)
            TRY(permission_set(w, r->role_id, p, false));
    }
    return 0;
}

int load_role(struct foreign *f, struct foreign_role *r) {
    struct work w;
    const struct record roles = {"role", "roles", NULL};
    const int access = r->case_access ? r->case_access : CASES_SELF;
    const struct column columns[] = {
        COLUMN_UNRECORDED(B_INT, "agent_case_access", access),
        COLUMN_UNRECORDED(B_TEXT, "title", foreign_line(f, r->title, "Without name")),
        COLUMN_UNRECORDED(B_INT, "type", r->type),
        COLUMN_UNRECORDED(B_INT, "is_system", 0),
        COLUMN_UNRECORDED(B_INT, "denied", 0),
        COLUMN_UNRECORDED(B_INT, "id", r->id),
    };
    int rc;
    foreign_work(f, &w, 0, foreign_owner(f));
    if (r->role_id) rc = r->case_access ? record_update(&w, roles, &r->role_id, 1, columns, 1) : 0;
    else
        rc = record_insert(&w, roles, columns, foreign_columns(f, sizeof columns / sizeof *columns),
                           &r->role_id);
    if (rc >= 0) rc = role_permissions(f, &w, r);
    if (rc >= 0) rc = imported_keep(f, "role", r->id, r->role_id, f->changed_at);
    return foreign_done(f, &w, rc);
}
