#include "api/generic.h"
#include "core/words.h"
#include "res/contact.h"
#include "res/field_value.h"
#include "res/tag.h"

#define PHONES_OF \
    "SELECT p.organization_id, p.id FROM identity_phones p WHERE p.organization_id IN @LIST(:ids) ORDER BY p.organization_id, p.is_primary DESC, p.id"

static const struct field organization_fields[] = {
    {"name", F_TEXT, REQUIRED, .fold = "name_key", .doc = "What it is called.", .example = "\"Analytical Engines\""},
    {"legacy_id", F_TEXT, NULLABLE | UNIQUE, .doc = "Its id in the system it came from."},
    {"is_shared", F_BOOL, 0, .initial = "0", .doc = "Whether its people see each other's conversations."},
    {"is_validated", F_BOOL, 0, .initial = "0", .doc = "Whether it was checked."},
    {"phone", F_MANY, READONLY, .ref = "identity_phone", .many = PHONES_OF, .to = TO_STAFF, .doc = "Phone numbers, the primary one first."},
    {"phones", F_MANY, INPUT_ONLY | NULLABLE, .ref = "identity_phone", .many = PHONES_OF, .check = check_phones, .store = store_organization_phones,
     .doc = "Phone numbers, shown as `phone`; the first is primary.", .example = "[\"+49 30 1234567\"]"},
    ADDRESSES("organization_id", NULLABLE),
    WEBSITES("organization_id", NULLABLE),
    {"pinned_notes_count", F_INT, READONLY, .to = TO_STAFF, .doc = "How many notes are pinned to it."},
    {"custom_fields", F_ROWS, READONLY, .ref = "organization_field_value", .owned_by = "organization_id", .to = TO_CUSTOMERS, .doc = "Values of custom fields."},
    ORGANIZATION_FIELD_VALUES,
    ORGANIZATION_TAGS,
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at", F_TIME, READONLY, .doc = "When it last changed."},
    {0},
};

static const struct field list_args[] = {
    {"legacy_ids", F_TEXTS, .filter = "t.legacy_id IN @TEXTS(:legacy_ids)", .doc = "Only those with one of these ids in the system they came from."},
    {0},
};

static void visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_COLLABORATOR) {
        out->all = true;
        return;
    }
    branch_add(out, "t.id = :my_organization");
    branch_bind_int(out, ":my_organization", w->actor.organization_id);
}

static const struct route organization_routes[] = {
    {GET, "/organizations", COL_PLUS, "users", LIST, api_list, .args = list_args, .summary = "List the organizations"},
    {GET, "/organizations/:id", COL_PLUS, "users", ONE, api_get, .summary = "Read an organization"},
    {GET, "/organizations/:id/members", COL_PLUS, "users", LIST, api_list, .reply = "user", .of = "organization",
     .where = "t.organization_id = :id", .order = {.key = "t.name_key"}, .summary = "List the people of an organization"},
    {POST, "/organizations", AG_PLUS, "users", ONE, api_create, .permission = "organizations.update", .summary = "Make an organization"},
    {PUT, "/organizations/:id", AG_PLUS, "users", ONE, api_update, .permission = "organizations.update", .summary = "Change an organization"},
    {0},
};

const struct resource organization_resource = {.type = "organization", .title = "Organizations", .doc = "Whom customers work for.",
                                               .url = "organizations/:id", .table = "organizations", .fields = organization_fields,
                                               .routes = organization_routes, .visible = visible, .changes_unseen = true};
