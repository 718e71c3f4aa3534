#include "api/table/describe.h"
#include "api/table/fields.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/table/list_arguments.h"
#include "core/access/scope.h"

#include <assert.h>

/* ---- paths ----------------------------------------------------------------------------------- */

bool path_next(struct str *rest, struct segment *s) {
    if (rest->p && rest->n && rest->p[0] == '/') rest->p++, rest->n--;
    if (rest->p == NULL || rest->n == 0) return false;
    s->text = str_cut(rest, '/');
    s->variable = segment_is_variable(s->text);
    if (s->variable) s->text.p++, s->text.n--, s->place++;
    return true;
}

bool path_has_variable(const char *path) { return strchr(path, ':') != NULL; }

bool path_same(const char *a, const char *b) {
    struct str x = str_of(a), y = str_of(b);
    struct segment s = {0}, t = {0};
    while (path_next(&x, &s))
        if (!path_next(&y, &t) || s.variable != t.variable || (!s.variable && !str_eq(s.text, t.text)))
            return false;
    return !path_next(&y, &t);
}

const char *variable_name(const struct manual *m, const char *path, const struct segment *s) {
    struct str rest = str_of(path), text = s->text;
    struct segment before = {0};
    while (path_next(&rest, &before) && before.place < s->place)
        if (before.variable && str_eq(before.text, text))
            return str_fmt(m->arena, "%.*s_%d", (int)text.n, text.p, s->place).p;
    return str_dup(m->arena, text).p;
}

bool variable_is_id(const char *name) {
    const char *id = strstr(name, "id");
    return id && (id == name || id[-1] == '_') && (id[2] == 0 || id[2] == '_');
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool name_ends(struct str s, struct str end) {
    return s.n > end.n && str_eq((struct str){s.p + s.n - end.n, end.n}, end);
}

/* "teams" -> "team"; false for a word that does not look like a plural. */
static bool singular(struct buf *out, struct str s) {
    size_t cut = 1;
    if (!name_ends(s, S("s")) || name_ends(s, S("ss")) || name_ends(s, S("us")) || name_ends(s, S("is")))
        return false;
    bool y = name_ends(s, S("ies"));
    if (y) cut = 3;
    else if (name_ends(s, S("uses")) || name_ends(s, S("sses")) || name_ends(s, S("xes"))) cut = 2;
    buf_add(out, s.p, s.n - cut);
    if (y) buf_char(out, 'y');
    return true;
}

static const char *verb(const struct route *r) {
    static const char *const verbs[METHODS] = {"get", "create", "update", "delete"};
    if (r->records) return "import";
    return r->shape == LIST || r->shape == LIST_COUNT || r->shape == LIST_CURSOR ? "list" : verbs[r->method];
}

/* Names the operation by its path: collections in the plural, their members in the singular. */
static void name_operation(struct buf *out, const struct route *r) {
    struct str rest = str_of(r->path);
    struct segment s = {0};
    buf_text(out, verb(r));
    while (path_next(&rest, &s)) {
        bool made = rest.p == NULL && r->method == POST && r->shape == ONE && !r->records;
        bool member = segment_is_variable(rest);
        buf_char(out, '_');
        if ((member || made) && singular(out, s.text)) member = false;
        else buf_str(out, s.text);
        if (segment_is_variable(rest)) {
            path_next(&rest, &s);
            if (member) buf_fmt(out, "_by_%.*s", (int)s.text.n, s.text.p);
        }
    }
    for (size_t i = 0; i < out->n; i++)
        if (in_set(out->p[i], "-.")) out->p[i] = '_';
}

static const char *operation_id(const struct manual *m, const struct route *r) {
    struct buf b = {0};
    name_operation(&b, r);
    const char *id = buf_take(&b, m->arena).p, *unique = id;
    for (int i = 0, nth = 2; i < m->count; i++) {
        if (strcmp(m->operations[i].id, unique) != 0) continue;
        unique = str_fmt(m->arena, "%s_%d", id, nth++).p;
        i = -1;
    }
    return unique;
}

static const char *operation_anchor(const struct manual *m, const struct route *r) {
    static const char *const methods[METHODS] = {"get", "post", "put", "delete"};
    struct buf b = {0};
    struct str rest = str_of(r->path);
    struct segment s = {0};
    buf_text(&b, methods[r->method]);
    while (path_next(&rest, &s)) buf_fmt(&b, "-%.*s", (int)s.text.n, s.text.p);
    return buf_take(&b, m->arena).p;
}

/* ---- URLs ------------------------------------------------------------------------------------ */

struct str url_path(struct str base_url) {
    struct str rest = base_url;
    for (int slashes = 0; rest.n; rest.p++, rest.n--)
        if (rest.p[0] == '/' && ++slashes == 3) return rest;
    return S("");
}

/* ---- operations ------------------------------------------------------------------------------ */

static const struct resource *replied(const struct resource *home, const struct route *r) {
    if (r->shape == COUNT || r->shape == NONE || r->is_download) return NULL;
    const struct resource *reply = r->reply ? resource_of(r->reply) : home;
    assert(reply); /* api_new refuses tables with unknown resources */
    return reply;
}

void manual_open(struct manual *m, struct str base_url) {
    int count = 0;
    for (const struct resource *const *r = resources; *r; r++)
        for (const struct route *route = (*r)->routes; route && route->path; route++) count++;
    *m = (struct manual){.arena = arena_new(), .base_url = base_url};
    m->root = str_dup(m->arena, url_path(base_url));
    m->operations = arena_array(m->arena, (size_t)count + 1, sizeof *m->operations);
    for (const struct resource *const *r = resources; *r; r++)
        for (const struct route *route = (*r)->routes; route && route->path; route++) {
            const struct resource *reply = replied(*r, route);
            const char *id = operation_id(m, route), *anchor = operation_anchor(m, route);
            m->operations[m->count++] = (struct operation){
                *r, reply, route, reply ? arguments_of(m->arena, route, reply) : fields_of(route->args),
                id, anchor};
        }
}

void manual_close(struct manual *m) { arena_free(m->arena); }

const char *method_name(enum method method) {
    static const char *const names[METHODS] = {"GET", "POST", "PUT", "DELETE"};
    return names[method];
}

int operation_status(const struct operation *op) {
    if (op->route->status) return op->route->status;
    return op->route->method == POST && op->route->shape == ONE ? 201 : 200;
}

bool operation_other(const struct operation *op, struct operation *out, struct route *route) {
    if (op->route->also_status == 0) return false;
    *route = *op->route;
    route->shape = route->also;
    route->status = route->also_status;
    route->also = 0;
    *out = *op;
    out->route = route;
    if (route->also_reply) out->reply = resource_of(route->also_reply);
    return true;
}

const char *operation_label(const struct operation *op) {
    const char *label = op->route->label;
    if (op->reply == NULL || (label && strcmp(label, "-") == 0)) return NULL;
    return label ? label : op->reply->type;
}

bool operation_writes(const struct operation *op) { return op->route->method != GET; }

/* "/cases/:id/trash" does to one row what "/cases/trash" does to many. DELETE /cases/trash has only the
 * form for many. Rows that are not named by an id, as "/notification_preferences/:type", have none. */
static bool one_of_many(const char *one, const char *many) {
    struct str x = str_of(one), y = str_of(many);
    struct segment s = {0}, t = {0};
    while (path_next(&x, &s))
        if (s.variable ? !str_eq(s.text, S("id")) : !path_next(&y, &t) || !str_eq(s.text, t.text))
            return false;
    return s.place > 0 && !path_next(&y, &t);
}

bool operation_bulk(const struct operation *op) {
    const struct route *r = op->route;
    if (r->shape != COUNT || r->method == POST || path_has_variable(r->path)) return false;
    for (const struct route *one = op->home->routes; one->path; one++)
        if ((one->method == r->method || one->method == PUT) && one_of_many(one->path, r->path)) return true;
    return false;
}

const char *operation_bearer(const struct operation *op) {
    return op->route->scope ? route_bearer(op->route) : NULL;
}

const char *operation_items(const struct operation *op) {
    const char *scope = operation_bearer(op), *items = op->reply ? route_content(op->route, op->reply) : "";
    if (scope == NULL || items[0] == 0 || (bearer_is_scope(scope) && scopes_include(items, scope)))
        return NULL;
    return items;
}

void operation_scope(struct buf *out, const struct operation *op) {
    const char *scope = operation_bearer(op);
    if (scope == NULL) buf_text(out, "no token reaches it");
    else if (str_eq(str_of(scope), S(BEARER_ANY))) buf_text(out, "any token");
    else if (str_eq(str_of(scope), S(BEARER_WRITES))) buf_text(out, "any :write scope");
    else buf_fmt(out, "%s:%s", scope, route_reads(op->route) ? "read" : "write");
    if (scope == NULL || route_is_open(op->route)) return;
    const char *between = " and ";
    for (struct str rest = str_of(operation_items(op)); rest.n; between = " or ") {
        struct str name = str_cut(&rest, ' ');
        buf_fmt(out, "%s%.*s:read", between, (int)name.n, name.p);
    }
}

/* ---- input ----------------------------------------------------------------------------------- */

const struct field *operation_input(const struct operation *op) {
    if (op->route->method != POST && op->route->method != PUT) return NULL;
    return op->route->input ? fields_of(op->route->input) : fields_of(op->home->fields);
}

bool input_sent(const struct operation *op, const struct field *f) {
    return f->type != F_FILE && input_taken(f, op->route->method == POST);
}
bool file_sent(const struct operation *op, const struct field *f) {
    return f->type == F_FILE && input_taken(f, op->route->method == POST);
}

bool input_mandatory(const struct operation *op, const struct field *f) {
    return f->flags & PRESENT || (f->flags & REQUIRED && op->route->method == POST);
}

bool argument_mandatory(const struct field *f) { return (f->flags & (REQUIRED | PRESENT)) != 0; }

const char *sent_name(const struct manual *m, const struct field *f) { return input_name(m->arena, f).p; }

bool takes_anything(const struct operation *op) {
    const struct field *f = operation_input(op);
    if (f == NULL || op->route->body == RAW_FILE) return false;
    if (operation_bulk(op)) return true;
    for (; f->name; f++)
        if (input_sent(op, f) || file_sent(op, f)) return true;
    return false;
}

static bool any(const struct operation *op) { return op->route != NULL; }

static bool has_data(const struct operation *op) { return op->reply != NULL; }

static bool paged(const struct operation *op) { return op->route->shape == LIST; }

static bool limited(const struct operation *op) {
    return op->route->shape == LIST || op->route->shape == LIST_CURSOR;
}

static bool keyset(const struct operation *op) {
    return has_data(op) && route_takes_keys(op->route, op->reply);
}

static bool posts(const struct operation *op) { return op->route->method == POST; }

static bool changes(const struct operation *op) {
    return op->route->method == PUT || op->route->method == DELETE;
}

static bool reads(const struct operation *op) {
    return op->route->method == GET && (has_data(op) || op->route->is_download);
}

static bool ranged(const struct operation *op) { return op->route->has_ranges; }

static bool remembers(const struct operation *op) { return op->route->remembers; }

const struct common commons[] = {
    {"ids", "query", "{'type': 'array', 'items': {'type': 'integer'}, 'maxItems': 1000}", operation_bulk,
     "The ids of the resources, at most 1000. All of them are changed, or none. They may also come in the "
     "body."},
    {"include", "query", "{'type': 'array', 'items': {'type': 'string'}}", has_data,
     "Resource types that the reply shows in full in place of references, at any depth. *: all types. "
     "user_minimal: people in brief."},
    {"fields", "query", "{'type': 'string'}", has_data,
     "Members to show, as a,b. id, resource_type and resource_url are always shown. +a adds a member that "
     "is only shown on request. -a removes a member. requester(full_name) selects members of an included "
     "resource."},
    {"offset", "query", "{'type': 'integer', 'minimum': 0, 'default': 0}", paged, "Number of items to skip."},
    {"limit", "query", "{'type': 'integer', 'minimum': 0, 'default': 10}", limited,
     "Maximum number of items on the page. 0 means 10. More than 1000 means 1000."},
    {"after_id", "query", "{'type': 'integer', 'minimum': 1}", keyset,
     "Continue after the item with this id, in the order of the list."},
    {"before_id", "query", "{'type': 'integer', 'minimum': 1}", keyset,
     "Items before the item with this id. Send after_id or before_id, not both."},
    {"_flat", "query", "{'type': 'boolean', 'default': false}", has_data,
     "true keeps references and shows each included resource once, in the member resources."},
    {"_case", "query", "{'type': 'string', 'enum': ['snake', 'camel', 'pascal'], 'default': 'snake'}", any,
     "Spelling of member names in the reply: full_name, fullName or FullName."},
    {"_empty", "query", "{'type': 'boolean', 'default': true}", any,
     "false leaves out members that are null or an empty list."},
    {"_pretty", "query", "{'type': 'boolean', 'default': false}", any, "true indents the reply."},
    {"X-Options", "header", "{'type': 'string'}", has_data,
     "no_empty, flat, or both with a comma. The arguments _empty and _flat override this header."},
    {"X-Requested-With", "header", "{'type': 'string', 'enum': ['XMLHttpRequest', 'XMHTTPRequest']}", any,
     "AJAX mode: the ETag covers everything that is shown, and replies with 401 have no WWW-Authenticate."},
    {"If-None-Match", "header", "{'type': 'string'}", reads,
     "An ETag. The reply is 304 if the ETag is still current."},
    {"If-Modified-Since", "header", "{'type': 'string'}", reads,
     "An HTTP date. The reply is 304 if nothing changed since."},
    {"If-Match", "header", "{'type': 'string'}", changes,
     "An ETag. The reply is 412 if the resource has another ETag now."},
    {"If-Unmodified-Since", "header", "{'type': 'string'}", changes,
     "An HTTP date. The reply is 412 if the resource changed since."},
    {"Idempotency-Key", "header", "{'type': 'string', 'maxLength': 255}", posts,
     "A text of your choice. The server executes a request once for each key. It repeats the reply for 24 "
     "hours."},
    {"Range", "header", "{'type': 'string', 'pattern': '^bytes=[0-9]*-[0-9]*$'}", ranged,
     "One range of bytes, such as bytes=0-99. The reply is 206 with this part, or 416 if the file has no "
     "byte of it. Several ranges are ignored."},
    {"If-Range", "header", "{'type': 'string'}", ranged,
     "An ETag. The server ignores Range if the file has another ETag "
     "now."},
    {"X-RememberMe", "header", "{'type': 'string'}", remembers,
     "A remember-me token in place of other credentials."},
    {"X-Passkey", "header", "{'type': 'string'}", remembers,
     "A login by passkey: the result of navigator.credentials.get() as JSON, in Base64url without padding. "
     "With X-Token it is the second step after OTP_EXPECTED."},
    {"X-CSRF", "header", "{'type': 'string', 'enum': ['true', 'false']}", remembers,
     "false opens a session whose writes need no CSRF token. It is not accepted as a cookie."},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- roles ----------------------------------------------------------------------------------- */

const struct role_name role_names[] = {
    {1 << 0, "Public", "everyone, even without a login"},
    {CUSTOMERS, "Customers", "customers"},
    {COLLABORATORS, "Collaborators", "collaborators"},
    {AGENTS, "Agents", "agents"},
    {ADMINS, "Admins", "admins"},
    {OWNERS, "Owners", "owners"},
    {FINGERPRINT, "Fingerprint", "callers without a login who send X-Fingerprint-ID"},
    {TOKEN, "Token", "callers without a login who send the request token of the conversation"},
    {NEW_PASSWORD, "X-Token", "callers whose password has expired, with the auth_token of their login"},
    {0, NULL, NULL},
};

/* Public includes the five roles, so they are not listed beside it. */
bool role_listed(const struct role_name *role, unsigned roles) {
    bool covered = (roles & 1) && (role->bit & ALL);
    return (roles & role->bit) && !covered;
}

static void short_roles(struct buf *out, unsigned roles) {
    static const struct role_name sets[] = {{PUBLIC, "Public", NULL}, {ALL, "ALL", NULL},
                                            {COL_PLUS, "COL+", NULL}, {AG_PLUS, "AG+", NULL},
                                            {AD, "AD", NULL},         {0, NULL, NULL}};
    for (const struct role_name *set = sets; set->bit; set++)
        if ((roles & PUBLIC) == set->bit) {
            buf_text(out, set->name);
            return;
        }
    const char *comma = "";
    for (const struct role_name *role = role_names; role->bit; role++) {
        if (!(role->bit & PUBLIC) || !role_listed(role, roles)) continue;
        buf_fmt(out, "%s%s", comma, role->name);
        comma = ",";
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

bool error_common(int err) {
    switch (err) {
    case ERR_FIELD_INVALID:
    case ERR_BODY_INVALID:
    case ERR_PARAMETERS_INCONSISTENT:
    case ERR_AUTHENTICATION_FAILED:
    case ERR_OTP_EXPECTED:
    case ERR_CREDENTIAL_EXPIRED:
    case ERR_NOT_ACCEPTABLE:
    case ERR_PAYLOAD_TOO_LARGE:
    case ERR_URI_TOO_LONG:
    case ERR_AUTHENTICATION_LOCKED:
    case ERR_RATE_LIMIT_REACHED:
    case ERR_HEADERS_TOO_LARGE:
    case ERR_SESSION_LOADING_FAILED:
    case ERR_INTERNAL_ERROR:
    case ERR_SERVICE_UNAVAILABLE: return true;
    default: return false;
    }
}

static bool input_flagged(const struct operation *op, unsigned flags) {
    for (const struct field *f = operation_input(op); f && f->name; f++)
        if ((input_sent(op, f) || file_sent(op, f)) && f->flags & flags) return true;
    for (const struct field *f = op->args; f && f->name; f++)
        if (f->flags & flags) return true;
    return false;
}

static bool route_names_error(const struct operation *op, int err) {
    for (struct str rest = str_of(op->route->errors); rest.p;)
        if (str_eq(str_cut(&rest, ' '), str_of(error_info(err)->code))) return true;
    return false;
}

bool operation_errors(const struct operation *op, int err) {
    const struct route *r = op->route;
    bool open = r->roles & 1, writes = operation_writes(op);
    if (error_common(err) || route_names_error(op, err)) return true;
    switch (err) {
    case ERR_FIELD_REQUIRED:
    case ERR_FIELD_EMPTY: return operation_bulk(op) || r->records || input_flagged(op, REQUIRED | PRESENT);
    case ERR_FIELD_DUPLICATE: return r->records || input_flagged(op, UNIQUE);
    case ERR_ANY_FIELD_REQUIRED: return operation_bulk(op) && r->method == PUT;
    case ERR_AUTHORIZATION_REQUIRED:
    case ERR_PERMISSIONS_DENIED: return !open;
    case ERR_CSRF_FAILED:
    case ERR_CHECKSUM_MISMATCH:
    case ERR_UNSUPPORTED_MEDIA_TYPE: return writes;
    case ERR_RESOURCE_NOT_FOUND: return path_has_variable(r->path) || operation_bulk(op);
    case ERR_REQUEST_IN_PROGRESS: return r->method == POST;
    case ERR_RESOURCE_MODIFIED: return r->method != POST;
    case ERR_RANGE_NOT_SATISFIABLE: return r->has_ranges;
    default: return false;
    }
}

/* ---- deskd routes ---------------------------------------------------------------------------- */

void routes_write(struct buf *out) {
    struct manual m;
    manual_open(&m, S(""));
    buf_text(out, "method\tpath\troles\tscope\tstatus\tresource\tpermission\ttoken\n");
    for (int i = 0; i < m.count; i++) {
        const struct operation *op = &m.operations[i];
        const char *scope = op->route->scope;
        buf_fmt(out, "%s\t/api/v1%s\t", method_name(op->route->method), op->route->path);
        short_roles(out, op->route->roles);
        buf_fmt(out, "\t%s\t%d\t%s\t%s\t", scope && *scope ? scope : "-", operation_status(op),
                operation_label(op) ? op->reply->type : "-",
                op->route->permission ? op->route->permission : "-");
        operation_scope(out, op);
        buf_char(out, '\n');
    }
    manual_close(&m);
}
