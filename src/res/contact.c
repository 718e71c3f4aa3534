#include "res/contact.h"

#include "api/rows/generic.h"
#include "api/input/owned_rows.h"
#include "base/limits.h"
#include "core/people/contact.h"
#include "core/people/identity.h"
#include "res/groups.h"

/* ---- addresses and web sites ----------------------------------------------------------------- */

static const struct field contact_common[] = {
    {"owner", F_TEXT, HIDDEN,
     .column = "CASE WHEN t.user_id IS NULL THEN 'organizations/' || CAST(t.organization_id AS TEXT) "
               "ELSE 'users/' || CAST(t.user_id AS TEXT) END",
     .doc = "Person or organization that has it.", .example = "\"organizations/1\""},
    {"is_primary", F_BOOL, 0, .initial = "0",
     .doc = "True for the primary one. Default: the first of the list is "
            "primary."},
    {0},
};

static const struct field address_fields[] = {
    {"*", .group = contact_common},
    {"address1", F_TEXT, NULLABLE, .doc = "Street and number.", .example = "\"12 St James's Square\""},
    {"address2", F_TEXT, NULLABLE, .doc = "Further lines of the address."},
    {"city", F_TEXT, NULLABLE, .doc = "City.", .example = "\"London\""},
    {"state", F_TEXT, NULLABLE, .doc = "State or province."},
    {"postal_code", F_TEXT, NULLABLE, .doc = "Postal code.", .example = "\"SW1Y 4JH\""},
    {"country", F_TEXT, NULLABLE, .doc = "Country.", .example = "\"United Kingdom\""},
    {"type", F_TEXT, NULLABLE, .doc = "Kind of address.", .example = "\"WORK\""},
    {"*", .group = row_times},
    {0},
};

/* A URL that a page may show as a link. Its scheme is http or https; http is the default. */
static bool is_web_address(struct str s) {
    bool said = str_starts(s, S("http://")) || str_starts(s, S("https://"));
    size_t at = said ? (size_t)(strstr(s.p, "//") + 2 - s.p) : 0;
    if (at == s.n || s.p[at] == '/' || s.p[at] == ':') return false;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || in_set(s.p[i], "<>\"\\^`{|}")) return false;
    for (size_t i = 0; !said && i < s.n && s.p[i] != '/'; i++) /* another scheme, no port */
        if (s.p[i] == ':' && (i + 1 == s.n || s.p[i + 1] < '0' || s.p[i + 1] > '9')) return false;
    return true;
}

static int check_url(struct call *c, struct in *in) {
    in->value.s = str_trim(in->value.s);
    if (is_web_address(in->value.s)) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "An address like https://www.example.com/ is expected.");
}

static const struct field website_fields[] = {
    {"*", .group = contact_common},
    {"url", F_TEXT, REQUIRED, .max = 2000, .check = check_url, .doc = "URL of the web site.",
     .example = "\"https://ada.example.com/\""},
    {"*", .group = row_times},
    {0},
};

#define CONTACT_ROUTES(name, one, send)                                                                      \
    {GET,                                                                                                    \
     "/users/:id/contacts/" name "/:contact_id",                                                             \
     COL_PLUS,                                                                                               \
     "users",                                                                                                \
     ONE,                                                                                                    \
     api_get,                                                                                                \
     .within = {"user", "user_id"},                                                                          \
     .sample = {.path = "3,$CONTACT",                                                                        \
                .setup =                                                                                     \
                    "curl {owner} -X PUT -H 'Content-Type: application/json' -d '" send                      \
                    "' \"{api}/users/3\"\nCONTACT=$(curl {owner} "                                           \
                    "\"{api}/users/3?include=contact_address,contact_website\" | below contacts/" name ")"}, \
     .summary = "Get " one " of a user"},                                                                    \
    {                                                                                                        \
        GET, "/organizations/:id/contacts/" name "/:contact_id", COL_PLUS, "users", ONE, api_get,            \
            .within = {"organization", "organization_id"},                                                   \
            .sample = {.path = "1,$CONTACT",                                                                 \
                       .setup = "curl {owner} -X PUT -H 'Content-Type: application/json' -d '" send          \
                                "' \"{api}/organizations/1\"\nCONTACT=$(curl {owner} "                       \
                                "\"{api}/organizations/1?include=contact_address,contact_website\" | "       \
                                "below contacts/" name ")"},                                                 \
            .summary = "Get " one " of an organization"                                                      \
    }

static const struct route address_routes[] = {
    CONTACT_ROUTES("addresses", "an address", "{\"addresses\":[{\"address1\":\"12 St James Square\"}]}"),
    {0}};
static const struct route website_routes[] = {
    CONTACT_ROUTES("websites", "a web site", "{\"websites\":[{\"url\":\"https://ada.example.com/\"}]}"), {0}};

const struct resource contact_address_resource = {.type = "contact_address",
                                                  .scope = "users",
                                                  .title = "Addresses",
                                                  .doc = "Postal addresses of people and organizations.",
                                                  .url = ":owner/contacts/addresses/:id",
                                                  .table = "contact_addresses",
                                                  .fields = address_fields,
                                                  .routes = address_routes,
                                                  .visible = access_of_person,
                                                  .owned_order = "t.is_primary DESC, t.id"};
const struct resource contact_website_resource = {.type = "contact_website",
                                                  .scope = "users",
                                                  .title = "Web sites",
                                                  .doc = "Web sites of people and organizations.",
                                                  .url = ":owner/contacts/websites/:id",
                                                  .table = "contact_websites",
                                                  .fields = website_fields,
                                                  .routes = website_routes,
                                                  .visible = access_of_person,
                                                  .owned_order = "t.is_primary DESC, t.id"};

/* ---- ids in other systems -------------------------------------------------------------------- */

static const struct field identifier_fields[] = {
    {"external_app", F_TEXT, REQUIRED, .doc = "Name of the other system.", .example = "\"shop\""},
    {"external_id", F_TEXT, REQUIRED,
     .doc = "Id of the person in the other system. (app, external id) is "
            "unique.",
     .example = "\"C-1815\""},
    {"*", .group = row_times},
    {0},
};
const struct resource external_identifier_resource = {.type = "external_identifier",
                                                      .scope = "users",
                                                      .title = "External identifiers",
                                                      .doc = "Ids of people in other systems.",
                                                      .table = "external_identifiers",
                                                      .fields = identifier_fields,
                                                      .visible = access_of_person};

static bool contacts_alike(const struct owned_item *a, const struct owned_item *b) {
    return str_eq(owned_in(a, "external_app")->value.s, owned_in(b, "external_app")->value.s) &&
           str_eq(owned_in(a, "external_id")->value.s, owned_in(b, "external_id")->value.s);
}

/* (app, external id) is unique. */
int check_identifiers(struct call *c, struct in *in) {
    const struct owned *list = in->made;
    int problems = c->work.problem_count;
    for (int i = 0; i < list->count; i++) {
        const struct owned_item *item = &list->items[i];
        int64_t holder = 0;
        bool twice = false;
        for (int k = 0; k < i; k++) twice = twice || contacts_alike(item, &list->items[k]);
        TRY(identifier_owner(&c->work, owned_in(item, "external_app")->value.s,
                             owned_in(item, "external_id")->value.s, &holder));
        if (twice || (holder && (c->method == POST || holder != c->id)))
            fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in_place(c, in, "%d/external_id", i), NULL);
    }
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

/* ---- numbers of organizations ---------------------------------------------------------------- */

struct phones {
    struct phone *list;
    int count;
};

int check_phones(struct call *c, struct in *in) {
    struct arena *a = c->work.arena;
    struct phones *made = in->made = ARENA_NEW(a, struct phones);
    int at = 0, problems = c->work.problem_count;
    if (in->json->count > LIMIT_OWNED)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d are allowed.",
                       LIMIT_OWNED);
    made->list = arena_array(a, in->json->count + 1, sizeof *made->list);
    for (const struct json *j = in->json->first; j; j = j->next, at++) {
        bool text = (j->type == JSON_STRING || j->type == JSON_NUMBER) &&
                    text_wrong(a, j->text, LIMIT_TITLE, true) == NULL,
             twice = false;
        struct str key = text ? phone_key(&c->work, j->text) : (struct str){0};
        for (int i = 0; i < made->count; i++) twice = twice || str_eq(made->list[i].key, key);
        if (key.p == NULL)
            fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d", at),
                    "A phone number is expected.");
        else if (twice)
            fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in_place(c, in, "%d", at),
                    "This number is given twice.");
        else made->list[made->count++] = (struct phone){str_trim(j->text), key};
    }
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

int store_organization_phones(struct call *c, const struct in *in, int64_t id) {
    static const struct phones none;
    const struct phones *p = in->made ? in->made : &none;
    return organization_phones_replace(&c->work, id, p->list, p->count);
}
