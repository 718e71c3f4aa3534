/* Examples: the field's own, or one by its type. Whole resources, requests and replies are made of them. */
#include "api/table/describe.h"
#include "api/table/fields.h"

#include "api/rows/generic.h"

#include <assert.h>

#define EXAMPLE_TIME "2026-11-21T09:30:00+00:00"

void put_key(struct json_writer *w, const char *name) { jw_key_raw(w, str_of(name)); }

void put_text(struct json_writer *w, const char *name, const char *text) {
    put_key(w, name);
    jw_str(w, str_of(text));
}

void put_json(struct json_writer *w, const char *json) {
    struct buf b = {0};
    buf_text(&b, json);
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] == '\'') b.p[i] = '"';
    jw_raw(w, buf_view(&b));
    buf_free(&b);
}

void put_member(struct json_writer *w, const char *name, const char *json) {
    put_key(w, name);
    put_json(w, json);
}

/* ---- values ---------------------------------------------------------------------------------- */

bool field_shown(const struct field *f) { return !(f->flags & (INPUT_ONLY | HIDDEN)); }

bool field_is_text(const struct field *f) {
    return f->type == F_TEXT || f->type == F_LONG || f->type == F_EMAIL || f->type == F_PASSWORD;
}

bool field_is_list(const struct field *f) {
    return f->type == F_MANY || f->type == F_ROWS || f->type == F_IDS || f->type == F_TEXTS ||
           f->type == F_WORDS || f->type == F_LIST;
}

const struct json *field_example(const struct manual *m, const struct field *f) {
    struct json *parsed = NULL;
    struct json_error err;
    if (f->example == NULL) return NULL;
    int rc = json_parse(m->arena, str_of(f->example), &parsed, &err);
    assert(rc == 0); /* .example is JSON: a text needs quotes */
    return rc == 0 ? parsed : NULL;
}

const char *initial_text(const struct field *f) {
    if (f->type != F_BOOL) return f->initial;
    return strcmp(f->initial, "1") == 0 || strcmp(f->initial, "true") == 0 ? "true" : "false";
}

static void example_id(struct json_writer *w, const struct json *own) {
    if (own && own->type == JSON_NUMBER) jw_json(w, own);
    else jw_int(w, 1);
}

static void by_type(struct json_writer *w, const struct field *f) {
    switch (f->type) {
    case F_TEXT: jw_str(w, S("Text")); break;
    case F_LONG: jw_str(w, S("A longer text.")); break;
    case F_EMAIL: jw_str(w, S("person@example.com")); break;
    case F_PASSWORD: jw_str(w, S("correct horse battery staple")); break;
    case F_FILE: jw_null(w); break; /* never in an example: JSON can't contain a file */
    case F_INT: jw_int(w, f->min > 1 ? f->min : 1); break;
    case F_BOOL: jw_bool(w, true); break;
    case F_TIME: jw_str(w, S(EXAMPLE_TIME)); break;
    case F_WORD: jw_str(w, str_of(f->words[0].word)); break;
    case F_IDS: jw_raw(w, S("[1,2]")); break;
    case F_TEXTS: jw_raw(w, S("[\"text\"]")); break;
    case F_WORDS:
        jw_array(w);
        jw_str(w, str_of(f->words[0].word));
        jw_end(w);
        break;
    case F_OBJECT: jw_raw(w, S("{}")); break;
    case F_MANY:
    case F_ROWS:
    case F_LIST: jw_raw(w, S("[]")); break;
    default: jw_null(w);
    }
}

static void example_url(struct json_writer *w, const struct manual *m, const struct resource *r);

static bool named_in(const char *list, const char *name) {
    for (struct str rest = str_of(list); rest.p;)
        if (str_eq(str_cut(&rest, ','), str_of(name))) return true;
    return false;
}

static void example_reference(struct json_writer *w, const struct manual *m, const struct field *of,
                              const struct json *id) {
    const struct resource *r = resource_of(of->ref);
    const char *names = of->shows ? of->shows : r ? r->reference_also : NULL;
    jw_object(w);
    put_key(w, "id");
    example_id(w, id);
    for (const struct field *f = names ? fields_of(r->fields) : NULL; f && f->name; f++) {
        if (!named_in(names, f->name)) continue;
        put_key(w, f->name);
        example_shown(w, m, f);
    }
    put_text(w, "resource_type", of->ref);
    if (of->shows) example_url(w, m, r);
    jw_end(w);
}

void example_shown(struct json_writer *w, const struct manual *m, const struct field *f) {
    const struct json *own = field_example(m, f);
    if (f->type == F_REF) {
        example_reference(w, m, f, own);
    } else if (f->type == F_MANY) {
        jw_array(w);
        example_reference(w, m, f, NULL);
        jw_end(w);
    } else if (f->type == F_ROWS) {
        jw_array(w);
        example_resource(w, m, resource_of(f->ref));
        jw_end(w);
    } else if (own) {
        jw_json(w, own);
    } else {
        by_type(w, f);
    }
}

/* ---- requests -------------------------------------------------------------------------------- */

/* True for fields in the example of a request: mandatory fields, and fields with an example. The example
 * should succeed without harm when it is run. It therefore has no ids of other resources, which may not
 * exist, and no passwords. */
static bool worth_sending(const struct operation *op, const struct field *f) {
    if (input_mandatory(op, f)) return true;
    return f->example && f->type != F_REF && f->type != F_IDS && f->type != F_PASSWORD;
}

static void example_fields(struct json_writer *w, const struct manual *m, const struct operation *op,
                           const struct field *fields) {
    const struct field *only = NULL;
    bool any = false;
    for (const struct field *f = fields; f->name; f++) {
        if (!input_sent(op, f)) continue;
        if (only == NULL) only = f;
        any = any || worth_sending(op, f);
    }
    for (const struct field *f = fields; f->name; f++) {
        if (!input_sent(op, f) || !(any ? worth_sending(op, f) : f == only)) continue;
        put_key(w, sent_name(m, f));
        example_sent(w, m, op, f);
    }
}

void example_sent(struct json_writer *w, const struct manual *m, const struct operation *op,
                  const struct field *f) {
    const struct json *own = field_example(m, f);
    const struct route *r = op->route;
    if (f->type == F_REF) {
        example_id(w, own);
    } else if (own) {
        jw_json(w, own);
    } else if (r->records && strcmp(r->record_list, f->name) == 0) {
        jw_array(w);
        jw_object(w);
        example_fields(w, m, op, fields_of(resource_record_fields(r->records)));
        jw_end(w);
        jw_end(w);
    } else {
        by_type(w, f);
    }
}

void example_request(struct json_writer *w, const struct manual *m, const struct operation *op) {
    const char *body = op->route->sample.body;
    if (body && strchr(body, '$') == NULL) { /* with variables of the shell it is no JSON */
        jw_raw(w, str_of(body));
        return;
    }
    jw_object(w);
    example_fields(w, m, op, operation_input(op));
    jw_end(w);
}

/* ---- resources and replies ------------------------------------------------------------------- */

static const struct field *member(const struct resource *r, struct str name) {
    for (const struct field *f = fields_of(r->fields); f && f->name; f++)
        if (str_eq(str_of(f->name), name)) return f;
    return NULL;
}

/* "teams/:id" with the examples of the members in it. */
static void example_url(struct json_writer *w, const struct manual *m, const struct resource *r) {
    struct buf url = {0};
    struct str rest = str_of(r->url);
    struct segment s = {0};
    buf_str(&url, m->base_url);
    buf_text(&url, "/api/v1");
    while (path_next(&rest, &s)) {
        const struct field *f = s.variable ? member(r, s.text) : NULL;
        const struct json *own = f ? field_example(m, f) : NULL;
        buf_char(&url, '/');
        if (!s.variable) buf_str(&url, s.text);
        else if (own && (own->type == JSON_STRING || own->type == JSON_NUMBER)) buf_str(&url, own->text);
        else buf_char(&url, '1');
    }
    put_key(w, "resource_url");
    jw_str(w, buf_view(&url));
    buf_free(&url);
}

void example_resource(struct json_writer *w, const struct manual *m, const struct resource *r) {
    jw_object(w);
    if (resource_has_ids(r)) put_member(w, "id", "1");
    for (const struct field *f = fields_of(r->fields); f && f->name; f++) {
        if (!field_shown(f) || f->flags & ON_DEMAND) continue;
        put_key(w, f->name);
        example_shown(w, m, f);
    }
    if (resource_has_type(r)) put_text(w, "resource_type", resource_shown_type(r));
    if (r->url) example_url(w, m, r);
    jw_end(w);
}

static void example_data(struct json_writer *w, const struct manual *m, const struct operation *op) {
    bool list = op->route->shape != ONE;
    put_key(w, "data");
    if (list) jw_array(w);
    example_resource(w, m, op->reply);
    if (list) jw_end(w);
    if (operation_label(op)) put_text(w, "resource", operation_label(op));
}

void example_reply(struct json_writer *w, const struct manual *m, const struct operation *op) {
    enum shape shape = op->route->shape;
    jw_object(w);
    put_key(w, "status");
    jw_int(w, operation_status(op));
    if (op->reply) example_data(w, m, op);
    if (shape == LIST) {
        put_member(w, "offset", "0");
        put_member(w, "limit", "10");
    }
    if (shape == LIST_CURSOR) put_member(w, "limit", "10");
    if (shape != ONE && shape != NONE && shape != LIST_CURSOR)
        put_member(w, "total_count", shape == COUNT ? "2" : "1");
    if (shape == COUNT && operation_bulk(op))
        put_member(w, "results",
                   route_changes_objects(op->route)
                       ? "[{'id': 23, 'result': 'CHANGED', 'former': {}}, {'id': 24, 'result': 'UNCHANGED'}]"
                       : "[{'id': 23, 'result': 'DELETED'}, {'id': 24, 'result': 'DELETED'}]");
    jw_end(w);
}
