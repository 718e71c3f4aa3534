/* The OpenAPI document: info, one path item an address, one operation a route, and the components they share. */
#include "api/api.h"
#include "api/docs/schema.h"

static const char info[] =
    "{'title': 'deskd', 'version': '1', 'summary': 'A support desk as a JSON REST API',"
    " 'description': 'Conversations and their messages, people, teams, organizations, the help center and the rules"
    " between them. The reference for people is at /docs.',"
    " 'license': {'name': 'As the file LICENSE of the source says'}}";

static const char security_schemes[] =
    "{'basic': {'type': 'http', 'scheme': 'basic', 'description': 'E-mail address and password.'},"
    " 'session': {'type': 'apiKey', 'in': 'header', 'name': 'X-Session-ID',"
    "  'description': 'A session of GET /session; bound to the User-Agent.'},"
    " 'csrf': {'type': 'apiKey', 'in': 'header', 'name': 'X-CSRF-Token',"
    "  'description': 'The token that came with the session: POST, PUT and DELETE need it.'},"
    " 'bearer': {'type': 'http', 'scheme': 'bearer',"
    "  'description': 'An OAuth access token; x-scope names the scope it needs.'},"
    " 'fingerprint': {'type': 'apiKey', 'in': 'header', 'name': 'X-Fingerprint-ID',"
    "  'description': 'A UUID of your own: shows the conversations made with it.'},"
    " 'request_token': {'type': 'apiKey', 'in': 'query', 'name': 'token',"
    "  'description': 'The X-Request-Token of a conversation; it lives 120 seconds.'},"
    " 'auth_token': {'type': 'apiKey', 'in': 'header', 'name': 'X-Token',"
    "  'description': 'The auth_token of a login that was answered CREDENTIAL_EXPIRED.'}}";

static const char headers[] =
    "{'ETag': {'description': 'Hash of the resource, or of the ids of the list.', 'schema': {'type': 'string'}},"
    " 'Link': {'description': 'Pages: first, prev, next and last (RFC 8288).', 'schema': {'type': 'string'}},"
    " 'WWW-Authenticate': {'description': 'Basic and Bearer; none with X-Requested-With.',"
    "  'schema': {'type': 'string'}},"
    " 'Retry-After': {'description': 'Seconds to wait.', 'schema': {'type': 'integer'}}}";

/* ---- parameters ----------------------------------------------------------------------------------------- */

static void put_parameter(struct json_writer *w, const char *name, const char *in, bool required, const char *doc) {
    put_text(w, "name", name);
    put_text(w, "in", in);
    if (required) put_member(w, "required", "true");
    if (doc) put_text(w, "description", doc);
}

/* a,b instead of a=...&a=...: both are understood, and commas are shorter. */
static void put_commas(struct json_writer *w) {
    put_text(w, "style", "form");
    put_member(w, "explode", "false");
}

static void common_parameters(struct json_writer *w) {
    jw_object(w);
    for (const struct common *c = commons; c->name; c++) {
        put_key(w, c->name);
        jw_object(w);
        put_parameter(w, c->name, c->in, false, c->doc);
        if (strstr(c->schema, "'array'")) put_commas(w);
        put_member(w, "schema", c->schema);
        jw_end(w);
    }
    jw_end(w);
}

static void operation_parameters(struct json_writer *w, const struct manual *m, const struct operation *op) {
    put_key(w, "parameters");
    jw_array(w);
    for (const struct field *f = op->args; f && f->name; f++) {
        jw_object(w);
        put_parameter(w, sent_name(m, f), "query", argument_mandatory(f), f->doc);
        if (field_is_list(f)) put_commas(w);
        put_key(w, "schema");
        schema_sent(w, m, op, f);
        put_key(w, "example");
        example_sent(w, m, op, f);
        jw_end(w);
    }
    for (const struct common *c = commons; c->name; c++)
        if (c->taken(op)) schema_ref(w, "parameters", c->name, "");
    jw_end(w);
}

static void path_parameters(struct json_writer *w, const struct manual *m, const char *path) {
    struct str rest = str_of(path);
    struct segment s = {0};
    put_key(w, "parameters");
    jw_array(w);
    while (path_next(&rest, &s)) {
        if (!s.variable) continue;
        const char *name = variable_name(m, path, &s);
        jw_object(w);
        put_parameter(w, name, "path", true, NULL);
        if (variable_is_id(name)) put_member(w, "schema", "{'type': 'integer', 'format': 'int64', 'minimum': 1}");
        else put_member(w, "schema", "{'type': 'string'}");
        jw_end(w);
    }
    jw_end(w);
}

/* ---- requests ------------------------------------------------------------------------------------------- */

/* How lists and objects are written in a form. */
static void form_encoding(struct json_writer *w, const struct manual *m, const struct operation *op) {
    put_key(w, "encoding");
    jw_object(w);
    for (const struct field *f = operation_input(op); f->name; f++) {
        bool nested = f->type == F_LIST || f->owned_by, list = field_is_list(f) && !nested, object = f->type == F_OBJECT || f->type == F_JSON;
        if (!input_sent(op, f) || !(list || object)) continue;
        put_key(w, sent_name(m, f));
        put_json(w, list ? "{'style': 'form', 'explode': false}" : "{'style': 'deepObject', 'explode': true}");
    }
    jw_end(w);
}

static void file_parts(struct json_writer *w, const struct manual *m, const struct operation *op) {
    jw_object(w);
    put_text(w, "type", "object");
    put_key(w, "properties");
    jw_object(w);
    for (const struct field *f = operation_input(op); f->name; f++)
        if (file_sent(op, f)) put_member(w, sent_name(m, f), "{'type': 'string', 'contentMediaType': 'application/octet-stream'}");
    jw_end(w);
    jw_end(w);
}

static void request_content(struct json_writer *w, const struct manual *m, const struct operation *op,
                            const char *type) {
    bool json = strcmp(type, "application/json") == 0;
    bool files = op->route->body == FILES_TAKEN && strcmp(type, "multipart/form-data") == 0;
    put_key(w, type);
    jw_object(w);
    put_key(w, "schema");
    if (files) {
        jw_object(w);
        put_key(w, "allOf");
        jw_array(w);
    }
    schema_ref(w, "schemas", op->id, "_request");
    if (files) {
        file_parts(w, m, op);
        jw_end(w);
        jw_end(w);
    }
    if (json) {
        put_key(w, "example");
        example_request(w, m, op);
    } else {
        form_encoding(w, m, op);
    }
    jw_end(w);
}

static void request_body(struct json_writer *w, const struct manual *m, const struct operation *op) {
    bool required = op->route->body == RAW_FILE;
    for (const struct field *f = operation_input(op); f && f->name; f++)
        required = required || ((input_sent(op, f) || file_sent(op, f)) && input_mandatory(op, f));
    if (!takes_anything(op) && op->route->body != RAW_FILE) return;
    put_key(w, "requestBody");
    jw_object(w);
    if (required) put_member(w, "required", "true");
    put_key(w, "content");
    jw_object(w);
    if (op->route->body == RAW_FILE) {
        put_member(w, "*/*", "{'schema': {'type': 'string', 'contentMediaType': 'application/octet-stream'}}");
        put_member(w, "multipart/form-data", "{'schema': {'type': 'object', 'additionalProperties': "
                                             "{'type': 'string', 'contentMediaType': 'application/octet-stream'}}}");
    } else {
        request_content(w, m, op, "application/json");
        request_content(w, m, op, "application/x-www-form-urlencoded");
        request_content(w, m, op, "multipart/form-data");
    }
    jw_end(w);
    jw_end(w);
}

/* ---- responses ------------------------------------------------------------------------------------------ */

static void put_status(struct json_writer *w, const char *prefix, int status) {
    struct buf b = {0};
    buf_fmt(&b, "%s%d", prefix, status);
    jw_key_raw(w, buf_view(&b));
    buf_free(&b);
}

static void success(struct json_writer *w, const struct operation *op) {
    int status = operation_status(op);
    put_status(w, "", status);
    jw_object(w);
    put_text(w, "description", status == 201 ? "Created." : status == 202 ? "Accepted: a job does it." : "Done.");
    if (op->reply) {
        put_key(w, "headers");
        jw_object(w);
        put_member(w, "ETag", "{'$ref': '#/components/headers/ETag'}");
        if (op->route->shape == LIST) put_member(w, "Link", "{'$ref': '#/components/headers/Link'}");
        jw_end(w);
    }
    put_key(w, "content");
    jw_object(w);
    if (op->route->is_download) {
        put_member(w, "*/*", "{'schema': {'type': 'string', 'contentMediaType': 'application/octet-stream'}}");
    } else {
        put_key(w, "application/json");
        jw_object(w);
        put_key(w, "schema");
        schema_reply(w, op);
        jw_end(w);
    }
    jw_end(w);
    jw_end(w);
}

static void responses(struct json_writer *w, const struct operation *op) {
    int last = 0;
    put_key(w, "responses");
    jw_object(w);
    success(w, op);
    if (op->route->method == GET) put_member(w, "304", "{'$ref': '#/components/responses/not_modified'}");
    for (int err = 1; err < ERR_COUNT; err++) {
        int status = error_info(err)->status;
        if (status == last || !operation_errors(op, err)) continue;
        put_status(w, "", last = status);
        char name[8] = {(char)('0' + status / 100), (char)('0' + status / 10 % 10), (char)('0' + status % 10)};
        schema_ref(w, "responses", "error_", name);
    }
    jw_end(w);
}

/* ---- operations ----------------------------------------------------------------------------------------- */

static void put_names(struct json_writer *w, const struct operation *op) {
    put_key(w, "x-roles");
    jw_array(w);
    for (const struct role_name *role = role_names; role->bit; role++)
        if (role_listed(role, op->route->roles)) jw_str(w, str_of(role->name));
    jw_end(w);
    if (op->route->scope && *op->route->scope) put_text(w, "x-scope", op->route->scope);
    if (op->route->permission) put_text(w, "x-permission", op->route->permission);
    put_key(w, "x-errors");
    jw_array(w);
    for (int err = 1; err < ERR_COUNT; err++)
        if (operation_errors(op, err)) jw_str(w, str_of(error_info(err)->code));
    jw_end(w);
}

static void put_description(struct json_writer *w, const struct operation *op) {
    struct buf b = {0};
    const char *comma = "Allowed: ";
    if (op->route->doc) buf_fmt(&b, "%s\n\n", op->route->doc);
    for (const struct role_name *role = role_names; role->bit; role++) {
        if (!role_listed(role, op->route->roles)) continue;
        buf_fmt(&b, "%s%s", comma, role->means);
        comma = ", ";
    }
    buf_char(&b, '.');
    if (op->route->scope && *op->route->scope) {
        buf_text(&b, " Scope of a token: ");
        operation_scope(&b, op);
        buf_char(&b, '.');
    }
    if (op->route->permission) buf_fmt(&b, " Permission: %s.", op->route->permission);
    put_key(w, "description");
    jw_str(w, buf_view(&b));
    buf_free(&b);
}

static void put_security(struct json_writer *w, const struct operation *op) {
    unsigned roles = op->route->roles;
    put_key(w, "security");
    jw_array(w);
    put_json(w, "{'basic': []}");
    put_json(w, operation_writes(op) ? "{'session': [], 'csrf': []}" : "{'session': []}");
    put_json(w, "{'bearer': []}");
    if (roles & FINGERPRINT) put_json(w, "{'fingerprint': []}");
    if (roles & TOKEN) put_json(w, "{'request_token': []}");
    if (roles & NEW_PASSWORD) put_json(w, "{'auth_token': []}");
    if (roles & 1) put_json(w, "{}");
    jw_end(w);
}

static void put_operation(struct json_writer *w, const struct manual *m, const struct operation *op) {
    static const char *const keys[METHODS] = {"get", "post", "put", "delete"};
    put_key(w, keys[op->route->method]);
    jw_object(w);
    put_key(w, "tags");
    jw_array(w);
    jw_str(w, str_of(op->home->title));
    jw_end(w);
    put_text(w, "operationId", op->id);
    put_text(w, "summary", op->route->summary);
    put_description(w, op);
    put_names(w, op);
    put_security(w, op);
    operation_parameters(w, m, op);
    request_body(w, m, op);
    responses(w, op);
    jw_end(w);
}

/* ---- paths ---------------------------------------------------------------------------------------------- */

static void put_path(struct json_writer *w, const struct manual *m, const char *path) {
    struct buf b = {0};
    struct str rest = str_of(path);
    struct segment s = {0};
    while (path_next(&rest, &s))
        if (s.variable) buf_fmt(&b, "/{%s}", variable_name(m, path, &s));
        else buf_fmt(&b, "/%.*s", (int)s.text.n, s.text.p);
    jw_key_raw(w, buf_view(&b));
    buf_free(&b);
}

static bool first_of_path(const struct manual *m, int i) {
    for (int k = 0; k < i; k++)
        if (path_same(m->operations[k].route->path, m->operations[i].route->path)) return false;
    return true;
}

static void paths(struct json_writer *w, const struct manual *m) {
    put_key(w, "paths");
    jw_object(w);
    for (int i = 0; i < m->count; i++) {
        const char *path = m->operations[i].route->path;
        if (!first_of_path(m, i)) continue;
        put_path(w, m, path);
        jw_object(w);
        if (path_has_variable(path)) path_parameters(w, m, path);
        for (int k = i; k < m->count; k++)
            if (path_same(m->operations[k].route->path, path)) put_operation(w, m, &m->operations[k]);
        jw_end(w);
    }
    jw_end(w);
}

/* ---- components ----------------------------------------------------------------------------------------- */

static void error_example(struct json_writer *w, const struct manual *m, const struct error_info *e) {
    put_key(w, e->code);
    jw_object(w);
    put_key(w, "value");
    jw_object(w);
    put_key(w, "status");
    jw_int(w, e->status);
    put_key(w, "errors");
    jw_array(w);
    jw_object(w);
    put_text(w, "code", e->code);
    put_text(w, "message", e->message);
    put_text(w, "more_info", str_fmt(m->arena, "%.*s/docs/errors/%s", (int)m->base_url.n, m->base_url.p, e->code).p);
    jw_end(w);
    jw_end(w);
    jw_end(w);
    jw_end(w);
}

/* Of one status; its codes go in. */
static const char error_schema[] =
    "{'type': 'object', 'required': ['status', 'errors'], 'additionalProperties': false, 'properties': {"
    "  'status': {'type': 'integer', 'const': %d},"
    "  'errors': {'type': 'array', 'minItems': 1, 'items': {"
    "   'type': 'object', 'required': ['code', 'message', 'more_info'], 'additionalProperties': false, 'properties': {"
    "    'code': {'type': 'string', 'enum': [%s]},"
    "    'parameter': {'type': 'string', 'description': 'The field it is about.'},"
    "    'parameters': {'type': 'array', 'items': {'type': 'string'}, 'description': 'Fields of which one is needed.'},"
    "    'pointer': {'type': 'string', 'description': 'Where in a list or object: ids/3.'},"
    "    'message': {'type': 'string'},"
    "    'more_info': {'type': 'string', 'format': 'uri'}}}},"
    "  'auth_token': {'type': 'string', 'description': 'For the next step of a login, in X-Token.'},"
    "  'logs': {'$ref': '#/components/schemas/logs'},"
    "  'notifications': {'$ref': '#/components/schemas/notifications'},"
    "  'session_id': {'$ref': '#/components/schemas/session_id'}}}";

/* Errors from `first` up to `end` have one status. */
static void put_error_schema(struct json_writer *w, const struct manual *m, int first, int end) {
    struct str codes = S("");
    for (int err = first; err < end; err++)
        codes = str_fmt(m->arena, "%s%s'%s'", codes.p, err > first ? ", " : "", error_info(err)->code);
    put_member(w, "schema", str_fmt(m->arena, error_schema, error_info(first)->status, codes.p).p);
}

static void error_headers(struct json_writer *w, int status) {
    if (status == 401)
        put_member(w, "headers", "{'WWW-Authenticate': {'$ref': '#/components/headers/WWW-Authenticate'}}");
    if (status == 429) put_member(w, "headers", "{'Retry-After': {'$ref': '#/components/headers/Retry-After'}}");
}

static void error_response(struct json_writer *w, const struct manual *m, int first, int end) {
    struct buf b = {0};
    put_status(w, "error_", error_info(first)->status);
    jw_object(w);
    for (int err = first; err < end; err++)
        buf_fmt(&b, "%s%s: %s", err > first ? " " : "", error_info(err)->code, error_info(err)->message);
    put_key(w, "description");
    jw_str(w, buf_view(&b));
    buf_free(&b);
    error_headers(w, error_info(first)->status);
    put_key(w, "content");
    jw_object(w);
    put_key(w, "application/json");
    jw_object(w);
    put_error_schema(w, m, first, end);
    put_key(w, "examples");
    jw_object(w);
    for (int err = first; err < end; err++) error_example(w, m, error_info(err));
    jw_end(w);
    jw_end(w);
    jw_end(w);
    jw_end(w);
}

/* One response a status that operations declare; errors.def is in the order of status. */
static void error_responses(struct json_writer *w, const struct manual *m) {
    for (int first = 1, end; first < ERR_COUNT; first = end) {
        bool used = false;
        for (end = first; end < ERR_COUNT && error_info(end)->status == error_info(first)->status; end++)
            for (int i = 0; i < m->count && !used; i++) used = operation_errors(&m->operations[i], end);
        if (used) error_response(w, m, first, end);
    }
}

static void components(struct json_writer *w, const struct manual *m) {
    put_key(w, "components");
    jw_object(w);
    put_member(w, "securitySchemes", security_schemes);
    put_key(w, "parameters");
    common_parameters(w);
    put_member(w, "headers", headers);
    put_key(w, "responses");
    jw_object(w);
    put_member(w, "not_modified", "{'description': 'Nothing changed: no body.'}");
    error_responses(w, m);
    jw_end(w);
    put_key(w, "schemas");
    jw_object(w);
    schema_components(w, m);
    jw_end(w);
    jw_end(w);
}

/* ---- the document --------------------------------------------------------------------------------------- */

static void servers(struct json_writer *w, const struct manual *m) {
    put_key(w, "servers");
    jw_array(w);
    jw_object(w);
    put_text(w, "url", str_fmt(m->arena, "%.*s/api/v1", (int)m->base_url.n, m->base_url.p).p);
    jw_end(w);
    jw_end(w);
}

static void tags(struct json_writer *w) {
    put_key(w, "tags");
    jw_array(w);
    for (const struct resource *const *r = resources; *r; r++) {
        if ((*r)->routes == NULL || (*r)->routes->path == NULL) continue;
        jw_object(w);
        put_text(w, "name", (*r)->title);
        if ((*r)->doc) put_text(w, "description", (*r)->doc);
        jw_end(w);
    }
    jw_end(w);
}

void openapi_write(struct buf *out, struct str base_url) {
    struct manual m;
    struct json_writer w;
    manual_open(&m, base_url);
    jw_init(&w, out);
    jw_object(&w);
    put_text(&w, "openapi", "3.1.0");
    put_member(&w, "info", info);
    servers(&w, &m);
    tags(&w);
    paths(&w, &m);
    components(&w, &m);
    jw_end(&w);
    manual_close(&m);
}
