#include "core/people/organization.h"

#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "base/fold.h"
#include "base/limits.h"
#include "core/predicates/definition.h"
#include "core/words.h"
#include "res/contact.h"
#include "res/field_value.h"
#include "res/people_csv.h"
#include "res/tag.h"
#include "res/groups.h"

/* ---- domains --------------------------------------------------------------------------------- */

struct domains {
    struct str *keys;
    size_t count;
};

static bool domains_have(const struct domains *d, struct str key) {
    for (size_t i = 0; i < d->count; i++)
        if (str_eq(d->keys[i], key)) return true;
    return false;
}

/* Reports all items that are not domains or are given twice, then the domains of other organizations. */
static int check_domains(struct call *c, struct in *in) {
    struct arena *a = c->work.arena;
    struct domains *made = in->made = ARENA_NEW(a, struct domains);
    int at = 0, place, problems = c->work.problem_count;
    if (in->json->count > LIMIT_OWNED)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d are allowed.",
                       LIMIT_OWNED);
    made->keys = arena_array(a, in->json->count + 1, sizeof *made->keys);
    for (const struct json *j = in->json->first; j; j = j->next, at++) {
        struct str key = j->type == JSON_STRING ? domain_read(a, j->text) : (struct str){0};
        if (key.p == NULL)
            fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d", at),
                    "A domain like example.com is expected.");
        else if (domains_have(made, key))
            fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in_place(c, in, "%d", at),
                    "This domain is given twice.");
        else made->keys[made->count++] = key;
    }
    if (c->work.problem_count > problems) return -(int)failure(&c->work);
    int rc = domains_taken(&c->work, c->id, made->keys, made->count, &place);
    if (rc < 0) return fail(&c->work, error_of_result(rc));
    return rc ? fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in_place(c, in, "%d", place),
                        "Another organization has this domain.")
              : 0;
}

static int store_domains(struct call *c, const struct in *in, int64_t id) {
    static const struct domains none;
    const struct domains *d = in->made ? in->made : &none;
    return organization_set_domains(&c->work, id, d->keys, d->count);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define PHONES_OF                                            \
    "SELECT p.organization_id, p.id FROM identity_phones p " \
    "WHERE p.organization_id IN @LIST(:ids) ORDER BY p.organization_id, p.is_primary DESC, p.id"
#define DOMAINS_OF                                            \
    "SELECT d.organization_id, d.id FROM identity_domains d " \
    "WHERE d.organization_id IN @LIST(:ids) ORDER BY d.organization_id, d.is_primary DESC, d.id"

static const struct field organization_fields[] = {
    {"name", F_TEXT, REQUIRED, .fold = "name_key", .doc = "Name of the organization.",
     .example = "\"Analytical Engines\""},
    {"legacy_id", F_TEXT, NULLABLE | UNIQUE, .to = TO_STAFF,
     .doc = "Id in the system that the organization was imported from."},
    {"is_shared", F_BOOL, 0, .initial = "0",
     .doc = "True if the people of the organization see each other's "
            "conversations."},
    {"is_validated", F_BOOL, 0, .initial = "0", .to = TO_STAFF,
     .doc = "True if the organization is validated: people with an address of its domains join it when they "
            "are added."},
    {"domains", F_MANY, NULLABLE, .ref = "identity_domain", .many = DOMAINS_OF, .check = check_domains,
     .store = store_domains, .to = TO_STAFF,
     .doc = "Domains, the primary one first. A list, or text with commas, replaces them.",
     .example = "[\"engines.example\"]"},
    {"phone", F_MANY, READONLY, .ref = "identity_phone", .many = PHONES_OF, .to = TO_STAFF,
     .doc = "Phone numbers, the primary one first."},
    {"phones", F_MANY, INPUT_ONLY | NULLABLE, .ref = "identity_phone", .many = PHONES_OF,
     .check = check_phones, .store = store_organization_phones,
     .doc = "Phone numbers, shown as `phone`. The first is primary.", .example = "[\"+49 30 1234567\"]"},
    ADDRESSES("organization_id", NULLABLE),
    WEBSITES("organization_id", NULLABLE),
    {"pinned_notes_count", F_INT, READONLY, .to = TO_STAFF, .doc = "Number of pinned notes."},
    {"custom_fields", F_ROWS, READONLY, .ref = "organization_field_value", .owned_by = "id",
     .to = TO_CUSTOMERS, .doc = "Each enabled custom field with its value, sorted by position."},
    ORGANIZATION_FIELD_VALUES,
    ORGANIZATION_TAGS,
    TAG_NAMES_MEMBER,
    {"*", .group = row_times},
    {0},
};

static void organization_visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_COLLABORATOR) {
        out->all = true;
        return;
    }
    branch_add(out, "t.id = :my_organization");
    branch_bind_int(out, ":my_organization", w->actor.organization_id);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static int post_organization(struct call *c) {
    struct column list[RECORD_COLUMNS];
    TRY(api_input(c));
    TRY(organization_create(&c->work, list, api_new_columns(c, list), &c->id));
    c->ids = &c->id;
    c->id_count = 1;
    TRY(api_keep(c));
    return api_reply(c);
}

static int put_organization(struct call *c) {
    struct column list[RECORD_COLUMNS];
    TRY(api_target(c));
    TRY(api_input(c));
    struct organization_change wanted = {.columns = list,
                                         .column_count = api_columns(c, list),
                                         .name = given(c, "name"),
                                         .is_validated = given(c, "is_validated")};
    if (api_given(c)) TRY(organization_change(&c->work, c->id, &wanted));
    TRY(api_keep(c));
    return api_reply(c);
}

static const struct route organization_routes[] = {
    {GET, "/organizations/definitions", COL_PLUS, "users", LIST_COUNT, api_list, .reply = "definition",
     .label = "definition", .summary = "List the definitions for filters of organizations",
     .doc = "The fields of custom fields are called organizationfields.<key>."},
    {POST, "/organizations/filter", COL_PLUS, "users", LIST, api_filter, .input = filter_input, .reads = true,
     .summary = "Find organizations by a predicate",
     .doc = "The pointer of an error locates it: predicates/collections/0/propositions/1/operator."},
    {GET, "/organizations", COL_PLUS, "users", LIST, get_organizations, .args = csv_args, .has_csv = true,
     .summary = "List organizations",
     .doc = "As CSV, each line is an organization; a cell with several values has commas between them. "
            "Continue with `after_id`, the id of the last line."},
    {GET, "/organizations/:id", COL_PLUS, "users", ONE, api_get, .summary = "Get an organization"},
    {GET, "/users/:id/organizations", COL_PLUS, "users", LIST, get_organizations, .has_csv = true,
     .of = "user", .where = "t.id = (SELECT u.organization_id FROM users u WHERE u.id = :id)",
     .summary = "List the organizations of a user", .doc = "A user has one or none."},
    {GET, "/organizations/:id/members", COL_PLUS, "users", LIST, get_users, .has_csv = true, .reply = "user",
     .within = {"organization", "organization_id"}, .order = {.key = "t.name_key"},
     .summary = "List the users of an organization"},
    {POST, "/organizations", AG_PLUS, "users", ONE, post_organization, .permission = "organizations.update",
     .summary = "Create an organization"},
    {PUT, "/organizations/:id", AG_PLUS, "users", ONE, put_organization, .permission = "organizations.update",
     .summary = "Update an organization"},
    {DELETE, "/organizations/:id", AG_PLUS, "users", NONE, api_delete, .permission = "organizations.delete",
     .summary = "Delete an organization",
     .doc = "Its people and their conversations stay, without an organization."},
    {DELETE, "/organizations", AG_PLUS, "users", COUNT, api_delete, .permission = "organizations.delete",
     .summary = "Delete several organizations"},
    {0},
};

const struct resource organization_resource = {.type = "organization",
                                               .scope = "users",
                                               .title = "Organizations",
                                               .doc = "Organizations that customers belong to.",
                                               .url = "organizations/:id",
                                               .table = "organizations",
                                               .where = "t.deleted_at IS NULL",
                                               .fields = organization_fields,
                                               .remove = organizations_delete,
                                               .routes = organization_routes,
                                               .visible = organization_visible,
                                               .subject = &organization_subject,
                                               .changes_unseen = true,
                                               .diffed = DIFFED_ORGANIZATION,
                                               .changed = "t.updated_at, " TAGS_CHANGED_AT,
                                               .shows_fields = true};
