/* Organizations, teams and roles of an import. */
#include "transfer/foreign_row.h"

#include "base/error.h"
#include "core/access/permission.h"
#include "core/change/record.h"
#include "core/people/organization.h"
#include "core/people/team.h"
#include "base/fold.h"

enum { system_owner = 5 };

/* ---- organizations and teams ----------------------------------------------------------------- */

enum { DOMAINS = 50 };

/* The valid domains that no organization has. */
static int domains_of(struct foreign *f, struct work *w, const struct foreign_organization *o,
                      struct str *keys) {
    int n = 0, place;
    for (const struct json *j = o->domains ? o->domains->first : NULL; j && n < DOMAINS; j = j->next) {
        keys[n] = j->type == JSON_STRING ? domain_read(f->item, j->text) : (struct str){0};
        int taken = keys[n].p ? domains_taken(w, 0, &keys[n], 1, &place) : 1;
        for (int i = 0; i < n && !taken; i++) taken = str_eq(keys[i], keys[n]);
        TRY(taken);
        if (taken) foreign_skip(f, "domains that are not valid, or belong to another organization", o->id);
        else n++;
    }
    return n;
}

static int organization_rows(struct foreign *f, struct work *w, const struct foreign_organization *o) {
    struct str name = foreign_line(f, o->name, "Without name"), keys[DOMAINS];
    const struct column columns[] = {
        COLUMN_UNRECORDED(B_TEXT, "name", name),
        COLUMN_UNRECORDED(B_TEXT, "name_key", fold_key(f->item, name)),
        COLUMN_UNRECORDED(B_TEXT, "legacy_id", foreign_legacy_id(f, o->id, o->legacy_id)),
        COLUMN_UNRECORDED(B_INT, "is_shared", o->is_shared),
        COLUMN_UNRECORDED(B_INT, "is_validated", !o->is_unvalidated),
        COLUMN_UNRECORDED(B_INT, "id", o->id),
    };
    int64_t id;
    TRY(organization_create(w, columns, foreign_columns(f, sizeof columns / sizeof *columns), &id));
    TRY(foreign_note(f, w, NOTE_ORGANIZATION, id, o->note));
    int n = domains_of(f, w, o, keys);
    TRY(n);
    if (n) TRY(organization_set_domains(w, id, keys, (size_t)n));
    return foreign_tags(f, w, &organization_tagging, id, o->tags, o->id);
}

int load_organization(struct foreign *f, const struct foreign_organization *o) {
    struct work w;
    int64_t there;
    int found = foreign_found(f, &foreign_organization, o->id, &there);
    if (found) return found < 0 ? found : foreign_twice(f, "id", o->id);
    foreign_work(f, &w, o->created_at, foreign_owner(f));
    foreign_made(f, "organizations", 1);
    return foreign_done(f, &w, organization_rows(f, &w, o));
}

int load_team(struct foreign *f, const struct foreign_team *t) {
    struct work w;
    int64_t team;
    int found = foreign_found(f, &foreign_team, t->id, &team);
    if (found) return found < 0 ? found : foreign_twice(f, "id", t->id);
    foreign_work(f, &w, t->created_at, foreign_owner(f));
    foreign_made(f, "teams", 1);
    const struct column columns[] = {
        COLUMN_UNRECORDED(B_TEXT, "title", foreign_line(f, t->name, "Without name")),
        COLUMN_UNRECORDED(B_TEXT, "legacy_id", foreign_legacy_id(f, t->id, t->legacy_id)),
        COLUMN_UNRECORDED(B_ID, "businesshour_id", t->hours_id),
        COLUMN_UNRECORDED(B_INT, "id", t->id),
    };
    return foreign_done(f, &w,
                        record_insert(&w, (struct record){"team", "teams", NULL}, columns,
                                      foreign_columns(f, sizeof columns / sizeof *columns), &team));
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
    else rc = record_insert(&w, roles, columns, sizeof columns / sizeof *columns, &r->role_id);
    if (rc >= 0) rc = role_permissions(f, &w, r);
    return foreign_done(f, &w, rc);
}
