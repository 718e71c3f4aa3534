#include "res/field_value.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/ids.h"
#include "base/limits.h"
#include "core/cases/form.h"
#include "core/fields/field_catalogue.h"
#include "core/fields/field_value.h"

struct given_values {
    struct field_value *list;
    int count;
};

/* State of the check of the field values in a request. */
struct reading {
    struct call *c;
    struct in *in;
    const struct custom_field *fields;
    const struct field_option *options;
    int field_count, option_count;
    bool by_customer;
    bool created; /* the owner is created by this call */
    enum field_area area;
};

static bool sees(const struct reading *r, const struct custom_field *f) {
    return !r->by_customer || f->is_visible_to_customers;
}
static bool may_give(const struct reading *r, const struct custom_field *f) {
    return !r->by_customer || (sees(r, f) && f->is_customer_editable);
}

static bool must_give(const struct reading *r, const struct custom_field *f) {
    return r->by_customer ? f->is_required_for_customers && may_give(r, f) : f->is_required_for_agents;
}

static int field_value_refuse(const struct reading *r, struct str key, enum error code, const char *why) {
    if (key.n > LIMIT_FIELD_KEY) key = S("..."); /* not a key of this desk */
    return fail_at(&r->c->work, code, r->in->name, in_place(r->c, r->in, "%.*s", (int)key.n, key.p),
                   why ? "%s" : NULL, why);
}

static const struct custom_field *field_with_key(const struct reading *r, struct str key) {
    for (int i = 0; i < r->field_count; i++)
        if (str_eq(r->fields[i].key, key) && sees(r, &r->fields[i])) return &r->fields[i];
    return NULL;
}

/* Customers may not list fields. */
static const char *key_unknown(const struct reading *r) {
    static const char *const lists[] = {[AREA_CASES] = "/cases/fields",
                                        [AREA_USERS] = "/users/fields",
                                        [AREA_ORGANIZATIONS] = "/organizations/fields"};
    if (r->by_customer) return "There is no custom field with this key, or you may not see it.";
    return str_fmt(r->c->work.arena,
                   "There is no enabled custom field with this key. GET %s lists the "
                   "fields and their keys.",
                   lists[r->area])
        .p;
}

/* Converts a single value, or a list of options, to text. Returns false if it is neither. */
static bool field_value_text(struct arena *a, const struct json *j, bool list, struct str *text) {
    struct buf b = {0};
    switch (j->type) {
    case JSON_STRING:
    case JSON_NUMBER: *text = j->text; return true;
    case JSON_TRUE: *text = S("true"); return true;
    case JSON_FALSE: *text = S("false"); return true;
    case JSON_ARRAY: break;
    default: return false;
    }
    for (const struct json *item = j->first; list && item; item = item->next) {
        list = item->type == JSON_STRING || item->type == JSON_NUMBER;
        if (b.n) buf_char(&b, ',');
        if (list) buf_str(&b, item->text);
    }
    *text = buf_take(&b, a);
    return list;
}

static void field_value_read_given(const struct reading *r, const struct json *j, struct given_values *out) {
    struct arena *a = r->c->work.arena;
    const struct custom_field *f = field_with_key(r, j->name);
    struct field_value v = {.field = f};
    struct str text = {0};
    if (f == NULL) {
        field_value_refuse(r, j->name, ERR_FIELD_INVALID, key_unknown(r));
        return;
    }
    if (!may_give(r, f) && r->area == AREA_CASES) {
        notice(&r->c->work, "NOTICE", "field_values.%s was ignored: customers may not edit it.",
               str_dup(a, f->key).p);
        return;
    }
    if (!may_give(r, f)) {
        field_value_refuse(r, j->name, ERR_FIELD_INVALID, "You may not change this field.");
        return;
    }
    bool boolean = j->type == JSON_TRUE || j->type == JSON_FALSE;
    bool single = j->type == JSON_NULL || (field_value_text(a, j, f->type == FIELD_CHECKBOX, &text) &&
                                           (!boolean || f->type == FIELD_YESNO));
    const char *why = single ? NULL : "A single value is expected.";
    if (single && text.p && str_trim(text).n)
        why = field_value_read(a, f, r->options, r->option_count, text, &v.value);
    if (v.value.n == 0) v.value.p = NULL;
    if (why) field_value_refuse(r, j->name, ERR_FIELD_INVALID, why);
    else if (v.value.p == NULL && must_give(r, f)) field_value_refuse(r, j->name, ERR_FIELD_REQUIRED, NULL);
    out->list[out->count++] = v;
}

static bool is_given(const struct json *map, struct str key) { return json_member(map, key) != NULL; }

/* Finds required fields that were not sent and have no value. A conversation needs them only when it is
 * created. */
static int read_missing(const struct reading *r) {
    if (!r->created && (!r->by_customer || r->area == AREA_CASES)) return 0;
    for (int i = 0; i < r->field_count; i++) {
        const struct custom_field *f = &r->fields[i];
        if (!must_give(r, f) || is_given(r->in->json, f->key)) continue;
        int has = r->created ? 0 : field_value_exists(&r->c->work, f, r->c->id);
        if (has < 0) return has;
        if (has == 0) field_value_refuse(r, f->key, ERR_FIELD_REQUIRED, NULL);
    }
    return 0;
}

static struct str field_value_keys(struct arena *a, const struct json *map) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (const struct json *j = map->first; j; j = j->next) jw_str(&w, j->name);
    jw_end(&w);
    return buf_take(&b, a);
}

/* Loads the options of the given fields. */
static int field_values_load_options(struct reading *r, struct field_option **options) {
    struct arena *a = r->c->work.arena;
    int64_t *ids = arena_array(a, (size_t)r->field_count + 1, sizeof *ids);
    size_t n = 0;
    for (int i = 0; i < r->field_count; i++)
        if (field_has_options(r->fields[i].type) && is_given(r->in->json, r->fields[i].key))
            ids[n++] = r->fields[i].id;
    return n ? field_options_of(&r->c->work, json_ids(a, ids, n), options) : 0;
}

/* A file of another person gets the same message as a file that does not exist. */
static int check_files(const struct reading *r, enum field_area area, const struct given_values *given) {
    struct work *w = &r->c->work;
    bool *usable = arena_array(w->arena, (size_t)given->count + 1, sizeof *usable);
    int64_t owner = r->created || r->c->id_count > 1 ? 0 : r->c->method == POST ? r->c->vars[0].id : r->c->id;
    TRY(field_files_usable(w, area, owner, given->list, given->count, usable));
    for (int i = 0; i < given->count; i++)
        if (field_value_file(&given->list[i]) && !usable[i])
            field_value_refuse(r, given->list[i].field->key, ERR_FIELD_INVALID,
                               "There is no such file of yours, or it has expired. Upload it again.");
    return 0;
}

/* The form that the request gives, or that the conversation has. 0: none. A table of fields has `form`
 * before `field_values`. */
static int form_in_force(const struct reading *r, int64_t *form_id) {
    struct call *c = r->c;
    *form_id = 0;
    for (int i = 0; i < c->input_count; i++) {
        const struct in *in = &c->input[i];
        if (in->field == NULL || strcmp(in->field->name, "form") != 0 || !in->given) continue;
        *form_id = in->value.type == V_INT ? in->value.i : 0;
        return 0;
    }
    if (r->created || c->id_count > 1) return 0;
    return case_form_of(&c->work, c->method == POST ? c->vars[0].id : c->id, form_id);
}

/* With a form, only its fields are required. */
static int require_form(const struct reading *r, struct custom_field *fields) {
    int64_t form, *ids;
    TRY(form_in_force(r, &form));
    if (form == 0) return 0;
    int n = case_form_fields(&r->c->work, form, &ids);
    for (int i = 0; n >= 0 && i < r->field_count; i++)
        if (!ids_have(ids, n, fields[i].id))
            fields[i].is_required_for_agents = fields[i].is_required_for_customers = false;
    return n;
}

static int check(struct call *c, struct in *in, enum field_area area) {
    struct work *w = &c->work;
    struct reading r = {.c = c,
                        .in = in,
                        .by_customer = w->actor.rank < ROLE_COLLABORATOR,
                        .created = c->method == POST && c->var_count == 0,
                        .area = area};
    struct given_values *made = in->made = ARENA_NEW(w->arena, struct given_values);
    struct custom_field *fields;
    struct field_option *options = NULL;
    int problems = w->problem_count;
    if (in->json->count > LIMIT_FIELDS)
        return fail_at(w, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d values are allowed.",
                       LIMIT_FIELDS);
    if (in->json->count) TRY(fields_lock(w, area, field_value_keys(w->arena, in->json)));
    TRY(r.field_count = custom_fields_of(w, area, &fields));
    if (r.area == AREA_CASES) TRY(require_form(&r, fields));
    r.fields = fields;
    TRY(r.option_count = field_values_load_options(&r, &options));
    r.options = options;
    made->list = arena_array(w->arena, in->json->count + 1, sizeof *made->list);
    for (const struct json *j = in->json->first; j; j = j->next) field_value_read_given(&r, j, made);
    TRY(check_files(&r, area, made));
    TRY(read_missing(&r));
    return w->problem_count > problems ? -(int)failure(w) : 0;
}

static int field_values_store(struct call *c, const struct in *in, int64_t id, enum field_area area) {
    const struct given_values *made = in->made;
    return made ? field_values_put(&c->work, area, id, made->list, made->count) : 0;
}

int field_values_given(struct call *c, const struct field_value **list) {
    const struct given_values *made = in(c, "field_values")->made;
    *list = made ? made->list : NULL;
    return made ? made->count : 0;
}

int check_case_values(struct call *c, struct in *in) { return check(c, in, AREA_CASES); }
int check_user_values(struct call *c, struct in *in) { return check(c, in, AREA_USERS); }
int check_organization_values(struct call *c, struct in *in) { return check(c, in, AREA_ORGANIZATIONS); }
int store_user_values(struct call *c, const struct in *in, int64_t id) {
    return field_values_store(c, in, id, AREA_USERS);
}
int store_organization_values(struct call *c, const struct in *in, int64_t id) {
    return field_values_store(c, in, id, AREA_ORGANIZATIONS);
}

/* ---- the resources --------------------------------------------------------------------------- */

enum { VALUE_FIELD, VALUE_TEXT }; /* places in the tables below */

/* The value as members show it. */
static struct str value_shown(struct arena *a, enum field_kind type, struct str value) {
    if (value.p == NULL) return S("");
    return type == FIELD_DATE ? STR_CAT(a, value, S("T00:00:00+00:00")) : value;
}

static void value_rows(struct view *v, const struct layout *layout, const struct field_values *read,
                       const struct str *values, struct value *cell) {
    struct row **last = &cell->rows;
    *cell = (struct value){.type = V_ROWS, .i = read->field_count};
    for (int i = 0; i < read->field_count; i++) {
        struct row *row = *last = row_new(v, layout, 0);
        row->cells[VALUE_FIELD] = (struct value){V_INT, .i = read->fields[i]->id};
        row->cells[VALUE_TEXT] = value_text(value_shown(v->c->work.arena, read->fields[i]->type, values[i]));
        last = &row->next;
    }
}

static int load_shown_values(struct view *v, const struct layout *layout, enum field_area area,
                             bool to_customers, const struct owners *owners) {
    struct field_values read;
    TRY(field_values_of(&v->c->work, area, to_customers, owners->ids, owners->count, &read));
    for (int i = 0; read.field_count && i < owners->count; i++)
        value_rows(v, layout, &read, &read.values[i * read.field_count], owners->cells[i]);
    return 0;
}

static bool is_to_customers(const struct view *v) { return v->c->work.actor.rank < ROLE_COLLABORATOR; }

static int load_user_values(struct view *v, const struct layout *layout, const struct owners *owners) {
    return load_shown_values(v, layout, AREA_USERS, is_to_customers(v), owners);
}

static int load_organization_values(struct view *v, const struct layout *layout,
                                    const struct owners *owners) {
    return load_shown_values(v, layout, AREA_ORGANIZATIONS, is_to_customers(v), owners);
}

static int load_case_values(struct view *v, const struct layout *layout, const struct owners *owners) {
    return load_shown_values(v, layout, AREA_CASES, is_to_customers(v), owners);
}

/* A conversation shows the same fields to all callers. */
static int load_conversation_values(struct view *v, const struct layout *layout,
                                    const struct owners *owners) {
    return load_shown_values(v, layout, AREA_CASES, true, owners);
}

static void field_value_visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_COLLABORATOR) out->all = true;
    else branch_add(out, "f.is_visible_to_customers = 1");
}

/* Dates are stored without a time (enum field_kind: 6). */
#define SHOWN                                                                         \
    "CASE WHEN f.type = 6 AND v.value IS NOT NULL THEN v.value || 'T00:00:00+00:00' " \
    "ELSE COALESCE(v.value, '') END"
#define VALUE_DOC "The value as text, or the empty text. Options and files are shown by id. For files, "

static const struct field user_value_fields[] = {
    {"field", F_REF, READONLY, .ref = "user_field", .doc = "Field of the value."},
    {"value", F_LONG, READONLY, .doc = VALUE_DOC "GET /users/:id/files/:file_id/content downloads it.",
     .example = "\"3\""},
    {0},
};
const struct resource user_field_value_resource = {.type = "user_field_value",
                                                   .scope = "users",
                                                   .title = "Values of people",
                                                   .doc = "Values of the custom fields of people.",
                                                   .fields = user_value_fields,
                                                   .load_owned = load_user_values};

static const struct field organization_value_fields[] = {
    {"field", F_REF, READONLY, .ref = "organization_field", .shows = "title,key",
     .doc = "Field of the value."},
    {"value", F_LONG, READONLY,
     .doc = VALUE_DOC "GET /organizations/:id/files/:file_id/content downloads it.", .example = "\"3\""},
    {0},
};
const struct resource organization_field_value_resource = {
    .type = "organization_field_value",
    .scope = "users",
    .title = "Values of organizations",
    .doc = "Values of the custom fields of organizations.",
    .fields = organization_value_fields,
    .load_owned = load_organization_values};

static const struct field case_value_fields[] = {
    {"field", F_REF, READONLY, .column = "f.id", .ref = "case_field", .doc = "Field of the value."},
    {"value", F_LONG, READONLY, .column = SHOWN,
     .doc = VALUE_DOC "GET /cases/:id/files/:file_id/content downloads it.", .example = "\"3\""},
    {0},
};
static const struct route case_value_routes[] = {
    {GET, "/cases/:id/field/values", COL_PLUS, "conversations", LIST_COUNT, api_list, .of = "case",
     .where = "t.id = :id", .order = {.key = "f.sort_order", .then = "f.id"},
     .summary = "List the values of the custom fields of a conversation",
     .doc = "Each enabled custom field, sorted by position. An unset value is an empty text."},
    {0},
};
const struct resource case_field_value_resource = {
    .type = "case_field_value",
    .scope = "conversations",
    .title = "Values of conversations",
    .doc = "Values of the custom fields of conversations, as staff see them.",
    /* each enabled field of each conversation, with the value or NULL */
    .from = "cases t JOIN custom_fields f ON f.area = 1 AND f.is_enabled = 1 AND f.is_system = 0 "
            "LEFT JOIN field_values v ON v.owner_id = t.id AND v.area = 1 AND v.field_id = f.id",
    .fields = case_value_fields,
    .routes = case_value_routes,
    .visible = field_value_visible,
    .load_owned = load_case_values};

static const struct field conversation_value_fields[] = {
    {"field", F_REF, READONLY, .ref = "conversation_field", .doc = "Field of the value."},
    {"value", F_LONG, READONLY,
     .doc = VALUE_DOC "GET /conversations/:id/files/:file_id/content downloads it.", .example = "\"3\""},
    {0},
};
const struct resource conversation_field_value_resource = {
    .type = "conversation_field_value",
    .scope = "conversations",
    .title = "Values that customers see",
    .doc = "Values of the custom fields of conversations that customers see.",
    .fields = conversation_value_fields,
    .load_owned = load_conversation_values};
