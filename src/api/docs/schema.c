#include "api/docs/schema.h"
#include "api/table/fields.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/table/list_arguments.h"
#include "base/limits.h"

/* ---- parts ----------------------------------------------------------------------------------- */

void schema_ref(struct json_writer *w, const char *kind, const char *name, const char *suffix) {
    struct buf b = {0};
    buf_fmt(&b, "#/components/%s/%s%s", kind, name, suffix);
    jw_object(w);
    put_key(w, "$ref");
    jw_str(w, buf_view(&b));
    jw_end(w);
    buf_free(&b);
}

static void put_type(struct json_writer *w, const char *type, bool nullable) {
    if (!nullable) {
        put_text(w, "type", type);
        return;
    }
    put_key(w, "type");
    jw_array(w);
    jw_str(w, str_of(type));
    jw_str(w, S("null"));
    jw_end(w);
}

static void put_int(struct json_writer *w, const char *name, int64_t v) {
    put_key(w, name);
    jw_int(w, v);
}

static void put_enum(struct json_writer *w, const struct word *words, bool nullable) {
    put_key(w, "enum");
    jw_array(w);
    for (; words->word; words++) jw_str(w, str_of(words->word));
    if (nullable) jw_null(w);
    jw_end(w);
}

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

/* ---- output ---------------------------------------------------------------------------------- */

static const char *type_of_example(const struct json *example) {
    switch (example->type) {
    case JSON_FALSE:
    case JSON_TRUE: return "boolean";
    case JSON_NUMBER: return memchr(example->text.p, '.', example->text.n) ? "number" : "integer";
    case JSON_STRING: return "string";
    case JSON_ARRAY: return "array";
    case JSON_OBJECT: return "object";
    default: return NULL;
    }
}

/* Writes the type inferred from an example. Members of objects stay open. */
static void put_inferred(struct json_writer *w, const struct json *example, bool nullable) {
    const char *type = example ? type_of_example(example) : NULL;
    if (type == NULL) return;
    put_type(w, type, nullable);
    if (example->type == JSON_OBJECT) put_member(w, "additionalProperties", "true");
    if (example->type != JSON_ARRAY) return;
    put_key(w, "items");
    jw_object(w);
    put_inferred(w, example->first, true);
    jw_end(w);
}

/* A reference, the resource itself (include), or null. */
static void put_either(struct json_writer *w, const char *type, bool nullable) {
    put_key(w, "anyOf");
    jw_array(w);
    schema_ref(w, "schemas", type, "_reference");
    if (resource_of(type)) schema_ref(w, "schemas", type, "");
    for (const struct resource *const *r = resources; *r; r++) {
        if ((*r)->brief_of == NULL || strcmp((*r)->brief_of, type) != 0) continue;
        schema_ref(w, "schemas", (*r)->type, "_reference");
        schema_ref(w, "schemas", (*r)->type, "");
    }
    if (nullable) put_json(w, "{'type': 'null'}");
    jw_end(w);
}

static void put_shown(struct json_writer *w, const struct manual *m, const struct field *f, bool nullable) {
    switch (f->type) {
    case F_INT: put_type(w, "integer", nullable); break;
    case F_BOOL: put_type(w, "boolean", nullable); break;
    case F_TIME:
        put_type(w, "string", nullable);
        put_text(w, "format", "date-time");
        break;
    case F_WORD:
        put_type(w, "string", nullable);
        put_enum(w, f->words, nullable);
        break;
    case F_REF: put_either(w, f->ref, nullable); break;
    case F_ROWS:
        put_type(w, "array", nullable);
        put_key(w, "items");
        schema_ref(w, "schemas", f->ref, "");
        break;
    case F_MANY:
        put_type(w, "array", nullable);
        put_key(w, "items");
        jw_object(w);
        put_either(w, f->ref, false);
        jw_end(w);
        break;
    case F_JSON:
    case F_COMPUTED:
    case F_OBJECT:
    case F_LIST:
    case F_IDS:
    case F_TEXTS:
    case F_WORDS: put_inferred(w, field_example(m, f), nullable); break;
    case F_TEXT:
    case F_LONG:
    case F_EMAIL:
    case F_FILE: /* never in JSON: openapi.c describes parts */
    case F_PASSWORD: put_type(w, "string", nullable); break;
    }
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

/* ---- input ----------------------------------------------------------------------------------- */

static int64_t most_characters(const struct field *f) {
    if (f->max) return f->max;
    return f->type == F_LONG ? LIMIT_TEXT : f->type == F_PASSWORD ? LIMIT_PASSWORD : LIMIT_TITLE;
}

static void put_items(struct json_writer *w, const char *type, const struct word *words) {
    put_key(w, "items");
    jw_object(w);
    put_type(w, type, false);
    if (words) put_enum(w, words, false);
    jw_end(w);
}

static void put_text_limits(struct json_writer *w, const struct field *f) {
    if (f->type == F_EMAIL) put_text(w, "format", "email");
    if (f->type == F_PASSWORD) put_text(w, "format", "password");
    if (f->flags & (REQUIRED | PRESENT)) put_int(w, "minLength", 1);
    put_int(w, "maxLength", most_characters(f));
}

static void put_range(struct json_writer *w, const struct field *f) {
    put_text(w, "format", "int64");
    if (f->type == F_REF) put_int(w, "minimum", 1);
    if (f->type == F_REF || (f->min == 0 && f->max == 0)) return;
    put_int(w, "minimum", f->min);
    put_int(w, "maximum", f->max);
}

static void record_schema(struct json_writer *w, const struct manual *m, const struct operation *op);
static void put_described(struct json_writer *w, const struct manual *m, const struct operation *op,
                          const struct field *f);

static bool is_text_item(const struct field *f) { return f->name[0] == 0; }
static bool is_item_member(const struct field *f) { return !is_text_item(f) && input_taken(f, true); }

/* True if an item may be a plain text: it says so, or has one mandatory member, of rows that are owned. */
static bool item_may_be_text(const struct field *f, const struct field *items) {
    int mandatory = 0, texts = 0;
    for (const struct field *i = items; i->name; i++) {
        mandatory += is_item_member(i) && i->flags & REQUIRED;
        texts += is_text_item(i);
    }
    return texts || (f->owned_by && mandatory == 1);
}

static void put_item_required(struct json_writer *w, const struct manual *m, const struct field *items) {
    bool any = false;
    for (const struct field *i = items; i->name; i++) {
        if (!is_item_member(i) || !(i->flags & REQUIRED)) continue;
        if (!any) put_key(w, "required");
        if (!any) jw_array(w);
        jw_str(w, str_of(sent_name(m, i)));
        any = true;
    }
    if (any) jw_end(w);
}

static void put_item_object(struct json_writer *w, const struct manual *m, const struct operation *op,
                            const struct field *f, const struct field *items) {
    jw_object(w);
    put_text(w, "type", "object");
    put_key(w, "properties");
    jw_object(w);
    if (f->owned_by && op->route->method == PUT)
        put_member(w, "id", "{'type': ['integer', 'null'], 'format': 'int64'}");
    for (const struct field *i = items; i->name; i++) {
        if (!is_item_member(i)) continue;
        put_key(w, sent_name(m, i));
        jw_object(w);
        put_described(w, m, op, i);
        jw_end(w);
    }
    jw_end(w);
    put_item_required(w, m, items);
    jw_end(w);
}

/* The schema of an item of a list. */
static void put_item(struct json_writer *w, const struct manual *m, const struct operation *op,
                     const struct field *f) {
    const struct field *items = field_items(f);
    bool text = item_may_be_text(f, items), object = false;
    for (const struct field *i = items; i->name; i++) object |= is_item_member(i);
    if (text && object) {
        jw_object(w);
        put_key(w, "anyOf");
        jw_array(w);
    }
    if (object) put_item_object(w, m, op, f, items);
    if (text) put_json(w, "{'type': 'string'}");
    if (!text || !object) return;
    jw_end(w);
    jw_end(w);
}

static void put_sent(struct json_writer *w, const struct manual *m, const struct operation *op,
                     const struct field *f) {
    bool nullable = (f->flags & NULLABLE) != 0, records = op->route->records && op->route->record_list;
    if (field_is_text(f)) {
        put_type(w, "string", nullable);
        put_text_limits(w, f);
        return;
    }
    switch (f->type) {
    case F_REF:
    case F_INT:
        put_type(w, "integer", nullable);
        put_range(w, f);
        break;
    case F_IDS:
    case F_TEXTS:
    case F_WORDS:
        put_type(w, "array", nullable);
        put_items(w, f->type == F_IDS ? "integer" : "string", f->type == F_WORDS ? f->words : NULL);
        break;
    case F_OBJECT:
        put_type(w, "object", nullable);
        put_member(w, "additionalProperties", "true"); /* its keys are free, or .check checks them */
        break;
    case F_MANY:
    case F_ROWS:
    case F_LIST:
        put_type(w, "array", nullable);
        put_key(w, "items");
        if (records && strcmp(op->route->record_list, f->name) == 0) {
            record_schema(w, m, op);
            put_int(w, "maxItems", LIMIT_RECORDS);
        } else {
            put_item(w, m, op, f);
        }
        break;
    default: put_shown(w, m, f, nullable);
    }
}

static bool quotes_initial(const struct field *f) {
    return field_is_text(f) || f->type == F_WORD || f->type == F_TIME;
}

static bool has_default(const struct field *f) {
    return f->initial && (quotes_initial(f) || f->type == F_INT || f->type == F_BOOL);
}

static void put_default(struct json_writer *w, const struct field *f) {
    if (has_default(f) && quotes_initial(f)) put_text(w, "default", f->initial);
    else if (has_default(f)) put_member(w, "default", initial_text(f));
}

static void put_described(struct json_writer *w, const struct manual *m, const struct operation *op,
                          const struct field *f) {
    put_sent(w, m, op, f);
    if (f->doc) put_text(w, "description", f->doc);
}

void schema_sent(struct json_writer *w, const struct manual *m, const struct operation *op,
                 const struct field *f) {
    jw_object(w);
    put_described(w, m, op, f);
    put_default(w, f);
    jw_end(w);
}

void schema_request(struct json_writer *w, const struct manual *m, const struct operation *op) {
    bool any = false;
    jw_object(w);
    put_key(w, "$ref");
    jw_str(w, str_fmt(m->arena, "#/components/schemas/%s_request", op->id));
    for (const struct field *f = operation_input(op); f->name && op->route->method == POST; f++) {
        if (!has_default(f) || !input_sent(op, f)) continue;
        if (!any) put_key(w, "properties");
        if (!any) jw_object(w);
        put_key(w, sent_name(m, f));
        jw_object(w);
        put_default(w, f);
        jw_end(w);
        any = true;
    }
    if (any) jw_end(w);
    jw_end(w);
}

static void put_fields(struct json_writer *w, const struct manual *m, const struct operation *op,
                       const struct field *fields) {
    int mandatory = 0;
    put_key(w, "properties");
    jw_object(w);
    if (operation_bulk(op))
        put_member(w, "ids", "{'type': 'array', 'items': {'type': 'integer'}, 'maxItems': 1000}");
    for (const struct field *f = fields; f->name; f++) {
        if (!input_sent(op, f)) continue;
        mandatory += input_mandatory(op, f);
        put_key(w, sent_name(m, f));
        jw_object(w);
        put_described(w, m, op, f);
        jw_end(w);
    }
    jw_end(w);
    if (mandatory == 0) return;
    put_key(w, "required");
    jw_array(w);
    for (const struct field *f = fields; f->name; f++)
        if (input_sent(op, f) && input_mandatory(op, f)) jw_str(w, str_of(sent_name(m, f)));
    jw_end(w);
}

/* A record of an import follows the rules of a POST. */
static void record_schema(struct json_writer *w, const struct manual *m, const struct operation *op) {
    jw_object(w);
    put_text(w, "type", "object");
    put_fields(w, m, op, fields_of(resource_record_fields(op->route->records)));
    jw_end(w);
}

static void request_schema(struct json_writer *w, const struct manual *m, const struct operation *op) {
    put_key(w, str_fmt(m->arena, "%s_request", op->id).p);
    jw_object(w);
    put_text(w, "type", "object");
    put_fields(w, m, op, operation_input(op));
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
