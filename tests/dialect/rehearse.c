#include "files/content.h"
#include "rehearse.h"
#include "api/table/fields.h"

#include "api/call/api.h"
#include "api/table/describe.h"
#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/call/machine.h"
#include "api/caller/auth_admit.h"
#include "api/table/list_arguments.h"
#include "core/all/cascades.h"
#include "core/desk/setting.h"
#include "core/login/session.h"
#include "core/access/scope.h"
#include "core/text/template.h"
#include "core/words.h"
#include "demo/demo.h"
#include "coverage.h"
#include "pretend.h"
#include "propositions.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- who calls ------------------------------------------------------------------------------- */

enum { ONE_TEAM = 1000001, MANY_TEAMS, TEAMS = 20 }; /* ids of users, and how many teams the second is in */

struct caller {
    const char *name;
    struct actor actor;
    bool while_cascading;
};

#define PERSON(role) \
    .kind = ACTOR_PERSON, .rank = ROLE_##role, .user_id = ONE_TEAM, .role_id = 2, .scopes = SCOPES_ALL
#define NONE(how) .kind = ACTOR_##how, .rank = ROLE_PUBLIC, .scopes = SCOPES_ALL

static const struct caller callers[] = {
    {.name = "nobody", .actor = {NONE(NOBODY)}},
    {.name = "nobody with a fingerprint", .actor = {NONE(FINGERPRINT), .fingerprint = {"f", 1}}},
    {.name = "nobody with the token of a conversation", .actor = {NONE(TOKEN), .token_case_id = 1}},
    {.name = "customer", .actor = {PERSON(CUSTOMER)}},
    {.name = "customer with an organization",
     .actor = {PERSON(CUSTOMER), .organization_id = 1, .sees_organization = true}},
    {.name = "customer with an organization, while a cascade runs",
     .while_cascading = true,
     .actor = {PERSON(CUSTOMER), .organization_id = 1, .sees_organization = true}},
    {.name = "collaborator", .actor = {PERSON(COLLABORATOR), .case_access = CASES_ALL}},
    {.name = "agent with SELF", .actor = {PERSON(AGENT), .case_access = CASES_SELF}},
    {.name = "agent with TEAMS", .actor = {PERSON(AGENT), .case_access = CASES_TEAMS}},
    {.name = "agent with TEAMS, while a cascade runs",
     .while_cascading = true,
     .actor = {PERSON(AGENT), .case_access = CASES_TEAMS}},
    {.name = "agent with TEAMS, in many", .actor = {PERSON(AGENT), .case_access = CASES_TEAMS}},
    {.name = "agent with ALL", .actor = {PERSON(AGENT), .case_access = CASES_ALL}},
    {.name = "admin", .actor = {PERSON(ADMIN), .case_access = CASES_ALL}},
    {.name = "owner", .actor = {PERSON(OWNER), .case_access = CASES_ALL}},
    {0},
};

QUERY(rehearsal_user,
      "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, "
      "role_type, created_at, updated_at) VALUES (:id, :uuid, 'x', 'x', 1, 0, 2, 3, 0, 0)");
QUERY(rehearsal_team, "INSERT INTO teams (id, title, created_at, updated_at) VALUES (:id, 'x', 0, 0)");
QUERY(rehearsal_member, "INSERT INTO team_members (team_id, user_id, created_at) VALUES (:team, :user, 0)");
/* one that may be written to */
QUERY(rehearsal_open, "UPDATE cases SET status_id = 2, status_type = 2 WHERE id = 1");
QUERY(rehearsal_cascade, "INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at) "
                         "VALUES ('cascade', 1, '{}', 0, 0, 0, 0)");

/* ---- one request ----------------------------------------------------------------------------- */

struct rehearsal {
    struct api *api;
    struct conn *conn;
    const struct caller *caller;
    const struct operation *op;
    struct manual *manual;
    const char *what;       /* beside the route and the caller: "argument status" */
    struct buf query, body; /* JSON objects without their braces */
    bool stores;            /* goes on to write what was sent, whatever was wrong with it */
    int calls;
};

static char named[512];

/* A request that aborts is a defect, too: say which. */
static void on_abort(int sig) {
    (void)sig;
    fprintf(stderr, "aborted: %s\n", named);
    _exit(1);
}

static void name_rehearsal(const struct rehearsal *r) {
    snprintf(named, sizeof named, "%s, %s %s, %s%s%s", r->op->home->type, method_name(r->op->route->method),
             r->op->route->path, r->caller->name, r->what ? ", " : "", r->what ? r->what : "");
    pretend.under_way = named;
}

/* Each id is 1. The names of paths are those of templates. */
static struct str sent_as_segment(struct arena *a, const struct segment *s) {
    if (!s->variable) return s->text;
    return variable_is_id(str_dup(a, s->text).p) ? S("1") : str_of(templates[0].name);
}

static struct str path_asked(struct arena *a, const char *path) {
    struct buf b = {0};
    struct str rest = str_of(path);
    struct segment s = {0};
    buf_text(&b, "/api/v1");
    while (path_next(&rest, &s)) {
        buf_char(&b, '/');
        buf_str(&b, sent_as_segment(a, &s));
    }
    return buf_take(&b, a);
}

static const struct json *object_of(struct arena *a, const struct buf *members) {
    struct json *j = NULL;
    struct json_error err;
    struct str text = str_fmt(a, "{%.*s}", (int)members->n, members->n ? members->p : "");
    if (json_parse(a, text, &j, &err) == 0) return j;
    fprintf(stderr, "%s: %s at %zu of %s\n", named, err.reason, err.offset, text.p);
    abort();
}

static void aim_at_another(struct call *c) {
    static int64_t ids[] = {2}; /* not 1: the row that pretends to be the default may not go */
    work_rewind(&c->work);
    c->id = ids[0];
    c->ids = ids;
    c->id_count = 1;
}

/* The job of an import makes a row of each record. */
static void read_record(struct call *c) {
    const struct in *list = in(c, c->route->record_list);
    if (list->json == NULL || list->json->first == NULL) return;
    c->home = c->resource = c->route->records;
    input_read(c, fields_of(c->home->fields), true, list->json->first, (struct str){0}, &c->input,
               &c->input_count);
}

/* The steps behind the input of a generic handler, with all that was read taken for valid. */
static void write_anyway(struct call *c) {
    int (*handler)(struct call *) = c->route->handler;
    bool creates = handler == api_create || handler == api_import;
    if (handler == api_import) read_record(c);
    for (int i = 0; i < c->input_count; i++)
        c->input[i].given = input_taken(c->input[i].field, c->method == POST);
    aim_at_another(c);
    if (creates && (handler == api_create || c->home->insert == NULL)) api_insert(c);
    if (handler == api_update) api_store(c);
    if (handler == api_delete) api_remove(c);
}

/* In the pool it has a reader. */
static void run_prepare(struct call *c) {
    struct conn *writer = c->work.conn;
    if (call_snapshot(c, 0) < 0) abort();
    c->route->prepare(c);
    db_read_end(c->work.conn);
    c->work.conn = writer;
    work_rewind(&c->work);
}

static void run_call(const struct rehearsal *r, struct call *c) {
    if (c->route->prepare) run_prepare(c);
    c->route->handler(c);
    if (r->stores) write_anyway(c);
}

static void rehearse_call(struct rehearsal *r) {
    struct arena *a = arena_new();
    struct http_request http = {.arena = a,
                                .method = str_of(method_name(r->op->route->method)),
                                .remote = S("127.0.0.1"),
                                .started = clock_monotonic()};
    struct call *c = ARENA_NEW(a, struct call);
    struct str allow;
    name_rehearsal(r);
    call_init(c, r->api, &http, arena_new());
    c->work.conn = r->conn;
    c->method = r->op->route->method;
    c->work.actor = r->caller->actor;
    c->work.actor.remote = http.remote;
    if (strstr(r->caller->name, "in many")) c->work.actor.user_id = MANY_TEAMS;
    c->query = object_of(c->work.arena, &r->query);
    c->body = object_of(c->work.arena, &r->body);
    bool found =
        router_match(&r->api->router, c, c->method, path_asked(a, r->op->route->path), &allow) == 0 &&
        c->route == r->op->route;
    bool by_token = c->work.actor.token_case_id && found && c->route->roles & TOKEN;
    if (!found) fprintf(stderr, "%s: the router finds another route\n", named);
    if (found && (by_token || auth_admit(c) == 0)) {
        arguments_read(c);
        work_rewind(&c->work);
        c->status = 200;
        r->calls++;
        if (db_savepoint(r->conn, "rehearsal") < 0) abort();
        pretend.on = true;
        run_call(r, c);
        pretend.on = false;
        if (db_undo(r->conn, "rehearsal") < 0) abort();
    }
    buf_free(&c->out);
    arena_free(c->work.arena);
    arena_free(a);
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static void put_sent(struct rehearsal *r, struct buf *out, const struct field *f) {
    struct buf value = {0};
    struct json_writer w;
    jw_init(&w, &value);
    example_sent(&w, r->manual, r->op, f);
    buf_fmt(out, "%s\"%s\": %.*s", out->n ? ", " : "", sent_name(r->manual, f), (int)value.n, value.p);
    buf_free(&value);
}

/* Arguments are texts, lists of them with commas. */
static void put_argument(struct rehearsal *r, struct buf *out, const struct field *f) {
    struct buf value = {0};
    struct json_writer w;
    struct json *j;
    struct json_error err;
    jw_init(&w, &value);
    example_sent(&w, r->manual, r->op, f);
    if (json_parse(r->manual->arena, buf_view(&value), &j, &err) < 0) abort();
    value.n = 0;
    const char *name = sent_name(r->manual, f);
    if (j->type == JSON_STRING || j->type == JSON_NUMBER) buf_str(&value, j->text);
    if (j->type == JSON_TRUE) buf_text(&value, "true");
    for (const struct json *item = j->type == JSON_ARRAY ? j->first : NULL; item; item = item->next)
        buf_fmt(&value, "%s%.*s", value.n ? "," : "", (int)item->text.n, item->text.p);
    jw_init(&w, out);
    buf_fmt(out, "%s\"%s\": ", out->n ? ", " : "", name);
    jw_str(&w, value.n ? buf_view(&value) : S("1"));
    buf_free(&value);
}

static void forget_sent(struct rehearsal *r) {
    r->query.n = r->body.n = 0;
    r->what = NULL;
    r->stores = false;
}

static void call_with_query(struct rehearsal *r, const char *what, const char *query) {
    forget_sent(r);
    buf_text(&r->query, query);
    r->what = what;
    rehearse_call(r);
    forget_sent(r);
}

/* ---- reads ----------------------------------------------------------------------------------- */

static void each_argument(struct rehearsal *r) {
    struct buf all = {0};
    int n = 0;
    for (const struct field *f = r->op->args; f && f->name; f++, n++) {
        forget_sent(r);
        put_argument(r, &r->query, f);
        put_argument(r, &all, f);
        r->what = str_fmt(r->manual->arena, "argument %s", f->name).p;
        rehearse_call(r);
    }
    if (n > 1) {
        buf_char(&all, 0);
        call_with_query(r, "all arguments", all.p);
    }
    forget_sent(r);
    buf_free(&all);
}

/* Members that are shown on demand, of the reply and of all it includes. */
static void each_include(struct rehearsal *r) {
    struct buf names = {0};
    struct arena *a = r->manual->arena;
    const struct resource *reply = r->op->reply;
    if (reply == NULL) return;
    for (const struct field *f = fields_of(reply->fields); f->name; f++)
        if (f->flags & ON_DEMAND) buf_fmt(&names, "%s+%s", names.n ? "," : "", f->name);
    struct str fields = names.n ? str_fmt(a, "\"fields\": \"%.*s\"", (int)names.n, names.p) : S("");
    if (names.n) call_with_query(r, "members on demand", fields.p);
    call_with_query(r, "all included", str_fmt(a, "\"include\": \"*\"%s%s", names.n ? ", " : "", fields.p).p);
    names.n = 0;
    for (const struct resource *const *p = resources; *p; p++)
        if ((*p)->brief_of) buf_fmt(&names, "%s%s", names.n ? "," : "", (*p)->type);
    call_with_query(r, "brief forms included",
                    str_fmt(a, "\"include\": \"%.*s\"", (int)names.n, names.n ? names.p : "").p);
    buf_free(&names);
}

static void each_page(struct rehearsal *r) {
    if (r->op->reply == NULL || !route_takes_keys(r->op->route, r->op->reply)) return;
    call_with_query(r, "after_id", "\"after_id\": \"1\"");
    call_with_query(r, "before_id", "\"before_id\": \"1\"");
}

/* ---- predicates ------------------------------------------------------------------------------ */

static void one_proposition(void *arg, const char *what, const char *body) {
    struct rehearsal *r = arg;
    forget_sent(r);
    buf_text(&r->body, body);
    r->what = what;
    rehearse_call(r);
    forget_sent(r);
}

static void each_proposition(struct rehearsal *r) {
    struct work w = {.desk = r->api->desk, .conn = r->conn, .arena = r->manual->arena};
    if (r->op->route->handler == api_filter) propositions(&w, r->op->home->subject, one_proposition, r);
}

/* ---- writes ---------------------------------------------------------------------------------- */

static void each_field(struct rehearsal *r) {
    struct buf all = {0};
    for (const struct field *f = operation_input(r->op); f && f->name; f++) {
        if (!input_sent(r->op, f)) continue;
        forget_sent(r);
        put_sent(r, &r->body, f);
        put_sent(r, &all, f);
        r->what = str_fmt(r->manual->arena, "field %s", f->name).p;
        rehearse_call(r);
    }
    forget_sent(r);
    if (operation_bulk(r->op)) buf_fmt(&all, "%s\"ids\": [1, 2]", all.n ? ", " : "");
    buf_str(&r->body, buf_view(&all));
    r->what = "all fields";
    r->stores = true;
    rehearse_call(r);
    forget_sent(r);
    buf_free(&all);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Before what is included, so that a defect is named by the routes of its own resource, if it has any. */
static void rehearse_route(struct rehearsal *r) {
    forget_sent(r);
    rehearse_call(r);
    each_argument(r);
    if (!route_reads(r->op->route)) each_field(r);
    else each_page(r), each_proposition(r);
}

static void each_route(struct rehearsal *r, void (*rehearse)(struct rehearsal *r)) {
    for (int i = 0; i < r->manual->count; i++) {
        r->op = &r->manual->operations[i];
        rehearse(r);
    }
}

static int add_teams(struct conn *c, void *arg) {
    (void)arg;
    TRY(db_exec(c, &rehearsal_open, NULL));
    for (int id = ONE_TEAM; id <= MANY_TEAMS; id++)
        TRY(db_exec(c, &rehearsal_user,
                    BINDS(B_INT("id", id), B_TEXT("uuid", id == ONE_TEAM ? S("a") : S("b")))));
    for (int team = ONE_TEAM; team < ONE_TEAM + TEAMS; team++) {
        TRY(db_exec(c, &rehearsal_team, BINDS(B_INT("id", team))));
        TRY(db_exec(c, &rehearsal_member, BINDS(B_INT("team", team), B_INT("user", MANY_TEAMS))));
    }
    return db_exec(c, &rehearsal_member, BINDS(B_INT("team", ONE_TEAM), B_INT("user", ONE_TEAM)));
}

static int rehearse_pass(struct rehearsal *r, void (*rehearse)(struct rehearsal *r)) {
    for (r->caller = callers; r->caller->name; r->caller++) {
        TRY(db_savepoint(r->conn, "caller"));
        if (r->caller->while_cascading) TRY(db_exec(r->conn, &rehearsal_cascade, NULL));
        each_route(r, rehearse);
        TRY(db_undo(r->conn, "caller"));
    }
    return 0;
}

static int rehearse_on(struct conn *conn, void *arg) {
    struct rehearsal *r = arg;
    r->conn = conn;
    TRY(rehearse_pass(r, rehearse_route));
    return rehearse_pass(r, each_include);
}

static int rehearse_in(struct desk *d) {
    struct manual m;
    struct rehearsal r = {.manual = &m};
    char err[512];
    d->base_url = S("http://127.0.0.1");
    d->host = S("127.0.0.1");
    d->installation = S("0");
    d->process = S("p");
    d->settings = settings_open(db_reader(d->db));
    d->cascades = cascades;
    r.api = api_new(d, &(struct api_config){.pool_threads = 1}, err, sizeof err);
    if (r.api == NULL) return fprintf(stderr, "%s\n", err), -1;
    manual_open(&m, d->base_url);
    int rc = db_write(d->db, add_teams, NULL);
    if (rc >= 0) rc = db_write(d->db, rehearse_on, &r);
    buf_free(&r.query);
    buf_free(&r.body);
    manual_close(&m);
    api_free(r.api);
    settings_close(d->settings);
    fprintf(stderr, "%d requests rehearsed, %d statements composed\n", r.calls, pretend.count);
    return rc;
}

/* The demo desk: handlers find the row 1 of most tables, where they ask by a named query. */
static int desk_make(const char *dir, char *err, size_t size) {
    struct demo demo = {.seed = 1, .conversations = 20};
    struct db *db;
    for (int i = 0; i < DEMO_LOGINS; i++) demo.password_hashes[i] = S("x");
    TRY(db_open(&(struct db_config){.dir = dir, .create = true, .bulk = true}, &db, err, size));
    int rc = demo_fill(db, &demo), closed = db_close(db);
    snprintf(err, size, "the demo desk can't be made");
    return rc < 0 ? rc : closed;
}

static int count_refused(void) {
    int n = 0;
    for (int i = 0; i < pretend.count; i++) n += pretend.list[i].refused;
    return n;
}

int rehearse_all(void) {
    char dir[] = "/tmp/deskd-rehearse-XXXXXX", err[256] = "no temporary folder", command[64];
    static const struct contents nowhere = {.folder = "/nowhere"};
    struct desk d = {.files = &nowhere};
    signal(SIGABRT, on_abort);
    signal(SIGSEGV, on_abort);
    int rc = mkdtemp(dir) ? desk_make(dir, err, sizeof err) : -1;
    if (rc >= 0) rc = db_open(&(struct db_config){.dir = dir}, &d.db, err, sizeof err);
    if (rc < 0) return fprintf(stderr, "%s\n", err), -1;
    rc = rehearse_in(&d);
    db_close(d.db);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (rc < 0) fprintf(stderr, "the rehearsal failed: %d\n", rc);
    if (system(command) != 0 || rc < 0) return -1;
    return count_refused() + parts_missed();
}
