/* The audit log: AD only, append-only. */
#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/access/access.h"
#include "core/change/audit.h"

#define WORD(name) \
    { AUDIT_##name, #name }

static const struct word audit_actions[] = {
    WORD(LOGIN),
    WORD(LOGIN_FAILED),
    WORD(LOGIN_LOCKED),
    WORD(LOGOUT),
    WORD(TOKEN_ISSUED),
    WORD(TOKEN_REUSED),
    WORD(PASSWORD_CHANGED),
    WORD(SECOND_FACTOR_CHANGED),
    WORD(STAFF_CREATED),
    WORD(USER_ROLE_CHANGED),
    WORD(USER_ACCESS_CHANGED),
    WORD(USER_ENABLED_CHANGED),
    WORD(USER_DELETED),
    WORD(USER_PURGED),
    WORD(ORGANIZATION_DELETED),
    WORD(CASE_DELETED),
    WORD(TEAM_DELETED),
    WORD(ROLE_CREATED),
    WORD(ROLE_CHANGED),
    WORD(ROLE_DELETED),
    WORD(PERMISSIONS_CHANGED),
    WORD(SETTING_CHANGED),
    WORD(API_TOKEN_CREATED),
    WORD(API_TOKEN_CHANGED),
    WORD(API_TOKEN_DELETED),
    WORD(EVENT_TOKEN_CREATED),
    WORD(EVENT_TOKEN_CHANGED),
    WORD(EVENT_TOKEN_DELETED),
    WORD(CLIENT_CREATED),
    WORD(CLIENT_CHANGED),
    WORD(CLIENT_SECRET_CHANGED),
    WORD(CLIENT_DELETED),
    WORD(GRANT_CREATED),
    WORD(GRANT_CHANGED),
    WORD(GRANT_DELETED),
    WORD(ENDPOINT_CREATED),
    WORD(ENDPOINT_CHANGED),
    WORD(ENDPOINT_SECRET_CHANGED),
    WORD(ENDPOINT_DELETED),
    WORD(MAILBOX_CREATED),
    WORD(MAILBOX_CHANGED),
    WORD(MAILBOX_PASSWORD_CHANGED),
    WORD(MAILBOX_DELETED),
    WORD(DESK_EXPORTED),
    WORD(DESK_IMPORTED),
    WORD(PERSON_EXPORTED),
    WORD(PERSON_ERASED),
    WORD(LOG_PRUNED),
    WORD(SERVER_KEY_CHANGED),
    WORD(USER_IDENTITIES_CHANGED),
    WORD(OBJECT_DELETED),
    WORD(BRAND_CREATED),
    WORD(BRAND_DOMAIN_CHANGED),
    WORD(TAG_CHANGED),
    WORD(SIGNIN_REFUSED),
    WORD(PROVIDER_CREATED),
    WORD(PROVIDER_CHANGED),
    WORD(PROVIDER_SECRET_CHANGED),
    WORD(PROVIDER_DELETED),
    WORD(PASSKEY_ADDED),
    WORD(PASSKEY_REMOVED),
    WORD(BRAND_WIDGET_CHANGED),
    {0},
};
_Static_assert(sizeof audit_actions / sizeof *audit_actions == AUDIT_ACTIONS, "each action has a word");

/* One more than an enum actor_kind. */
static const struct word audit_actor_kinds[] = {
    {1 + ACTOR_NOBODY, "NOBODY"}, {1 + ACTOR_PERSON, "USER"},     {1 + ACTOR_FINGERPRINT, "FINGERPRINT"},
    {1 + ACTOR_TOKEN, "TOKEN"},   {1 + ACTOR_SYSTEM, "SYSTEM"},   {1 + ACTOR_RULE, "RULE"},
    {1 + ACTOR_MAIL, "MAIL"},     {1 + ACTOR_WEBHOOK, "WEBHOOK"}, {0}};

/* A plain pair, because the object may have been deleted. */
static void render_audit_object(struct view *v, const struct row *row, const struct value *own) {
    if (own->type != V_TEXT) {
        jw_null(&v->w);
        return;
    }
    const struct value *id = row_cell(row, "object_id");
    jw_object(&v->w);
    jw_key(&v->w, S("id"));
    if (id->type == V_INT) jw_int(&v->w, id->i);
    else jw_null(&v->w);
    jw_key(&v->w, S("resource_type"));
    jw_str(&v->w, own->s);
    jw_end(&v->w);
}

/* The values and the name of an object are shown to those whose token may read the object. Properties are
 * always named. */
static struct str details_without_values(struct arena *a, struct str details) {
    struct json *all;
    struct json_error err;
    struct buf b = {0};
    struct json_writer w;
    if (json_parse(a, details, &all, &err) < 0) return (struct str){0};
    jw_init(&w, &b);
    jw_object(&w);
    for (const struct json *j = all->first; j; j = j->next) {
        if (str_eq(j->name, S("name"))) continue;
        jw_key_raw(&w, j->name);
        if (!str_eq(j->name, S("changes"))) {
            jw_json(&w, j);
            continue;
        }
        jw_array(&w);
        for (const struct json *change = j->first; change; change = change->next) {
            jw_object(&w);
            jw_key(&w, S("property"));
            jw_json(&w, json_member(change, S("property")));
            jw_end(&w);
        }
        jw_end(&w);
    }
    jw_end(&w);
    return buf_take(&b, a);
}

static struct str audit_details(const struct call *c, const struct row *row) {
    struct str details = row_cell(row, "details")->s, type = row_cell(row, "object")->s;
    bool shown = details.p == NULL || type.p == NULL || call_may_read_type(c, type);
    return shown ? details : details_without_values(c->work.arena, details);
}

static void render_audit_details(struct view *v, const struct row *row, const struct value *own) {
    struct str details = own->type == V_TEXT ? audit_details(v->c, row) : (struct str){0};
    if (details.p) jw_raw(&v->w, details);
    else jw_null(&v->w);
}

static const struct field audit_fields[] = {
    {"action", F_WORD, READONLY, .words = audit_actions, .doc = "Action that was recorded.",
     .example = "\"SETTING_CHANGED\""},
    {"actor", F_REF, READONLY, .ref = "user_minimal",
     .doc = "Person who did it. Null: the caller was not logged in, or the server did it."},
    {"actor_kind", F_WORD, READONLY, .column = "t.actor_kind + 1", .words = audit_actor_kinds,
     .doc = "USER: a person. TOKEN: a program with a token of the person. SYSTEM: the server. RULE: a "
            "trigger or a monitor."},
    {"cause", F_TEXT, READONLY, .column = "v.cause",
     .doc = "Program or reason, as `App: Reports`. Null: none, or it was "
            "erased.",
     .example = "null"},
    {"ip_address", F_TEXT, READONLY, .column = "v.ip_address",
     .doc = "Address of the request. Null: none, several addresses, or it was erased.",
     .example = "\"127.0.0.1\""},
    {"object", F_COMPUTED, READONLY, .column = "t.object_type", .render = render_audit_object,
     .doc = "The object concerned, which may have been deleted since. Null: none.",
     .example = "{\"id\": 34, \"resource_type\": \"setting\"}"},
    {"object_id", F_INT, HIDDEN, .column = "t.object_id"},
    {"details", F_JSON, READONLY, .column = "v.details", .render = render_audit_details,
     .doc = "`changes`: each property with its values before and after, which are missing if they are "
            "secret. `name`: name of the object. `method`: how the person logged in. `failures`: number of "
            "failed logins in a minute. `reason`: why a login by a provider was refused. Null: the values "
            "were erased. Without values and name if the bearer token lacks the scope of the object.",
     .example = "{\"changes\": [{\"property\": \"changes.kept_days\", \"from\": \"30\", \"to\": \"60\"}]}"},
    {"seq", F_INT, READONLY,
     .doc = "Place in the chain, without gaps. Null for about a second after the "
            "act.",
     .example = "812"},
    {"chain", F_TEXT, READONLY,
     .doc = "Hash over this entry and all before it. Keep it outside of the desk to prove later that "
            "nothing was removed behind it.",
     .example = "\"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\""},
    {"happened_at", F_TIME, READONLY, .doc = "Time of the action."},
    {0},
};

static const struct field audit_args[] = {
    {"actor_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.actor_id = :actor_id",
     .doc = "Only acts of this person."},
    {"action", F_WORDS, .words = audit_actions, .filter = "t.action IN @LIST(:action)",
     .doc = "Only these actions."},
    {"object_type", F_TEXT, .filter = "t.object_type = :object_type",
     .doc = "Only acts on objects of this type.", .example = "\"user\""},
    {"object_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.object_id = :object_id",
     .doc = "Only acts on objects with this id. Objects of different types may have one id."},
    {"since", F_TIME, .filter = "t.happened_at >= :since", .doc = "Only acts at this time or later."},
    {"until", F_TIME, .filter = "t.happened_at <= :until", .doc = "Only acts at this time or earlier."},
    {"*", .group = csv_args},
    {0},
};

static void csv_cell(struct call *c, const struct row *row, const char *member, const struct word *words) {
    const struct value *cell = row_cell(row, member);
    if (cell->type == V_INT && words) csv_text(c, str_of(word_of(words, (int)cell->i)));
    else if (cell->type == V_INT) csv_int(c, cell->i);
    else csv_text(c, cell->type == V_TEXT ? cell->s : (struct str){0});
}

static void write_audit_line(struct call *c, const struct row *row) {
    csv_int(c, row->id);
    csv_time(c, row_cell(row, "happened_at")->i);
    csv_cell(c, row, "action", audit_actions);
    csv_cell(c, row, "actor", NULL);
    csv_cell(c, row, "actor_kind", audit_actor_kinds);
    csv_cell(c, row, "cause", NULL);
    csv_cell(c, row, "ip_address", NULL);
    csv_cell(c, row, "object", NULL);
    csv_cell(c, row, "object_id", NULL);
    csv_text(c, audit_details(c, row));
    csv_cell(c, row, "seq", NULL);
    csv_cell(c, row, "chain", NULL);
    csv_line_end(c);
}

static int reply_audit_csv(struct call *c) {
    static const char *const names[] = {"id",    "happened_at", "action",      "actor_id",  "actor_kind",
                                        "cause", "ip_address",  "object_type", "object_id", "details",
                                        "seq",   "chain",       NULL};
    struct row *rows = NULL;
    TRY(api_list_rows(c, &rows));
    csv_names(c, names);
    for (const struct row *row = rows; row; row = row->next) write_audit_line(c, row);
    return csv_reply(c, "audit_log.csv");
}

static int get_audit_log(struct call *c) {
    TRY(api_input(c));
    return csv_asked(c) ? reply_audit_csv(c) : api_list(c);
}

static const struct route audit_routes[] = {
    {GET, "/audit_log", AD, "configuration", LIST, get_audit_log, .args = audit_args,
     .order = {.descending = true}, .has_csv = true, .summary = "List the audit log",
     .doc = "The newest entries first: logins, failed logins, changes of access, addresses, settings, "
            "tokens and secrets, deletions, exports. Secrets are recorded by name only. Entries can't be "
            "changed or deleted; the server deletes them by age (`audit.keep_days`). As CSV, continue with "
            "`after_id`, the id of the last line."},
    {0},
};

const struct resource audit_entry_resource = {
    .type = "audit_entry",
    .scope = "configuration",
    .title = "Audit log",
    .doc = "Entries on logins, on changes of access, settings and secrets, and "
           "on deletions.",
    .table = "audit_entries",
    .from = "audit_entries t LEFT JOIN audit_values v ON v.entry_id = t.id",
    .fields = audit_fields,
    .routes = audit_routes,
    .visible = access_everyone,
    .is_untyped = true,
    .changes_unseen = true,
    .unlogged = "it is the log"};
