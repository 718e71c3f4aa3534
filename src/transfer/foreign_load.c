#include "transfer/foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fold.h"
#include "core/access/permission.h"
#include "core/cases/attachment.h"
#include "core/cases/case_new.h"
#include "core/cases/message.h"
#include "core/cases/note.h"
#include "core/all/finish.h"
#include "core/desk/setting.h"
#include "core/people/authority.h"
#include "core/people/identity.h"
#include "core/people/organization.h"
#include "core/people/tag.h"
#include "core/people/team.h"
#include "core/people/user.h"
#include "files/html_clean.h"
#include "core/change/audit.h"

enum { LINE_MAX_CHARACTERS = 250, system_owner = 5 };

/* ---- texts ----------------------------------------------------------------------------------- */

static struct str cut_at(struct str text, size_t most) {
    size_t n = 0;
    for (size_t characters = 0; n < text.n; n++)
        if (((unsigned char)text.p[n] & 0xC0) != 0x80 && ++characters > most) break;
    return (struct str){text.p, n};
}

/* One line without control characters. */
static struct str line_of(struct foreign *f, struct str text, const char *fallback) {
    char *p = arena_bytes(f->item, text.n + 1);
    for (size_t i = 0; i < text.n; i++)
        p[i] = (unsigned char)text.p[i] < ' ' || text.p[i] == 0x7F ? ' ' : text.p[i];
    struct str line = str_trim((struct str){p, text.n});
    return str_dup(f->item, line.n ? cut_at(line, LINE_MAX_CHARACTERS) : str_of(fallback));
}

static struct str legacy(struct foreign *f, int64_t id) {
    return str_fmt(f->item, "%s:%" PRId64, f->system->name, id);
}

/* The legacy_id to store. A system whose rows keep their ids has one of its own, or none. */
static struct str legacy_id(struct foreign *f, int64_t id, struct str own) {
    if (!f->system->keeps_ids) return legacy(f, id);
    if (!own.n) return (struct str){0};
    if (text_wrong(f->item, own, LINE_MAX_CHARACTERS, true) == NULL) return own;
    foreign_skip(f, "values of legacy_id that are not valid", id);
    return (struct str){0};
}

/* ---- works ----------------------------------------------------------------------------------- */

struct author {
    int64_t user_id;
    int rank;
};

static struct work *foreign_work(struct foreign *f, struct work *w, int64_t at, struct author by) {
    work_init(w, f->desk, f->item);
    w->conn = f->conn;
    w->now = at > 0 ? at : f->now;
    w->actor.kind = ACTOR_SYSTEM;
    w->actor.cause = str_fmt(f->item, "Import from %s", f->system->name);
    w->actor.user_id = by.user_id;
    w->actor.rank = by.rank;
    w->actor.case_access = CASES_ALL;
    w->silent = true;
    return w;
}

/* The audit log gets the entries of works of now. Older entries would be deleted at once. */
static int foreign_finish(struct foreign *f, struct work *w) {
    if (w->now == f->now) f->desk->audit_key = *f->audit_key;
    int rc = work_finish(w);
    explicit_bzero(&f->desk->audit_key, sizeof f->desk->audit_key);
    return rc;
}

/* Finishes a work, or gives the reason of its failure. */
static int foreign_done(struct foreign *f, struct work *w, int rc) {
    if (rc >= 0) rc = foreign_finish(f, w);
    if (rc >= 0) return 0;
    const struct problem *p = w->problems;
    if (!p) return db_refuse(f->why, "it can't be stored (%s)", error_info(rc)->code);
    struct str said = p->message.p ? p->message : str_of(error_info((int)p->code)->message);
    return db_refuse(f->why, "%.*s%s%.*s", (int)p->parameter.n, p->parameter.p ? p->parameter.p : "",
                     p->parameter.n ? ": " : "", (int)said.n, said.p);
}

static struct author author_owner(const struct foreign *f) {
    return (struct author){f->owner_id, ROLE_OWNER};
}

/* ---- earlier items --------------------------------------------------------------------------- */

QUERY(organization_by_legacy, "SELECT id FROM organizations WHERE legacy_id = :legacy");
QUERY(organization_by_id, "SELECT id FROM organizations WHERE id = :id");
QUERY(team_by_legacy, "SELECT id FROM teams WHERE legacy_id = :legacy");
QUERY(team_by_id, "SELECT id FROM teams WHERE id = :id");
QUERY(case_by_legacy, "SELECT id FROM cases WHERE legacy_id = :legacy");
QUERY(case_by_id, "SELECT id FROM cases WHERE id = :id");
QUERY(person_by_legacy, "SELECT id, role_type FROM users WHERE legacy_id = :legacy AND deleted_at IS NULL");
QUERY(person_by_id, "SELECT id, role_type FROM users WHERE id = :id AND deleted_at IS NULL");

/* The queries for a row by its foreign id: legacy_id, or the id itself. */
struct earlier {
    const struct query *by_legacy, *by_id;
};
static const struct earlier foreign_organization = {&organization_by_legacy, &organization_by_id},
                            foreign_team = {&team_by_legacy, &team_by_id},
                            foreign_case_there = {&case_by_legacy, &case_by_id},
                            foreign_person = {&person_by_legacy, &person_by_id};

static const struct query *earlier_query(const struct foreign *f, const struct earlier *e) {
    return f->system->keeps_ids ? e->by_id : e->by_legacy;
}

static const struct bind *earlier_binds(struct foreign *f, int64_t id) {
    struct bind *binds = arena_array(f->item, 2, sizeof *binds);
    binds[0] =
        f->system->keeps_ids ? (struct bind)B_INT("id", id) : (struct bind)B_TEXT("legacy", legacy(f, id));
    return binds;
}

static int found_id(struct foreign *f, const struct earlier *e, int64_t id, int64_t *out) {
    *out = 0;
    return id ? db_int(f->conn, earlier_query(f, e), earlier_binds(f, id), out) : 0;
}

/* Returns 1 with the author, 0 if no person has this id, or a negative error. */
static int found_person(struct foreign *f, int64_t id, struct author *out) {
    struct stmt *row;
    int rc = id ? db_row(f->conn, earlier_query(f, &foreign_person), earlier_binds(f, id), &row) : 0;
    if (rc != 1) return rc;
    *out = (struct author){col_int(row, 0), (int)col_int(row, 1)};
    stmt_end(row);
    return 1;
}

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

static int load_tags(struct foreign *f, struct work *w, const struct tagging *tagging, int64_t id,
                     const struct json *tags, int64_t foreign_id) {
    struct str names[LIMIT_TAGS];
    int n = 0;
    for (const struct json *j = tags && tags->type == JSON_ARRAY ? tags->first : NULL; j; j = j->next) {
        bool valid = j->type == JSON_STRING && n < LIMIT_TAGS && tag_key(f->item, j->text).p;
        if (valid) names[n++] = j->text;
        else foreign_skip(f, "tags that are not valid", foreign_id);
    }
    return n ? tags_add(w, tagging, id, names, n) : 0;
}

static int load_note(struct foreign *f, struct work *w, enum note_owner kind, int64_t id, struct str text) {
    int64_t note;
    text = str_trim(text);
    if (!text.n) return 0;
    foreign_made(f, "notes", 1);
    return note_add(w, &(struct note_new){.kind = kind, .owner_id = id, .text = cut_at(text, LIMIT_CONTENTS)},
                    &note);
}

/* The last column of a new row is its id, if the system keeps ids. */
static int columns_of(const struct foreign *f, size_t count) { return (int)count - !f->system->keeps_ids; }

static int organization_rows(struct foreign *f, struct work *w, const struct foreign_organization *o) {
    struct str name = line_of(f, o->name, "Without name"), keys[DOMAINS];
    const struct column columns[] = {
        COLUMN_UNRECORDED(B_TEXT, "name", name),
        COLUMN_UNRECORDED(B_TEXT, "name_key", fold_key(f->item, name)),
        COLUMN_UNRECORDED(B_TEXT, "legacy_id", legacy_id(f, o->id, o->legacy_id)),
        COLUMN_UNRECORDED(B_INT, "is_shared", o->is_shared),
        COLUMN_UNRECORDED(B_INT, "is_validated", !o->is_unvalidated),
        COLUMN_UNRECORDED(B_INT, "id", o->id),
    };
    int64_t id;
    TRY(organization_create(w, columns, columns_of(f, sizeof columns / sizeof *columns), &id));
    TRY(load_note(f, w, NOTE_ORGANIZATION, id, o->note));
    int n = domains_of(f, w, o, keys);
    TRY(n);
    if (n) TRY(organization_set_domains(w, id, keys, (size_t)n));
    return load_tags(f, w, &organization_tagging, id, o->tags, o->id);
}

int load_organization(struct foreign *f, const struct foreign_organization *o) {
    struct work w;
    int64_t there;
    int found = found_id(f, &foreign_organization, o->id, &there);
    if (found) return found < 0 ? found : foreign_twice(f, "id", o->id);
    foreign_work(f, &w, o->created_at, author_owner(f));
    foreign_made(f, "organizations", 1);
    return foreign_done(f, &w, organization_rows(f, &w, o));
}

int load_team(struct foreign *f, const struct foreign_team *t) {
    struct work w;
    int64_t team;
    int found = found_id(f, &foreign_team, t->id, &team);
    if (found) return found < 0 ? found : foreign_twice(f, "id", t->id);
    foreign_work(f, &w, t->created_at, author_owner(f));
    foreign_made(f, "teams", 1);
    const struct column columns[] = {
        COLUMN_UNRECORDED(B_TEXT, "title", line_of(f, t->name, "Without name")),
        COLUMN_UNRECORDED(B_TEXT, "legacy_id", legacy_id(f, t->id, t->legacy_id)),
        COLUMN_UNRECORDED(B_INT, "id", t->id),
    };
    return foreign_done(f, &w,
                        record_insert(&w, (struct record){"team", "teams", NULL}, columns,
                                      columns_of(f, sizeof columns / sizeof *columns), &team));
}

/* ---- roles ----------------------------------------------------------------------------------- */

/* A permission that is off there is off here. Names that are unknown here are reported. */
static int role_permissions(struct foreign *f, struct work *w, const struct foreign_role *r) {
    TRY(permissions_fill(f->conn, permissions, f->now));
    for (const struct json *j = r->permissions ? r->permissions->first : NULL; j; j = j->next) {
        const struct json *value = json_member(j, S("value"));
        const struct permission *p = permission_of(item_text(j, "name"));
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
        COLUMN_UNRECORDED(B_TEXT, "title", line_of(f, r->title, "Without name")),
        COLUMN_UNRECORDED(B_INT, "type", r->type),
        COLUMN_UNRECORDED(B_INT, "is_system", 0),
        COLUMN_UNRECORDED(B_INT, "denied", 0),
        COLUMN_UNRECORDED(B_INT, "id", r->id),
    };
    int rc;
    foreign_work(f, &w, 0, author_owner(f));
    if (r->role_id) rc = r->case_access ? record_update(&w, roles, &r->role_id, 1, columns, 1) : 0;
    else rc = record_insert(&w, roles, columns, sizeof columns / sizeof *columns, &r->role_id);
    if (rc >= 0) rc = role_permissions(f, &w, r);
    return foreign_done(f, &w, rc);
}

/* ---- people ---------------------------------------------------------------------------------- */

QUERY(foreign_person_unknown, "SELECT 1 FROM users WHERE id = :id AND legacy_id IS NULL");

/* Returns the address or number if it is valid and nobody has it. */
static int free_identity(struct foreign *f, struct work *w, enum identity_kind kind, struct str value,
                         int64_t id, struct str *out) {
    *out = (struct str){0};
    if (!value.n) return 0;
    struct str line = line_of(f, value, "");
    int held = identity_key(w, kind, line).p ? identity_held(w, kind, line, 0, false) : 1;
    TRY(held);
    if (held)
        foreign_skip(f,
                     kind == IDENTITY_EMAIL
                         ? "e-mail addresses that are not valid, or belong to another person"
                         : "phone numbers that are not valid, or belong to another person",
                     id);
    else *out = line;
    return 0;
}

struct owned {
    int64_t user, foreign_id;
    bool is_claim; /* the value counts for nothing until it is verified */
};

static int add_claim(struct foreign *f, struct work *w, struct owned by, enum identity_kind kind,
                     struct str value) {
    struct str line = value.n ? line_of(f, value, "") : value;
    int64_t id;
    int held = line.n && identity_key(w, kind, line).p ? identity_held(w, kind, line, by.user, true) : 1;
    if (held) return held < 0 ? held : 0;
    return identity_add(w, kind,
                        &(struct identity_new){.user_id = by.user, .value = line, .claim = CLAIM_OWN}, &id);
}

/* Adds an address or number to a person who may have it already. */
static int add_foreign_identity(struct foreign *f, struct work *w, struct owned by, enum identity_kind kind,
                                struct str value) {
    struct str line;
    int64_t owner, id;
    if (by.is_claim) return add_claim(f, w, by, kind, value);
    int owned = value.n ? identity_owner(w, kind, value, &owner) : 0;
    if (owned < 0 || (owned && owner == by.user)) return owned < 0 ? owned : 0;
    TRY(free_identity(f, w, kind, value, by.foreign_id, &line));
    return line.n
               ? identity_add(w, kind,
                              &(struct identity_new){.user_id = by.user, .value = line, .is_validated = true},
                              &id)
               : 0;
}

int load_identity(struct foreign *f, int64_t person_id, bool is_phone, struct str value) {
    struct work w;
    struct author person;
    int found = found_person(f, person_id, &person);
    if (found != 1)
        return found < 0
                   ? found
                   : (foreign_skip(f, "addresses and numbers of people who were not imported", person_id), 0);
    foreign_work(f, &w, 0, author_owner(f));
    return foreign_done(f, &w,
                        add_foreign_identity(f, &w,
                                             (struct owned){.user = person.user_id, .foreign_id = person_id},
                                             is_phone ? IDENTITY_PHONE : IDENTITY_EMAIL, value));
}

static int join_teams(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t user) {
    int64_t teams[FOREIGN_TEAMS];
    int n = 0;
    for (int i = 0; i < p->team_count; i++) {
        int found = found_id(f, &foreign_team, p->teams[i], &teams[n]);
        TRY(found);
        n += found;
    }
    return n ? user_join_teams(w, user, json_ids(f->item, teams, (size_t)n)) : 0;
}

/* Identities of this API. One that is neither primary nor validated may be a claim, so it becomes one. */
static int add_identities(struct foreign *f, struct work *w, struct owned by, enum identity_kind kind,
                          const struct json *list) {
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        by.is_claim = kind == IDENTITY_EMAIL && !item_true(j, "is_primary") && !item_true(j, "is_validated");
        TRY(add_foreign_identity(f, w, by, kind, item_text(j, kind == IDENTITY_EMAIL ? "email" : "number")));
    }
    return 0;
}

/* Members that a new person and the owner share. */
static int person_more(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t user) {
    const struct owned by = {.user = user, .foreign_id = p->id};
    TRY(add_identities(f, w, by, IDENTITY_EMAIL, p->emails));
    TRY(add_identities(f, w, by, IDENTITY_PHONE, p->phones));
    TRY(add_foreign_identity(f, w, by, IDENTITY_PHONE, p->phone));
    TRY(add_foreign_identity(f, w, by, IDENTITY_PHONE, p->mobile));
    TRY(load_note(f, w, NOTE_USER, user, p->note));
    TRY(join_teams(f, w, p, user));
    return load_tags(f, w, &user_tagging, user, p->tags, p->id);
}

static int person_rows(struct foreign *f, struct work *w, const struct foreign_person *p) {
    struct user_new n = {.full_name = line_of(f, p->name, "Without name"),
                         .role_id = p->role_id,
                         .agent_case_access = p->agent_case_access,
                         .organization_case_access = p->organization_case_access,
                         .legacy_id = legacy_id(f, p->id, p->legacy_id),
                         .designation = p->designation,
                         .time_zone = p->time_zone,
                         .signature = p->signature,
                         .id = f->system->keeps_ids ? p->id : 0,
                         .is_disabled = p->is_disabled};
    int64_t user;
    TRY(found_id(f, &foreign_organization, p->organization_id, &n.organization_id));
    TRY(free_identity(f, w, IDENTITY_EMAIL, p->email, p->id, &n.email));
    TRY(user_create(w, &n, !p->email_unverified, &user));
    return person_more(f, w, p, user);
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
    return db_exec(w->conn, &owner_born,
                   BINDS(B_INT("at", p->created_at ? p->created_at : f->now),
                         B_ID("access", p->agent_case_access),
                         B_ID("organization", p->organization_case_access), B_INT("id", p->id)));
}

/* The owner of the new desk may be a person of the other system. The import changes this person now. */
static int is_owner(struct foreign *f, struct work *w, const struct foreign_person *p) {
    /* compared: user_change records it */
    struct column columns[5] = {COLUMN_UNRECORDED(B_TEXT, "legacy_id", legacy_id(f, p->id, p->legacy_id))};
    struct user_change change = {.columns = columns, .column_count = f->system->keeps_ids ? 5 : 1};
    int64_t user, one;
    int rc = p->email.n ? identity_owner(w, IDENTITY_EMAIL, p->email, &user) : 0;
    if (f->system->keeps_ids) user = p->id, rc = 1;
    if (rc != 1 || user != f->owner_id) return rc < 0 ? rc : 0;
    rc = db_int(f->conn, &foreign_person_unknown, BINDS(B_INT("id", user)), &one);
    if (rc != 1) return rc;
    TRY(found_id(f, &foreign_organization, p->organization_id, &change.organization_id));
    if (change.organization_id) change.set = USER_ORGANIZATION;
    w->now = f->now;
    if (f->system->keeps_ids) {
        TRY(owner_row(f, w, p, columns));
        change.set |= USER_NAME;
        change.full_name = line_of(f, p->name, "Owner");
    }
    TRY(user_change(w, user, &change));
    TRY(person_more(f, w, p, user));
    return 1;
}

/* People of staff get access now, whenever their accounts were made. */
static int trace_staff(struct foreign *f, const struct foreign_person *p) {
    struct author there = {0};
    TRY(found_person(f, p->id, &there));
    if (there.rank < ROLE_COLLABORATOR) return 0;
    return audit_command(f->conn, &(struct audit_command){f->now, there.user_id, f->audit_key,
                                                          AUDIT_STAFF_CREATED, S("deskd import")});
}

static const char *const made_by_rank[] = {"",       "customers",      "collaborators",
                                           "agents", "administrators", "owners"};

int load_foreign_person(struct foreign *f, const struct foreign_person *p) {
    struct work w;
    struct author there;
    int64_t rank = 0;
    bool is_new = !f->system->keeps_ids || p->id != f->owner_id;
    int found = is_new ? found_person(f, p->id, &there) : 0;
    if (found) return found < 0 ? found : foreign_twice(f, "id", p->id);
    foreign_work(f, &w, p->created_at, author_owner(f));
    int owner = is_owner(f, &w, p);
    if (owner) return foreign_done(f, &w, owner);
    TRY(role_type_of(&w, p->role_id, &rank));
    foreign_made(f, made_by_rank[rank], 1);
    TRY(foreign_done(f, &w, person_rows(f, &w, p)));
    return trace_staff(f, p);
}

int load_member(struct foreign *f, int64_t person_id, int64_t team_id) {
    struct work w;
    struct author person;
    int64_t team;
    int one = found_person(f, person_id, &person), two = found_id(f, &foreign_team, team_id, &team);
    if (one < 0 || two < 0) return -ERR_SERVICE_UNAVAILABLE;
    if (!one || !two || person.rank < ROLE_COLLABORATOR) {
        foreign_skip(f, "memberships of people or teams that were not imported", person_id);
        return 0;
    }
    foreign_work(f, &w, 0, author_owner(f));
    return foreign_done(f, &w, team_add_members(&w, team, json_ids(f->item, &person.user_id, 1)));
}

/* ---- conversations --------------------------------------------------------------------------- */

struct filed {
    int64_t ids[LIMIT_TAGS];
    int n;
};

struct told {
    struct str text, html;
};

/* Cleans HTML. If that fails, the plain text remains. */
static int contents_of(struct foreign *f, const struct foreign_post *p, struct told *out) {
    struct html_cleaned clean;
    int cleaned = p->html.n ? html_clean(f->item, p->html, &clean) : 0;
    TRY(cleaned);
    *out = (struct told){.text = p->text};
    if (cleaned) *out = (struct told){clean.text, clean.html};
    if (!str_trim(out->text).n) out->text = p->text;
    if (!str_trim(out->text).n) out->text = S("(empty)");
    out->text = str_dup(f->item, cut_at(out->text, LIMIT_CONTENTS));
    return 0;
}

static int files_of(struct foreign *f, struct work *w, int64_t owner_id, const struct foreign_post *p,
                    struct filed *out) {
    out->n = 0;
    for (int i = 0; i < p->attachment_count && out->n < LIMIT_TAGS; i++) {
        int found = foreign_file(f, w, &p->attachments[i], &out->ids[out->n]);
        TRY(found);
        if (found) out->n++;
        else foreign_skip(f, "attachments whose file is not in the folder attachments", owner_id);
    }
    if (out->n) foreign_made(f, "attachments", out->n);
    return 0;
}

/* A person who was deleted from a source whose rows keep their ids: a disabled customer takes the id, because
 * conversations refer to it. Returns 1 with the person, 0 or a negative error. */
static int deleted_person(struct foreign *f, int64_t id, int64_t at, struct author *out) {
    const struct foreign_person p = {.id = id,
                                     .created_at = at,
                                     .role_id = ROLE_OF_CUSTOMERS,
                                     .name = S("Deleted person"),
                                     .is_disabled = true};
    struct work w;
    if (!f->system->keeps_ids || id <= 0) return 0;
    foreign_skip(f, "names and addresses of people who were deleted there: a disabled person has their id",
                 id);
    foreign_work(f, &w, at, author_owner(f));
    TRY(foreign_done(f, &w, person_rows(f, &w, &p)));
    *out = (struct author){id, ROLE_CUSTOMER};
    return 1;
}

static struct author author_of(struct foreign *f, const struct foreign_post *p, int64_t case_id) {
    struct author a;
    if (found_person(f, p->author_id, &a) == 1 || deleted_person(f, p->author_id, p->created_at, &a) == 1)
        return a;
    foreign_skip(f, "authors who are not among the people: the owner is shown in their place", case_id);
    return author_owner(f);
}

/* Lists of posts may begin with the newest one. */
static int compare_posts(const void *one, const void *two) {
    const struct foreign_post *a = one, *b = two;
    if (a->created_at != b->created_at) return a->created_at < b->created_at ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int sort_posts(struct foreign *f, const struct foreign_case *c) {
    if (c->post_count > 1) qsort(c->posts, (size_t)c->post_count, sizeof *c->posts, compare_posts);
    for (int i = 0; i < c->post_count; i++) TRY(foreign_once(f, &f->posts, "posts: id", c->posts[i].id));
    return 0;
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* The first public post. A ticket without one begins with its subject. A note may open a conversation. */
static const struct foreign_post *first_message(const struct foreign_case *c) {
    if (c->channel == CHANNEL_NOTE && c->post_count && c->posts[0].is_note) return &c->posts[0];
    for (int i = 0; i < c->post_count; i++)
        if (!c->posts[i].is_note) return &c->posts[i];
    return NULL;
}

static int begin_case(struct foreign *f, const struct foreign_case *c, const struct foreign_post *first,
                      struct author requester, int64_t *id) {
    struct work w;
    struct filed files;
    struct told told;
    struct author author = first->author_id ? author_of(f, first, c->id) : requester, agent;
    struct case_new n = {.subject = line_of(f, c->subject, "Without subject"),
                         .legacy_id = legacy_id(f, c->id, c->legacy_id),
                         .id = f->system->keeps_ids ? c->id : 0,
                         .priority_id = c->priority_id,
                         .type_id = c->type_id,
                         .source = c->source,
                         .channel = c->channel                      ? c->channel
                                    : c->source == SOURCE_MAIL      ? CHANNEL_MAIL
                                    : c->source == SOURCE_MESSENGER ? CHANNEL_MESSENGER
                                                                    : CHANNEL_HELPCENTER,
                         .requester_id = requester.user_id,
                         .creator_id = author.user_id};
    foreign_work(f, &w, c->created_at, author);
    TRY(contents_of(f, first, &told));
    TRY(files_of(f, &w, c->id, first, &files));
    TRY(found_id(f, &foreign_team, c->team_id, &n.assigned_team_id));
    if (found_person(f, c->agent_id, &agent) == 1 && agent.rank >= ROLE_COLLABORATOR)
        n.assigned_agent_id = agent.user_id;
    n.contents = told.text;
    n.html = told.html;
    n.message_channel = first->channel;
    n.files = files.ids;
    n.file_count = files.n;
    int rc = case_create(&w, &n, id);
    if (rc >= 0) rc = load_tags(f, &w, &case_tagging, *id, c->tags, c->id);
    return foreign_done(f, &w, rc);
}

static int add_post(struct foreign *f, const struct foreign_case *c, const struct foreign_post *p, int64_t id,
                    int64_t *at) {
    struct work w;
    struct filed files;
    struct told told;
    struct case_now now;
    int64_t post;
    *at = later(*at, p->created_at); /* times of a conversation never go back */
    foreign_work(f, &w, p->is_note ? p->created_at : *at, author_of(f, p, c->id));
    TRY(contents_of(f, p, &told));
    TRY(files_of(f, &w, c->id, p, &files));
    int rc = case_load(&w, id, &now);
    if (rc == 1 && p->is_note)
        rc = note_add(&w,
                      &(struct note_new){.kind = NOTE_CASE,
                                         .owner_id = id,
                                         .text = told.text,
                                         .html = told.html,
                                         .pinned = p->is_pinned,
                                         .color = p->color,
                                         .files = files.ids,
                                         .file_count = files.n},
                      &post);
    else if (rc == 1)
        rc = message_post(&w, &now,
                          &(struct message_new){.contents = told.text,
                                                .html = told.html,
                                                .creator_id = w.actor.user_id,
                                                .source = p->source ? p->source : c->source,
                                                .channel = p->channel,
                                                .files = files.ids,
                                                .file_count = files.n},
                          &post);
    foreign_made(f, p->is_note ? "notes" : "messages", 1);
    return foreign_done(f, &w, rc);
}

static int end_case(struct foreign *f, const struct foreign_case *c, int64_t id, int64_t at) {
    struct work w;
    struct case_now now;
    struct case_change change = {.set = CASE_STATUS, .incomplete = true};
    foreign_work(f, &w, later(at, c->updated_at), author_owner(f));
    w.actor.user_id = 0;
    int rc = case_load(&w, id, &now);
    /* A status of type NEW can't be reached again, so a conversation with replies stays as the replies
     * left it. */
    bool changes = c->status_type && c->status_type != now.status_type && c->status_type != STATUS_NEW;
    if (rc == 1 && changes) rc = status_id_of_type(&w, (enum status_type)c->status_type, &change.status_id);
    if (rc >= 0 && changes) rc = case_change(&w, &now, &change);
    /* sets updated_at */
    if (rc >= 0) rc = record_update(&w, (struct record){NULL, "cases", NULL}, &id, 1, NULL, 0);
    return foreign_done(f, &w, rc);
}

int load_case(struct foreign *f, const struct foreign_case *c) {
    struct author requester;
    struct foreign_post subject = {.text = c->subject, .created_at = c->created_at};
    const struct foreign_post *first;
    int64_t id, at = c->created_at;
    int found = found_id(f, &foreign_case_there, c->id, &id);
    if (found) return found < 0 ? found : foreign_twice(f, "id", c->id);
    found = found_person(f, c->requester_id, &requester);
    if (found == 0) found = deleted_person(f, c->requester_id, c->created_at, &requester);
    if (found != 1)
        return found < 0 ? found
                         : (foreign_skip(f, "tickets whose requester is not among the people", c->id), 0);
    TRY(sort_posts(f, c));
    first = first_message(c);
    TRY(begin_case(f, c, first ? first : &subject, requester, &id));
    foreign_made(f, "conversations", 1);
    foreign_made(f, first && first->is_note ? "notes" : "messages", 1);
    for (int i = 0; i < c->post_count; i++)
        if (&c->posts[i] != first) TRY(add_post(f, c, &c->posts[i], id, &at));
    return end_case(f, c, id, at);
}

/* ---- notes of people and organizations ------------------------------------------------------- */

int load_notes(struct foreign *f, bool is_person, int64_t id, const struct foreign_post *notes, int count) {
    struct work w;
    struct filed files;
    struct told told;
    int64_t note;
    for (int i = 0; i < count; i++) {
        const struct foreign_post *p = &notes[i];
        foreign_work(f, &w, p->created_at, author_of(f, p, id));
        TRY(contents_of(f, p, &told));
        TRY(files_of(f, &w, id, p, &files));
        foreign_made(f, "notes", 1);
        TRY(foreign_done(f, &w,
                         note_add(&w,
                                  &(struct note_new){.kind = is_person ? NOTE_USER : NOTE_ORGANIZATION,
                                                     .owner_id = id,
                                                     .text = told.text,
                                                     .html = told.html,
                                                     .pinned = p->is_pinned,
                                                     .color = p->color,
                                                     .files = files.ids,
                                                     .file_count = files.n},
                                  &note)));
    }
    return 0;
}

int foreign_has_case(struct foreign *f, int64_t id) {
    int64_t case_id;
    return found_id(f, &foreign_case_there, id, &case_id);
}
