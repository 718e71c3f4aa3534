/* Providers of logins (docs/OPERATIONS.md "Sign-in"), their buttons, and the links of people to them. */
#include "api/input/input.h"
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/access/access.h"
#include "core/access/permission.h"
#include "core/change/change.h"
#include "core/desk/setting.h"
#include "core/people/authority.h"
#include "core/signin/provider.h"
#include "core/words.h"
#include "res/groups.h"

#include <inttypes.h>

#define MANAGE_SIGNIN "settings.manage"
#define RULES_MOST 50

/* ---- members --------------------------------------------------------------------------------- */

static void render_callback_url(struct view *v, const struct row *row, const struct value *own) {
    const struct desk *d = v->c->work.desk;
    (void)own;
    jw_str(&v->w, str_fmt(v->c->work.arena, "%.*s/signin/%" PRId64 "/callback", (int)d->base_url.n,
                          d->base_url.p, row->id));
}

static void render_logout_url(struct view *v, const struct row *row, const struct value *own) {
    (void)row, (void)own;
    jw_str(&v->w, STR_CAT(v->c->work.arena, v->c->work.desk->base_url, S("/signin/out")));
}

static void render_begin_url(struct view *v, const struct row *row, const struct value *own) {
    const struct desk *d = v->c->work.desk;
    (void)own;
    jw_str(&v->w,
           str_fmt(v->c->work.arena, "%.*s/signin/%" PRId64, (int)d->base_url.n, d->base_url.p, row->id));
}

static void render_signin_rules(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_raw(&v->w, own->s);
}

static const struct field provider_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Name of the provider.", .example = "\"Example Ltd\""},
    {"issuer", F_TEXT, READONLY, .doc = "Its issuer. The discovery document is below it.",
     .example = "\"https://login.example.com\""},
    {"client_id", F_TEXT, READONLY, .doc = "Name of the desk at the provider.", .example = "\"desk\""},
    {"has_client_secret", F_BOOL, READONLY, .column = "CASE WHEN t.client_secret IS NULL THEN 0 ELSE 1 END",
     .doc = "True if a secret is stored. It is never shown."},
    {"scopes", F_TEXT, READONLY, .doc = "Scopes that the desk asks for.",
     .example = "\"openid email profile\""},
    {"button_label", F_TEXT, READONLY | NULLABLE, .doc = "Text of the button. Null: the name.",
     .example = "\"Log in with Example\""},
    {"email_domains", F_TEXT, READONLY | NULLABLE, .max = 2000,
     .doc = "Domains of addresses that count, separated by blanks. Null: all.", .example = "\"example.com\""},
    {"is_enabled", F_BOOL, READONLY, .doc = "True if people may log in by it."},
    {"is_for_staff", F_BOOL, READONLY, .doc = "True if staff may log in by it."},
    {"is_for_customers", F_BOOL, READONLY, .doc = "True if customers may log in by it."},
    {"creates_people", F_BOOL, READONLY,
     .doc = "True if the first login of an unknown person makes an account."},
    {"updates_people", F_BOOL, READONLY,
     .doc =
         "True if each login sets role and teams by the rules. False: only the first login of a new person "
         "does."},
    {"counts_as_two_factors", F_BOOL, READONLY,
     .doc = "True if a person with a second factor types no code after this login."},
    {"highest_role", F_WORD, READONLY, .words = role_types,
     .doc = "Nobody of a role above this type logs in by the provider, and no rule gives such a role.",
     .example = "\"AGENT\""},
    {"role", F_REF, READONLY, .ref = "role", .doc = "Role of people for whom no rule gives another one."},
    {"rules", F_JSON, READONLY, .render = render_signin_rules,
     .doc = "Rules. `claim` is a claim of the provider, `value` its text or one of its list. The first rule "
            "that matches and has a `role_id` gives the role. `team_ids` of all rules that match are joined.",
     .example = "[{\"claim\": \"groups\", \"value\": \"support\", \"role_id\": 2, \"team_ids\": [1]}]"},
    {"callback_url", F_COMPUTED, READONLY, .column = "", .render = render_callback_url,
     .doc = "Address to register at the provider as redirect URI.",
     .example = "\"https://desk.example.com/signin/1/callback\""},
    {"logout_url", F_COMPUTED, READONLY, .column = "", .render = render_logout_url,
     .doc = "Address to register at the provider as post logout redirect URI.",
     .example = "\"https://desk.example.com/signin/out\""},
    {"*", .group = row_times},
    {0},
};

/* ---- input ----------------------------------------------------------------------------------- */

static int check_issuer(struct call *c, struct in *in) {
    bool private = setting_bool(c->work.desk, "signin.allow_private_addresses");
    const char *why = in->value.s.n ? issuer_wrong(c->work.arena, in->value.s, private) : NULL;
    return why ? fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", why) : 0;
}

static int check_openid(struct call *c, struct in *in) {
    struct str rest = in->value.s;
    while (rest.p)
        if (str_eq(str_cut(&rest, ' '), S("openid"))) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "One of the scopes must be openid. Separate them by blanks.");
}

static const struct field rule_items[] = {
    {"claim", F_TEXT, REQUIRED, .max = 200, .doc = "Name of a claim.", .example = "\"groups\""},
    {"value", F_TEXT, REQUIRED, .max = 500, .doc = "Its text, or one of its list.", .example = "\"support\""},
    {"role_id", F_INT, NULLABLE, .min = 1, .max = INT64_MAX, .doc = "Role that it gives. Null: none.",
     .example = "2"},
    {"team_ids", F_IDS, 0, .doc = "Teams that it gives.", .example = "[1]"},
    {0},
};
enum { RULE_CLAIM, RULE_VALUE, RULE_ROLE, RULE_TEAMS };

/* The rules of a request: their text, and the highest type of their roles. */
struct rules_read {
    struct str text;
    int64_t highest;
};

QUERY(teams_live, "SELECT COUNT(*) FROM teams WHERE id IN @LIST(:ids) AND deleted_at IS NULL");

static int signin_rule_read(struct call *c, struct in *in, const struct json *item, int at,
                            struct rules_read *out, struct json_writer *j) {
    struct work *w = &c->work;
    struct str place = in_place(c, in, "%d", at);
    struct in *list;
    int count;
    int64_t type = 0, teams = 0;
    if (item->type != JSON_OBJECT)
        return fail_at(w, ERR_FIELD_INVALID, in->name, place,
                       "An object of claim, value, role_id and team_ids "
                       "is expected.");
    TRY(input_read(c, rule_items, true, item, place, &list, &count));
    const struct value *role = &list[RULE_ROLE].value, *ids = &list[RULE_TEAMS].value;
    int n = ids->type == V_NULL ? 0 : (int)ids->i;
    struct str team_ids = json_ids(w->arena, ids->ids, (size_t)n);
    if (role->type == V_INT) {
        int found = role_type_of(w, role->i, &type);
        TRY(found);
        if (found == 0)
            return fail_at(w, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/role_id", at),
                           "There is no such role.");
        TRY(user_may_grant(w, role->i));
        if (type > out->highest) out->highest = type;
    }
    TRY(db_int(w->conn, &teams_live, BINDS(B_TEXT("ids", team_ids)), &teams));
    if (teams != n)
        return fail_at(w, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/team_ids", at),
                       "There is no such team.");
    jw_object(j);
    jw_key(j, S("claim"));
    jw_str(j, list[RULE_CLAIM].value.s);
    jw_key(j, S("value"));
    jw_str(j, list[RULE_VALUE].value.s);
    jw_key(j, S("role_id"));
    if (role->type == V_INT) jw_int(j, role->i);
    else jw_null(j);
    jw_key(j, S("team_ids"));
    jw_raw(j, team_ids);
    jw_end(j);
    return 0;
}

static int check_rules(struct call *c, struct in *in) {
    struct rules_read *out = in->made = ARENA_NEW(c->work.arena, struct rules_read);
    int at = 0, problems = c->work.problem_count;
    struct json_writer j;
    struct buf b = {0};
    if (in->json == NULL || in->json->type != JSON_ARRAY) return 0;
    if (in->json->count > RULES_MOST)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d rules are allowed.",
                       RULES_MOST);
    jw_init(&j, &b);
    jw_array(&j);
    for (const struct json *item = in->json->first; item; item = item->next)
        if (signin_rule_read(c, in, item, at++, out, &j) < 0 && c->work.problem_count == problems) break;
    if (c->work.problem_count == problems) jw_end(&j);
    out->text = buf_take(&b, c->work.arena);
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

static const struct field provider_input[] = {
    {"name", F_TEXT, REQUIRED, .doc = "Name of the provider.", .example = "\"Example Ltd\""},
    {"issuer", F_TEXT, REQUIRED | CREATE_ONLY, .max = 1024, .check = check_issuer,
     .doc = "Its issuer, as in its discovery document. It can't be changed: links of people and the secret "
            "belong to it.",
     .example = "\"https://login.example.com\""},
    {"client_id", F_TEXT, REQUIRED, .max = 500, .doc = "Name of the desk at the provider.",
     .example = "\"desk\""},
    {"client_secret", F_PASSWORD, NULLABLE | INPUT_ONLY | BY_HANDLER, .column = "t.client_secret",
     .doc =
         "Secret of the desk at the provider. It is stored encrypted and never shown. Null or an empty text "
         "deletes it: a public client.",
     .example = "\"SECRET\""},
    {"scopes", F_TEXT, 0, .initial = "openid email profile", .check = check_openid,
     .doc = "Scopes that the desk asks for, with openid.", .example = "\"openid email profile\""},
    {"button_label", F_TEXT, NULLABLE, .max = 80, .doc = "Text of the button. Null: the name.",
     .example = "\"Log in with Example\""},
    {"email_domains", F_TEXT, NULLABLE, .max = 2000,
     .doc =
         "Domains of addresses that count, separated by blanks. Null: all. A provider that makes accounts of "
         "staff needs them.",
     .example = "\"example.com\""},
    {"is_enabled", F_BOOL, 0, .initial = "1", .doc = "True if people may log in by it."},
    {"is_for_staff", F_BOOL, 0, .initial = "1", .doc = "True if staff may log in by it."},
    {"is_for_customers", F_BOOL, 0, .initial = "0", .doc = "True if customers may log in by it."},
    {"creates_people", F_BOOL, 0, .initial = "0",
     .doc = "True if the first login of an unknown person makes an account."},
    {"updates_people", F_BOOL, 0, .initial = "0",
     .doc =
         "True if each login sets role and teams by the rules. Teams that no rule names stay. The role of an "
         "owner stays."},
    {"counts_as_two_factors", F_BOOL, 0, .initial = "0",
     .doc = "True if a person with a second factor types no code after this login. Only owners set it."},
    {"highest_role", F_WORD, 0, .words = role_types, .initial = "AGENT",
     .doc = "Nobody of a role above this type logs in by the provider. At most your own.",
     .example = "\"AGENT\""},
    {"role", F_REF, REQUIRED, .ref = "role", .doc = "Role of people for whom no rule gives another one.",
     .example = "2"},
    {"rules", F_LIST, BY_HANDLER, .items = rule_items, .check = check_rules,
     .doc =
         "Rules, at most 50. The first one that matches and has a role gives the role, the teams of all that "
         "match are joined.",
     .example = "[{\"claim\": \"groups\", \"value\": \"support\", \"role_id\": 2, \"team_ids\": [1]}]"},
    {0},
};

/* ---- what may be stored ---------------------------------------------------------------------- */

/* A provider logs people in, so nobody makes one that gives more than the actor has. */
static int provider_may_write(struct call *c, const struct provider *now) {
    const struct actor *a = &c->work.actor;
    bool whole = a->rank == ROLE_OWNER || a->denied == 0;
    if (!whole || now->highest_role > a->rank)
        return fail_field(&c->work, ERR_PERMISSIONS_DENIED, (struct str){0},
                          "This provider can give more rights than you have. Ask an owner.");
    return 0;
}

static int64_t settled(struct call *c, const char *name, int64_t now) {
    return given(c, name) || now < 0 ? in_int(c, name) : now;
}

QUERY(signin_highest_of_rules, "SELECT COALESCE(MAX(r.type), 0) FROM roles r WHERE r.id IN @LIST(:ids)");

static int highest_of_stored(struct call *c, struct str rules, int64_t *out) {
    struct json *tree;
    struct json_error err;
    int64_t ids[RULES_MOST], id;
    int n = 0;
    if (rules.p == NULL || json_parse(c->work.arena, rules, &tree, &err) < 0) return 0;
    for (const struct json *j = tree->first; j && n < RULES_MOST; j = j->next) {
        const struct json *role = json_member(j, S("role_id"));
        if (role && role->type == JSON_NUMBER && str_to_int(role->text, &id)) ids[n++] = id;
    }
    struct str list = json_ids(c->work.arena, ids, (size_t)n);
    return db_int(c->work.conn, &signin_highest_of_rules, BINDS(B_TEXT("ids", list)), out);
}

/* Checks the members together, as they are after the request. now: before it; id 0: there is none. */
static int provider_settle(struct call *c, const struct provider *now) {
    struct work *w = &c->work;
    bool new = now->id == 0;
    int64_t highest = settled(c, "highest_role", new ? -1 : now->highest_role), type = 0, by_rules = 0;
    int64_t role = settled(c, "role", new ? -1 : now->role_id);
    bool staff = settled(c, "is_for_staff", new ? -1 : now->is_for_staff) != 0,
         customers = settled(c, "is_for_customers", new ? -1 : now->is_for_customers) != 0,
         creates = settled(c, "creates_people", new ? -1 : now->creates_people) != 0,
         doubled = given(c, "counts_as_two_factors") && in_int(c, "counts_as_two_factors");
    struct str domains = given(c, "email_domains") ? in_text(c, "email_domains") : now->domains;
    if (given(c, "rules")) by_rules = ((const struct rules_read *)in(c, "rules")->made)->highest;
    else TRY(highest_of_stored(c, now->rules, &by_rules));
    TRY(role_type_of(w, role, &type));
    if (given(c, "role")) TRY(user_may_grant(w, role));
    if (highest > w->actor.rank)
        in_fail(c, "highest_role", ERR_PERMISSIONS_DENIED, "The highest role is above your own.");
    if (doubled && w->actor.rank < ROLE_OWNER && !now->counts_as_two_factors)
        in_fail(c, "counts_as_two_factors", ERR_PERMISSIONS_DENIED, "Only an owner sets this.");
    if (!staff && !customers)
        in_fail(c, "is_for_staff", ERR_FIELD_INVALID, "The provider must be for staff or for customers.");
    if (type > highest || (type == ROLE_CUSTOMER ? !customers : !staff))
        in_fail(c, "role", ERR_FIELD_INVALID,
                "The role is above highest_role, or the provider is not for people of this role.");
    if (by_rules > highest) in_fail(c, "rules", ERR_FIELD_INVALID, "A rule gives a role above highest_role.");
    if (creates && staff && (type > ROLE_CUSTOMER || by_rules > ROLE_CUSTOMER) && str_trim(domains).n == 0)
        in_fail(c, "email_domains", ERR_FIELD_INVALID,
                "A provider that makes accounts of staff needs the domains of their addresses.");
    return failed(w) ? -(int)failure(w) : 0;
}

static int provider_columns(struct call *c, struct column *list, int n) {
    const struct rules_read *rules = in(c, "rules")->made;
    if (given(c, "rules")) {
        list[n] = COLUMN_UNRECORDED(B_TEXT, "rules", rules->text);
        list[n++].property = "rules";
    }
    if (given(c, "client_secret")) {
        list[n] = COLUMN_UNRECORDED(
            B_TEXT, "client_secret",
            provider_secret_seal(c->work.desk, c->work.arena, in(c, "client_secret")->value.s));
        list[n].property = "client_secret";
        list[n++].secret = true;
    }
    return n;
}

/* ---- handlers -------------------------------------------------------------------------------- */

#define PROVIDER_RECORD ((struct record){"signin_provider", "signin_providers", NULL})

static int post_signin_provider(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct provider none = {.highest_role = ROLE_CUSTOMER};
    TRY(api_input(c));
    TRY(provider_may_write(c, &none));
    TRY(provider_settle(c, &none));
    int n = provider_columns(c, list, api_new_columns(c, list));
    if (!given(c, "rules")) list[n++] = COLUMN_UNRECORDED(B_TEXT, "rules", S("[]"));
    TRY(record_insert(&c->work, PROVIDER_RECORD, list, n, &c->id));
    return api_reply(c);
}

static int put_signin_provider(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct provider now;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, provider_load(&c->work, c->id, &now));
    TRY(provider_may_write(c, &now));
    TRY(provider_settle(c, &now));
    TRY(record_update(&c->work, PROVIDER_RECORD, &c->id, 1, list,
                      provider_columns(c, list, api_columns(c, list))));
    return api_reply(c);
}

static int delete_signin_provider(struct call *c) {
    struct provider now;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, provider_load(&c->work, c->id, &now));
    TRY(provider_may_write(c, &now));
    TRY(api_remove(c));
    return api_reply(c);
}

static void signin_visible(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_ADMIN; }

/* ---- links ----------------------------------------------------------------------------------- */

static const struct field link_fields[] = {
    {"provider", F_REF, READONLY, .ref = "signin_provider", .doc = "Provider."},
    {"provider_name", F_TEXT, READONLY,
     .column = "(SELECT p.name FROM signin_providers p WHERE p.id = t.provider_id)",
     .doc = "Its name, for people who may not read providers.", .example = "\"Example Ltd\""},
    {"user", F_REF, READONLY, .ref = "user", .doc = "Person who logs in by it."},
    {"subject", F_TEXT, READONLY, .doc = "The person's id at the provider (sub).",
     .example = "\"248289761001\""},
    {"last_used_at", F_TIME, READONLY, .doc = "Time of the last login by it."},
    {"*", .group = row_times},
    {0},
};

static const struct field link_args[] = {
    {"user_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.user_id = :user_id",
     .doc = "Only links of this person."},
    {"provider_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.provider_id = :provider_id",
     .doc = "Only links to this provider."},
    {0},
};

/* Admins see all links, others their own. */
static void link_visible(struct work *w, struct branches *out) {
    out->all = w->actor.rank >= ROLE_ADMIN;
    if (out->all) return;
    branch_add(out, "t.user_id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

QUERY(signin_link_person, "SELECT user_id FROM signin_links WHERE id = :id");

/* 0, or PERMISSIONS_DENIED. Removing the own link gives nobody a right. */
static int link_may_end(struct work *w, int64_t user) {
    if (user == w->actor.user_id) return 0;
    if (!permitted(&w->actor, MANAGE_SIGNIN)) return fail(w, ERR_PERMISSIONS_DENIED);
    return user_may_change(w, user);
}

static int delete_signin_link(struct call *c) {
    int64_t user = 0;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, db_int(c->work.conn, &signin_link_person, BINDS(B_INT("id", c->id)), &user));
    TRY(link_may_end(&c->work, user));
    TRY(api_remove(c));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct field button_fields[] = {
    {"label", F_TEXT, READONLY, .column = "COALESCE(t.button_label, t.name)", .doc = "Text of the button.",
     .example = "\"Log in with Example\""},
    {"url", F_COMPUTED, READONLY, .column = "", .render = render_begin_url,
     .doc = "Address that begins the login. Add ?to= and a path of the desk to come back there.",
     .example = "\"https://desk.example.com/signin/1\""},
    {"is_for_staff", F_BOOL, READONLY, .doc = "True if staff may log in by it."},
    {"is_for_customers", F_BOOL, READONLY, .doc = "True if customers may log in by it."},
    {0},
};

static const struct route button_routes[] = {
    {GET, "/signin/buttons", PUBLIC, "", LIST, api_list, .summary = "List the buttons of the login page",
     .doc = "The enabled providers. Without any, people log in by password."},
    {0},
};

static const struct route provider_routes[] = {
    {GET, "/signin/providers", AD, "", LIST, api_list, .summary = "List sign-in providers"},
    {GET, "/signin/providers/:id", AD, "", ONE, api_get, .summary = "Get a sign-in provider",
     .sample = {.refused = "RESOURCE_NOT_FOUND"}},
    {POST, "/signin/providers", AD, "", ONE, post_signin_provider, .permission = MANAGE_SIGNIN,
     .input = provider_input, .summary = "Create a sign-in provider",
     .doc = "No token reaches this, because a provider logs people in. Register callback_url of the reply at "
            "the provider."},
    {PUT, "/signin/providers/:id", AD, "", ONE, put_signin_provider, .permission = MANAGE_SIGNIN,
     .input = provider_input, .summary = "Update a sign-in provider"},
    {DELETE, "/signin/providers/:id", AD, "", NONE, delete_signin_provider, .permission = MANAGE_SIGNIN,
     .summary = "Delete a sign-in provider",
     .doc = "Its links end. Sessions that it opened stay; end them by disabling the people."},
    {0},
};

static const struct route link_routes[] = {
    {GET, "/signin/links", COL_PLUS, "", LIST, api_list, .args = link_args,
     .summary = "List links of people to sign-in providers", .doc = "Admins see all, others their own."},
    {GET, "/signin/links/:id", COL_PLUS, "", ONE, api_get, .summary = "Get a link of a person",
     .sample = {.refused = "RESOURCE_NOT_FOUND"}},
    {DELETE, "/signin/links/:id", COL_PLUS, "", NONE, delete_signin_link,
     .summary = "Delete a link of a person",
     .doc =
         "Your own, or with the permission settings.manage that of another person. The next login with the "
         "same verified address links the person again, also by another account.",
     .sample = {.refused = "RESOURCE_NOT_FOUND"}},
    {0},
};

const struct resource signin_button_resource = {.type = "signin_button",
                                                .scope = "",
                                                .title = "Sign-in buttons",
                                                .doc = "Ways to log in beside the password.",
                                                .table = "signin_providers",
                                                .where = "t.is_enabled = 1",
                                                .fields = button_fields,
                                                .routes = button_routes,
                                                .visible = access_everyone,
                                                .unlogged = "signin_provider is logged"};

const struct resource signin_link_resource = {.type = "signin_link",
                                              .scope = "configuration",
                                              .title = "Sign-in links",
                                              .doc = "Accounts at providers that belong to people.",
                                              .url = "signin/links/:id",
                                              .table = "signin_links",
                                              .fields = link_fields,
                                              .routes = link_routes,
                                              .visible = link_visible,
                                              .changes_unseen = true};

const struct resource signin_provider_resource = {
    .type = "signin_provider",
    .scope = "configuration",
    .title = "Sign-in providers",
    .doc = "Providers of OpenID Connect, by which staff and customers log in.",
    .url = "signin/providers/:id",
    .table = "signin_providers",
    .texts_kept = CONFIGURATION_TEXTS,
    .fields = provider_fields,
    .routes = provider_routes,
    .visible = signin_visible};
