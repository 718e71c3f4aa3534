/* Categories of the help center (docs/HELPCENTER.md). */
#include "core/helpcenter/category.h"

#include "api/rows/generic.h"
#include "core/access/help_center.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/translation.h"

static int check_category_titles(struct call *c, struct in *in) {
    return check_translations(c, in, TITLE_OF_CATEGORY);
}
static int check_category_descriptions(struct call *c, struct in *in) {
    return check_translations(c, in, DESCRIPTION_OF_CATEGORY);
}
static int store_category_titles(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, TITLE_OF_CATEGORY);
}
static int store_category_descriptions(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, DESCRIPTION_OF_CATEGORY);
}

static const struct field category_fields[] = {
    {"legacy_id", F_TEXT, CREATE_ONLY | NULLABLE | UNIQUE,
     .doc = "Id in the system that the category was imported from.", .example = "\"C-7\""},
    {"titles", F_MANY, REQUIRED | SINGLE_TOO, .ref = "locale_field", .many = TRANSLATIONS_OF("7"),
     .check = check_category_titles, .store = store_category_titles,
     .doc = "Titles: a list of {locale, translation} that replaces the present ones, or one text in the "
            "default locale of the desk.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"Billing\"}]"},
    SLUGS_MEMBER("category_slug"),
    {"descriptions", F_MANY, NULLABLE | SINGLE_TOO, .ref = "locale_field", .many = TRANSLATIONS_OF("8"),
     .check = check_category_descriptions, .store = store_category_descriptions,
     .doc = "Descriptions, in the same form as titles.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"Invoices and payments.\"}]"},
    {"brand", F_REF, NULLABLE, .ref = "brand", .shows = "name",
     .doc = "Brand whose help center has the category. Null: all brands."},
    {"icon", F_WORD, NULLABLE | ON_DEMAND, .words = category_icons,
     .doc = "Pictogram on the home page of the help center. Null: the first letter of the title.",
     .example = "\"CARD\""},
    {"display_order", F_INT, 0, .min = 0, .max = 1000000, .doc = "Position in the list. Default: the last."},
    {"*", .group = row_times},
    {0},
};

/* ---- handlers -------------------------------------------------------------------------------- */

static int post_category(struct call *c) {
    TRY(api_input(c));
    TRY(db_lock(c->work.conn, S("categories")));
    struct in *place = in(c, "display_order");
    if (place->value.type != V_INT) {
        place->value.type = V_INT;
        TRY(category_last(&c->work, &place->value.i));
    }
    TRY(api_insert(c));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct field category_args[] = {
    {"brand_id", F_INT, .min = 1, .max = INT64_MAX,
     .filter = "(t.brand_id IS NULL OR t.brand_id = :brand_id)",
     .doc = "Only categories of the help center of this brand: its own, and those of all brands."},
    {0},
};

static const struct field categories_order[] = {
    {"category_ids", F_IDS, PRESENT,
     .doc = "Ids of categories in the new order. The others follow in their old "
            "order.",
     .example = "[2, 1]"},
    {0},
};

#define MANAGED .permission = "help_center.manage"

static const struct route category_routes[] = {
    {GET, "/categories", PUBLIC, "", LIST, api_list, .args = category_args,
     .order = {.key = "t.display_order"}, .summary = "List categories"},
    {GET, "/categories/:id", PUBLIC, "", ONE, api_get, .summary = "Get a category"},
    {POST, "/categories", AG_PLUS, "conversations", ONE, post_category, MANAGED,
     .summary = "Create a category"},
    {PUT, "/categories/reorder", AG_PLUS, "conversations", NONE, api_reorder, MANAGED,
     .input = categories_order, .summary = "Reorder categories"},
    {PUT, "/categories/:id", AG_PLUS, "conversations", ONE, api_update, MANAGED,
     .summary = "Update a category"},
    {DELETE, "/categories/:id", AG_PLUS, "conversations", NONE, api_delete, MANAGED,
     .summary = "Delete a category", .doc = "Deletes its sections and their articles, too."},
    {DELETE, "/categories", AG_PLUS, "conversations", COUNT, api_delete, MANAGED,
     .summary = "Delete several categories", .doc = "Deletes their sections and articles, too."},
    {0},
};

const struct resource category_resource = {.type = "category",
                                           .scope = "conversations",
                                           .title = "Categories",
                                           .doc = "Categories of the help center. A category has sections.",
                                           .url = "categories/:id",
                                           .table = "categories",
                                           .where = "t.deleted_at IS NULL",
                                           .fields = category_fields,
                                           .ordered = "display_order",
                                           .remove = categories_delete,
                                           .routes = category_routes,
                                           .visible = access_categories};
