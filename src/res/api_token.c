/* API tokens: a person makes one for a script. A token can't make, read or end tokens: the routes are
 * closed to bearer tokens. */
#include "core/programs/api_token.h"

#include "api/rows/generic.h"
#include "core/access/scope.h"
#include "res/groups.h"
#include "res/oauth.h"

/* The handler that makes a token leaves its text in c->prepared. */
static void render_token(struct view *v, const struct row *row, const struct value *own) {
    const struct str *token = v->c->prepared;
    (void)row, (void)own;
    jw_str(&v->w, token ? *token : (struct str){0});
}

static const struct field api_token_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Purpose of the token. Activities and the audit log show it.",
     .example = "\"Weekly report\""},
    {"token", F_COMPUTED, READONLY | SECRET, .column = "NULL", .render = render_token,
     .doc = "Value for `Authorization: Bearer`. It is shown in the reply to the request that made it; "
            "otherwise null.",
     .example = "\"dkp_6d5a\""},
    {"scopes", F_COMPUTED, READONLY, .column = "t.scopes", .render = render_scopes,
     .doc = "Scopes of the token. A request needs the scope and your own rights.",
     .example = "[\"conversations:read\"]"},
    {"expires_at", F_TIME, READONLY | NULLABLE, .doc = "End of the token. Null: it has none."},
    {"last_used_at", F_TIME, READONLY | NULLABLE,
     .doc = "Time of the last use, to about a minute. Null: it was not used."},
    {"*", .group = row_times},
    {0},
};

static int check_future(struct call *c, struct in *in) {
    bool future = in->value.type == V_NULL || in->value.i > c->work.now;
    return future ? 0
                  : fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                            "A time in the future is expected.");
}

static const struct field api_token_input[] = {
    {"name", F_TEXT, REQUIRED, .doc = "Purpose of the token.", .example = "\"Weekly report\""},
    {"scopes", F_TEXTS, BY_HANDLER, .check = check_scopes,
     .doc = "Scopes like users:read. Without a level it is :write, which includes :read. An empty list is "
            "no scope: such a token reaches only what every token reaches. A new token without the list has "
            "all.",
     .example = "[\"conversations:read\"]"},
    {"expires_at", F_TIME, NULLABLE, .check = check_future, .doc = "End of the token. Null: it has none."},
    {0},
};

static void api_token_visible(struct work *w, struct branches *out) {
    branch_add(out, "t.user_id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

static uint32_t api_token_scopes(struct call *c) {
    return given(c, "scopes") ? scopes_given(c) : scopes_write();
}

static int post_api_token(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct str hash, *token = ARENA_NEW(c->work.arena, struct str);
    TRY(api_input(c));
    TRY(api_token_room(&c->work));
    *token = api_token_make(&c->work, &hash);
    int n = api_columns(c, list);
    list[n++] = COLUMN_UNRECORDED(B_INT, "user_id", c->work.actor.user_id);
    list[n++] = COLUMN_UNRECORDED(B_TEXT, "token_hash", hash);
    list[n++] = COLUMN_UNRECORDED(B_INT, "scopes", api_token_scopes(c));
    TRY(record_insert(&c->work, (struct record){"api_token", "api_tokens", NULL}, list, n, &c->id));
    c->prepared = token;
    return api_reply(c);
}

static int put_api_token(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    if (given(c, "scopes")) TRY(api_token_set_scopes(&c->work, c->id, api_token_scopes(c)));
    return api_reply(c);
}

static const struct route api_token_routes[] = {
    {GET, "/profile/api_tokens", ALL, "", LIST, api_list, .summary = "List your API tokens"},
    {GET, "/profile/api_tokens/:id", ALL, "", ONE, api_get, .summary = "Get one of your API tokens"},
    {POST, "/profile/api_tokens", ALL, "", ONE, post_api_token, .input = api_token_input,
     .summary = "Create an API token",
     .doc = "The reply shows the token, once. A person has at most 100. A changed password ends all of them.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/profile/api_tokens/:id", ALL, "", ONE, put_api_token, .input = api_token_input,
     .summary = "Update one of your API tokens"},
    {DELETE, "/profile/api_tokens/:id", ALL, "", NONE, api_delete, .summary = "Delete one of your API tokens",
     .doc = "It ends at once."},
    {DELETE, "/profile/api_tokens", ALL, "", COUNT, api_delete,
     .summary = "Delete several of your API tokens"},
    {0},
};

const struct resource api_token_resource = {.type = "api_token",
                                            .sample = "",
                                            .scope = "configuration",
                                            .title = "API tokens",
                                            .doc =
                                                "Tokens for scripts that act for you: `Authorization: Bearer "
                                                "TOKEN`.",
                                            .url = "profile/api_tokens/:id",
                                            .table = "api_tokens",
                                            .fields = api_token_fields,
                                            .routes = api_token_routes,
                                            .visible = api_token_visible,
                                            .changes_unseen = true};
