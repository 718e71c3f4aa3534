/* OAuth clients (docs/PROGRAMS.md). */
#include "res/oauth.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/encoding.h"
#include "core/access/scope.h"
#include "core/change/change.h"
#include "core/people/authority.h"
#include "core/programs/client.h"
#include "core/programs/client_url.h"
#include "res/file_content.h"
#include "res/groups.h"
#include "res/upload.h"

#define MANAGE_APPS "apps.manage"

/* .prepare leaves this for the checks and the reply of a request. */
struct client_prepared {
    struct picture_input logo;
    struct str secret; /* p NULL: none was made */
};

/* ---- members --------------------------------------------------------------------------------- */

void render_scopes(struct view *v, const struct row *row, const struct value *own) {
    int64_t mask = own->i;
    (void)row;
    if (own->type == V_TEXT) str_to_int(own->s, &mask);
    jw_raw(&v->w, scopes_json(v->c->work.arena, (uint32_t)mask));
}

void render_client_logo(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    if (own->type != V_TEXT) {
        jw_null(&v->w);
        return;
    }
    int64_t at = row_cell(row, "logo_created_at")->i;
    jw_object(&v->w);
    jw_key(&v->w, S("data"));
    jw_str(&v->w, base64_encode(a, own->s));
    jw_key(&v->w, S("type"));
    jw_str(&v->w, str_of(word_of(logo_types, row_cell(row, "logo_type")->i)));
    jw_key(&v->w, S("url"));
    jw_str(&v->w, client_logo_url(v->c->work.desk, a, row_cell(row, "logo_of")->i, at));
    jw_key(&v->w, S("created_at"));
    jw_time(&v->w, at);
    jw_end(&v->w);
}

static void render_secret(struct view *v, const struct row *row, const struct value *own) {
    const struct client_prepared *p = v->c->prepared;
    (void)row, (void)own;
    jw_str(&v->w, p ? p->secret : (struct str){0});
}

static const struct field client_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Name that people see when they consent.", .example = "\"Reports\""},
    {"url", F_TEXT, READONLY | NULLABLE, .doc = "Address of the program's page.",
     .example = "\"https://reports.example.com/\""},
    {"key", F_TEXT, READONLY, .doc = "The client_id of OAuth.", .example = "\"3f1c9a\""},
    {"secret", F_COMPUTED, READONLY | SECRET, .column = "NULL", .render = render_secret,
     .doc = "The client_secret of OAuth. It is shown in the reply to the request that made it; otherwise "
            "null. A public client has none.",
     .example = "\"dks_6d5a\""},
    {"scopes", F_COMPUTED, READONLY, .column = "t.scopes", .render = render_scopes,
     .doc = "Scopes that the program may ask for. An empty list is none.",
     .example = "[\"conversations:read\"]"},
    {"logo", F_COMPUTED, READONLY, .column = "t.logo_data", .render = render_client_logo,
     .doc = "Picture: data (Base64), type (JPEG, PNG or GIF), url and created_at. The address needs no "
            "login.",
     .example = CLIENT_LOGO_EXAMPLE},
    {"description", F_LONG, READONLY | NULLABLE,
     .doc = "Purpose of the program, shown on the page of consent.", .example = "\"Weekly reports\""},
    {"author", F_TEXT, READONLY | NULLABLE, .doc = "Person or company that made the program.",
     .example = "\"Reports Ltd\""},
    {"author_url", F_TEXT, READONLY | NULLABLE, .doc = "Address of the author's page.",
     .example = "\"https://example.com/\""},
    {"callback_url", F_TEXT, READONLY | NULLABLE,
     .doc = "Address that gets the codes: the redirect_uri of OAuth.",
     .example = "\"https://reports.example.com/callback\""},
    {"is_public", F_BOOL, READONLY,
     .doc = "True if the program can't keep a secret, like an app or a page. It "
            "needs PKCE."},
    {"is_password_grant_enabled", F_BOOL, READONLY,
     .doc = "True if the program may get tokens with a person's password."},
    {"creator", F_REF, READONLY, .ref = "user",
     .doc = "Person who registered the client. client_credentials act as this person. Null: a program "
            "registered it by a token, or the person is gone."},
    {"last_used_at", F_TIME, READONLY | NULLABLE, .doc = "Time of the last use, to a minute."},
    {"logo_type", F_INT, HIDDEN, .column = "t.logo_type"},
    {"logo_created_at", F_INT, HIDDEN, .column = "t.logo_created_at"},
    {"logo_of", F_INT, HIDDEN, .column = "t.id"},
    {"*", .group = row_times},
    {0},
};

/* ---- the logo -------------------------------------------------------------------------------- */

static const struct picture_form client_logo_form = {"logo", "logo_file_id", false, LOGO_BOX, picture_logo};

static int client_prepare(struct call *c) {
    struct client_prepared *p = c->prepared = ARENA_NEW(c->work.arena, struct client_prepared);
    return picture_input_read(c, &client_logo_form, &p->logo);
}

static int check_client_logo(struct call *c, struct in *in) {
    const struct client_prepared *p = c->prepared;
    return picture_input_check(c, in, &p->logo);
}

static enum logo_type logo_type_of(struct str media) {
    return str_eq(media, S("image/jpeg")) ? LOGO_JPEG : str_eq(media, S("image/gif")) ? LOGO_GIF : LOGO_PNG;
}

static int client_keep_logo(struct call *c) {
    const struct client_prepared *p = c->prepared;
    if (!given(c, "logo") && !given(c, "logo_file_id")) return 0;
    change_named(&c->work, (struct changed){"oauth_client", c->id, 0}, "logo");
    return client_logo_set(&c->work, c->id, logo_type_of(p->logo.made.type), p->logo.made.data);
}

/* ---- input ----------------------------------------------------------------------------------- */

static int check_page(struct call *c, struct in *in) {
    const char *why = in->value.s.n ? client_page_wrong(c->work.arena, in->value.s) : NULL;
    return why ? fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", why) : 0;
}

static int check_name(struct call *c, struct in *in) {
    const char *why = in->value.s.n ? client_name_wrong(in->value.s) : NULL;
    return why ? fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", why) : 0;
}

static int check_callback(struct call *c, struct in *in) {
    const char *why = in->value.s.n ? client_callback_wrong(c->work.arena, in->value.s) : NULL;
    return why ? fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", why) : 0;
}

uint32_t scopes_given(struct call *c) {
    const uint32_t *made = in(c, "scopes")->made;
    return made ? *made : 0;
}

int check_scopes(struct call *c, struct in *in) {
    struct work *w = &c->work;
    uint32_t *mask = in->made = ARENA_NEW(w->arena, uint32_t);
    int at = 0, problems = w->problem_count;
    for (const struct json *j = in->json ? in->json->first : NULL; j; j = j->next, at++) {
        struct str text = json_scalar(j);
        if (text.n == 0 || !scope_parse(str_trim(text), mask))
            fail_at(w, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d", at),
                    "A scope is users, conversations, insights, search or configuration, with :read or "
                    ":write.");
    }
    if (w->actor.kind == ACTOR_TOKEN && scopes_common(*mask, w->actor.scopes) != scopes_common(*mask, *mask))
        fail_at(w, ERR_FIELD_INVALID, in->name, in->pointer,
                "A token can't give scopes that it does not have.");
    return w->problem_count > problems ? -(int)failure(w) : 0;
}

static const struct field client_input[] = {
    {"name", F_TEXT, REQUIRED, .check = check_name, .doc = "Name that people see when they consent.",
     .example = "\"Reports\""},
    {"url", F_TEXT, NULLABLE, .max = 2048, .check = check_page,
     .doc = "Address of the program's page: http or https.", .example = "\"https://reports.example.com/\""},
    {"scopes", F_TEXTS, BY_HANDLER, .check = check_scopes,
     .doc = "Scopes that the program may ask for, like users:read. Without a level it is :write, which "
            "includes :read. An empty list is no scope: the program gets no token, and those that it has "
            "reach nothing that needs a scope. A new client without the list may ask for all.",
     .example = "[\"conversations:read\"]"},
    {"description", F_LONG, NULLABLE, .max = 1000,
     .doc = "Purpose of the program, shown on the page of consent.", .example = "\"Weekly reports\""},
    {"author", F_TEXT, NULLABLE, .check = check_name, .doc = "Person or company that made the program.",
     .example = "\"Reports Ltd\""},
    {"author_url", F_TEXT, NULLABLE, .max = 2048, .check = check_page,
     .doc = "Address of the author's page: http or https.", .example = "\"https://example.com/\""},
    {"callback_url", F_TEXT, NULLABLE, .max = 2048, .check = check_callback,
     .doc = "Address that gets the codes: https, http of localhost, 127.0.0.1 or [::1], or an app's scheme "
            "like com.example.app:/callback. Requests must have exactly this redirect_uri.",
     .example = "\"https://reports.example.com/callback\""},
    {"is_public", F_BOOL, 0, .initial = "0",
     .doc = "True if the program can't keep a secret. Then it has none, and a stored one ends. After a "
            "change to false, make one by POST /oauth/clients/:id/secret."},
    {"is_password_grant_enabled", F_BOOL, 0, .initial = "0",
     .doc = "True lets the program get tokens with a person's password. RFC 9700 advises against it."},
    {"logo", F_FILE, BY_HANDLER, .check = check_client_logo,
     .doc = "Picture: JPEG, PNG or GIF. The server scales it down to fit 100 x 100 pixels."},
    {"logo_file_id", F_INT, NULLABLE | BY_HANDLER, .min = 1, .max = INT64_MAX, .check = check_client_logo,
     .doc = "Id of an uploaded picture (POST /files), in place of logo. Null removes the logo."},
    {0},
};

static void client_visible(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_ADMIN; }

/* ---- handlers -------------------------------------------------------------------------------- */

QUERY(client_now, "SELECT scopes, is_public, COALESCE(creator_id, 0) "
                  "FROM oauth_clients WHERE id = :id AND deleted_at IS NULL @LOCK@");

struct client_now {
    uint32_t scopes;
    bool is_public;
    int64_t creator_id;
};

static int client_lock(struct call *c, struct client_now *out) {
    struct stmt *row;
    TRY_FOUND(&c->work, db_row(c->work.conn, &client_now, BINDS(B_INT("id", c->id)), &row));
    *out = (struct client_now){(uint32_t)col_int(row, 0), col_int(row, 1) != 0, col_int(row, 2)};
    stmt_end(row);
    return 0;
}

/* A client acts as its creator (client_credentials). So nobody with fewer rights than the creator may take
 * the client over, and no token may take over a client with more scopes than its own. Its deletion takes
 * rights away only. */
static int client_may_take_over(struct call *c, const struct client_now *now) {
    const struct actor *a = &c->work.actor;
    if (a->kind == ACTOR_TOKEN &&
        scopes_common(now->scopes, a->scopes) != scopes_common(now->scopes, now->scopes))
        return fail_field(&c->work, ERR_PERMISSIONS_DENIED, (struct str){0},
                          "The client has scopes that this token does not have.");
    return now->creator_id ? user_may_act_as(&c->work, now->creator_id) : 0;
}

/* A secret is a credential of the creator, and would outlive the token that made it. */
static int client_may_get_secret(struct call *c, const struct client_now *now) {
    if (c->work.actor.kind != ACTOR_TOKEN || now->creator_id == 0) return 0;
    return fail_field(&c->work, ERR_PERMISSIONS_DENIED, (struct str){0},
                      "This client acts as a person, so a token can't make a secret of it. Log in to make "
                      "one.");
}

/* Without the list: all scopes, or those of the token that makes the client. */
static uint32_t client_scopes_given(struct call *c) {
    if (given(c, "scopes")) return scopes_given(c);
    return c->work.actor.kind == ACTOR_TOKEN ? c->work.actor.scopes & scopes_every() : scopes_write();
}

static int post_oauth_client(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct client_prepared *p = c->prepared;
    TRY(api_input(c));
    int n = api_columns(c, list);
    list[n++] = COLUMN_UNRECORDED(B_TEXT, "key", random_hex(c->work.arena, 16));
    list[n++] = COLUMN_UNRECORDED(B_INT, "scopes", client_scopes_given(c));
    list[n++] =
        COLUMN_UNRECORDED(B_ID, "creator_id", c->work.actor.kind == ACTOR_TOKEN ? 0 : c->work.actor.user_id);
    TRY(record_insert(&c->work, (struct record){"oauth_client", "oauth_clients", NULL}, list, n, &c->id));
    if (!in_int(c, "is_public")) TRY(client_renew_secret(&c->work, c->id, &p->secret));
    TRY(client_keep_logo(c));
    return api_reply(c);
}

static int client_change_secret(struct call *c, const struct client_now *now) {
    bool public = in_int(c, "is_public") != 0;
    if (!given(c, "is_public") || public == now->is_public) return 0;
    if (public) return client_drop_secret(&c->work, c->id);
    notice(&c->work, "NOTICE", "The client has no secret yet. POST /oauth/clients/:id/secret makes one.");
    return 0;
}

static int put_oauth_client(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct client_now now;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(client_lock(c, &now));
    TRY(client_may_take_over(c, &now));
    TRY(record_update(&c->work, (struct record){"oauth_client", "oauth_clients", NULL}, &c->id, 1, list,
                      api_columns(c, list)));
    if (given(c, "scopes")) TRY(client_set_scopes(&c->work, c->id, now.scopes, scopes_given(c)));
    TRY(client_change_secret(c, &now));
    TRY(client_keep_logo(c));
    return api_reply(c);
}

static int post_oauth_client_secret(struct call *c) {
    struct client_now now;
    struct client_prepared *p = c->prepared = ARENA_NEW(c->work.arena, struct client_prepared);
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(client_lock(c, &now));
    TRY(client_may_take_over(c, &now));
    TRY(client_may_get_secret(c, &now));
    TRY(api_refuse(c, "t.is_public = 1",
                   "This client is public, so it has no secret. Set is_public to false "
                   "first."));
    TRY(client_renew_secret(&c->work, c->id, &p->secret));
    return api_reply(c);
}

static int get_oauth_client_logo(struct call *c) {
    struct str type, data;
    TRY(api_input(c));
    TRY_FOUND(&c->work, client_logo_find(&c->work, c->vars[0].id, &type, &data));
    buf_str(&c->out, data);
    c->raw = true;
    call_header(c, "Content-Type", type);
    picture_guards(c);
    return 0;
}

static const struct field logo_args[] = {
    {"v", F_TEXT, NULLABLE, .doc = "Version of the logo, as in its address."}, {0}};

#define BY_CONFIGURATION .bearer = "configuration"
#define LOGO \
    .prepare = client_prepare, .lane = LANE_PICTURE, .lane_for = "logo,logo_file_id", .body = FILES_TAKEN

static const struct route client_routes[] = {
    {GET, "/oauth/clients", AD, "", LIST, api_list, BY_CONFIGURATION, .summary = "List OAuth clients"},
    {GET, "/oauth/clients/:id", AD, "", ONE, api_get, BY_CONFIGURATION, .summary = "Get an OAuth client"},
    {POST, "/oauth/clients", AD, "", ONE, post_oauth_client, BY_CONFIGURATION, .permission = MANAGE_APPS,
     .input = client_input, LOGO, .summary = "Create an OAuth client",
     .doc = "The reply shows the secret, once. With a bearer token, the client gets at most the scopes of "
            "the token, and no creator, because it would outlive the token."},
    {PUT, "/oauth/clients/:id", AD, "", ONE, put_oauth_client, BY_CONFIGURATION, .permission = MANAGE_APPS,
     .input = client_input, LOGO, .summary = "Update an OAuth client",
     .doc = "Fewer scopes narrow the tokens that the client has, at once. Admins can't change clients that "
            "an owner created, because a client may act as its creator."},
    {DELETE, "/oauth/clients/:id", AD, "", NONE, api_delete, BY_CONFIGURATION, .permission = MANAGE_APPS,
     .summary = "Delete an OAuth client", .doc = "Its grants and tokens end at once."},
    {DELETE, "/oauth/clients", AD, "", COUNT, api_delete, BY_CONFIGURATION, .permission = MANAGE_APPS,
     .summary = "Delete several OAuth clients"},
    {POST, "/oauth/clients/:id/secret", AD, "", ONE, post_oauth_client_secret, BY_CONFIGURATION,
     .status = 200, .permission = MANAGE_APPS, .input = no_fields,
     .summary = "Make a new secret of an OAuth client",
     .doc = "The reply shows it, once. The old secret ends at once; tokens stay.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {GET, "/oauth/clients/:id/logo", PUBLIC, "", ONE, get_oauth_client_logo, .args = logo_args,
     .is_download = true, .label = "-", .summary = "Get the logo of an OAuth client",
     .doc = "Anyone may get it, because the page of consent shows it.",
     .sample = {.path = "1", .setup = "curl {owner} -X PUT -F logo=@picture.png \"{api}/oauth/clients/1\""}},
    {0},
};

const struct resource oauth_client_resource = {.type = "oauth_client",
                                               .scope = "configuration",
                                               .title = "OAuth clients",
                                               .doc = "Programs that may ask people for access.",
                                               .url = "oauth/clients/:id",
                                               .table = "oauth_clients",
                                               .where = "t.deleted_at IS NULL",
                                               .texts_kept = CONFIGURATION_TEXTS,
                                               .fields = client_fields,
                                               .remove = clients_delete,
                                               .routes = client_routes,
                                               .visible = client_visible,
                                               .changes_unseen = true};
