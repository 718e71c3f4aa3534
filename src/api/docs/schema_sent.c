/* Schemas of requests. */
#include "api/docs/schema.h"
#include "api/table/fields.h"

#include "api/input/input.h"
#include "api/table/list_arguments.h"
#include "base/limits.h"

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

void request_schema(struct json_writer *w, const struct manual *m, const struct operation *op) {
    put_key(w, str_fmt(m->arena, "%s_request", op->id).p);
    jw_object(w);
    put_text(w, "type", "object");
    put_fields(w, m, op, operation_input(op));
    jw_end(w);
}
