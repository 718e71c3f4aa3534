#include "api/docs/schema.h"

void schema_ref(struct json_writer *w, const char *kind, const char *name, const char *suffix) {
    struct buf b = {0};
    buf_fmt(&b, "#/components/%s/%s%s", kind, name, suffix);
    jw_object(w);
    put_key(w, "$ref");
    jw_str(w, buf_view(&b));
    jw_end(w);
    buf_free(&b);
}

void put_type(struct json_writer *w, const char *type, bool nullable) {
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

void put_int(struct json_writer *w, const char *name, int64_t v) {
    put_key(w, name);
    jw_int(w, v);
}

void put_enum(struct json_writer *w, const struct word *words, bool nullable) {
    put_key(w, "enum");
    jw_array(w);
    for (; words->word; words++) jw_str(w, str_of(words->word));
    if (nullable) jw_null(w);
    jw_end(w);
}

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

void put_shown(struct json_writer *w, const struct manual *m, const struct field *f, bool nullable) {
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
