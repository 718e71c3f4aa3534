/* Custom fields with their options, and values. Fields and options keep their ids, because programs name
 * them. */
#include "base/error.h"
#include "core/fields/field_value.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- fields ---------------------------------------------------------------------------------- */

static const struct area {
    enum field_area area;
    struct api_kind_here kind;
    const char *group; /* of rules about conversations */
} areas[] = {
    [AREA_CASES] = {AREA_CASES,
                    {"case_field", "/cases/fields", "custom fields of conversations", NULL},
                    "casefields"},
    [AREA_USERS] = {AREA_USERS,
                    {"user_field", "/users/fields", "custom fields of people", NULL},
                    "requesterfields"},
    [AREA_ORGANIZATIONS] = {AREA_ORGANIZATIONS,
                            {"organization_field", "/organizations/fields", "custom fields of organizations",
                             NULL},
                            "organizationfields"},
};

static int keep_field(struct foreign *f, enum field_area area, const struct json *item) {
    struct foreign_kept *k = ARENA_NEW(f->memory, struct foreign_kept);
    *k = (struct foreign_kept){item_int(item, "id"), (int)area, f->changed_at, json_text(f->memory, item),
                               NULL};
    struct foreign_kept **at = &f->kept;
    while (*at && (*at)->id < k->id) at = &(*at)->next;
    k->next = *at;
    *at = k;
    return 0;
}

int take_api_case_field(struct foreign *f, const struct json *item) {
    return keep_field(f, AREA_CASES, item);
}
int take_api_user_field(struct foreign *f, const struct json *item) {
    return keep_field(f, AREA_USERS, item);
}
int take_api_organization_field(struct foreign *f, const struct json *item) {
    return keep_field(f, AREA_ORGANIZATIONS, item);
}

/* ---- options --------------------------------------------------------------------------------- */

QUERY(options_made, "SELECT id FROM custom_field_options WHERE field_id = :field ORDER BY id");
QUERY(option_there, "SELECT 1 FROM custom_field_options WHERE id = :id");
QUERY(option_as, "UPDATE custom_field_options SET id = :as WHERE id = :id");
QUERY(option_titles_as, "UPDATE locale_fields SET owner_id = :as WHERE owner_kind = 2 AND owner_id = :id");

static struct json *options_wanted(struct foreign *f, const struct json *item) {
    struct json *out = json_new(f->item, JSON_ARRAY);
    const struct json *list = item_list(item, "options");
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct json *one = json_new(f->item, JSON_OBJECT);
        const struct json *values = item_list(j, "values"), *place = json_member(j, S("sort_order"));
        api_put(one, "values", api_translations(f, values ? values : item_list(j, "titles")));
        api_put_text(f, one, "tag", json_member_text(j, "tag"));
        if (place && place->type == JSON_NUMBER) api_put_id(f, one, "sort_order", item_int(j, "sort_order"));
        json_append(out, one);
    }
    return out;
}

static int option_same(struct foreign *f, int64_t id, int64_t here) {
    foreign_here(f, "field_option", id, here);
    return imported_keep(f, "field_option", id, here, 0);
}

/* A value is the id of an option, so new options take the ids of the source if these are free. */
static int option_keep(struct foreign *f, int64_t id, int64_t made) {
    int64_t one;
    int taken = f->maps_ids ? 1 : db_int(f->conn, &option_there, BINDS(B_INT("id", id)), &one);
    TRY(taken);
    TRY(option_same(f, id, taken ? made : id));
    if (taken) return 0;
    const struct bind *binds = BINDS(B_INT("as", id), B_INT("id", made));
    TRY(db_exec(f->conn, &option_as, binds));
    return db_exec(f->conn, &option_titles_as, binds);
}

static int options_keep(struct foreign *f, const struct json *item, int64_t field) {
    const struct json *list = item_list(item, "options");
    int64_t *made;
    int n = db_ids(f->conn, &options_made, BINDS(B_INT("field", field)), f->item, &made), i = 0;
    TRY(n);
    for (const struct json *j = list ? list->first : NULL; j && i < n; j = j->next, i++)
        if (item_int(j, "id") > 0) TRY(option_keep(f, item_int(j, "id"), made[i]));
    return 0;
}

/* The first new option gets an id above those of the source, so that these stay free. */
static int options_above(struct foreign *f) {
    int64_t highest = 0;
    struct json *item;
    struct json_error wrong;
    for (const struct foreign_kept *k = f->kept; k; k = k->next) {
        const struct json *list =
            json_parse(f->item, k->text, &item, &wrong) == 0 ? item_list(item, "options") : NULL;
        for (const struct json *j = list ? list->first : NULL; j; j = j->next)
            if (item_int(j, "id") > highest) highest = item_int(j, "id");
    }
    if (f->maps_ids || highest <= 0 || highest > INT32_MAX) return 0; /* no honest desk has so many */
    int rc = db_next_id(f->conn, "custom_field_options", highest + 1);
    return rc < 0 ? rc : 0;
}

/* ---- making ---------------------------------------------------------------------------------- */

QUERY(built_in_field, "SELECT id FROM custom_fields WHERE area = :area AND key = :key AND is_system = 1");

QUERY(field_same, "SELECT id FROM custom_fields WHERE area = :area AND key = :key AND type = :type "
                  "AND is_system = 0 AND deleted_at IS NULL");
QUERY(option_titled, "SELECT MIN(o.id) FROM custom_field_options o JOIN locale_fields l "
                     "ON l.owner_kind = 2 AND l.owner_id = o.id WHERE o.field_id = :field "
                     "AND l.locale = :locale AND l.translation = :title HAVING COUNT(*) = 1");

static void explain_options(struct foreign *f, const struct area *a, struct str key, int64_t here) {
    foreign_explain(f, a->group, 0, key, 1);
    foreign_explain(f, "options", here, key, 1);
}

/* Options of a field of the desk: those of an earlier run, and those with the same title. */
static int option_matched(struct foreign *f, const struct json *option, int64_t field) {
    struct imported row;
    int64_t id = item_int(option, "id"), here = 0;
    const struct json *titles = item_list(option, "values");
    int rc = imported_find(f, "field_option", id, &row);
    if (rc) return rc < 0 ? rc : (foreign_here(f, "field_option", id, row.here), 0);
    for (const struct json *j = titles ? titles->first : NULL; j && rc == 0; j = j->next)
        rc = db_int(f->conn, &option_titled,
                    BINDS(B_INT("field", field), B_TEXT("locale", json_member_text(j, "locale")),
                          B_TEXT("title", json_member_text(j, "translation"))),
                    &here);
    if (rc == 0) foreign_skip(f, "options of custom fields that this desk has without them", id);
    return rc > 0 ? option_same(f, id, here) : rc;
}

/* A field of the desk with the same key and type stands for the one of the source. Returns 1 if there is
 * one. */
static int field_mapped(struct foreign *f, const struct area *a, const struct json *item) {
    struct imported row;
    struct str key = json_member_text(item, "key");
    int64_t id = item_int(item, "id"), type = api_word(field_kinds, json_member_text(item, "type"));
    int found = imported_find(f, a->kind.type, id, &row);
    if (found == 0)
        found = db_int(f->conn, &field_same,
                       BINDS(B_INT("area", a->area), B_TEXT("key", key), B_INT("type", type)), &row.here);
    if (found <= 0) return found;
    TRY(api_row_same(f, &a->kind, item, row.here));
    const struct json *list = item_list(item, "options");
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        TRY(option_matched(f, j, row.here));
    if (list && list->count) explain_options(f, a, key, row.here);
    return 1;
}

static int load_field(struct foreign *f, const struct area *a, const struct json *item) {
    struct str key = json_member_text(item, "key");
    int64_t here = 0;
    int rc = db_int(f->conn, &built_in_field, BINDS(B_INT("area", a->area), B_TEXT("key", key)), &here);
    TRY(rc);
    if (rc || json_member_true(item, "is_system")) {
        if (rc) foreign_here(f, a->kind.type, item_int(item, "id"), here);
        return 0;
    }
    rc = f->maps_ids ? field_mapped(f, a, item) : 0;
    if (rc) return rc < 0 ? rc : 0;
    struct json *body =
        api_body(f, api_parameters(&a->kind), item, "title customer_title description options");
    struct json *options = options_wanted(f, item);
    if (options->count) api_put(body, "options", options);
    rc = api_row_make(f, &a->kind, item, body, 0, &here);
    if (rc <= 0) return rc;
    if (options->count) explain_options(f, a, key, here);
    return options->count ? options_keep(f, item, here) : 0;
}

int load_api_fields(struct foreign *f) {
    struct json *item;
    struct json_error wrong;
    TRY(options_above(f));
    for (const struct foreign_kept *k = f->kept; k; k = k->next)
        if (f->changed_at = k->changed_at, json_parse(f->item, k->text, &item, &wrong) == 0)
            TRY(load_field(f, &areas[k->group], item));
    return 0;
}

bool api_field_has_options(const struct foreign *f, struct str group, struct str key) {
    for (size_t i = AREA_CASES; i < sizeof areas / sizeof *areas; i++)
        if (areas[i].group && str_eq(group, str_of(areas[i].group)))
            return foreign_term(f, areas[i].group, 0, key) > 0;
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The fields of an area, read once, because the import changes none any more. */
static int fields_here(struct foreign *f, enum field_area area, struct foreign_fields **out) {
    struct foreign_fields *all = *out = &f->fields[area];
    struct work w;
    if (all->read) return 0;
    foreign_work(f, &w, 0, foreign_owner(f));
    w.arena = f->memory;
    all->count = custom_fields_of(&w, area, &all->list);
    TRY(all->count);
    int64_t *ids = arena_array(f->item, (size_t)all->count + 1, sizeof *ids);
    for (int i = 0; i < all->count; i++) ids[i] = all->list[i].id;
    all->option_count = field_options_of(&w, json_ids(f->item, ids, (size_t)all->count), &all->options);
    TRY(all->option_count);
    all->read = true;
    return 0;
}

static const struct custom_field *field_with_id(const struct foreign_fields *all, int64_t id) {
    for (int i = 0; i < all->count; i++)
        if (all->list[i].id == id) return &all->list[i];
    return NULL;
}

/* Ids of options of the source as those of this desk. */
static struct str options_here(struct foreign *f, struct str text) {
    struct buf b = {0};
    while (text.p && text.n) {
        int64_t id = 0;
        str_to_int(str_trim(str_cut(&text, ',')), &id);
        buf_fmt(&b, "%s%" PRId64, b.n ? "," : "", foreign_find(f, "field_option", id));
    }
    return buf_take(&b, f->item);
}

static bool value_here(struct foreign *f, const struct foreign_fields *all, const struct custom_field *field,
                       const struct json *value, struct field_value *out) {
    struct str text = json_scalar(value);
    const char *why = text.p ? NULL : "no text";
    *out = (struct field_value){.field = field};
    if (field->type == FIELD_FILE) why = "values that are files";
    if (!why && field_has_options(field->type)) text = options_here(f, text);
    if (!why) why = field_value_read(f->item, field, all->options, all->option_count, text, &out->value);
    return why == NULL && out->value.n > 0;
}

int load_api_values(struct foreign *f, enum field_area area, const struct json *item, int64_t owner_id) {
    const struct json *list = item_list(item, "custom_fields");
    struct foreign_fields *all;
    struct field_value *values;
    struct work w;
    int n = 0;
    if (!list || list->count == 0) return 0;
    TRY(fields_here(f, area, &all));
    values = arena_array(f->item, list->count + 1, sizeof *values);
    for (const struct json *j = list->first; j; j = j->next) {
        const struct json *value = json_member(j, S("value"));
        int64_t id = foreign_find(f, areas[area].kind.type, api_reference(j, "field"));
        const struct custom_field *field = field_with_id(all, id);
        bool is_cleared = foreign_is_empty(value);
        if (is_cleared && f->carried_at && field && field->type != FIELD_FILE)
            values[n++] = (struct field_value){.field = field};
        if (is_cleared) continue;
        if (field && value_here(f, all, field, value, &values[n])) n++;
        else foreign_skip(f, str_fmt(f->item, "values of %s", areas[area].kind.label).p, owner_id);
    }
    if (n == 0) return 0;
    foreign_work(f, &w, 0, foreign_owner(f));
    return foreign_done(f, &w, field_values_put(&w, area, owner_id, values, n));
}
