/* The definitions of actions: the rows of action_kinds, with the desk's endpoints and custom fields in
 * place of the rows for them. */
#include "core/rules/action.h"

#include "base/buf.h"
#include "core/fields/custom_field.h"
#include "core/words.h"

#include <inttypes.h>

struct defining {
    struct work *w;
    struct action_definition **end;
};

static struct action_definition *add_definition(struct defining *d, const struct action_kind *k,
                                                struct str name, struct str label) {
    struct action_definition *a = ARENA_NEW(d->w->arena, struct action_definition);
    *a = (struct action_definition){.name = name,
                                    .label = label,
                                    .input = k->input,
                                    .value = k->value,
                                    .group = k->group,
                                    .options = k->options,
                                    .mails = k->form == ACTION_MAIL};
    *d->end = a;
    d->end = &a->next;
    return a;
}

/* *out: {"1": "New", ...}, the special values first. */
static int values_of(struct work *w, const struct query *rows, const struct bind *binds,
                     const struct option *specials, struct str *out) {
    struct buf b = {0};
    struct json_writer j;
    char id[INT_TEXT];
    int rc = 0;
    jw_init(&j, &b);
    jw_object(&j);
    for (const struct option *o = specials; o && o->key; o++) {
        jw_key_raw(&j, str_of(o->key));
        jw_str(&j, str_of(o->label));
    }
    if (rows) DB_ROWS(rc, w->conn, rows, binds, row) {
            jw_key_raw(&j, str_int(id, col_int(row, 0)));
            jw_str(&j, col_text(row, 1));
        }
    jw_end(&j);
    *out = buf_take(&b, w->arena);
    return rc;
}

static int define_plain(struct defining *d, const struct action_kind *k) {
    struct action_definition *a = add_definition(d, k, str_of(k->name), str_of(k->label));
    return k->values || k->specials ? values_of(d->w, k->values, NULL, k->specials, &a->values) : 0;
}

QUERY(endpoints_defined, "SELECT id, title, type FROM endpoints WHERE deleted_at IS NULL ORDER BY title, id");

/* The input type by enum endpoint_type. */
static int define_endpoints(struct defining *d, const struct action_kind *k) {
    int rc;
    DB_ROWS(rc, d->w->conn, &endpoints_defined, NULL, row) {
        struct str type = str_of(word_of(endpoint_types, (int)col_int(row, 2)));
        struct action_definition *a =
            add_definition(d, k, str_fmt(d->w->arena, "endpoint_%" PRId64, col_int(row, 0)),
                           str_dup(d->w->arena, col_text(row, 1)));
        a->input = str_fmt(d->w->arena, "ENDPOINT_%s", type.p ? type.p : "HTTP").p;
    }
    return rc;
}

/* By enum field_kind. */
static const struct field_input {
    enum field_kind type;
    const char *input, *value;
} inputs[] = {
    {FIELD_TEXT, "STRING", "STRING"},
    {FIELD_TEXTAREA, "STRING", "STRING"},
    {FIELD_REGEX, "STRING", "STRING"},
    {FIELD_CHECKBOX, "MULTIPLE", "COLLECTION"},
    {FIELD_RADIO, "OPTIONS", "NUMERIC"},
    {FIELD_SELECT, "OPTIONS", "NUMERIC"},
    {FIELD_CASCADINGSELECT, "OPTIONS", "NUMERIC"},
    {FIELD_DATE, "DATE_ABSOLUTE", "DATE_ABSOLUTE"},
    {FIELD_NUMERIC, "INTEGER", "NUMERIC"},
    {FIELD_DECIMAL, "FLOAT", "FLOAT"},
    {FIELD_YESNO, "BOOLEAN", "BOOLEAN"},
};

QUERY(field_options_defined,
      "SELECT o.id, COALESCE((SELECT l.translation FROM locale_fields l WHERE l.owner_kind = 2 "
      "AND l.owner_id = o.id ORDER BY l.id LIMIT 1), CAST(o.id AS TEXT)) "
      "FROM custom_field_options o WHERE o.field_id = :field "
      "ORDER BY o.sort_order, o.id");
QUERY(field_title_defined, "SELECT l.translation FROM locale_fields l "
                           "WHERE l.owner_kind = 1 AND l.owner_id = :field "
                           "ORDER BY l.id LIMIT 1");

static int define_field(struct defining *d, const struct action_kind *k, const struct custom_field *f,
                        const struct field_input *i) {
    struct work *w = d->w;
    struct str label = {0};
    const struct bind *binds = BINDS(B_INT("field", f->id));
    TRY(db_text(w->conn, &field_title_defined, binds, w->arena, &label));
    struct action_definition *a =
        add_definition(d, k, str_fmt(w->arena, "customfield_%" PRId64, f->id), label.p ? label : f->key);
    a->input = i->input;
    a->value = i->value;
    if (f->type != FIELD_CHECKBOX) a->options = 1u << ACTION_CHANGE;
    return field_has_options(f->type) ? values_of(w, &field_options_defined, binds, NULL, &a->values) : 0;
}

static int define_fields(struct defining *d, const struct action_kind *k) {
    struct custom_field *fields;
    int n = custom_fields_of(d->w, AREA_CASES, &fields);
    TRY(n);
    for (int f = 0; f < n; f++)
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
            if (inputs[i].type == fields[f].type) TRY(define_field(d, k, &fields[f], &inputs[i]));
    return 0;
}

int action_definitions(struct work *w, struct action_definition **out) {
    struct defining d = {w, out};
    *out = NULL;
    for (const struct action_kind *k = action_kinds; k->name; k++)
        TRY(k->form == ACTION_TEXT    ? define_endpoints(&d, k)
            : k->form == ACTION_FIELD ? define_fields(&d, k)
                                      : define_plain(&d, k));
    return 0;
}
