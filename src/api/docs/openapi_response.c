/* Responses in the OpenAPI document: of each operation, and shared components. */
#include "api/docs/openapi.h"

#include "api/docs/schema.h"

static void put_status(struct json_writer *w, const char *prefix, int status) {
    struct buf b = {0};
    buf_fmt(&b, "%s%d", prefix, status);
    jw_key_raw(w, buf_view(&b));
    buf_free(&b);
}

/* ---- of an operation ------------------------------------------------------------------------- */

static void put_reply_header(struct json_writer *w, const struct reply_header *h) {
    put_key(w, h->name);
    schema_ref(w, "headers", h->name, "");
}

static void success_headers(struct json_writer *w, const struct operation *op, int status) {
    put_key(w, "headers");
    jw_object(w);
    for (const struct reply_header *h = reply_headers; h->name; h++)
        if (reply_header_sent(h, op, status)) put_reply_header(w, h);
    jw_end(w);
}

/* The argument `format` of a list says that it may be CSV. A second type of reply would change the types of
 * each client that is generated from the document. */
static bool names_csv(const struct route *r) { return r->has_csv && r->shape != LIST; }

static void success_content(struct json_writer *w, const struct operation *op) {
    put_key(w, "content");
    jw_object(w);
    if (op->route->is_download) {
        put_member(w, "*/*",
                   "{'schema': {'type': 'string', 'contentMediaType': "
                   "'application/octet-stream'}}");
    } else {
        put_key(w, "application/json");
        jw_object(w);
        put_key(w, "schema");
        schema_reply(w, op);
        jw_end(w);
        if (names_csv(op->route)) put_member(w, "text/csv", "{'schema': {'type': 'string'}}");
    }
    jw_end(w);
}

static const char *success_text(int status) {
    switch (status) {
    case 201: return "Created.";
    case 202: return "Accepted. A job does the work.";
    case 206: return "The part that Range names.";
    default: return "Done.";
    }
}

static void success(struct json_writer *w, const struct operation *op, int status) {
    put_status(w, "", status);
    jw_object(w);
    put_text(w, "description", success_text(status));
    success_headers(w, op, status);
    success_content(w, op);
    jw_end(w);
}

static void elsewhere(struct json_writer *w, const struct operation *op) {
    put_status(w, "", 307);
    jw_object(w);
    put_text(w, "description",
             "The file is at the address of Location. Only if the desk sends downloads to its object store.");
    success_headers(w, op, 307);
    jw_end(w);
}

void openapi_responses(struct json_writer *w, const struct operation *op) {
    int last = 0;
    put_key(w, "responses");
    jw_object(w);
    struct operation other;
    struct route route;
    success(w, op, operation_status(op));
    if (operation_other(op, &other, &route)) success(w, &other, route.status);
    if (op->route->has_ranges) success(w, op, 206);
    if (op->route->has_ranges) elsewhere(w, op);
    if (op->route->method == GET) put_member(w, "304", "{'$ref': '#/components/responses/not_modified'}");
    for (int err = 1; err < ERR_COUNT; err++) {
        int status = error_info(err)->status;
        if (status == last || !operation_errors(op, err)) continue;
        put_status(w, "", last = status);
        char name[8] = {(char)('0' + status / 100), (char)('0' + status / 10 % 10),
                        (char)('0' + status % 10)};
        schema_ref(w, "responses", "error_", name);
    }
    put_member(w, "default", "{'$ref': '#/components/responses/error'}");
    jw_end(w);
}

/* ---- shared ---------------------------------------------------------------------------------- */

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
    put_text(w, "more_info",
             str_fmt(m->arena, "%.*s/docs/errors/%s", (int)m->base_url.n, m->base_url.p, e->code).p);
    jw_end(w);
    jw_end(w);
    jw_end(w);
    jw_end(w);
}

/* printf format of the status and the codes. */
static const char error_schema[] =
    "{'type': 'object', 'required': ['status', 'errors'], 'additionalProperties': false, 'properties': {  "
    "'status': {'type': 'integer'%s},  'errors': {'type': 'array', 'minItems': 1, 'items': {   'type': "
    "'object', 'required': ['code', 'message', 'more_info'], 'additionalProperties': false, 'properties': "
    "{    'code': {'type': 'string', 'enum': [%s]},    'parameter': {'type': 'string', 'description': "
    "'Name of the invalid argument or parameter.'},    'parameters': {'type': 'array', 'items': {'type': "
    "'string'}, 'description': 'Parameters of which at least one is required.'},    'pointer': {'type': "
    "'string', 'description': 'Position in a list or object, like ids/3.'},    'message': {'type': "
    "'string'},    'more_info': {'type': 'string', 'format': 'uri'}}}},  'auth_token': {'type': 'string', "
    "'description': 'Token for the next step of the login. Send it as X-Token.'},  'posts': {'type': "
    "'array', 'description': 'With POST_OVERTAKEN: the posts of other people.', 'items': {'type': "
    "'object'}},  'results': {'$ref': '#/components/schemas/results'},  'logs': {'$ref': '#/components/schemas/logs'},  'notifications': {'$ref': "
    "'#/components/schemas/notifications'},  'session_id': {'$ref': '#/components/schemas/session_id'}}}";

/* The schema of errors from `first` up to, not including, `end`; status 0: any status. */
static void put_error_schema(struct json_writer *w, const struct manual *m, int first, int end, int status) {
    struct str codes = S(""), constant = S("");
    for (int err = first; err < end; err++)
        codes = str_fmt(m->arena, "%s%s'%s'", codes.p, err > first ? ", " : "", error_info(err)->code);
    if (status) constant = str_fmt(m->arena, ", 'const': %d", status);
    put_member(w, "schema", str_fmt(m->arena, error_schema, constant.p, codes.p).p);
}

static bool any_sends(const struct manual *m, const struct reply_header *h, int status) {
    for (int i = 0; i < m->count; i++)
        if (reply_header_sent(h, &m->operations[i], status)) return true;
    return false;
}

static void shared_headers(struct json_writer *w, const struct manual *m, int status) {
    put_key(w, "headers");
    jw_object(w);
    for (const struct reply_header *h = reply_headers; h->name; h++)
        if (any_sends(m, h, status)) put_reply_header(w, h);
    jw_end(w);
}

static void error_content(struct json_writer *w, const struct manual *m, int first, int end, int status) {
    put_key(w, "content");
    jw_object(w);
    put_key(w, "application/json");
    jw_object(w);
    put_error_schema(w, m, first, end, status);
    put_key(w, "examples");
    jw_object(w);
    for (int err = first; err < end; err++) error_example(w, m, error_info(err));
    jw_end(w);
    jw_end(w);
    jw_end(w);
}

static void error_response(struct json_writer *w, const struct manual *m, int first, int end) {
    struct buf b = {0};
    int status = error_info(first)->status;
    put_status(w, "error_", status);
    jw_object(w);
    for (int err = first; err < end; err++)
        buf_fmt(&b, "%s%s: %s", err > first ? " " : "", error_info(err)->code, error_info(err)->message);
    put_key(w, "description");
    jw_str(w, buf_view(&b));
    buf_free(&b);
    shared_headers(w, m, status);
    error_content(w, m, first, end, status);
    jw_end(w);
}

/* Writes a response for each status that operations declare. errors.def is ordered by status. */
static void error_responses(struct json_writer *w, const struct manual *m) {
    for (int first = 1, end; first < ERR_COUNT; first = end) {
        bool used = false;
        for (end = first; end < ERR_COUNT && error_info(end)->status == error_info(first)->status; end++)
            for (int i = 0; i < m->count && !used; i++) used = operation_errors(&m->operations[i], end);
        if (used) error_response(w, m, first, end);
    }
}

/* The response for any undeclared status, such as a method that the path does not support. */
static void any_error(struct json_writer *w, const struct manual *m) {
    put_key(w, "error");
    jw_object(w);
    put_text(w, "description", "Any other error.");
    shared_headers(w, m, 500);
    error_content(w, m, 1, ERR_COUNT, 0);
    jw_end(w);
}

static void not_modified(struct json_writer *w, const struct manual *m) {
    put_key(w, "not_modified");
    jw_object(w);
    put_text(w, "description", "The resource did not change. The reply has no body.");
    shared_headers(w, m, 304);
    jw_end(w);
}

/* True if a response refers to the header. */
static bool is_used(const struct manual *m, const struct reply_header *h) {
    static const int statuses[] = {200, 201, 202, 206, 304, 307, 401, 429, 500, 503};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (any_sends(m, h, statuses[i])) return true;
    return false;
}

static void header_components(struct json_writer *w, const struct manual *m) {
    put_key(w, "headers");
    jw_object(w);
    for (const struct reply_header *h = reply_headers; h->name; h++) {
        if (!is_used(m, h)) continue;
        put_key(w, h->name);
        jw_object(w);
        put_text(w, "description", h->doc);
        put_member(w, "schema", h->schema);
        jw_end(w);
    }
    jw_end(w);
}

void openapi_response_components(struct json_writer *w, const struct manual *m) {
    header_components(w, m);
    put_key(w, "responses");
    jw_object(w);
    not_modified(w, m);
    error_responses(w, m);
    any_error(w, m);
    jw_end(w);
}
