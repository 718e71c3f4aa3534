/* Roles. Those of the system stand for those of this desk with the same type, and have the rights that this
 * desk gives them. A role of one's own follows the source in what the source has changed since the last run.
 *
 * imported_ids.carried has what the source showed at the last run: the title, the access, and the permissions
 * that were on and off. A further run compares it with what the source shows now. So a right that this desk
 * has changed stays until the source changes the same one.
 *
 * Who runs the source decides about its own people, but not about those of this desk. So (1) a role that is
 * one of the system now, or has another type, does not count: the source could else make an owner of a role,
 * or rename the roles of this desk; and (2) rights that the source adds stay away from a role that people
 * have whom this import has not made. Rights that it removes go in any case. */
#include "base/error.h"
#include "core/access/permission.h"
#include "core/change/record.h"
#include "core/people/authority.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

const struct foreign_shape api_role = {
    "roles",
    "_id _updated _fetched _posts _permissions _extra resource_type resource_url created_at updated_at",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED},
     {"title", .is = MEMBER_TEXT},
     {"type", .is = MEMBER_TEXT | MEMBER_NEEDED},
     {"is_system", .is = MEMBER_FLAG},
     {"agent_case_access", .is = MEMBER_TEXT}}};

static const int system_roles[] = {[ROLE_PUBLIC] = ROLE_OF_CUSTOMERS,
                                   [ROLE_CUSTOMER] = ROLE_OF_CUSTOMERS,
                                   [ROLE_COLLABORATOR] = 3,
                                   [ROLE_AGENT] = 2,
                                   [ROLE_ADMIN] = 1,
                                   [ROLE_OWNER] = 5};

/* ---- what the source shows ------------------------------------------------------------------- */

enum shown { NOT_SHOWN, SHOWN_OFF, SHOWN_ON };

/* A permission that is listed twice is off. */
static enum shown permission_there(const struct json *list, const struct permission *p) {
    enum shown out = NOT_SHOWN;
    for (const struct json *j = list ? list->first : NULL; j && out != SHOWN_OFF; j = j->next) {
        const struct json *value = json_member(j, S("value"));
        if (!value || !str_eq(json_member_text(j, "name"), str_of(p->name))) continue;
        if (value->type == JSON_FALSE) out = SHOWN_OFF;
        else if (value->type == JSON_TRUE) out = SHOWN_ON;
    }
    return out;
}

static bool names_permission(const struct json *given, const char *list, const struct permission *p) {
    const struct json *names = given ? item_list(given, list) : NULL;
    for (const struct json *j = names ? names->first : NULL; j; j = j->next)
        if (j->type == JSON_STRING && str_eq(j->text, str_of(p->name))) return true;
    return false;
}

static enum shown permission_before(const struct json *given, const struct permission *p) {
    if (names_permission(given, "off", p)) return SHOWN_OFF;
    return names_permission(given, "on", p) ? SHOWN_ON : NOT_SHOWN;
}

static struct str role_title(struct foreign *f, const struct foreign_role *r) {
    return foreign_line(f, r->title, "Without name");
}

/* A permission that the source does not show now stays as the last run saw it. given: what that run has
 * carried; NULL: nothing. */
static int role_carried(struct foreign *f, const struct foreign_role *r, const struct json *given) {
    struct str names[3][PERMISSION_BITS];
    size_t count[3] = {0};
    int64_t before = given ? item_int(given, "access") : 0;
    for (const struct permission *p = permissions; p->name; p++) {
        enum shown there = permission_there(r->permissions, p);
        if (there == NOT_SHOWN) there = permission_before(given, p);
        names[there][count[there]++] = str_of(p->name);
    }
    struct str title = json_text(f->item, json_string(f->item, role_title(f, r))),
               on = json_texts(f->item, names[SHOWN_ON], count[SHOWN_ON]),
               off = json_texts(f->item, names[SHOWN_OFF], count[SHOWN_OFF]);
    return imported_carry(
        f, "role", r->id,
        str_fmt(f->item, "{\"title\":%.*s,\"access\":%lld,\"on\":%.*s,\"off\":%.*s}", (int)title.n, title.p,
                (long long)(r->case_access ? r->case_access : before), (int)on.n, on.p, (int)off.n, off.p));
}

/* ---- roles of an earlier run ----------------------------------------------------------------- */

QUERY(role_now, "SELECT title, type, agent_case_access, denied, is_system FROM roles WHERE id = :id");
/* People who have the role, and whom no run has made. */
QUERY(role_of_others, "SELECT 1 FROM users u WHERE u.role_id = :role AND u.deleted_at IS NULL "
                      "AND u.id NOT IN (SELECT i.here_id FROM imported_ids i WHERE i.source_id = :source "
                      "AND i.kind = 'user' AND i.carried IS NOT NULL) LIMIT 1");

struct role_here {
    struct str title;
    int64_t type, access, denied;
    bool is_system;
};

static int role_find(struct foreign *f, int64_t id, struct role_here *out) {
    struct stmt *row;
    int rc = db_row(f->conn, &role_now, BINDS(B_INT("id", id)), &row);
    if (rc != 1) return rc;
    *out = (struct role_here){str_dup(f->item, col_text(row, 0)), col_int(row, 1), col_int(row, 2),
                              col_int(row, 3), col_int(row, 4) != 0};
    stmt_end(row);
    return 1;
}

struct role_following {
    const struct foreign_role *r;
    const struct json *given;
    struct role_here now;
    int64_t here;
    bool adds; /* rights that the source has added count */
    bool changed, kept, lesser;
};

/* The title and the access, if the source has changed them and this desk has not. */
static int role_members_follow(struct foreign *f, struct work *w, struct role_following *x) {
    struct column columns[2];
    struct str title = role_title(f, x->r), title_given = json_member_text(x->given, "title");
    int64_t access = x->r->case_access, access_given = item_int(x->given, "access");
    int n = 0;
    if (!str_eq(title, title_given) && !str_eq(title, x->now.title)) {
        if (!str_eq(x->now.title, title_given)) x->kept = true;
        else
            columns[n++] = (struct column){
                .name = "title", .value = B_TEXT("title", title), .property = "title", .form = COLUMN_TEXT};
    }
    if (access && access != access_given && access != x->now.access) {
        if (x->now.access != access_given) x->kept = true;
        else if (access > x->now.access && !x->adds) x->lesser = true;
        else
            columns[n++] = (struct column){.name = "agent_case_access",
                                           .value = B_INT("agent_case_access", access),
                                           .property = "agent_case_access",
                                           .form = COLUMN_WORD,
                                           .words = case_accesses};
    }
    if (n == 0) return 0;
    x->changed = true;
    return record_update(w, (struct record){"role", "roles", NULL}, &x->here, 1, columns, n);
}

/* A permission that the source did not have at the last run is off if it is off there. */
static int role_permissions_follow(struct foreign *f, struct work *w, struct role_following *x) {
    TRY(permissions_fill(f->conn, permissions, f->now));
    for (const struct permission *p = permissions; p->name; p++) {
        enum shown there = permission_there(x->r->permissions, p), before = permission_before(x->given, p);
        bool is_on = !(x->now.denied >> p->bit & 1);
        if (there == NOT_SHOWN || there == before || is_on == (there == SHOWN_ON)) continue;
        if (there == SHOWN_ON && before == NOT_SHOWN) continue;
        if (there == SHOWN_ON && !x->adds) {
            x->lesser = true;
            continue;
        }
        x->changed = true;
        TRY(permission_set(w, x->here, p, there == SHOWN_ON));
    }
    return 0;
}

static int role_changes(struct foreign *f, struct work *w, struct role_following *x) {
    int64_t others = 0;
    int held = db_int(f->conn, &role_of_others, BINDS(B_INT("role", x->here), B_INT("source", f->source_id)),
                      &others);
    TRY(held);
    x->adds = held == 0;
    TRY(role_members_follow(f, w, x));
    return role_permissions_follow(f, w, x);
}

static int role_follow(struct foreign *f, struct role_following *x) {
    struct work w;
    if (!x->given) {
        foreign_skip(f, "changes of roles, because the first run did not remember their rights", x->r->id);
        return role_carried(f, x->r, NULL);
    }
    foreign_work(f, &w, 0, foreign_owner(f)); /* the audit log has changes of rights by the time of the run */
    TRY(foreign_done(f, &w, role_changes(f, &w, x)));
    if (x->changed) foreign_made(f, "roles with changes", 1);
    if (x->kept)
        foreign_skip(f, "changes of roles that were changed here, too: they stay as they are here", x->r->id);
    if (x->lesser)
        foreign_skip(f,
                     "rights that the source has added to roles of people of this desk: they do not get them",
                     x->r->id);
    return role_carried(f, x->r, x->given);
}

/* ---- roles of the source --------------------------------------------------------------------- */

/* Returns 1 if the role is here, with role_id 0 if it does not count, 0 if it is new, or a negative error. */
static int role_of_own_mapped(struct foreign *f, struct foreign_role *r) {
    struct imported row;
    struct role_following x = {.r = r};
    int known = imported_find(f, "role", r->id, &row);
    if (known <= 0) return known;
    int found = role_find(f, row.here, &x.now);
    TRY(found);
    r->role_id = 0;
    if (!found) foreign_skip(f, "roles that were deleted here: their people are customers", r->id);
    else if (x.now.is_system || x.now.type != r->type)
        foreign_skip(f, "roles that have another type than before: their people are customers", r->id);
    if (!found || x.now.is_system || x.now.type != r->type) return 1;
    x.given = imported_given(f, &row);
    x.here = r->role_id = row.here;
    TRY(role_follow(f, &x));
    return 1;
}

/* Roles of the system have the rights that this desk gives them. Nobody becomes an owner by an import into a
 * desk that has one. Returns as role_of_own_mapped. */
static int role_of_system_mapped(struct foreign *f, struct foreign_role *r) {
    struct imported row;
    int known = imported_find(f, "role", r->id, &row);
    TRY(known);
    if (known && row.here != r->role_id) {
        foreign_skip(f, "roles that have another type than before: their people are customers", r->id);
        r->role_id = 0;
    } else if (r->type == ROLE_OWNER) {
        foreign_skip(f, "owners: they are administrators of this desk", r->id);
        r->role_id = system_roles[ROLE_ADMIN];
    }
    return 1;
}

static int role_made(struct foreign *f, struct foreign_role *r, bool is_own) {
    TRY(load_role(f, r));
    return is_own ? role_carried(f, r, NULL) : 0;
}

int take_api_role(struct foreign *f, const struct json *item) {
    struct foreign_role r = {.id = item_int(item, "id"),
                             .title = json_member_text(item, "title"),
                             .type = api_word(role_types, json_member_text(item, "type")),
                             .case_access =
                                 api_word(case_accesses, json_member_text(item, "agent_case_access")),
                             .permissions = item_list(item, "_permissions")};
    bool is_system = json_member_true(item, "is_system"),
         is_own = !is_system && r.id > 5 && (r.type == ROLE_ADMIN || r.type == ROLE_AGENT);
    if (r.type == 0 || (!is_own && !is_system)) {
        foreign_skip(f, "roles with an unknown type: their people are customers", r.id);
        return 0;
    }
    r.role_id = is_own ? 0 : system_roles[r.type];
    int there = !f->maps_ids ? 0 : is_own ? role_of_own_mapped(f, &r) : role_of_system_mapped(f, &r);
    TRY(there);
    if (!there) TRY(role_made(f, &r, is_own));
    if (r.role_id == 0) return 0;
    foreign_explain(f, "role", r.id, r.title, (int)r.role_id);
    foreign_here(f, "role", r.id, r.role_id);
    return 0;
}
