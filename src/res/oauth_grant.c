/* Grants of OAuth: the consents of all people, and one's own. */
#include "api/rows/generic.h"
#include "core/programs/client.h"
#include "core/words.h"
#include "res/oauth.h"

/* ---- members --------------------------------------------------------------------------------- */

static const struct field grant_times[] = {
    {"created_at", F_TIME, READONLY, .doc = "Time of the first consent."},
    {"last_activity_at", F_TIME, READONLY | NULLABLE,
     .doc = "Time of the last request with a token of the grant, to about a "
            "minute."},
    {"expiry_at", F_TIME, READONLY | NULLABLE,
     .doc = "End of the last token, unless the program asks for a new one. Null: there was no token yet."},
    {0},
};

#define SCOPES                                                                                 \
    {                                                                                          \
        "scopes", F_COMPUTED, READONLY, .column = "t.scopes", .render = render_scopes,         \
                                        .doc = "Scopes that the person consented to at last.", \
                                        .example = "[\"conversations:read\"]"                  \
    }

static const struct field grant_fields[] = {
    {"user", F_REF, READONLY, .ref = "user", .doc = "Person who consented."},
    {"client", F_REF, READONLY, .ref = "oauth_client", .doc = "Program that may act for the person."},
    SCOPES,
    {"*", .group = grant_times},
    {0},
};

static void client_member(struct view *v, const struct row *row, const char *name) {
    jw_key(&v->w, (struct str){name + 7, strlen(name) - 7}); /* without client_ */
    jw_str(&v->w, row_cell(row, name)->s);
}

static void render_client_inline(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    jw_object(&v->w);
    client_member(v, row, "client_name");
    client_member(v, row, "client_url");
    jw_key(&v->w, S("logo"));
    render_client_logo(v, row, row_cell(row, "logo_data"));
    client_member(v, row, "client_description");
    client_member(v, row, "client_author");
    client_member(v, row, "client_author_url");
    jw_key(&v->w, S("created_at"));
    jw_time(&v->w, row_cell(row, "client_created_at")->i);
    jw_key(&v->w, S("updated_at"));
    jw_time(&v->w, row_cell(row, "client_updated_at")->i);
    jw_end(&v->w);
}

static const struct field my_grant_fields[] = {
    {"client", F_COMPUTED, READONLY, .column = "", .render = render_client_inline,
     .doc = "Program that may act for you: name, url, logo, description, author, author_url, created_at and "
            "updated_at.",
     .example = "{\"name\": \"Reports\", \"url\": null, \"logo\": null, \"description\": null, \"author\": "
                "null, \"author_url\": null, \"created_at\": \"2026-01-01T00:00:00+00:00\", \"updated_at\": "
                "\"2026-01-01T00:00:00+00:00\"}"},
    SCOPES,
    {"*", .group = grant_times},
    {"client_name", F_TEXT, HIDDEN, .column = "c.name"},
    {"client_url", F_TEXT, HIDDEN, .column = "c.url"},
    {"client_description", F_TEXT, HIDDEN, .column = "c.description"},
    {"client_author", F_TEXT, HIDDEN, .column = "c.author"},
    {"client_author_url", F_TEXT, HIDDEN, .column = "c.author_url"},
    {"client_created_at", F_INT, HIDDEN, .column = "c.created_at"},
    {"client_updated_at", F_INT, HIDDEN, .column = "c.updated_at"},
    {"logo_data", F_TEXT, HIDDEN, .column = "c.logo_data"},
    {"logo_type", F_INT, HIDDEN, .column = "c.logo_type"},
    {"logo_created_at", F_INT, HIDDEN, .column = "c.logo_created_at"},
    {"logo_of", F_INT, HIDDEN, .column = "c.id"},
    {0},
};

/* ---- access ---------------------------------------------------------------------------------- */

static void grant_visible(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_ADMIN; }

static void my_grant_visible(struct work *w, struct branches *out) {
    branch_add(out, "t.user_id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

/* ---- handlers -------------------------------------------------------------------------------- */

/* The tokens of a grant are rows that refer to it, so they end with it. Admins delete the grants of
 * owners, too: that takes rights from a program, not from the person. */
static int delete_oauth_grants(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(record_delete(&c->work, (struct record){"oauth_grant", "oauth_grants", NULL}, c->ids, c->id_count));
    return api_reply(c);
}

static const struct field grant_args[] = {
    {"user_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.user_id = :user_id",
     .doc = "Only grants of this person."},
    {"client_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.client_id = :client_id",
     .doc = "Only grants to this client."},
    {0},
};

#define ENDS "The tokens of the grant end at once."

static const struct route grant_routes[] = {
    {GET, "/oauth/grants", AD, "", LIST, api_list, .bearer = "configuration", .args = grant_args,
     .summary = "List grants"},
    {GET, "/oauth/grants/:id", AD, "", ONE, api_get, .bearer = "configuration", .summary = "Get a grant"},
    {DELETE, "/oauth/grants/:id", AD, "", NONE, delete_oauth_grants, .bearer = "configuration",
     .permission = "apps.manage", .summary = "Delete a grant", .doc = ENDS},
    {DELETE, "/oauth/grants", AD, "", COUNT, delete_oauth_grants, .bearer = "configuration",
     .permission = "apps.manage", .summary = "Delete several grants", .doc = ENDS, .sample = {.path = "2"}},
    {0},
};

static const struct route my_grant_routes[] = {
    {GET, "/oauth/my_grants", COL_PLUS, "", LIST, api_list, .bearer = BEARER_ANY,
     .summary = "List your grants"},
    {GET, "/oauth/my_grants/:id", COL_PLUS, "", ONE, api_get, .bearer = BEARER_ANY,
     .summary = "Get one of your grants", .sample = {.refused = "RESOURCE_NOT_FOUND"}},
    {DELETE, "/oauth/my_grants/:id", COL_PLUS, "", NONE, delete_oauth_grants, .bearer = "configuration",
     .summary = "Delete one of your grants", .doc = ENDS, .sample = {.refused = "RESOURCE_NOT_FOUND"}},
    {DELETE, "/oauth/my_grants", COL_PLUS, "", COUNT, delete_oauth_grants, .bearer = "configuration",
     .summary = "Delete several of your grants", .doc = ENDS, .sample = {.refused = "RESOURCE_NOT_FOUND"}},
    {0},
};

const struct resource oauth_grant_resource = {
    .type = "oauth_grant",
    .scope = "configuration",
    .title = "OAuth grants",
    .doc = "Consents of people to programs. A person has one for each program.",
    .url = "oauth/grants/:id",
    .table = "oauth_grants",
    .where = "t.client_id NOT IN " GONE_CLIENTS,
    .fields = grant_fields,
    .routes = grant_routes,
    .visible = grant_visible,
    .changes_unseen = true};

const struct resource my_oauth_grant_resource = {
    .type = "my_oauth_grant",
    .scope = "",
    .title = "Your OAuth grants",
    .doc = "Your consents to programs that act for you.",
    .url = "oauth/my_grants/:id",
    .table = "oauth_grants",
    .from = "oauth_grants t JOIN oauth_clients c ON c.id = t.client_id",
    .where = "c.deleted_at IS NULL",
    .fields = my_grant_fields,
    .routes = my_grant_routes,
    .visible = my_grant_visible,
    .changes_unseen = true};
