#include "core/predicates/definition.h"
#include "core/predicates/definition_rows.h"

#include "base/fold.h"
#include "core/fields/custom_field.h"

#include <assert.h>
#include <inttypes.h>

/* ---- organizations and people ---------------------------------------------------------------- */

static const struct option access_options[] = {
    {.key = "0", .label = "People see their own conversations"},
    {.key = "1", .label = "People see all conversations of the organization"},
    {0}};

static const struct definition organization_definitions[] = {
    {.field = "organizations.name",
     .label = "Name",
     .input = INPUT_STRING,
     .kind = VALUE_TEXT,
     .type = "STRING",
     .value = "t.name_key",
     .doc = "Name of the organization."},
    TAGS("organization_tags", "organization_id"),
    {.field = "organizations.conversationaccess",
     .label = "Conversation access",
     .input = INPUT_OPTIONS,
     .kind = VALUE_NUMBER,
     .type = "NUMERIC",
     .sub_type = "INTEGER",
     .value = "t.is_shared",
     .options = access_options,
     .doc = "Access of people to conversations of the organization."},
    DATES("organizations.createdat", "x.created_at", "Created", "Time of creation", INDEXED("organizations")),
    DATES("organizations.updatedat", "x.updated_at", "Updated", "Time of the last change",
          INDEXED("organizations")),
    {0},
};

QUERY(role_options, "SELECT id, title, COUNT(*) OVER () FROM roles ORDER BY id");

/* The key of a phone number: digits, and a leading plus. */
static struct str phone_digits(struct arena *a, struct str s) {
    char *out = arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] == '+' && n == 0)) out[n++] = s.p[i];
    return n ? (struct str){out, n} : (struct str){0};
}

static const struct definition user_definitions[] = {
    {.field = "users.fullname",
     .label = "Name",
     .input = INPUT_STRING,
     .kind = VALUE_TEXT,
     .type = "STRING",
     .value = "t.name_key",
     .doc = "Name of the person."},
    {.field = "users.designation",
     .label = "Designation",
     .input = INPUT_STRING,
     .kind = VALUE_TEXT,
     .type = "STRING",
     .value = "t.designation_key",
     .doc = "Position of the person."},
    {.field = "emails",
     .label = "E-mail address",
     .input = INPUT_STRING,
     .kind = VALUE_TEXT,
     .type = "STRING",
     .value = "x.email_key",
     .among = "identity_emails x",
     .owner = "x.user_id",
     .only = "x.is_claim = 0",
     .key = email_key,
     .doc = "Any e-mail address of the person."},
    {.field = "phones",
     .label = "Phone number",
     .input = INPUT_STRING,
     .kind = VALUE_TEXT,
     .type = "STRING",
     .value = "x.number_key",
     .among = "identity_phones x",
     .owner = "x.user_id",
     .only = "x.is_claim = 0 AND x.user_id IS NOT NULL",
     .key = phone_digits,
     .doc = "Any phone number of the person."},
    {.field = "users.roleid",
     .label = "Role",
     .input = INPUT_OPTIONS,
     .kind = VALUE_NUMBER,
     .type = "NUMERIC",
     .sub_type = "INTEGER",
     .value = "t.role_id",
     .option_rows = &role_options,
     .doc = "Role of the person."},
    {.field = "users.organizationid",
     .label = "Organization",
     .input = INPUT_AUTOCOMPLETE,
     .kind = VALUE_NUMBER,
     .type = "NUMERIC",
     .sub_type = "INTEGER",
     .value = "t.organization_id",
     .doc = "Id of the person's organization."},
    {.field = "users.isenabled",
     .label = "Enabled",
     .input = INPUT_BOOLEAN,
     .kind = VALUE_NUMBER,
     .type = "BOOLEAN",
     .value = "t.is_enabled",
     .doc = "True if the person may log in."},
    TAGS("user_tags", "user_id"),
    DATES("users.createdat", "x.created_at", "Created", "Time of creation", INDEXED("users")),
    DATES("users.updatedat", "t.updated_at", "Updated", "Time of the last change", .among = NULL),
    DATES("users.lastactivityat", "t.last_activity_at", "Last activity", "Time of the last activity",
          .among = NULL),
    {0},
};

static const struct field_source organization_sources[] = {
    {AREA_ORGANIZATIONS, "organizationfields", "field_values x", "x.owner_id", NULL, NULL}, {0}};
static const struct field_source user_sources[] = {
    {AREA_USERS, "userfields", "field_values x", "x.owner_id", NULL, NULL}, {0}};

const struct subject organization_subject = {"organizations", organization_definitions, organization_sources,
                                             NULL};
const struct subject user_subject = {"users", user_definitions, user_sources, NULL};

/* ---- custom fields --------------------------------------------------------------------------- */

QUERY(definition_fields, "SELECT t.id, t.type, t.key, COALESCE(" TRANSLATION_OF(
                             "1") ", t.key), COUNT(*) OVER () FROM custom_fields t "
                                  "WHERE t.area = :area AND t.is_enabled = 1 AND t.is_system = 0 "
                                  "ORDER BY t.id");
QUERY(definition_options, "SELECT t.id, COALESCE(" TRANSLATION_OF(
                              "2") ", ''), COUNT(*) OVER (PARTITION BY t.field_id), t.field_id "
                                   "FROM custom_field_options t "
                                   "JOIN custom_fields f ON f.id = t.field_id "
                                   "WHERE f.area = :area AND f.is_enabled = 1 "
                                   "ORDER BY t.field_id, t.sort_order, t.id");

/* Stored keys are cut, so the text of a rule is cut too. */
static struct str custom_text(struct arena *a, struct str s) { return field_value_key(a, FIELD_TEXT, s); }

/* The definition of each type of custom field; type NULL: not available to rules. */
static const struct {
    const char *type, *sub_type;
    enum input_type input;
    enum value_kind kind;
} seen_as[] = {
    [FIELD_TEXT] = {"STRING", NULL, INPUT_STRING, VALUE_TEXT},
    [FIELD_TEXTAREA] = {"STRING", NULL, INPUT_STRING, VALUE_TEXT},
    [FIELD_REGEX] = {"STRING", NULL, INPUT_STRING, VALUE_TEXT},
    [FIELD_CHECKBOX] = {"COLLECTION", NULL, INPUT_MULTIPLE, VALUE_PICKS},
    [FIELD_RADIO] = {"NUMERIC", "INTEGER", INPUT_OPTIONS, VALUE_TEXT},
    [FIELD_SELECT] = {"NUMERIC", "INTEGER", INPUT_OPTIONS, VALUE_TEXT},
    [FIELD_CASCADINGSELECT] = {"NUMERIC", "INTEGER", INPUT_OPTIONS, VALUE_TEXT},
    [FIELD_DATE] = {"DATE_ABSOLUTE", NULL, INPUT_DATE_ABSOLUTE, VALUE_DAY},
    [FIELD_NUMERIC] = {"NUMERIC", "INTEGER", INPUT_INTEGER, VALUE_DECIMAL},
    [FIELD_DECIMAL] = {"NUMERIC", "FLOAT", INPUT_FLOAT, VALUE_DECIMAL},
    [FIELD_YESNO] = {"BOOLEAN", NULL, INPUT_BOOLEAN, VALUE_YESNO},
};

static bool has_options(const struct definition *d) {
    return d->input == INPUT_OPTIONS || d->input == INPUT_MULTIPLE;
}

bool value_used(const struct used_values *used, const char *field, struct str key) {
    if (used->all) return true;
    for (int i = 0; i < used->count; i++)
        if (str_eq(used->list[i].field, str_of(field)) && str_eq(used->list[i].key, key)) return true;
    return false;
}

/* True if the row is an option that is deleted and not used. */
static bool option_dropped(const struct definition *d, struct stmt *row, const struct used_values *used) {
    return col_count(row) > 3 && col_int(row, 3) && !value_used(used, d->field, col_text(row, 0));
}

/* Adds the option of a row (key, label, number of options in its list). The first row of a list allocates
 * it. */
static void definition_read_option(struct arena *a, struct stmt *row, int number, struct option **list,
                                   int *n) {
    if (*n == 0) *list = arena_array(a, (size_t)col_int(row, 2) + 1, sizeof **list);
    (*list)[(*n)++] = (struct option){str_dup(a, col_text(row, 0)).p, str_dup(a, col_text(row, 1)).p,
                                      number ? col_int(row, number) : 0};
}

/* The empty list of a field without options. */
static const struct option no_options[] = {{0}};

/* Loads the options of fixed fields. */
static int definitions_load_options(struct work *w, const struct used_values *used, struct definitions *d) {
    struct option *list = NULL;
    int rc, n = 0;
    for (int i = 0; i < d->count; i++) {
        if (!has_options(&d->list[i]) || d->list[i].options) continue;
        d->list[i].options = no_options;
        if (d->list[i].option_rows == NULL) continue;
        DB_ROWS(rc, w->conn, d->list[i].option_rows, NULL, row)
        if (!option_dropped(&d->list[i], row, used))
            definition_read_option(w->arena, row, col_count(row) > 4 ? 4 : 0, &list, &n);
        if (rc < 0) return rc;
        if (n) d->list[i].options = list;
        n = 0;
    }
    return 0;
}

/* Loads the options of the custom fields of an area, which begin at index `at`. */
static int definitions_load_field_options(struct work *w, struct definitions *d, int area, int at) {
    struct option *list = NULL;
    int rc, n = 0;
    int64_t field = 0;
    for (int i = at; i < d->count; i++)
        if (has_options(&d->list[i])) d->list[i].options = no_options;
    DB_ROWS(rc, w->conn, &definition_options, BINDS(B_INT("area", area)), row) {
        if (col_int(row, 3) != field) n = 0;
        field = col_int(row, 3);
        definition_read_option(w->arena, row, 0, &list, &n);
        while (at < d->count && d->list[at].field_id < field) at++; /* both are ordered by field */
        if (at < d->count && d->list[at].field_id == field && has_options(&d->list[at]))
            d->list[at].options = list;
    }
    return rc;
}

static void read_field(struct work *w, const struct field_source *s, struct stmt *row, struct definition *d) {
    int64_t type = col_int(row, 1);
    struct str key = str_dup(w->arena, col_text(row, 2));
    *d = (struct definition){.field = str_fmt(w->arena, "%s.%s", s->group, key.p).p,
                             .label = str_dup(w->arena, col_text(row, 3)).p,
                             .input = seen_as[type].input,
                             .kind = seen_as[type].kind,
                             .type = seen_as[type].type,
                             .sub_type = seen_as[type].sub_type,
                             .group = s->shown,
                             .rarity = s->rarity,
                             .doc = "A custom field.",
                             .value = seen_as[type].kind == VALUE_PICKS ? VALUE_OF_PICKS : "x.value_key",
                             .among = s->among,
                             .owner = s->owner,
                             .only = "x.field_id = :field",
                             .key = custom_text,
                             .field_id = col_int(row, 0),
                             .field_kind = (int)type};
    if (s->area == AREA_CASES) d->property = str_fmt(w->arena, "custom_fields.%s", key.p).p;
}

/* Makes room for n more definitions. */
static void definitions_reserve(struct arena *a, struct definitions *d, int n) {
    if (d->count + n <= d->room) return;
    const struct definition *old = d->list;
    d->room = d->count + n;
    d->list = arena_array(a, (size_t)d->room, sizeof *d->list);
    if (d->count) memcpy(d->list, old, (size_t)d->count * sizeof *d->list);
}

static int definitions_load_fields(struct work *w, const struct field_source *s, struct definitions *d) {
    int rc, first = d->count;
    DB_ROWS(rc, w->conn, &definition_fields, BINDS(B_INT("area", s->area)), row) {
        if (d->count == first) definitions_reserve(w->arena, d, (int)col_int(row, 4));
        int64_t type = col_int(row, 1);
        bool known = type > 0 && type < (int64_t)(sizeof seen_as / sizeof *seen_as) && seen_as[type].type;
        if (known) read_field(w, s, row, &d->list[d->count++]);
    }
    if (rc < 0 || d->count == first) return rc;
    return definitions_load_field_options(w, d, s->area, first);
}

/* In rules of conversations, a custom field with a date is also compared with periods. The name gets a
 * suffix, unless another field has that name. */
static void definitions_add_periods(struct arena *a, struct definitions *d) {
    int count = d->count;
    definitions_reserve(a, d, count);
    for (int i = 0; i < count; i++) {
        if (d->list[i].field_kind != FIELD_DATE || d->list[i].group == NULL) continue;
        struct str name = str_fmt(a, "%s_relative", d->list[i].field);
        if (definition_of(d, name)) continue;
        struct definition *made = &d->list[d->count++];
        *made = d->list[i];
        made->field = name.p;
        made->input = INPUT_DATE_RELATIVE;
        made->type = "DATE_RELATIVE";
        made->sub_type = "PAST_OR_FUTURE";
        made->doc = "A custom field, compared with a period.";
    }
}

int definitions_load_used(struct work *w, const struct subject *s, enum rule_user u,
                          const struct used_values *used, struct definitions *out) {
    int fixed = 0;
    while (s->definitions[fixed].field) fixed++;
    *out = (struct definitions){.subject = s, .user = u, .used = used};
    definitions_reserve(w->arena, out, fixed);
    for (const struct definition *d = s->definitions; d->field; d++)
        if (d->rules == 0 || d->rules & (FOR(u) | INTERNAL)) out->list[out->count++] = *d;
    TRY(definitions_load_options(w, used, out));
    for (const struct field_source *f = s->sources; f->area; f++) TRY(definitions_load_fields(w, f, out));
    definitions_add_periods(w->arena, out);
    return 0;
}

int definitions_load(struct work *w, const struct subject *s, enum rule_user u, struct definitions *out) {
    static const struct used_values nothing;
    return definitions_load_used(w, s, u, &nothing, out);
}

const struct definition *definition_of(const struct definitions *d, struct str field) {
    for (int i = 0; i < d->count; i++)
        if (!(d->list[i].rules & INTERNAL) && str_eq(str_of(d->list[i].field), field)) return &d->list[i];
    return NULL;
}

int definition_place(const struct definitions *d, const char *field) {
    int i = 0;
    while (i < d->count && strcmp(d->list[i].field, field) != 0) i++;
    assert(i < d->count);
    return i;
}
