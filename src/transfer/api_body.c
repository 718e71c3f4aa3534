#include "transfer/api_body.h"

#include <inttypes.h>
#include <string.h>

#include "api/input/input.h"
#include "api/table/fields.h"
#include "transfer/foreign_row.h"

/* ---- parts ----------------------------------------------------------------------------------- */

int64_t api_reference(const struct json *item, const char *name) {
    const struct json *j = json_member(item, str_of(name));
    return j && j->type == JSON_OBJECT ? item_int(j, "id") : 0;
}

void api_put(struct json *object, const char *name, struct json *value) {
    value->name = str_of(name);
    value->next = NULL;
    json_append(object, value);
}

void api_take(struct json *object, const char *name) {
    struct json *first = object->first;
    object->first = object->last = NULL;
    object->count = 0;
    for (struct json *j = first, *next; j; j = next) {
        next = j->next;
        j->next = NULL;
        if (!str_eq(j->name, str_of(name))) json_append(object, j);
    }
}

void api_put_text(struct foreign *f, struct json *object, const char *name, struct str text) {
    if (text.p) api_put(object, name, json_string(f->item, text));
}

void api_put_id(struct foreign *f, struct json *object, const char *name, int64_t id) {
    if (id) api_put_text(f, object, name, str_fmt(f->item, "%" PRId64, id));
}

/* The children are shared, because nobody changes them. */
static struct json *json_share(struct foreign *f, const struct json *value) {
    struct json *copy = json_new(f->item, value->type);
    *copy = *value;
    copy->next = NULL;
    return copy;
}

struct json *api_translations(struct foreign *f, const struct json *list) {
    struct json *out = json_new(f->item, JSON_ARRAY);
    for (const struct json *j = list && list->type == JSON_ARRAY ? list->first : NULL; j; j = j->next) {
        struct json *one = json_new(f->item, JSON_OBJECT);
        if (!json_member_text(j, "translation").n) continue;
        api_put_text(f, one, "locale", json_member_text(j, "locale"));
        api_put_text(f, one, "translation", json_member_text(j, "translation"));
        json_append(out, one);
    }
    return out;
}

struct json *api_bare(struct foreign *f, const struct json *value) {
    if (value->type != JSON_ARRAY && value->type != JSON_OBJECT) return json_share(f, value);
    struct json *out = json_new(f->item, value->type);
    for (const struct json *j = value->first; j; j = j->next) {
        if (value->type == JSON_OBJECT && (str_eq(j->name, S("id")) || str_starts(j->name, S("resource_"))))
            continue;
        struct json *child = api_bare(f, j);
        child->name = j->name;
        json_append(out, child);
    }
    return out;
}

/* ---- references ------------------------------------------------------------------------------ */

/* Kinds with many rows, which are not kept in memory. */
static const struct foreign_earlier *many_rows(const char *type) {
    if (strcmp(type, "user") == 0 || strcmp(type, "user_minimal") == 0) return &foreign_person;
    return strcmp(type, "team") == 0           ? &foreign_team
           : strcmp(type, "organization") == 0 ? &foreign_organization
                                               : NULL;
}

int api_found(struct foreign *f, const char *type, int64_t id, int64_t *here) {
    const struct foreign_earlier *many = many_rows(type);
    *here = 0;
    if (id <= 0) return 0;
    if (many && f->maps_ids) {
        int rc = foreign_found(f, many, id, here);
        return rc < 0 ? rc : 0;
    }
    *here = many ? id : foreign_find(f, type, id);
    return 0;
}

int64_t api_here(struct foreign *f, const char *type, int64_t id) {
    int64_t here;
    if (id <= 0 || api_found(f, type, id, &here) < 0) return 0;
    if (here == 0 && (strcmp(type, "brand") != 0 || id > 1))
        foreign_skip(f, str_fmt(f->item, "references to a %s that is not here", type).p, id);
    return here;
}

struct json *api_list_here(struct foreign *f, const char *type, const struct json *list) {
    struct json *ids = json_new(f->item, JSON_ARRAY);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        int64_t here = api_here(f, type, item_int(j, "id"));
        if (here) json_append(ids, json_string(f->item, str_fmt(f->item, "%" PRId64, here)));
    }
    return ids;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Names of tags and of columns, of texts or objects. */
static struct json *names_listed(struct foreign *f, const struct json *list) {
    struct json *out = json_new(f->item, JSON_ARRAY);
    for (const struct json *j = list->type == JSON_ARRAY ? list->first : NULL; j; j = j->next) {
        struct str name = j->type == JSON_STRING ? j->text : json_member_text(j, "name");
        if (name.n) json_append(out, json_string(f->item, name));
    }
    return out;
}

static struct json *rows_owned(struct foreign *f, const char *type, const struct json *list) {
    struct json *out = json_new(f->item, JSON_ARRAY);
    for (const struct json *j = list->type == JSON_ARRAY ? list->first : NULL; j; j = j->next)
        json_append(out, api_body(f, resource_of(type)->fields, j, NULL));
    return out;
}

/* The value of a parameter; NULL: it is not given. */
static struct json *parameter_here(struct foreign *f, const struct field *x, const struct json *value) {
    switch (x->type) {
    case F_MANY:
    case F_ROWS:
        if (strcmp(x->ref, "locale_field") == 0) return api_translations(f, value);
        if (strcmp(x->ref, "tag") == 0) return names_listed(f, value);
        return x->owned_by ? rows_owned(f, x->ref, value) : NULL;
    case F_TEXTS: return names_listed(f, value);
    case F_LIST:
    case F_JSON: return api_bare(f, value);
    case F_IDS: return NULL;
    default: return value->type == JSON_ARRAY || value->type == JSON_OBJECT ? NULL : json_share(f, value);
    }
}

static void give_parameter(struct foreign *f, const struct field *x, const struct json *item,
                           struct json *body) {
    const struct json *value = json_member(item, str_of(x->name));
    if (value == NULL || value->type == JSON_NULL) return;
    if (x->type == F_REF) {
        int64_t here = api_here(f, x->ref, api_reference(item, x->name));
        api_put_id(f, body, str_fmt(f->item, "%s_id", x->name).p, here);
        return;
    }
    struct json *parameter = parameter_here(f, x, value);
    if (parameter) api_put(body, x->name, parameter);
}

struct json *api_body(struct foreign *f, const struct field *table, const struct json *item,
                      const char *left) {
    struct json *body = json_new(f->item, JSON_OBJECT);
    for (const struct field *x = fields_of(table); x->name; x++)
        if (input_taken(x, true) && !foreign_lists(left, str_of(x->name))) give_parameter(f, x, item, body);
    return body;
}
