/* People of an import, and their identities. */
#include "transfer/foreign_row.h"

#include "base/error.h"
#include "base/fold.h"
#include "core/change/audit.h"
#include "core/people/authority.h"
#include "core/people/identity.h"
#include "core/people/team.h"
#include "core/people/user.h"
#include "transfer/foreign_follow.h"
#include "transfer/foreign_identities.h"

/* ---- people ---------------------------------------------------------------------------------- */

QUERY(foreign_person_unknown, "SELECT 1 FROM users WHERE id = :id AND legacy_id IS NULL");

int load_identity(struct foreign *f, int64_t person_id, bool is_phone, struct str value) {
    struct work w;
    struct author person;
    int found = foreign_found_person(f, person_id, &person);
    if (found != 1)
        return found < 0
                   ? found
                   : (foreign_skip(f, "addresses and numbers of people who were not imported", person_id), 0);
    foreign_work(f, &w, 0, foreign_owner(f));
    return foreign_done(f, &w,
                        add_foreign_identity(f, &w,
                                             (struct owned){.user = person.user_id, .foreign_id = person_id},
                                             is_phone ? IDENTITY_PHONE : IDENTITY_EMAIL, value));
}

static int join_teams(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t user) {
    int64_t teams[FOREIGN_TEAMS];
    int n = 0;
    for (int i = 0; i < p->team_count; i++) {
        int found = foreign_found(f, &foreign_team, p->teams[i], &teams[n]);
        TRY(found);
        n += found;
    }
    return n ? user_join_teams(w, user, json_ids(f->item, teams, (size_t)n)) : 0;
}

/* Members that a new person and the owner share. */
static int person_more(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t user) {
    const struct owned by = {.user = user, .foreign_id = p->id};
    TRY(person_addresses_add(f, w, p, user));
    TRY(add_foreign_identity(f, w, by, IDENTITY_PHONE, p->phone));
    TRY(add_foreign_identity(f, w, by, IDENTITY_PHONE, p->mobile));
    TRY(foreign_note(f, w, NOTE_USER, user, p->note));
    TRY(join_teams(f, w, p, user));
    TRY(foreign_tags(f, w, &user_tagging, user, p->tags, p->id));
    return person_carried(f, w, p, user);
}

/* Makes the person. *user gets the id. */
static int person_rows(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t *user) {
    struct str legacy;
    TRY(foreign_legacy_id(f, &foreign_person, p->id, p->legacy_id, &legacy));
    struct user_new n = {.full_name = foreign_line(f, p->name, "Without name"),
                         .role_id = p->role_id,
                         .locale_id = p->locale_id,
                         .agent_case_access = p->agent_case_access,
                         .organization_case_access = p->organization_case_access,
                         .legacy_id = legacy,
                         .designation = p->designation,
                         .time_zone = p->time_zone,
                         .signature = p->signature,
                         .id = f->keeps_ids ? p->id : 0,
                         .is_disabled = p->is_disabled};
    TRY(foreign_found(f, &foreign_organization, p->organization_id, &n.organization_id));
    TRY(free_identity(f, w, IDENTITY_EMAIL, p->email, p->id, &n.email));
    TRY(user_create(w, &n, !p->email_unverified, user));
    TRY(imported_keep(f, foreign_person.kind, p->id, *user, f->changed_at));
    return person_more(f, w, p, *user);
}

QUERY(owner_born, "UPDATE users SET created_at = :at, agent_case_access = CAST(:access AS BIGINT), "
                  "organization_case_access = CAST(:organization AS BIGINT) WHERE id = :id");

/* Systems that keep ids: the owner keeps the login and the role, and takes the rest of the row. */
static int owner_row(struct foreign *f, struct work *w, const struct foreign_person *p,
                     struct column *columns) {
    columns[1] = COLUMN_UNRECORDED(B_TEXT, "designation", p->designation);
    columns[2] = COLUMN_UNRECORDED(B_TEXT, "designation_key", fold_key(f->item, p->designation));
    columns[3] = COLUMN_UNRECORDED(B_TEXT, "time_zone", p->time_zone);
    columns[4] = COLUMN_UNRECORDED(B_TEXT, "signature", p->signature);
    columns[5] = COLUMN_UNRECORDED(B_INT, "locale_id", p->locale_id ? p->locale_id : 1);
    return db_exec(w->conn, &owner_born,
                   BINDS(B_INT("at", p->created_at ? p->created_at : f->now),
                         B_ID("access", p->agent_case_access),
                         B_ID("organization", p->organization_case_access), B_INT("id", p->id)));
}

/* The owner of the new desk may be a person of the other system. The import changes this person now. */
static int is_owner(struct foreign *f, struct work *w, const struct foreign_person *p) {
    struct column columns[6] = {0}; /* compared: user_change records it */
    struct str legacy;
    struct user_change change = {.columns = columns, .column_count = f->keeps_ids ? 6 : 1};
    int64_t user, one;
    int rc = p->email.n ? identity_owner(w, IDENTITY_EMAIL, p->email, &user) : 0;
    if (f->keeps_ids) user = p->id, rc = 1;
    if (rc != 1 || user != f->owner_id) return rc < 0 ? rc : 0;
    rc = db_int(f->conn, &foreign_person_unknown, BINDS(B_INT("id", user)), &one);
    if (rc != 1) return rc;
    TRY(foreign_found(f, &foreign_organization, p->organization_id, &change.organization_id));
    if (change.organization_id) change.set = USER_ORGANIZATION;
    w->now = f->now;
    if (f->keeps_ids) {
        TRY(owner_row(f, w, p, columns));
        change.set |= USER_NAME;
        change.full_name = foreign_line(f, p->name, "Owner");
    }
    TRY(foreign_legacy_id(f, &foreign_person, p->id, p->legacy_id, &legacy));
    columns[0] = COLUMN_UNRECORDED(B_TEXT, "legacy_id", legacy);
    TRY(user_change(w, user, &change));
    TRY(imported_keep(f, foreign_person.kind, p->id, user, f->changed_at));
    TRY(person_more(f, w, p, user));
    return 1;
}

/* People of staff get access now, whenever their accounts were made. */
static int trace_staff(struct foreign *f, const struct foreign_person *p) {
    struct author there = {0};
    TRY(foreign_found_person(f, p->id, &there));
    if (there.rank < ROLE_COLLABORATOR) return 0;
    return audit_command(f->conn, &(struct audit_command){f->now, there.user_id, f->audit_key,
                                                          AUDIT_STAFF_CREATED, S("deskd import")});
}

static const char *const made_by_rank[] = {"",       "customers",      "collaborators",
                                           "agents", "administrators", "owners"};

enum { PERSON_IS_NEW = 2 };

/* ---- people of the desk ---------------------------------------------------------------------- */

QUERY(person_with_email, "SELECT u.id FROM identity_emails e JOIN users u ON u.id = e.user_id "
                         "WHERE e.email_key = :key AND e.is_claim = 0 AND e.is_validated = 1 "
                         "AND u.deleted_at IS NULL");
QUERY(person_with_phone, "SELECT u.id FROM identity_phones p JOIN users u ON u.id = p.user_id "
                         "WHERE p.number_key = :key AND p.is_claim = 0 AND p.is_validated = 1 "
                         "AND u.deleted_at IS NULL");

/* Finds the person of the desk with one of these identities, which both sides have verified: somebody may
 * have entered the address or number of another person. */
static int person_with(struct foreign *f, struct work *w, enum identity_kind kind, const struct json *list,
                       int64_t *here) {
    const struct query *q = kind == IDENTITY_EMAIL ? &person_with_email : &person_with_phone;
    int found = 0;
    for (const struct json *j = list ? list->first : NULL; j && found == 0; j = j->next) {
        struct str value = json_member_text(j, kind == IDENTITY_EMAIL ? "email" : "number");
        bool counts = json_member_true(j, "is_validated") && value.n;
        struct str key = counts ? identity_key(w, kind, foreign_line(f, value, "")) : (struct str){0};
        if (key.p) found = db_int(f->conn, q, BINDS(B_TEXT("key", key)), here);
    }
    return found;
}

/* A person whom an earlier run has made follows the source. A person of the desk with the same address stays,
 * because the source could give rights by it. Returns 1 if the row has changed, 0 if it stays, PERSON_IS_NEW,
 * or a negative error. */
static int person_mapped(struct foreign *f, const struct foreign_person *p) {
    struct imported row;
    struct work w;
    int64_t here;
    int found = imported_find(f, foreign_person.kind, p->id, &row);
    if (found == 1 && row.changed_at && row.changed_at != f->changed_at) return person_follow(f, p, &row);
    if (found) return found < 0 ? found : 0;
    foreign_work(f, &w, 0, foreign_owner(f));
    found = person_with(f, &w, IDENTITY_EMAIL, p->emails, &here);
    if (found == 0) found = person_with(f, &w, IDENTITY_PHONE, p->phones, &here);
    if (found <= 0) return found < 0 ? found : PERSON_IS_NEW;
    foreign_made(f, "people who were here", 1);
    foreign_skip(f, "names, addresses, teams, tags and fields of people who were here: their rows stay",
                 p->id);
    return imported_keep(f, foreign_person.kind, p->id, here, 0);
}

/* ---- loading --------------------------------------------------------------------------------- */

static int person_there(struct foreign *f, const struct foreign_person *p) {
    struct author there;
    if (f->maps_ids) return person_mapped(f, p);
    if (f->keeps_ids && p->id == f->owner_id) return PERSON_IS_NEW;
    int found = foreign_found_person(f, p->id, &there);
    return found > 0 ? foreign_twice(f, "id", p->id) : found < 0 ? found : PERSON_IS_NEW;
}

int load_foreign_person(struct foreign *f, const struct foreign_person *p) {
    struct work w;
    int64_t rank = 0, user;
    int there = person_there(f, p);
    if (there != PERSON_IS_NEW) return there;
    foreign_work(f, &w, p->created_at, foreign_owner(f));
    int owner = f->maps_ids ? 0 : is_owner(f, &w, p);
    if (owner) {
        TRY(foreign_done(f, &w, owner));
        return 1;
    }
    TRY(role_type_of(&w, p->role_id, &rank));
    foreign_made(f, made_by_rank[rank], 1);
    TRY(foreign_done(f, &w, person_rows(f, &w, p, &user)));
    TRY(trace_staff(f, p));
    return 1;
}

int load_member(struct foreign *f, int64_t person_id, int64_t team_id) {
    struct work w;
    struct author person;
    int64_t team;
    int one = foreign_found_person(f, person_id, &person),
        two = foreign_found(f, &foreign_team, team_id, &team);
    if (one < 0 || two < 0) return -ERR_SERVICE_UNAVAILABLE;
    if (!one || !two || person.rank < ROLE_COLLABORATOR) {
        foreign_skip(f, "memberships of people or teams that were not imported", person_id);
        return 0;
    }
    foreign_work(f, &w, 0, foreign_owner(f));
    return foreign_done(f, &w, team_add_members(&w, team, json_ids(f->item, &person.user_id, 1)));
}

int foreign_deleted_person(struct foreign *f, int64_t id, int64_t at, struct author *out) {
    const struct foreign_person p = {.id = id,
                                     .created_at = at,
                                     .role_id = ROLE_OF_CUSTOMERS,
                                     .name = S("Deleted person"),
                                     .is_disabled = true};
    struct work w;
    int64_t user;
    if (!f->system->is_api || id <= 0) return 0;
    foreign_skip(f, "names and addresses of people who were deleted there: a disabled person has their id",
                 id);
    foreign_work(f, &w, at, foreign_owner(f));
    TRY(foreign_done(f, &w, person_rows(f, &w, &p, &user)));
    *out = (struct author){user, ROLE_CUSTOMER};
    return 1;
}
