#include "api/docs/schema.h"
#include "api/table/fields.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/table/list_arguments.h"
#include "base/limits.h"

/* ---- output ---------------------------------------------------------------------------------- */

static void put_constant(struct json_writer *w, const char *name, const char *value) {
    put_key(w, name);
    jw_object(w);
    put_text(w, "type", "string");
    put_text(w, "const", value);
    jw_end(w);
}

static void put_required(struct json_writer *w, const char *const *names) {
    put_key(w, "required");
    jw_array(w);
    for (; *names; names++) jw_str(w, str_of(*names));
    jw_end(w);
}

static void member_schema(struct json_writer *w, const struct manual *m, const struct field *f) {
    bool is_id = strcmp(f->name, "id") == 0 && !(f->flags & NULLABLE);
    put_key(w, f->name);
    jw_object(w);
    put_shown(w, m, f, !is_id);
    if (f->doc) put_text(w, "description", f->doc);
    jw_end(w);
}

/* Members may be null, because the caller may not see them. They may be absent, because `fields` omits
 * them. */
static void resource_schema(struct json_writer *w, const struct manual *m, const struct resource *r) {
    static const char *const always[] = {"id", "resource_type", NULL}; /* resources without rows have no id */
    static const char *const only_id[] = {"id", NULL};
    put_key(w, r->type);
    jw_object(w);
    put_text(w, "type", "object");
    if (r->title) put_text(w, "title", r->title);
    if (r->doc) put_text(w, "description", r->doc);
    if (!r->is_item) put_required(w, r->is_untyped ? only_id : &always[resource_has_ids(r) ? 0 : 1]);
    put_key(w, "properties");
    jw_object(w);
    if (resource_has_ids(r)) put_member(w, "id", "{'type': 'integer', 'format': 'int64', 'minimum': 1}");
    for (const struct field *f = fields_of(r->fields); f && f->name; f++)
        if (field_shown(f)) member_schema(w, m, f);
    if (resource_has_type(r)) put_constant(w, "resource_type", resource_shown_type(r));
    if (r->url) put_member(w, "resource_url", "{'type': 'string', 'format': 'uri'}");
    jw_end(w);
    put_member(w, "additionalProperties", "false");
    put_key(w, "examples");
    jw_array(w);
    example_resource(w, m, r);
    jw_end(w);
    jw_end(w);
}

static void reference_schema(struct json_writer *w, const struct manual *m, const char *type) {
    const struct resource *r = resource_of(type);
    struct buf name = {0};
    buf_fmt(&name, "%s_reference", type);
    jw_key_raw(w, buf_view(&name));
    buf_free(&name);
    jw_object(w);
    put_text(w, "type", "object");
    put_required(w, (const char *const[]){"id", "resource_type", NULL});
    put_key(w, "properties");
    jw_object(w);
    put_member(w, "id", "{'type': 'integer', 'format': 'int64', 'minimum': 1}");
    for (const struct field *f = r ? fields_of(r->fields) : NULL; f && f->name && r->reference_also; f++)
        if (strcmp(f->name, r->reference_also) == 0) member_schema(w, m, f);
    put_constant(w, "resource_type", type);
    jw_end(w);
    put_member(w, "additionalProperties", "false");
    jw_end(w);
}

/* ---- envelopes ------------------------------------------------------------------------------- */

/* Members that any reply may have. */
static const char logs_schema[] =
    "{'type': 'array', 'description': 'Notices about the request.', 'items': {'type': 'object', "
    "'required': ['level', 'message'], 'additionalProperties': false, 'properties': {  'level': {'type': "
    "'string', 'enum': ['NOTICE', 'WARNING']},  'message': {'type': 'string'}}}}";
static const char notifications_schema[] =
    "{'type': 'array', 'description': 'Messages for the person who uses the program.', 'items': {'type': "
    "'object', 'required': ['type', 'message', 'sticky'], 'additionalProperties': false, 'properties': {  "
    "'type': {'type': 'string', 'enum': ['INFO', 'SUCCESS', 'WARNING', 'ERROR']},  'message': {'type': "
    "'string'},  'sticky': {'type': 'boolean'}}}}";
static const char results_schema[] =
    "{'type': 'array', 'description': 'What happened to each of the ids, in their order.', 'items': {"
    "'type': 'object', 'required': ['id', 'result'], 'additionalProperties': false, 'properties': {"
    "'id': {'type': 'integer'}, 'result': {'type': 'string', 'enum': ['CHANGED', 'UNCHANGED', 'DELETED', "
    "'NOT_FOUND', 'REFUSED', 'CONFLICT', 'NOT_DONE'], 'description': 'NOT_FOUND: no such id, or the caller "
    "does not see it. CONFLICT: changed since If-Unmodified-Since. NOT_DONE: nothing changed, because another "
    "id was refused.'}, 'former': {'type': 'object', 'description': 'With CHANGED: the values before, under "
    "the names that PUT takes.'}, 'code': {'type': 'string', 'description': 'Code of the error that concerns "
    "this id.'}, 'message': {'type': 'string'}}}}";
static const char session_schema[] =
    "{'type': 'string', 'description': 'The session that a request with Basic credentials opened or "
    "reused.'}";
static const char included_schema[] = "{'type': 'object', 'description': 'With _flat: the included "
                                      "resources, by type and id.', 'additionalProperties': {'type': "
                                      "'object', 'additionalProperties': {'type': 'object'}}}";

static void put_data(struct json_writer *w, const struct operation *op, enum shape shape) {
    put_key(w, "data");
    if (shape == ONE) {
        schema_ref(w, "schemas", op->reply->type, "");
    } else {
        jw_object(w);
        put_text(w, "type", "array");
        put_key(w, "items");
        schema_ref(w, "schemas", op->reply->type, "");
        jw_end(w);
    }
    if (operation_label(op)) put_constant(w, "resource", operation_label(op));
    put_member(w, "resources", "{'$ref': '#/components/schemas/included'}");
}

static void put_limit(struct json_writer *w) {
    put_member(w, "limit", "{'type': 'integer', 'minimum': 1, 'maximum': 1000}");
    put_member(w, "next_url", "{'type': 'string', 'format': 'uri'}");
}

static void put_page(struct json_writer *w) {
    static const char *const links[] = {"first_url", "previous_url", "next_url", "last_url", NULL};
    put_member(w, "offset", "{'type': 'integer', 'minimum': 0}");
    put_member(w, "limit", "{'type': 'integer', 'minimum': 1, 'maximum': 1000}");
    for (const char *const *name = links; *name; name++)
        put_member(w, *name, "{'type': 'string', 'format': 'uri'}");
}

/* False for the reply of an operation that has rows only sometimes (.also = NONE). */
static bool shape_has_rows(const struct operation *op, enum shape shape) {
    return op->reply && shape != NONE;
}

static void put_reply_required(struct json_writer *w, const struct operation *op, enum shape shape) {
    const char *names[8] = {"status"};
    int n = 1;
    if (shape_has_rows(op, shape)) names[n++] = "data";
    if (shape_has_rows(op, shape) && operation_label(op)) names[n++] = "resource";
    if (shape == LIST && !route_takes_keys(op->route, op->reply)) names[n++] = "offset";
    if (shape == LIST || shape == LIST_CURSOR) names[n++] = "limit";
    if (shape == LIST || shape == LIST_COUNT || shape == COUNT) names[n++] = "total_count";
    if (shape == COUNT && operation_bulk(op)) names[n++] = "results";
    put_required(w, names);
}

static void reply_of_shape(struct json_writer *w, const struct operation *op, enum shape shape) {
    jw_object(w);
    put_text(w, "type", "object");
    put_reply_required(w, op, shape);
    put_key(w, "properties");
    jw_object(w);
    put_key(w, "status");
    jw_object(w);
    put_text(w, "type", "integer");
    put_int(w, "const", operation_status(op));
    jw_end(w);
    if (shape_has_rows(op, shape)) put_data(w, op, shape);
    if (shape == LIST) put_page(w);
    if (shape == LIST_CURSOR) put_limit(w);
    if (shape != ONE && shape != NONE && shape != LIST_CURSOR)
        put_member(w, "total_count", "{'type': 'integer', 'minimum': 0}");
    if (shape == COUNT && operation_bulk(op))
        put_member(w, "results", "{'$ref': '#/components/schemas/results'}");
    put_member(w, "logs", "{'$ref': '#/components/schemas/logs'}");
    put_member(w, "notifications", "{'$ref': '#/components/schemas/notifications'}");
    put_member(w, "session_id", "{'$ref': '#/components/schemas/session_id'}");
    jw_end(w);
    put_member(w, "additionalProperties", "false");
    jw_end(w);
}

void schema_reply(struct json_writer *w, const struct operation *op) {
    if (op->route->also == 0 || op->route->also_status) {
        reply_of_shape(w, op, op->route->shape);
        return;
    }
    jw_object(w);
    put_key(w, "anyOf");
    jw_array(w);
    reply_of_shape(w, op, op->route->shape);
    reply_of_shape(w, op, op->route->also);
    jw_end(w);
    jw_end(w);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool refers(const struct field *f) {
    return field_shown(f) && (f->type == F_REF || f->type == F_MANY);
}

/* Types whose reference schema is written. Two resources may share one table of fields, so a type is
 * compared, not a field. */
struct referred {
    const char *type;
    struct referred *next;
};

static bool referred_before(const struct referred *list, const char *type) {
    for (; list; list = list->next)
        if (strcmp(list->type, type) == 0) return true;
    return false;
}

static void reference_schemas(struct json_writer *w, const struct manual *m) {
    struct referred *done = NULL;
    for (const struct resource *const *r = resources; *r; r++)
        for (const struct field *f = fields_of((*r)->fields); f && f->name; f++) {
            if (!refers(f) || referred_before(done, f->ref)) continue;
            struct referred *one = ARENA_NEW(m->arena, struct referred);
            *one = (struct referred){f->ref, done};
            done = one;
            reference_schema(w, m, f->ref);
        }
}

/* Propositions of SLAs are references inside of the JSON of a field: only hidden fields refer to them.
 * Linters refuse unused schemas. */
static bool is_inside_json(const struct resource *r) {
    bool hidden = false;
    if (r->routes && r->routes->path) return false;
    for (const struct resource *const *other = resources; *other; other++)
        for (const struct field *f = fields_of((*other)->fields); f && f->name; f++) {
            if (f->ref == NULL || strcmp(f->ref, r->type) != 0) continue;
            if (field_shown(f)) return false;
            hidden = true;
        }
    return hidden;
}

void schema_components(struct json_writer *w, const struct manual *m) {
    put_member(w, "logs", logs_schema);
    put_member(w, "notifications", notifications_schema);
    put_member(w, "results", results_schema);
    put_member(w, "session_id", session_schema);
    put_member(w, "included", included_schema);
    for (const struct resource *const *r = resources; *r; r++) /* other resources have only routes */
        if ((*r)->fields && (*r)->fields->name && !is_inside_json(*r)) resource_schema(w, m, *r);
    reference_schemas(w, m);
    for (int i = 0; i < m->count; i++)
        if (takes_anything(&m->operations[i])) request_schema(w, m, &m->operations[i]);
}
