/* Endpoints (docs/RULES.md "Endpoints"). */
#include "core/endpoints/endpoint.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/desk/setting.h"
#include "core/endpoints/delivery.h"
#include "res/groups.h"

#define MANAGE_ENDPOINTS "endpoints.manage"

/* ---- members --------------------------------------------------------------------------------- */

static void render_endpoint_attribute(struct view *v, const struct attribute *a, const struct value *own) {
    jw_key(&v->w, S("value"));
    if (a->form == ATTRIBUTE_SECRET) jw_str(&v->w, S(""));
    else if (own->type == V_NULL) jw_null(&v->w);
    else if (a->form == ATTRIBUTE_BOOL) jw_bool(&v->w, own->i != 0);
    else if (a->form == ATTRIBUTE_WORD) jw_str(&v->w, str_of(word_of(a->words, own->i)));
    else jw_str(&v->w, own->s);
}

static void render_attributes(struct view *v, const struct row *row, const struct value *own) {
    int64_t type = own->i;
    if (own->type == V_TEXT) str_to_int(own->s, &type);
    jw_array(&v->w);
    for (const struct attribute *a = endpoint_attributes; a->name; a++) {
        if (a->type != type) continue;
        jw_object(&v->w);
        jw_key(&v->w, S("name"));
        jw_str(&v->w, str_of(a->name));
        render_endpoint_attribute(v, a, a->form == ATTRIBUTE_SECRET ? NULL : row_cell(row, a->name));
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

/* The handlers that make a secret leave it in c->prepared. */
static void render_signing_secret(struct view *v, const struct row *row, const struct value *own) {
    const struct str *secret = v->c->prepared;
    (void)row, (void)own;
    jw_str(&v->w, secret ? *secret : (struct str){0});
}

static const struct field endpoint_fields[] = {
    {"title", F_TEXT, READONLY, .doc = "Title.", .example = "\"Pager\""},
    {"type", F_WORD, READONLY, .words = endpoint_types, .doc = "EMAIL, SLACK or HTTP.",
     .example = "\"HTTP\""},
    {"is_enabled", F_BOOL, READONLY, .doc = "False: rules send nothing to it, and waiting deliveries wait."},
    {"attributes", F_COMPUTED, READONLY, .column = "t.type", .render = render_attributes,
     .doc = "Attributes of its type. Secrets are shown as an empty text.",
     .example = "[{\"name\": \"url\", \"value\": \"https://example.com/hook\"}]"},
    {"signing_secret", F_COMPUTED, READONLY | SECRET, .column = "NULL", .render = render_signing_secret,
     .doc = "Key of X-Desk-Signature, for endpoints of type HTTP. It is shown in the reply to the request "
            "that made it; otherwise null.",
     .example = "\"6d5a...\""},
    {"former_secret_until", F_TIME, READONLY | NULLABLE,
     .doc = "Until then the former secret signs, too. Null: there is none."},
    {"last_attempt_result", F_WORD, READONLY | NULLABLE, .column = "s.last_attempt_result",
     .words = attempt_results, .doc = "SUCCESS or FAILURE of the last attempt to send. Null: there was none.",
     .example = "\"SUCCESS\""},
    {"last_attempt_message", F_LONG, READONLY | NULLABLE, .column = "s.last_attempt_message",
     .doc = "Reason of the result.", .example = "\"200\""},
    {"last_attempt_at", F_TIME, READONLY | NULLABLE, .column = "s.last_attempt_at",
     .doc = "Time of the last attempt."},
    {"address", F_TEXT, HIDDEN, .column = "t.address"},
    {"subject", F_TEXT, HIDDEN, .column = "t.subject"},
    {"webhook_url", F_TEXT, HIDDEN, .column = "t.webhook_url"},
    {"channel", F_TEXT, HIDDEN, .column = "t.channel"},
    {"url", F_TEXT, HIDDEN, .column = "t.url"},
    {"method", F_INT, HIDDEN, .column = "t.method"},
    {"content_type", F_INT, HIDDEN, .column = "t.content_type"},
    {"use_auth", F_INT, HIDDEN, .column = "t.use_auth"},
    {"auth_username", F_TEXT, HIDDEN, .column = "t.auth_username"},
    {"*", .group = row_times},
    {0},
};

/* ---- input ----------------------------------------------------------------------------------- */

static const struct field endpoint_input[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Title.", .example = "\"Pager\""},
    {"type", F_WORD, REQUIRED | CREATE_ONLY, .words = endpoint_types, .doc = "EMAIL, SLACK or HTTP.",
     .example = "\"HTTP\""},
    {"is_enabled", F_BOOL, 0, .initial = "1",
     .doc = "False: rules send nothing to it, and waiting deliveries wait."},
    {"attributes", F_OBJECT, BY_HANDLER,
     .doc =
         "Attributes of its type. EMAIL: address, subject. SLACK: webhook_url, channel. HTTP: url, method "
         "(GET, POST, PUT, PATCH, DELETE), content_type (application/json, application/xml, "
         "application/x-www-form-urlencoded, text/plain), use_auth, auth_username, auth_password. "
         "Attributes that are not given keep their values. An empty auth_password keeps the password, null "
         "deletes it. A change of url deletes the password, unless the same request sends it.",
     .example = "{\"url\": \"https://example.com/hook\"}"},
    {0},
};

static const struct field secret_input[] = {
    {"former_hours", F_INT, 0, .min = 0, .max = 168, .initial = "24",
     .doc = "Number of hours in which the former secret signs, too. 0: it ends at once.", .example = "24"},
    {0},
};

static const struct field endpoint_list_args[] = {
    {"type", F_WORD, .words = endpoint_types, .filter = "t.type = :type",
     .doc = "Only endpoints of this type."},
    {"is_enabled", F_BOOL, .filter = "t.is_enabled = :is_enabled",
     .doc = "Only enabled, or only disabled endpoints."},
    {0},
};

static void endpoint_visible(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_ADMIN; }

/* ---- handlers -------------------------------------------------------------------------------- */

static int endpoint_secret(struct call *c, int64_t former_ms) {
    struct str *secret = ARENA_NEW(c->work.arena, struct str);
    TRY(endpoint_make_secret(&c->work, c->id, former_ms, secret));
    c->prepared = secret;
    return 0;
}

static int post_endpoint(struct call *c) {
    TRY(api_input(c));
    TRY(api_insert(c));
    TRY(endpoint_set_attributes(&c->work, c->id, in(c, "attributes")->json));
    if (in_int(c, "type") == ENDPOINT_HTTP) TRY(endpoint_secret(c, 0));
    return api_reply(c);
}

static int put_endpoint(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    TRY(endpoint_set_attributes(&c->work, c->id, in(c, "attributes")->json));
    if (given(c, "is_enabled")) deliveries_announce(&c->work);
    return api_reply(c);
}

static int post_endpoint_secret(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, "t.type <> 3",
                   "This endpoint is not of type HTTP, so it signs nothing. Create one of "
                   "type HTTP."));
    TRY(endpoint_secret(c, in_int(c, "former_hours") * TIME_HOUR));
    return api_reply(c);
}

static const struct route endpoint_routes[] = {
    {GET, "/endpoints", AD, "configuration", LIST, api_list, .args = endpoint_list_args,
     .summary = "List endpoints"},
    {GET, "/endpoints/:id", AD, "configuration", ONE, api_get, .summary = "Get an endpoint"},
    {POST, "/endpoints", AD, "configuration", ONE, post_endpoint, .permission = MANAGE_ENDPOINTS,
     .input = endpoint_input, .summary = "Create an endpoint",
     .doc = "The reply shows the signing_secret of an endpoint of type HTTP, "
            "once."},
    {PUT, "/endpoints/:id", AD, "configuration", ONE, put_endpoint, .permission = MANAGE_ENDPOINTS,
     .input = endpoint_input, .summary = "Update an endpoint"},
    {DELETE, "/endpoints/:id", AD, "configuration", NONE, api_delete, .permission = MANAGE_ENDPOINTS,
     .summary = "Delete an endpoint",
     .doc = "Deletes its deliveries, too. Deliveries that wait are not sent."},
    {DELETE, "/endpoints", AD, "configuration", COUNT, api_delete, .permission = MANAGE_ENDPOINTS,
     .summary = "Delete several endpoints"},
    {POST, "/endpoints/:id/secret", AD, "configuration", ONE, post_endpoint_secret, .status = 200,
     .permission = MANAGE_ENDPOINTS, .input = secret_input, .summary = "Make a new signing secret",
     .doc = "The reply shows it, once. For former_hours each delivery has two signatures: by the new and by "
            "the former secret.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource endpoint_resource = {
    .type = "endpoint",
    .scope = "configuration",
    .title = "Endpoints",
    .doc = "Servers, addresses and channels that rules send to.",
    .url = "endpoints/:id",
    .table = "endpoints",
    .texts_kept = CONFIGURATION_TEXTS,
    .from = "endpoints t LEFT JOIN endpoint_states s ON s.endpoint_id = t.id",
    .where = "t.deleted_at IS NULL",
    .fields = endpoint_fields,
    .remove = endpoints_delete,
    .routes = endpoint_routes,
    .visible = endpoint_visible,
    .changes_unseen = true};
