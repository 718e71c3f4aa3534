/* Brands (completions.md section 6): the names and addresses under which a desk meets its customers. */
#include "core/helpcenter/category.h"

#include "api/generic.h"
#include "api/view.h"
#include "base/fold.h"
#include "res/groups.h"

/* Checks one label, in any letter case. domain_read accepts only full names. */
static int check_sub_domain(struct call *c, struct in *in) {
    struct str label = str_trim(in->value.s), key = {0};
    if (label.n && !memchr(label.p, '.', label.n)) key = domain_read(c->work.arena, STR_CAT(c->work.arena, label, S(".example")));
    if (key.p == NULL)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "A single label of a host name is expected, like help.");
    in->value.s = str_cut(&key, '.');
    return 0;
}

static int check_domain(struct call *c, struct in *in) {
    struct str key = domain_read(c->work.arena, in->value.s);
    if (key.p == NULL) return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "A host name like help.example.com is expected.");
    in->value.s = key;
    return 0;
}

/* All brands are served under one base URL. */
static void render_ssl(struct view *v, const struct row *row, const struct value *own) {
    (void)row, (void)own;
    jw_bool(&v->w, str_starts(v->c->work.desk->base_url, S("https://")));
}

static const struct field brand_fields[] = {
    {"name", F_TEXT, REQUIRED, .doc = "Name of the brand.", .example = "\"Engines\""},
    {"sub_domain", F_TEXT, NULLABLE | UNIQUE, .check = check_sub_domain, .doc = "Label of the brand under the domain of the desk.",
     .example = "\"engines\""},
    {"domain", F_TEXT, NULLABLE | UNIQUE, .check = check_domain, .doc = "Own host name of the brand.",
     .example = "\"help.engines.example\""},
    {"alias", F_COMPUTED, READONLY, .render = render_null, .doc = "Another host name. It is always null.", .example = "null"},
    {"locale", F_REF, 0, .ref = "locale", .initial = "1", .doc = "Locale of the brand."},
    {"is_ssl_enabled", F_COMPUTED, READONLY, .render = render_ssl, .doc = "True if the brand is served over TLS, as the desk is.",
     .example = "true"},
    {"is_default", F_BOOL, 0, .initial = "0",
     .doc =
         "True for the brand that is used where none is named. Exactly one brand is the default: setting it here unsets the one before."},
    {"is_enabled", F_BOOL, 0, .initial = "1", .doc = "True if the brand is in use. The default brand is always enabled."},
    {"*", .group = row_times},
    {0},
};

/* A brand takes its empty categories along. */
static int delete_brands(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, "EXISTS (SELECT 1 FROM categories g JOIN sections s ON s.category_id = g.id WHERE g.brand_id = t.id)",
                   "The help center of the brand has sections. Delete them, or move their categories to another brand first."));
    TRY(categories_of_brands_delete(&c->work, api_ids(c)));
    TRY(api_remove(c));
    return api_reply(c);
}

#define WRITTEN .permission = "brands.manage", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"

static const struct route brand_routes[] = {
    {GET, "/brands", COL_PLUS, "configuration", LIST, api_list, .summary = "List brands"},
    {GET, "/brands/:id", COL_PLUS, "configuration", ONE, api_get, .summary = "Get a brand"},
    {POST, "/brands", AD, "configuration", ONE, api_create, WRITTEN, .summary = "Create a brand"},
    {PUT, "/brands/:id", AD, "configuration", ONE, api_update, WRITTEN, .summary = "Update a brand"},
    {DELETE, "/brands/:id", AD, "configuration", NONE, delete_brands, WRITTEN, .summary = "Delete a brand",
     .doc = "Deletes its templates and its empty categories, too."},
    {DELETE, "/brands", AD, "configuration", COUNT, delete_brands, WRITTEN, .summary = "Delete several brands"},
    {0},
};

const struct resource brand_resource = {.type = "brand",
                                        .title = "Brands",
                                        .doc = "Names and addresses under which the desk meets its customers.",
                                        .url = "brands/:id",
                                        .table = "brands",
                                        .fields = brand_fields,
                                        .routes = brand_routes,
                                        .visible = access_everyone,
                                        .expanded_for = COL_PLUS,
                                        .has_default = true};
