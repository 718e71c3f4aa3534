/* Custom fields of conversations, people and organizations: three resources on one table. */
#include "core/fields/custom_field.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/random.h"
#include "core/fields/field_catalogue.h"
#include "core/desk/setting.h"
#include "res/translation.h"
#include "res/groups.h"

#include <assert.h>

/* The differences between the three resources. */
static const struct area {
    const char *type;
    enum field_area area;
} areas[] = {
    {"case_field", AREA_CASES}, {"user_field", AREA_USERS}, {"organization_field", AREA_ORGANIZATIONS}};

static const struct area *area_of(const struct call *c) {
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
        if (strcmp(areas[i].type, c->home->type) == 0) return &areas[i];
    assert(!"a custom field of nothing");
    return NULL;
}

/* ---- input ----------------------------------------------------------------------------------- */

static int check_key(struct call *c, struct in *in) {
    if (field_key_valid(in->value.s)) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "A letter is expected, followed by letters, digits, _ or -, with at most %d characters "
                   "in all.",
                   LIMIT_FIELD_KEY);
}

static int check_pattern(struct call *c, struct in *in) {
    const char *why = pattern_wrong(c->work.arena, in->value.s);
    return why ? fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                         "This is not a regular expression: %s.", why)
               : 0;
}

/* Types that a client may create. The other types belong to built-in fields. */
static int check_kind(struct call *c, struct in *in) {
    if (in->value.i < FIELD_SUBJECT) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "Fields of this type are built in and can't be created. Choose another type, "
                   "like TEXT or SELECT.");
}

/* Some flags of built-in fields are settings, so that each flag is stored once and can be changed in
 * either place. */
QUERY(system_field_key, "SELECT key FROM custom_fields WHERE id = :id AND is_system = 1");
QUERY(field_visible_put,
      "UPDATE custom_fields SET is_visible_to_customers = :value WHERE id = :id AND is_system = 0");
QUERY(field_editable_put,
      "UPDATE custom_fields SET is_customer_editable = :value WHERE id = :id AND is_system = 0");
#define VISIBLE "visible_to_customers"
#define EDITABLE "customer_editable"
#define FLAG(column, what)                                                                      \
    "CASE WHEN t.is_system = 1 THEN COALESCE((SELECT CAST(s.value AS INTEGER) FROM settings s " \
    "WHERE s.name = 'cases.' || t.key || '_" what "'), t." column ") ELSE t." column " END"

static struct str flag_setting(struct call *c, struct str key, const char *what) {
    return str_fmt(c->work.arena, "cases.%.*s_%s", (int)key.n, key.p, what);
}

static int store_flag(struct call *c, const struct in *in, int64_t id, const struct query *put,
                      const char *what) {
    struct str key = {0};
    int rc = db_text(c->work.conn, &system_field_key, BINDS(B_INT("id", id)), c->work.arena, &key);
    if (rc < 0) return rc;
    if (rc == 0) return db_exec(c->work.conn, put, BINDS(B_INT("id", id), B_INT("value", in->value.i)));
    return settings_put(
        &c->work, &(struct setting_value){flag_setting(c, key, what), in->value.i ? S("1") : S("0")}, 1);
}

static int store_visible(struct call *c, const struct in *in, int64_t id) {
    return store_flag(c, in, id, &field_visible_put, VISIBLE);
}
static int store_editable(struct call *c, const struct in *in, int64_t id) {
    return store_flag(c, in, id, &field_editable_put, EDITABLE);
}

static int check_title(struct call *c, struct in *in) {
    (void)c;
    in->value.s = str_trim(in->value.s);
    return 0;
}

static int check_titles(struct call *c, struct in *in) { return check_translations(c, in, TITLE_OF_FIELD); }
static int check_customer_titles(struct call *c, struct in *in) {
    return check_translations(c, in, CUSTOMER_TITLE_OF_FIELD);
}
static int check_descriptions(struct call *c, struct in *in) {
    return check_translations(c, in, DESCRIPTION_OF_FIELD);
}
static int store_titles(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, TITLE_OF_FIELD);
}
static int store_customer_titles(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, CUSTOMER_TITLE_OF_FIELD);
}
static int store_descriptions(struct call *c, const struct in *in, int64_t id) {
    return store_translations(c, in, id, DESCRIPTION_OF_FIELD);
}

static int store_title(struct call *c, const struct in *in, int64_t id) {
    return translation_put(&c->work, TITLE_OF_FIELD, id,
                           (struct translation){locale_now(&c->work), in->value.s});
}

struct choices {
    struct option_wanted *list;
    int count;
};

/* The id of an option that stays must belong to this field. */
static int read_option_id(struct call *c, const struct in *in, const struct json *j, int at, int64_t *id) {
    if (j == NULL || j->type == JSON_NULL) return 0;
    bool number = (j->type == JSON_NUMBER || j->type == JSON_STRING) && str_to_int(j->text, id) && *id > 0;
    int rc = number && c->method == PUT ? field_option_of(&c->work, c->id, *id) : 0;
    return rc < 0 ? rc
           : rc   ? 0
                  : fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/id", at),
                            "This field has no option with this id. Omit the id for a new one.");
}

static int read_place(struct call *c, const struct in *in, const struct json *j, int at, int64_t *place) {
    *place = at + 1;
    if (j == NULL || j->type == JSON_NULL) return 0;
    bool number = (j->type == JSON_NUMBER || j->type == JSON_STRING) && str_to_int(j->text, place) &&
                  *place >= 0 && *place <= 1000000;
    return number ? 0
                  : fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/sort_order", at),
                            "A number from 0 to 1000000 is expected.");
}

static int option_read_tag(struct call *c, const struct in *in, const struct json *j, int at,
                           struct option_wanted *o) {
    if (j == NULL) return 0;
    bool text = j->type == JSON_STRING || j->type == JSON_NUMBER;
    const char *why = j->type == JSON_NULL ? NULL
                      : text               ? text_wrong(c->work.arena, j->text, LIMIT_TITLE, true)
                                           : "A text is expected.";
    if (why) return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/tag", at), "%s", why);
    struct str tag = text ? str_trim(j->text) : (struct str){0};
    o->is_tagged = true;
    o->tag = tag.n ? tag : (struct str){0};
    return 0;
}

static int option_read(struct call *c, const struct in *in, const struct json *j, int at,
                       struct option_wanted *o) {
    struct translations t = {0};
    struct str place = in_place(c, in, "%d", at);
    const struct json *titles = json_named(j, S("titles")), *values = json_named(j, S("values")),
                      *title = json_named(j, S("title"));
    const char *list = values ? "values" : "titles";
    if (values) titles = values;
    if (j->type == JSON_STRING) title = j;
    else if (j->type != JSON_OBJECT)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, place, "An object is expected.");
    else TRY(read_option_id(c, in, json_named(j, S("id")), at, &o->id));
    TRY(read_place(c, in, json_named(j, S("sort_order")), at, &o->sort_order));
    TRY(option_read_tag(c, in, json_named(j, S("tag")), at, o));
    struct told told = {TITLE_OF_OPTION, o->id};
    if (titles && titles->type != JSON_NULL)
        TRY(translations_read(c, in, titles, str_fmt(c->work.arena, "%s/%s", place.p, list), told, &t));
    else if (title && (title->type == JSON_STRING || title->type == JSON_NUMBER))
        TRY(translation_plain(c, in, title->text,
                              title == j ? place : str_fmt(c->work.arena, "%s/title", place.p),
                              TITLE_OF_OPTION, &t));
    else if (o->id == 0)
        return fail_at(&c->work, ERR_FIELD_REQUIRED, in->name, str_fmt(c->work.arena, "%s/titles", place.p),
                       NULL);
    o->titles = t.list;
    o->title_count = t.count;
    return 0;
}

/* An option may be given once. */
static int check_distinct(struct call *c, const struct in *in, const struct choices *made) {
    int64_t *ids = arena_array(c->work.arena, (size_t)made->count + 1, sizeof *ids);
    int n = 0;
    for (int i = 0; i < made->count; i++)
        if (made->list[i].id) ids[n++] = made->list[i].id;
    ids_sort(ids, n);
    for (int i = 1; i < n; i++)
        if (ids[i] == ids[i - 1])
            return fail_at(&c->work, ERR_PARAMETERS_INCONSISTENT, in->name, in->pointer,
                           "The option %lld is given twice.", (long long)ids[i]);
    return 0;
}

static int check_options(struct call *c, struct in *in) {
    struct choices *made = in->made = ARENA_NEW(c->work.arena, struct choices);
    int first = 0;
    if (in->json->count > LIMIT_OPTIONS)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d options are allowed.",
                       LIMIT_OPTIONS);
    made->list = arena_array(c->work.arena, in->json->count + 1, sizeof *made->list);
    for (const struct json *j = in->json->first; j; j = j->next, made->count++) {
        int rc = option_read(c, in, j, made->count, &made->list[made->count]);
        if (rc < 0 && first == 0) first = rc;
    }
    return first < 0 ? first : check_distinct(c, in, made);
}

static int store_options(struct call *c, const struct in *in, int64_t id) {
    static const struct choices none;
    const struct choices *o = in->made ? in->made : &none;
    return field_options_replace(&c->work, id, o->list, o->count);
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* A UUID of this installation, derived from the id (RFC 9562, version 8). */
static void render_uuid(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    (void)row;
    const char *hex =
        mac_hex(a, &v->c->work.desk->account_key, str_fmt(a, "custom field %.*s", (int)own->s.n, own->s.p)).p;
    jw_str(&v->w, str_fmt(a, "%.8s-%.4s-8%.3s-8%.3s-%.12s", hex, hex + 8, hex + 12, hex + 15, hex + 18));
}
#define FIELD_UUID(of)                                                                                       \
    {                                                                                                        \
        "fielduuid", F_COMPUTED, READONLY, .column = of, .render = render_uuid, .doc = "UUID of the field.", \
                                           .example = "\"0f1e2d3c-4b5a-8978-8695-a4b3c2d1e0f0\""             \
    }

#define OPTIONS_OF                                         \
    "SELECT o.field_id, o.id FROM custom_field_options o " \
    "WHERE o.field_id IN @LIST(:ids) ORDER BY o.field_id, o.sort_order, o.id"

static const struct field field_fields[] = {
    FIELD_UUID("t.id"),
    {"type", F_WORD, REQUIRED, .words = field_kinds, .check = check_kind, .doc = "Type of the values.",
     .example = "\"SELECT\""},
    {"key", F_TEXT, CREATE_ONLY | UNIQUE, .max = LIMIT_FIELD_KEY, .check = check_key,
     .doc = "Key of the field in programs and rules. Default: derived from the title.",
     .example = "\"plan\""},
    {"titles", F_MANY, 0, .ref = "locale_field", .many = TRANSLATIONS_OF("1"), .check = check_titles,
     .store = store_titles, .doc = "Titles in several locales: a list of {locale, translation}.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"Plan\"}]"},
    {"title", F_TEXT, 0, .column = TRANSLATION_OF("1"), .check = check_title, .store = store_title,
     .doc = "Title in the default locale. Send title or titles.", .example = "\"Plan\""},
    {"customer_titles", F_MANY, NULLABLE, .ref = "locale_field", .many = TRANSLATIONS_OF("3"),
     .check = check_customer_titles, .store = store_customer_titles,
     .doc = "Titles that customers see in place of titles: a list of {locale, "
            "translation}.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"Your plan\"}]"},
    {"descriptions", F_MANY, NULLABLE, .ref = "locale_field", .many = TRANSLATIONS_OF("4"),
     .check = check_descriptions, .store = store_descriptions,
     .doc = "Descriptions in several locales: a list of {locale, translation}.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"As on the invoice.\"}]"},
    {"options", F_MANY, NULLABLE, .ref = "field_option", .many = OPTIONS_OF, .check = check_options,
     .store = store_options,
     .doc = "Options of a CHECKBOX, RADIO, SELECT or CASCADINGSELECT field: a list of {id, values, tag, "
            "sort_order} or of plain titles. An option that is not in the list is deleted; an option that "
            "is in use stays.",
     .example = "[{\"values\": [{\"locale\": \"en-us\", \"translation\": \"Gold\"}]}]"},
    {"is_required_for_agents", F_BOOL, 0, .initial = "0",
     .doc = "True if staff must give a value on creation."},
    {"is_required_on_resolution", F_BOOL, 0, .initial = "0",
     .doc = "True if a conversation needs a value before it is completed."},
    {"is_visible_to_customers", F_BOOL, 0, .initial = "0", .column = FLAG("is_visible_to_customers", VISIBLE),
     .store = store_visible, .doc = "True if customers see the field."},
    {"is_customer_editable", F_BOOL, 0, .initial = "0", .column = FLAG("is_customer_editable", EDITABLE),
     .store = store_editable, .doc = "True if customers may set the value of a visible field."},
    {"is_required_for_customers", F_BOOL, 0, .initial = "0",
     .doc = "True if customers must give a value of a field that they may set."},
    {"regular_expression", F_TEXT, NULLABLE, .max = LIMIT_PATTERN, .check = check_pattern,
     .doc = "Pattern of a REGEX field that values must match (PCRE2).", .example = "\"^[A-Z]{2}[0-9]+$\""},
    {"sort_order", F_INT, 0, .min = 0, .max = 1000000, .doc = "Position in the list. Default: the last."},
    {"is_enabled", F_BOOL, 0, .initial = "1",
     .doc = "True if the field is in use. A disabled field keeps its values, but they are neither shown nor "
            "accepted."},
    {"is_system", F_BOOL, READONLY,
     .doc = "True for a built-in field. It is a member of conversations and "
            "can't be deleted."},
    {"*", .group = row_times},
    {0},
};

static const struct field option_fields[] = {
    FIELD_UUID("t.field_id"),
    {"values", F_MANY, 0, .ref = "locale_field", .many = TRANSLATIONS_OF("2"),
     .doc = "Titles in several locales: a list of {locale, translation}."},
    {"tag", F_TEXT, READONLY, .doc = "Tag of the option.", .example = "\"vip\""},
    {"sort_order", F_INT, READONLY, .doc = "Position in the list."},
    {"title", F_TEXT, READONLY, .column = TRANSLATION_OF("2"), .doc = "Title in the default locale.",
     .example = "\"Gold\""},
    {"titles", F_MANY, 0, .ref = "locale_field", .many = TRANSLATIONS_OF("2"),
     .doc = "Another name of values."},
    {"*", .group = row_times},
    {0},
};

/* Callers below admins see enabled fields. Customers, who see fields through their own values, see those
 * that are visible to customers. */
static void custom_field_visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_ADMIN) out->all = true;
    else if (w->actor.rank >= ROLE_COLLABORATOR) branch_add(out, "t.is_enabled = 1");
    else branch_add(out, "t.is_enabled = 1 AND t.is_visible_to_customers = 1");
}

#define OF_FIELD(condition) "EXISTS (SELECT 1 FROM custom_fields f WHERE f.id = t.field_id AND " condition ")"
static void option_visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_ADMIN) out->all = true;
    else if (w->actor.rank >= ROLE_COLLABORATOR) branch_add(out, OF_FIELD("f.is_enabled = 1"));
    else branch_add(out, OF_FIELD("f.is_enabled = 1 AND f.is_visible_to_customers = 1"));
}

/* ---- handlers -------------------------------------------------------------------------------- */

static void custom_field_ignore(struct call *c, const char *name, const char *why) {
    struct in *i = in(c, name);
    if (!i->given || i->value.type == V_NULL) return;
    notice(&c->work, "NOTICE", "%s was ignored: %s.", name, why);
    i->given = false;
    i->value = (struct value){V_NULL};
}

/* Members that only some types have. has_pattern: the field already has a pattern. */
static int check_type(struct call *c, enum field_kind type, bool has_pattern) {
    if (!field_has_options(type)) custom_field_ignore(c, "options", "fields of this type have no options");
    if (type != FIELD_REGEX) {
        custom_field_ignore(c, "regular_expression", "only fields of type REGEX have a pattern");
        return 0;
    }
    const struct in *pattern = in(c, "regular_expression");
    if (pattern->given ? pattern->value.type == V_TEXT : has_pattern) return 0;
    return pattern->given && failed(&c->work) ? 0
                                              : in_fail(c, "regular_expression", ERR_FIELD_REQUIRED, NULL);
}

static int check_title_given(struct call *c) {
    static const char *const either[] = {"titles", "title", NULL};
    if (given(c, "title") || given(c, "titles")) return 0;
    return fail_any(&c->work, (struct str){0}, either);
}

static struct str title_given(struct call *c) {
    const struct translations *titles = in(c, "titles")->made;
    return given(c, "title") ? in_text(c, "title") : titles->list[0].text;
}

static int post_custom_field(struct call *c) {
    const struct area *area = area_of(c);
    int64_t count = 0;
    api_input(c);
    check_title_given(c);
    if (in(c, "type")->value.type == V_INT) check_type(c, (enum field_kind)in_int(c, "type"), false);
    if (failed(&c->work)) return -(int)failure(&c->work);
    TRY(db_lock(c->work.conn, S("custom fields")));
    TRY(custom_fields_count(&c->work, area->area, &count));
    if (count >= LIMIT_FIELDS)
        return fail_state(&c->work,
                          "There are already %d custom fields, which is the limit. Delete a field "
                          "first.",
                          LIMIT_FIELDS);
    struct custom_field_new n = {
        .field = {.area = area->area,
                  .type = (enum field_kind)in_int(c, "type"),
                  .key = in_text(c, "key"),
                  .regular_expression = in_text(c, "regular_expression"),
                  .is_enabled = in_int(c, "is_enabled") != 0,
                  .is_required_for_agents = in_int(c, "is_required_for_agents") != 0,
                  .is_visible_to_customers = in_int(c, "is_visible_to_customers") != 0,
                  .is_customer_editable = in_int(c, "is_customer_editable") != 0,
                  .is_required_for_customers = in_int(c, "is_required_for_customers") != 0},
        .is_required_on_resolution = in_int(c, "is_required_on_resolution") != 0,
        .sort_order = in_int(c, "sort_order")};
    if (n.field.key.p == NULL) TRY(custom_field_key(&c->work, area->area, title_given(c), &n.field.key));
    TRY(custom_field_create(&c->work, &n, &c->id));
    TRY(api_record_created(c));
    TRY(api_keep(c));
    return api_reply(c);
}

QUERY(field_now, "SELECT type, CASE WHEN regular_expression IS NULL THEN 0 ELSE 1 END, key, is_system "
                 "FROM custom_fields WHERE id = :id");

/* The type and key of a built-in field can't change. Its titles, and the flags that are settings, can. */
static void keep_system_members(struct call *c, struct str key) {
    static const char *const fixed[] = {"type",
                                        "options",
                                        "is_required_for_agents",
                                        "is_required_on_resolution",
                                        "is_required_for_customers",
                                        "regular_expression",
                                        "is_enabled"};
    static const char why[] = "the field is built in";
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) in_ignore(c, fixed[i], why);
    if (!setting_known(flag_setting(c, key, VISIBLE))) in_ignore(c, "is_visible_to_customers", why);
    if (!setting_known(flag_setting(c, key, EDITABLE))) in_ignore(c, "is_customer_editable", why);
}

static int load_now(struct call *c, struct custom_field *now, bool *has_pattern) {
    struct stmt *row;
    int rc = db_row(c->work.conn, &field_now, BINDS(B_INT("id", c->id)), &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    *now = (struct custom_field){
        .id = c->id, .area = area_of(c)->area, .type = (enum field_kind)col_int(row, 0)};
    *has_pattern = col_int(row, 1) != 0;
    if (col_int(row, 3)) keep_system_members(c, str_dup(c->work.arena, col_text(row, 2)));
    stmt_end(row);
    return 0;
}

/* A field with values keeps its type, because the values were checked for it. */
static int check_in_use(struct call *c, const struct custom_field *now, enum field_kind type) {
    if (type != now->type) {
        int rc = custom_field_used(&c->work, now);
        return rc <= 0 ? rc
                       : in_fail(c, "type", ERR_RESOURCE_ACTION_NOT_AVAILABLE,
                                 "The field has values of its type. Create a new field of the other type.");
    }
    if (!given(c, "options")) return 0;
    const struct choices *wanted = in(c, "options")->made;
    int64_t *kept = arena_array(c->work.arena, (size_t)(wanted ? wanted->count : 0) + 1, sizeof *kept),
            going = 0;
    size_t n = 0;
    for (int i = 0; wanted && i < wanted->count; i++)
        if (wanted->list[i].id) kept[n++] = wanted->list[i].id;
    int rc = field_option_in_use(&c->work, now, json_ids(c->work.arena, kept, n), &going);
    return rc <= 0 ? rc
                   : in_fail(c, "options", ERR_RESOURCE_ACTION_NOT_AVAILABLE,
                             "The option %lld is in use. Give the values another option first.",
                             (long long)going);
}

static int put_custom_field(struct call *c) {
    struct custom_field now;
    bool has_pattern;
    TRY(api_target(c));
    TRY(load_now(c, &now, &has_pattern));
    api_input(c);
    enum field_kind type = given(c, "type") && in(c, "type")->value.type == V_INT
                               ? (enum field_kind)in_int(c, "type")
                               : now.type;
    check_type(c, type, has_pattern);
    if (failed(&c->work)) return -(int)failure(&c->work);
    TRY(check_in_use(c, &now, type));
    TRY(custom_fields_changed(&c->work));
    TRY(api_store(c));
    if (field_has_options(now.type) && !field_has_options(type))
        TRY(field_options_replace(&c->work, c->id, NULL, 0));
    return api_reply(c);
}

static int delete_custom_fields(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, "t.is_system = 1", "The field is built in. Change its titles instead."));
    TRY(custom_fields_remove(&c->work, api_ids(c)));
    TRY(api_record_deleted(c));
    return api_reply(c);
}

static int put_custom_fields_order(struct call *c) {
    TRY(custom_fields_changed(&c->work));
    return api_reorder(c);
}

/* ---- three resources ------------------------------------------------------------------------- */

#define FIELDS_OF(what, plural, path, allowed, variable)                                                   \
    static const struct field what##_order[] = {                                                           \
        {#what "_field_ids", F_IDS, PRESENT, .doc = "All ids, in the new order.", .example = "[2, 1]"},    \
        {0}};                                                                                              \
    static const struct route what##_field_routes[] = {                                                    \
        {GET, path, COL_PLUS, "conversations", LIST_COUNT, api_list,                                       \
         .order = {.key = "1 - t.is_system", .then = "t.sort_order"},                                      \
         .summary = "List the custom fields of " plural,                                                   \
         .doc = "Sorted by position. Built-in fields come first. Callers below admins get only enabled "   \
                "fields."},                                                                                \
        {POST, path, AD, "configuration", ONE, post_custom_field, .permission = allowed,                   \
         .summary = "Create a custom field of " plural,                                                    \
         .errors = "ANY_FIELD_REQUIRED RESOURCE_ACTION_NOT_AVAILABLE"},                                    \
        {GET, path "/:id", COL_PLUS, "conversations", ONE, api_get,                                        \
         .summary = "Get a custom field of " plural},                                                      \
        {PUT, path "/reorder", AD, "configuration", NONE, put_custom_fields_order, .permission = allowed,  \
         .input = what##_order,                                                                            \
         .sample = {.body = "{\"" #what "_field_ids\":[$" variable "]}", .made_by = path},                 \
         .summary = "Reorder the custom fields of " plural},                                               \
        {PUT, path "/:id", AD, "configuration", ONE, put_custom_field, .permission = allowed,              \
         .summary = "Update a custom field of " plural,                                                    \
         .doc = "The type of a field with values can't change. Options that are in use stay.",             \
         .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},                                                       \
        {DELETE, path "/:id", AD, "configuration", NONE, delete_custom_fields, .permission = allowed,      \
         .summary = "Delete a custom field of " plural, .doc = "Deletes all its values, too.",             \
         .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},                                                       \
        {DELETE, path, AD, "configuration", COUNT, delete_custom_fields, .permission = allowed,            \
         .summary = "Delete several custom fields of " plural, .errors = "RESOURCE_ACTION_NOT_AVAILABLE"}, \
        {0},                                                                                               \
    }

FIELDS_OF(case, "conversations", "/cases/fields", "case_fields.manage", "CASE_FIELD");
FIELDS_OF(user, "people", "/users/fields", "user_fields.manage", "USER_FIELD");
FIELDS_OF(organization, "organizations", "/organizations/fields", "organizations_fields.manage",
          "ORGANIZATION_FIELD");

#define FIELD_RESOURCE(plural, path, area)                                                           \
    .sample = "", .scope = "conversations configuration users", .title = "Custom fields of " plural, \
    .doc = "Additional fields of " plural ", defined by the desk.", .url = path "/:id",              \
    .table = "custom_fields", .where = "t.area = " area " AND t.deleted_at IS NULL",                 \
    .ordered = "sort_order", .fields = field_fields, .visible = custom_field_visible

const struct resource case_field_resource = {
    .type = "case_field", .routes = case_field_routes, FIELD_RESOURCE("conversations", "cases/fields", "1")};
const struct resource user_field_resource = {
    .type = "user_field", .routes = user_field_routes, FIELD_RESOURCE("people", "users/fields", "2")};
const struct resource organization_field_resource = {
    .type = "organization_field",
    .routes = organization_field_routes,
    FIELD_RESOURCE("organizations", "organizations/fields", "3")};

static const struct route option_routes[] = {
    {GET, "/base/field/option/:id", ALL, "conversations", ONE, api_get,
     .summary = "Get an option of a custom field", .doc = "For all callers who see the field."},
    {0},
};

static const struct field option_items[] = {
    {ITEM_TEXT, F_TEXT, .doc = "Title in the default locale."},
    {"id", F_INT, NULLABLE, .doc = "An option of the field, which stays. Absent or null: a new one."},
    {"values", F_MANY, BY_HANDLER, .ref = "locale_field", .doc = "Titles in several locales."},
    {"tag", F_TEXT, NULLABLE, .doc = "Tag of the option.", .example = "\"gold\""},
    {"sort_order", F_INT, 0, .min = 0, .max = 1000000, .doc = "Position. Default: that in the list."},
    {0},
};

const struct resource field_option_resource = {.type = "field_option",
                                               .scope = "conversations configuration users",
                                               .items = option_items,
                                               .title = "Options of custom fields",
                                               .doc = "Options of custom fields.",
                                               .url = "base/field/option/:id",
                                               .table = "custom_field_options",
                                               .texts_kept = CONFIGURATION_TEXTS,
                                               .where = "NOT " OF_FIELD("f.deleted_at IS NOT NULL"),
                                               .fields = option_fields,
                                               .routes = option_routes,
                                               .visible = option_visible,
                                               .changes_unseen = true};

/* ---- as customers see them ------------------------------------------------------------------- */

static const struct field conversation_field_fields[] = {
    FIELD_UUID("t.id"),
    {"type", F_WORD, READONLY, .words = field_kinds, .doc = "Type of the values.", .example = "\"SELECT\""},
    {"key", F_TEXT, READONLY, .doc = "Key of the field in field_values.", .example = "\"plan\""},
    {"title", F_TEXT, READONLY, .column = "COALESCE(" TRANSLATION_OF("3") ", " TRANSLATION_OF("1") ")",
     .doc = "Title for customers in the default locale.", .example = "\"Your plan\""},
    {"descriptions", F_MANY, READONLY, .ref = "locale_field", .many = TRANSLATIONS_OF("4"),
     .doc = "Descriptions in several locales: a list of {locale, translation}."},
    {"options", F_MANY, READONLY, .ref = "field_option", .many = OPTIONS_OF,
     .doc = "Options of a CHECKBOX, RADIO, SELECT or CASCADINGSELECT field."},
    {"is_customer_editable", F_BOOL, READONLY, .doc = "True if customers may set the value."},
    {"is_required_for_customers", F_BOOL, READONLY,
     .doc = "True if customers must give a value of a field that they may set."},
    {"regular_expression", F_TEXT, READONLY,
     .doc = "Pattern of a REGEX field that values must match (PCRE2)."},
    {"sort_order", F_INT, READONLY, .doc = "Position in the list."},
    {"*", .group = row_times},
    {0},
};

/* Every caller who sees a conversation sees these fields. */
const struct resource conversation_field_resource = {
    .type = "conversation_field",
    .scope = "conversations",
    .title = "Custom fields that customers see",
    .doc = "Custom fields of conversations that customers see.",
    .table = "custom_fields",
    .where = "t.area = 1 AND t.deleted_at IS NULL AND t.is_enabled = 1 AND t.is_system = 0 AND "
             "t.is_visible_to_customers = 1",
    .fields = conversation_field_fields,
    .visible = access_everyone};
