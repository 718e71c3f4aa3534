/* Definitions of a resource for rules, and its rows by a predicate (core/predicates/predicate.h). */
#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "core/time/calendar.h"
#include "core/predicates/predicate.h"

const struct field filter_input[] = {
    {"predicates", F_OBJECT, REQUIRED,
     .doc = "The predicate: an object, or JSON as text. It has collection_operator (default: OR) and "
            "collections. Each collection has proposition_operator (default: AND) and propositions of "
            "field, operator and value. The definitions list the possible values.",
     .example = "{\"collection_operator\": \"OR\", \"collections\": [{\"proposition_operator\": \"AND\", "
                "\"propositions\": [{\"field\": \"tags.name\", \"operator\": "
                "\"collection_contains_insensitive\", \"value\": \"vip\"}]}]}"},
    {0},
};

int api_filter(struct call *c) {
    struct work *w = &c->work;
    struct definitions *d = ARENA_NEW(w->arena, struct definitions);
    struct condition *condition = ARENA_NEW(w->arena, struct condition);
    struct predicate *p;
    TRY(api_input(c));
    TRY(input_spelled_once(c, in(c, "predicates")));
    TRY(definitions_load(w, c->home->subject, RULE_FILTER, d));
    TRY(predicate_read(w, d, in(c, "predicates")->json, S("predicates"), &p));
    TRY(predicate_condition_now(w, p, condition));
    c->condition = condition;
    return api_list(c);
}

/* ---- definitions ----------------------------------------------------------------------------- */

const struct field definition_fields[] = {
    {"label", F_TEXT, READONLY, .doc = "Title of the field for people.", .example = "\"Name\""},
    {"field", F_TEXT, READONLY, .doc = "Name of the field in propositions.",
     .example = "\"organizations.name\""},
    {"type", F_TEXT, READONLY,
     .doc = "Type: NUMERIC, FLOAT, STRING, BOOLEAN, COLLECTION, DATE_ABSOLUTE, "
            "DATE_RELATIVE or TIME.",
     .example = "\"STRING\""},
    {"sub_type", F_TEXT, READONLY,
     .doc = "Subtype: INTEGER or FLOAT for numbers, the possible range for "
            "relative dates, else empty.",
     .example = "\"\""},
    {"group", F_TEXT, READONLY, .doc = "Group of the field, or empty.", .example = "\"DATE\""},
    {"rarity", F_TEXT, READONLY, .doc = "COMMON or LESS_COMMON. Clients may show less common fields apart.",
     .example = "\"COMMON\""},
    {"description", F_TEXT, READONLY, .doc = "Meaning of the field.",
     .example = "\"Name of the organization.\""},
    {"input_type", F_TEXT, READONLY, .doc = "Kind of input for a value.", .example = "\"STRING\""},
    {"operators", F_JSON, READONLY, .doc = "Operators that propositions may use.",
     .example = "[\"string_contains_insensitive\"]"},
    {"values", F_JSON, READONLY, .doc = "Possible values and their titles. Null if any value is possible.",
     .example = "{\"0\": \"No\"}"},
    {0},
};

static struct str operators_json(struct arena *a, uint64_t operators) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (const struct word *o = operator_words; o->word; o++)
        if (operators & OP(o->id)) jw_str(&w, str_of(o->word));
    jw_end(&w);
    return buf_take(&b, a);
}

static struct str values_json(struct arena *a, enum rule_user user, const struct definition *d) {
    struct buf b = {0};
    struct json_writer w;
    if (d->options == NULL && d->specials == NULL && d->input != INPUT_DATE_RELATIVE) return (struct str){0};
    jw_init(&w, &b);
    jw_object(&w);
    for (const struct special_value *s = d->specials; s && s->key; s++) {
        if (s->rules && !(s->rules & FOR(user))) continue;
        jw_key_raw(&w, str_of(s->key));
        jw_str(&w, str_of(s->label));
    }
    for (const struct option *o = d->options; o && o->key; o++) {
        jw_key_raw(&w, str_of(o->key));
        jw_str(&w, str_of(o->label));
    }
    for (int i = 0; d->input == INPUT_DATE_RELATIVE && relative_dates[i].word; i++) {
        if (!relative_fits(relative_dates[i].id, d->sub_type)) continue;
        jw_key_raw(&w, str_of(relative_dates[i].word));
        jw_str(&w, str_of(relative_labels[i]));
    }
    jw_end(&w);
    return buf_take(&b, a);
}

static struct row *definition_row(struct view *v, enum rule_user user, const struct definition *d) {
    struct arena *a = v->c->work.arena;
    struct row *row = row_new(v, layout_of(v->c->resource), 0);
    *row_cell(row, "label") = value_text(str_of(d->label));
    *row_cell(row, "field") = value_text(str_of(d->field));
    *row_cell(row, "type") = value_text(str_of(d->type));
    *row_cell(row, "sub_type") = value_text(str_of(d->sub_type ? d->sub_type : ""));
    *row_cell(row, "group") = value_text(str_of(d->group ? d->group : ""));
    *row_cell(row, "rarity") = value_text(str_of(d->rarity));
    *row_cell(row, "description") = value_text(str_of(d->doc));
    *row_cell(row, "input_type") = value_text(str_of(word_of(input_words, d->input)));
    *row_cell(row, "operators") = value_text(operators_json(a, operators_of(user, d)));
    *row_cell(row, "values") = value_text(values_json(a, user, d));
    return row;
}

int definition_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct definitions filter;
    const struct definitions *d = c->prepared ? c->prepared : &filter;
    (void)name; /* there is no read of a single definition */
    if (c->prepared == NULL) TRY(definitions_load(&c->work, c->home->subject, RULE_FILTER, &filter));
    for (int i = 0; i < d->count; i++) {
        if (d->list[i].rules & INTERNAL || d->list[i].unlisted & FOR(d->user)) continue;
        *out = definition_row(v, d->user, &d->list[i]);
        out = &(*out)->next;
    }
    return 0;
}
