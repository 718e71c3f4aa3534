#include "transfer/foreign_follow.h"
#include "transfer/foreign_identities.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/fold.h"
#include "base/limits.h"
#include "core/people/authority.h"
#include "core/people/identity.h"
#include "core/people/organization.h"
#include "core/people/user.h"

/* ---- lists of ids and texts ------------------------------------------------------------------ */

static bool list_has_id(const struct json *list, int64_t id) {
    int64_t one;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (whole_number(j, &one) && one == id) return true;
    return false;
}

static bool list_has_text(const struct json *list, struct str text) {
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (j->type == JSON_STRING && str_eq(j->text, text)) return true;
    return false;
}

/* ---- addresses and numbers ------------------------------------------------------------------- */

QUERY(emails_held, "SELECT id, email_key, is_primary, is_claim FROM identity_emails "
                   "WHERE user_id = :user ORDER BY id");
QUERY(phones_held, "SELECT id, number_key, is_primary, is_claim FROM identity_phones "
                   "WHERE user_id = :user ORDER BY id");

struct held {
    int64_t id;
    struct str key;
    bool is_primary, is_claim;
    const struct json *there; /* the identity of the source; NULL: it has none */
};

static const struct json *identity_there(struct foreign *f, struct work *w, enum identity_kind kind,
                                         const struct json *list, struct str key) {
    const char *member = kind == IDENTITY_EMAIL ? "email" : "number";
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct str value = json_member_text(j, member),
                   one = value.n ? identity_key(w, kind, foreign_line(f, value, "")) : (struct str){0};
        if (one.p && str_eq(one, key)) return j;
    }
    return NULL;
}

/* The identities of a person of this desk. Returns their number or a negative error. */
static int identities_held(struct foreign *f, struct work *w, enum identity_kind kind, int64_t user,
                           const struct json *list, struct held out[LIMIT_OWNED]) {
    int rc, n = 0;
    DB_ROWS(rc, f->conn, kind == IDENTITY_EMAIL ? &emails_held : &phones_held, BINDS(B_INT("user", user)),
            row)
    if (n < LIMIT_OWNED)
        out[n++] = (struct held){.id = col_int(row, 0),
                                 .key = str_dup(f->item, col_text(row, 1)),
                                 .is_primary = col_int(row, 2) != 0,
                                 .is_claim = col_int(row, 3) != 0};
    for (int i = 0; i < n; i++) out[i].there = identity_there(f, w, kind, list, out[i].key);
    return rc < 0 ? rc : n;
}

/* Ids here of the identities that the source has, too. */
static int identities_shared(struct foreign *f, struct work *w, enum identity_kind kind, int64_t user,
                             const struct json *list, struct str *ids) {
    struct held held[LIMIT_OWNED];
    int64_t shared[LIMIT_OWNED];
    size_t count = 0;
    int n = identities_held(f, w, kind, user, list, held);
    for (int i = 0; i < n; i++)
        if (held[i].there) shared[count++] = held[i].id;
    *ids = json_ids(f->item, shared, count);
    return n < 0 ? n : 0;
}

/* An address that the source has verified since counts, if nobody else has it. */
static int identities_verified(struct foreign *f, struct work *w, enum identity_kind kind,
                               const struct held *held, int n) {
    const char *member = kind == IDENTITY_EMAIL ? "email" : "number";
    for (int i = 0; i < n; i++) {
        int64_t owner;
        bool since = held[i].is_claim && held[i].there && json_member_true(held[i].there, "is_validated");
        struct str value = since ? foreign_line(f, json_member_text(held[i].there, member), "") : S("");
        int owned = since ? identity_owner(w, kind, value, &owner) : 1;
        TRY(owned);
        if (!owned) TRY(identity_set_validated(w, kind, held[i].id, true));
    }
    return 0;
}

/* The primary identity of the source becomes that of this desk, unless staff of this desk have chosen another
 * one. */
static int identities_led(struct work *w, enum identity_kind kind, const struct held *held, int n,
                          const struct json *carried) {
    const struct held *wanted = NULL, *present = NULL;
    for (int i = 0; i < n; i++) {
        if (held[i].is_primary) present = &held[i];
        if (held[i].there && json_member_true(held[i].there, "is_primary")) wanted = &held[i];
    }
    bool follows = wanted && wanted != present && !wanted->is_claim &&
                   (present == NULL || present->there || list_has_id(carried, present->id));
    return follows ? identity_set_primary(w, kind, wanted->id, true) : 0;
}

/* Identities that the last run has given, and that the source has no more. A person keeps one address. */
static int identities_gone(struct foreign *f, struct work *w, enum identity_kind kind,
                           const struct held *held, int n, const struct json *carried) {
    int64_t gone[LIMIT_OWNED];
    int count = 0, left = 0;
    for (int i = 0; i < n; i++) {
        if (!held[i].there && list_has_id(carried, held[i].id)) gone[count++] = held[i].id;
        else left += !held[i].is_claim;
    }
    if (count == 0) return 0;
    if (kind == IDENTITY_EMAIL && left == 0) {
        foreign_skip(f, "addresses that the source has removed: each is the last one of a person", 0);
        return 0;
    }
    return identities_remove(w, kind, gone, count, false);
}

static int identities_follow(struct foreign *f, struct work *w, enum identity_kind kind, int64_t user,
                             const struct json *list, const struct json *carried) {
    struct held held[LIMIT_OWNED];
    int n = identities_held(f, w, kind, user, list, held);
    TRY(n);
    TRY(identities_verified(f, w, kind, held, n));
    TRY(n = identities_held(f, w, kind, user, list, held));
    TRY(identities_led(w, kind, held, n, carried));
    return identities_gone(f, w, kind, held, n, carried);
}

/* ---- what a person has been given ------------------------------------------------------------ */

/* Ids here of the teams of the source. */
static int teams_there(struct foreign *f, const struct foreign_person *p, int64_t teams[FOREIGN_TEAMS]) {
    int n = 0;
    for (int i = 0; i < p->team_count; i++) {
        int found = foreign_found(f, &foreign_team, p->teams[i], &teams[n]);
        TRY(found);
        n += found;
    }
    return n;
}

/* As the source shows them: a role there may stand for another one in a desk with rows of its own. */
static struct str rights_of(struct foreign *f, const struct foreign_person *p, const int64_t *teams, int n) {
    struct str ids = json_ids(f->item, teams, (size_t)n);
    return str_fmt(f->item, "%" PRId64 " %d %d %d %.*s", p->role_there, p->agent_case_access,
                   p->organization_case_access, !p->is_disabled, (int)ids.n, ids.p);
}

int person_carried(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t user) {
    int64_t teams[FOREIGN_TEAMS];
    struct str emails, phones;
    if (f->source_id == 0) return 0;
    int n = teams_there(f, p, teams);
    TRY(n);
    TRY(identities_shared(f, w, IDENTITY_EMAIL, user, p->emails, &emails));
    TRY(identities_shared(f, w, IDENTITY_PHONE, user, p->phones, &phones));
    struct str rights = rights_of(f, p, teams, n), ids = json_ids(f->item, teams, (size_t)n),
               tags = foreign_tag_keys(f, p->tags);
    return imported_carry(
        f, foreign_person.kind, p->id,
        str_fmt(f->item, "{\"rights\":\"%.*s\",\"teams\":%.*s,\"emails\":%.*s,\"phones\":%.*s,\"tags\":%.*s}",
                (int)rights.n, rights.p, (int)ids.n, ids.p, (int)emails.n, emails.p, (int)phones.n, phones.p,
                (int)tags.n, tags.p));
}

/* ---- people ---------------------------------------------------------------------------------- */

QUERY(person_rank, "SELECT role_type FROM users WHERE id = :id AND deleted_at IS NULL");
QUERY(person_teams, "SELECT team_id FROM team_members WHERE user_id = :user ORDER BY team_id");

/* The teams of the source, and those that this desk has added. Customers are in none. */
static int teams_after(struct foreign *f, const struct foreign_person *p, int64_t user, bool is_staff,
                       const struct json *carried, struct str *out) {
    int64_t there[FOREIGN_TEAMS], *held;
    int n = teams_there(f, p, there),
        count = db_ids(f->conn, &person_teams, BINDS(B_INT("user", user)), f->item, &held);
    *out = S("[]");
    if (n < 0 || count < 0 || !is_staff) return n < 0 ? n : count < 0 ? count : 0;
    int64_t *all = arena_array(f->item, (size_t)(n + count) + 1, sizeof *all);
    size_t m = 0;
    for (int i = 0; i < n; i++) all[m++] = there[i];
    for (int i = 0; i < count; i++)
        if (!list_has_id(carried, held[i])) all[m++] = held[i];
    *out = json_ids(f->item, all, m);
    return 0;
}

struct following {
    const struct foreign_person *p;
    int64_t user, rank;         /* rank: of the role here, after the change */
    int64_t rank_there;         /* of the role of the source */
    const struct json *carried; /* NULL: not known */
    bool has_rights;            /* the source has changed them */
};

/* Names, and rights that the source has changed. */
static int person_members(struct foreign *f, struct work *w, struct following *x) {
    const struct foreign_person *p = x->p;
    struct column columns[8];
    struct user_change change = {
        .columns = columns, .set = USER_NAME, .full_name = foreign_line(f, p->name, "Without name")};
    int n = 0, access = p->organization_case_access ? p->organization_case_access : ORGANIZATION_REQUESTED;
    columns[n++] = COLUMN_UNRECORDED(B_TEXT, "designation", p->designation);
    columns[n++] = COLUMN_UNRECORDED(B_TEXT, "designation_key", fold_key(f->item, p->designation));
    columns[n++] = COLUMN_UNRECORDED(B_TEXT, "time_zone", p->time_zone);
    columns[n++] = COLUMN_UNRECORDED(B_TEXT, "signature", p->signature);
    if (p->locale_id) columns[n++] = COLUMN_UNRECORDED(B_INT, "locale_id", p->locale_id);
    TRY(foreign_found(f, &foreign_organization, p->organization_id, &change.organization_id));
    if (p->organization_id == 0 || change.organization_id) change.set |= USER_ORGANIZATION;
    if (x->has_rights) {
        columns[n++] = COLUMN_UNRECORDED(B_ID, "agent_case_access", p->agent_case_access);
        columns[n++] = COLUMN_UNRECORDED(B_INT, "organization_case_access", access);
        columns[n++] = COLUMN_UNRECORDED(B_INT, "is_enabled", !p->is_disabled);
        change.set |= USER_ROLE | USER_TEAMS | USER_ENABLED;
        change.role_id = p->role_id;
        change.is_enabled = !p->is_disabled;
        TRY(teams_after(f, p, x->user, x->rank_there >= ROLE_COLLABORATOR,
                        json_member(x->carried, S("teams")), &change.team_ids));
        x->rank = x->rank_there;
    }
    change.column_count = n;
    return user_change(w, x->user, &change);
}

static int person_addresses(struct foreign *f, struct work *w, const struct following *x) {
    const struct json *emails = x->carried ? json_member(x->carried, S("emails")) : NULL,
                      *phones = x->carried ? json_member(x->carried, S("phones")) : NULL;
    if (x->rank > x->rank_there) {
        foreign_skip(f, "addresses and numbers of people with a higher role here: they stay", x->p->id);
        return 0;
    }
    TRY(person_addresses_add(f, w, x->p, x->user));
    TRY(identities_follow(f, w, IDENTITY_EMAIL, x->user, x->p->emails, emails));
    return identities_follow(f, w, IDENTITY_PHONE, x->user, x->p->phones, phones);
}

static int person_changed(struct foreign *f, struct work *w, struct following *x) {
    TRY(person_members(f, w, x));
    TRY(person_addresses(f, w, x));
    TRY(foreign_tags_follow(f, w, &user_tagging, x->user, x->p->tags, x->carried, x->p->id));
    TRY(imported_keep(f, foreign_person.kind, x->p->id, x->user, f->changed_at));
    return person_carried(f, w, x->p, x->user);
}

int person_follow(struct foreign *f, const struct foreign_person *p, const struct imported *row) {
    struct work w;
    struct following x = {.p = p, .user = row->here, .carried = imported_given(f, row)};
    int64_t teams[FOREIGN_TEAMS];
    int found = db_int(f->conn, &person_rank, BINDS(B_INT("id", row->here)), &x.rank);
    TRY(found);
    if (found == 0 || x.rank == ROLE_OWNER) {
        foreign_skip(f,
                     found ? "changes of owners of this desk: their rows stay"
                           : "changes of people who were deleted here",
                     p->id);
        return imported_keep(f, foreign_person.kind, p->id, row->here, f->changed_at);
    }
    foreign_work(f, &w, 0, foreign_owner(f));
    TRY(role_type_of(&w, p->role_id, &x.rank_there));
    int n = teams_there(f, p, teams);
    TRY(n);
    struct str rights = x.carried ? json_member_text(x.carried, "rights") : (struct str){0};
    x.has_rights = rights.n && !str_eq(rights, rights_of(f, p, teams, n));
    f->carried_at = row->changed_at;
    foreign_made(f, "people with changes", 1);
    if (x.has_rights) foreign_made(f, "people with other rights", 1);
    TRY(foreign_done(f, &w, person_changed(f, &w, &x)));
    return 1;
}

/* ---- organizations --------------------------------------------------------------------------- */

QUERY(organization_there, "SELECT 1 FROM organizations WHERE id = :id AND deleted_at IS NULL");
QUERY(organization_domains_held, "SELECT domain_key FROM identity_domains WHERE organization_id = :id "
                                 "ORDER BY is_primary DESC, id");

int organization_carried(struct foreign *f, const struct foreign_organization *o, const struct str *domains,
                         int count) {
    struct str keys = json_texts(f->item, domains, (size_t)count), tags = foreign_tag_keys(f, o->tags);
    return imported_carry(
        f, foreign_organization.kind, o->id,
        str_fmt(f->item, "{\"domains\":%.*s,\"tags\":%.*s}", (int)keys.n, keys.p, (int)tags.n, tags.p));
}

/* The domains of the source that no other organization has, then those that this desk has added. */
static int domains_follow(struct foreign *f, struct work *w, const struct foreign_organization *o,
                          int64_t here, const struct json *carried) {
    struct str keys[2 * LIMIT_OWNED];
    int rc, there = organization_domains(f, w, o, here, keys), n = there;
    TRY(there);
    DB_ROWS(rc, f->conn, &organization_domains_held, BINDS(B_INT("id", here)), row) {
        struct str key = str_dup(f->item, col_text(row, 0));
        bool known = list_has_text(carried, key) || n == 2 * LIMIT_OWNED;
        for (int i = 0; i < there && !known; i++) known = str_eq(keys[i], key);
        if (!known) keys[n++] = key;
    }
    TRY(rc);
    TRY(organization_set_domains(w, here, keys, (size_t)n));
    return organization_carried(f, o, keys, there);
}

static int organization_changed(struct foreign *f, struct work *w, const struct foreign_organization *o,
                                const struct imported *row) {
    const struct json *carried = imported_given(f, row);
    struct str name = foreign_line(f, o->name, "Without name");
    const struct column columns[] = {COLUMN_UNRECORDED(B_TEXT, "name", name),
                                     COLUMN_UNRECORDED(B_TEXT, "name_key", fold_key(f->item, name)),
                                     COLUMN_UNRECORDED(B_INT, "is_shared", o->is_shared),
                                     COLUMN_UNRECORDED(B_INT, "is_validated", !o->is_unvalidated)};
    const struct organization_change change = {.columns = columns,
                                               .column_count = sizeof columns / sizeof *columns,
                                               .name = true,
                                               .is_validated = true};
    TRY(organization_change(w, row->here, &change));
    TRY(domains_follow(f, w, o, row->here, carried ? json_member(carried, S("domains")) : NULL));
    TRY(organization_phones_add(f, w, o, row->here));
    TRY(foreign_tags_follow(f, w, &organization_tagging, row->here, o->tags, carried, o->id));
    return imported_keep(f, foreign_organization.kind, o->id, row->here, f->changed_at);
}

int organization_follow(struct foreign *f, const struct foreign_organization *o, const struct imported *row) {
    struct work w;
    int64_t one;
    int found = db_int(f->conn, &organization_there, BINDS(B_INT("id", row->here)), &one);
    TRY(found);
    if (found == 0) {
        foreign_skip(f, "changes of organizations that were deleted here", o->id);
        return imported_keep(f, foreign_organization.kind, o->id, row->here, f->changed_at);
    }
    foreign_work(f, &w, 0, foreign_owner(f));
    f->carried_at = row->changed_at;
    foreign_made(f, "organizations with changes", 1);
    TRY(foreign_done(f, &w, organization_changed(f, &w, o, row)));
    return 1;
}
