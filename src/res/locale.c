#include "api/rows/generic.h"
#include "core/desk/locale.h"
#include "res/groups.h"

static const struct field locale_fields[] = {
    {"locale", F_TEXT, READONLY, .doc = "Code of the locale.", .example = "\"en-us\""},
    {"name", F_TEXT, READONLY, .doc = "Name of the language in English.",
     .example = "\"English (United States)\""},
    {"native_name", F_TEXT, READONLY, .doc = "Name of the language in the language itself."},
    {"region", F_TEXT, READONLY, .doc = "Code of the region.", .example = "\"US\""},
    {"native_region", F_TEXT, READONLY, .doc = "Name of the region in the language itself.",
     .example = "\"United States\""},
    {"script", F_TEXT, READONLY, .doc = "Code of the script (ISO 15924).", .example = "\"Latn\""},
    {"variant", F_TEXT, READONLY, .doc = "Variant of the language (BCP 47). Null: none."},
    {"direction", F_TEXT, READONLY, .doc = "Direction of writing: ltr or rtl.", .example = "\"ltr\""},
    {"is_public", F_BOOL, UPDATE_ONLY, .doc = "True if the help center is offered in this language."},
    {"is_enabled", F_BOOL, UPDATE_ONLY,
     .doc = "True if texts may be written in this language. The default "
            "language is always enabled."},
    {"is_localised", F_BOOL, READONLY, .doc = "True if the texts of the server exist in this language."},
    {"*", .group = row_times},
    {0},
};

static int put_locale(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    if (given(c, "is_enabled") && !in_int(c, "is_enabled"))
        TRY(api_refuse(c, "t.locale = " LOCALE_NOW,
                       "The default language can't be disabled. Make another one the "
                       "default first."));
    TRY(api_store(c));
    return api_reply(c);
}

static const struct route locale_routes[] = {
    {GET, "/locales", PUBLIC, "", LIST_COUNT, api_list, .summary = "List locales"},
    {GET, "/locales/:id", PUBLIC, "", ONE, api_get, .summary = "Get a locale"},
    {PUT, "/locales/:id", AD, "configuration", ONE, put_locale, .permission = "localization.manage",
     .summary = "Update a locale", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource locale_resource = {.type = "locale",
                                         .scope = "",
                                         .title = "Languages",
                                         .doc = "Languages in which the desk writes to people.",
                                         .url = "locales/:id",
                                         .table = "locales",
                                         .texts_kept = CONFIGURATION_TEXTS,
                                         .fields = locale_fields,
                                         .routes = locale_routes,
                                         .visible = access_everyone};
