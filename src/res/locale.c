#include "api/generic.h"

static const struct field locale_fields[] = {
    {"locale", F_TEXT, READONLY, .doc = "Code of the language.", .example = "\"en-us\""},
    {"name", F_TEXT, READONLY, .doc = "Its name in English.", .example = "\"English (United States)\""},
    {"native_name", F_TEXT, READONLY, .doc = "Its own name."},
    {"region", F_TEXT, READONLY, .doc = "Code of the region."},
    {"direction", F_TEXT, READONLY, .doc = "LTR or RTL.", .example = "\"LTR\""},
    {"is_public", F_BOOL, READONLY, .doc = "Whether the help center is offered in it."},
    {"is_localised", F_BOOL, READONLY, .doc = "Whether the server's own texts exist in it."},
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at", F_TIME, READONLY, .doc = "When it last changed."},
    {0},
};

static const struct route locale_routes[] = {
    {GET, "/locales", PUBLIC, "", LIST_COUNT, api_list, .summary = "List the languages"},
    {GET, "/locales/:id", PUBLIC, "", ONE, api_get, .summary = "Read a language"},
    {0},
};

const struct resource locale_resource = {.type = "locale",
                                         .title = "Languages",
                                         .doc = "Languages people are written to in.",
                                         .url = "locales/:id",
                                         .table = "locales",
                                         .fields = locale_fields,
                                         .routes = locale_routes,
                                         .visible = access_everyone};
