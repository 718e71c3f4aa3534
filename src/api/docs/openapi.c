/* The OpenAPI document: info, a path item for each path, an operation for each route, and shared
 * components. */
#include "api/docs/openapi.h"
#include "api/docs/schema.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static void put_parameter(struct json_writer *w, const char *name, const char *in, bool required,
                          const char *doc) {
    put_text(w, "name", name);
    put_text(w, "in", in);
    if (required) put_member(w, "required", "true");
    if (doc) put_text(w, "description", doc);
}

/* Uses a,b instead of a=...&a=...: the server accepts both, and commas are shorter. */
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
        if (f->flags & REFUSED) continue;
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
        if (variable_is_id(name))
            put_member(w, "schema", "{'type': 'integer', 'format': 'int64', 'minimum': 1}");
        else put_member(w, "schema", "{'type': 'string'}");
        jw_end(w);
    }
    jw_end(w);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The encoding of lists and objects in a form. */
static void form_encoding(struct json_writer *w, const struct manual *m, const struct operation *op) {
    put_key(w, "encoding");
    jw_object(w);
    for (const struct field *f = operation_input(op); f->name; f++) {
        bool nested = f->type == F_LIST || f->owned_by, list = field_is_list(f) && !nested,
             object = f->type == F_OBJECT || f->type == F_JSON;
        if (!input_sent(op, f) || !(list || object)) continue;
        put_key(w, sent_name(m, f));
        put_json(w,
                 list ? "{'style': 'form', 'explode': false}" : "{'style': 'deepObject', 'explode': true}");
    }
    jw_end(w);
}

static void file_parts(struct json_writer *w, const struct manual *m, const struct operation *op) {
    jw_object(w);
    put_text(w, "type", "object");
    put_key(w, "properties");
    jw_object(w);
    for (const struct field *f = operation_input(op); f->name; f++)
        if (file_sent(op, f))
            put_member(w, sent_name(m, f),
                       "{'type': 'string', 'contentMediaType': 'application/octet-stream'}");
    jw_end(w);
    jw_end(w);
}

/* Programs also use files[], files[0], attachments and other names. */
#define FILES_OF_ANY_NAME                                                                       \
    "{'type': 'object', 'properties': {'files': {'type': 'array', 'items': {'type': 'string', " \
    "'contentMediaType': 'application/octet-stream'}}}}"

static void request_content(struct json_writer *w, const struct manual *m, const struct operation *op,
                            const char *type) {
    bool json = strcmp(type, "application/json") == 0;
    bool attached = op->route->body == FILES_ATTACHED;
    bool files = (op->route->body == FILES_TAKEN || attached) && strcmp(type, "multipart/form-data") == 0;
    put_key(w, type);
    jw_object(w);
    put_key(w, "schema");
    if (files) {
        jw_object(w);
        put_key(w, "allOf");
        jw_array(w);
    }
    if (json) schema_request(w, m, op);
    else schema_ref(w, "schemas", op->id, "_request");
    if (files) {
        if (attached) put_json(w, FILES_OF_ANY_NAME);
        else file_parts(w, m, op);
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
        put_member(w, "*/*",
                   "{'schema': {'type': 'string', 'contentMediaType': "
                   "'application/octet-stream'}}");
        put_member(w, "multipart/form-data",
                   "{'schema': {'type': 'object', 'additionalProperties': {'type': 'string', "
                   "'contentMediaType': 'application/octet-stream'}}}");
    } else {
        request_content(w, m, op, "application/json");
        request_content(w, m, op, "application/x-www-form-urlencoded");
        request_content(w, m, op, "multipart/form-data");
    }
    jw_end(w);
    jw_end(w);
}

/* ---- operations ------------------------------------------------------------------------------ */

static void put_names(struct json_writer *w, const struct operation *op) {
    put_key(w, "x-roles");
    jw_array(w);
    for (const struct role_name *role = role_names; role->bit; role++)
        if (role_listed(role, op->route->roles)) jw_str(w, str_of(role->name));
    jw_end(w);
    const char *scope = operation_bearer(op);
    if (bearer_is_scope(scope)) put_text(w, "x-scope", scope);
    if (operation_items(op)) put_text(w, "x-scope-items", operation_items(op));
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
    buf_text(&b, " Scope of a token: ");
    operation_scope(&b, op);
    buf_char(&b, '.');
    if (route_is_open(op->route) && operation_items(op))
        buf_text(&b, " A token without the scope of the items gets what callers without login get.");
    if (op->route->permission) buf_fmt(&b, " Permission: %s.", op->route->permission);
    put_key(w, "description");
    jw_str(w, buf_view(&b));
    buf_free(&b);
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
    openapi_security(w, op);
    operation_parameters(w, m, op);
    request_body(w, m, op);
    openapi_responses(w, op);
    jw_end(w);
}

/* ---- paths ----------------------------------------------------------------------------------- */

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

/* ---- components ------------------------------------------------------------------------------ */

static void components(struct json_writer *w, const struct manual *m) {
    put_key(w, "components");
    jw_object(w);
    put_key(w, "securitySchemes");
    openapi_security_schemes(w, m);
    put_key(w, "parameters");
    common_parameters(w);
    openapi_response_components(w, m);
    put_key(w, "schemas");
    jw_object(w);
    schema_components(w, m);
    jw_end(w);
    jw_end(w);
}

/* ---- info ------------------------------------------------------------------------------------ */

static bool is_served(const struct resource *r) { return r->routes != NULL && r->routes->path != NULL; }

/* The chapters come from the tables, so the text lists the served resources. */
static void info(struct json_writer *w, const struct manual *m) {
    struct str chapters = S("");
    for (const struct resource *const *r = resources; *r; r++)
        if (is_served(*r))
            chapters = str_fmt(m->arena, "%s%s%s", chapters.p, chapters.n ? ", " : "", (*r)->title);
    const char *base = str_dup(m->arena, m->base_url).p;
    put_key(w, "info");
    jw_object(w);
    put_text(w, "title", "deskd");
    put_text(w, "version", "1");
    put_text(w, "summary", "A help desk as a JSON REST API");
    put_text(w, "description",
             str_fmt(m->arena, "Chapters: %s. Guides with examples are at %s/docs.", chapters.p, base).p);
    put_key(w, "contact");
    jw_object(w);
    put_text(w, "name", "The reference");
    put_text(w, "url", str_fmt(m->arena, "%s/docs", base).p);
    jw_end(w);
    jw_end(w);
}

/* ---- the document ---------------------------------------------------------------------------- */

static void servers(struct json_writer *w, const struct manual *m) {
    put_key(w, "servers");
    jw_array(w);
    jw_object(w);
    put_text(w, "url", str_fmt(m->arena, "%.*s/api/v1", (int)m->base_url.n, m->base_url.p).p);
    jw_end(w);
    jw_end(w);
}

static void write_tags(struct json_writer *w) {
    put_key(w, "tags");
    jw_array(w);
    for (const struct resource *const *r = resources; *r; r++) {
        if (!is_served(*r)) continue;
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
    info(&w, &m);
    servers(&w, &m);
    write_tags(&w);
    paths(&w, &m);
    components(&w, &m);
    jw_end(&w);
    manual_close(&m);
}
