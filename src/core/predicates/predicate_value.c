/* Reads the values of propositions, by the input type of the field. predicate.c has the essay. */
#include "core/predicates/predicate.h"

#include "base/fold.h"
#include "base/limits.h"
#include "core/time/calendar.h"

#include <assert.h>
#include <inttypes.h>

int predicate_refuse(struct reader *r, enum error code, struct str at, const char *why) {
    return fail_at(r->w, code, r->parameter, at, why ? "%s" : NULL, why);
}

struct str predicate_place(struct reader *r, struct str at, const char *name) {
    return str_fmt(r->w->arena, "%s/%s", at.p, name);
}

/* A single value as text; p NULL: the JSON is no single value. */
static struct str predicate_scalar(const struct json *j) {
    if (j->type == JSON_STRING || j->type == JSON_NUMBER) return j->text;
    return (struct str){0};
}

bool predicate_value_empty(const struct json *j) {
    return j == NULL || j->type == JSON_NULL || (j->type == JSON_STRING && str_trim(j->text).n == 0);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

void proposition_bound(struct proposition *p, enum operation operation, struct bound low, struct bound high) {
    struct bound above = high, below = low; /* The values above and below the span begin here. */
    above.open = !high.open;
    below.open = !low.open;
    p->test = IS_WITHIN;
    switch (operation) {
    case NOT_EQUAL_TO:
    case DATE_IS_NOT: p->negated = true; /* fallthrough */
    case EQUAL_TO:
    case DATE_IS: p->low = low, p->high = high; break;
    case GREATER_THAN:
    case DATE_AFTER: p->low = above; break;
    case GREATER_THAN_OR_EQUAL_TO:
    case DATE_AFTER_OR_ON: p->low = low; break;
    case LESS_THAN:
    case DATE_BEFORE: p->high = below; break;
    case LESS_THAN_OR_EQUAL_TO:
    case DATE_BEFORE_OR_ON: p->high = high; break;
    default: assert(!"an operator that compares no order");
    }
}

static struct bound bound_number(int64_t v) { return (struct bound){.given = true, .number = v}; }
static struct bound bound_text(struct str s) { return (struct bound){.given = true, .text = s}; }

static void set_span(struct proposition *p, enum operation operation, struct period s) {
    struct bound end = bound_number(s.to);
    end.open = true;
    proposition_bound(p, operation, bound_number(s.from), end);
}

/* ---- one value, by its input type ------------------------------------------------------------ */

static int predicate_read_number(struct reader *r, struct proposition *p, enum operation operation,
                                 const struct json *j, struct str at) {
    struct str s = predicate_scalar(j), key = {0};
    int64_t v;
    bool whole = p->field->input != INPUT_FLOAT;
    if (s.p && s.n <= 64 && (!whole || str_to_int(s, &v))) key = decimal_key(r->w->arena, s);
    if (key.p == NULL)
        return predicate_refuse(r, ERR_FIELD_INVALID, at,
                                whole ? "A whole number is expected." : "A number like 12.5 is expected.");
    bool decimal = p->field->kind == VALUE_DECIMAL;
    assert(decimal || whole);
    proposition_bound(p, operation, decimal ? bound_text(key) : bound_number(v),
                      decimal ? bound_text(key) : bound_number(v));
    return 0;
}

/* Sets the test of a value that stands for others. */
static void set_special(struct reader *r, struct proposition *p, const struct special_value *s) {
    switch (s->what) {
    case NO_VALUE: p->test = IS_EMPTY; break;
    case SAME_AS_FIELD:
        p->test = IS_SAME;
        p->other_place = definition_place(r->d, s->field);
        break;
    case CURRENT_USER:
        p->test = IS_LISTED;
        p->later = LATER_USER;
        break;
    case CURRENT_USERS_TEAMS:
        p->test = IS_LISTED;
        p->later = LATER_TEAMS;
        r->needs |= NEEDS_TEAMS;
    }
}

/* Returns true if the value is a special one. */
static bool read_special(struct reader *r, struct proposition *p, enum operation operation,
                         const struct json *j) {
    struct str s = predicate_scalar(j);
    for (const struct special_value *v = p->field->specials; v && v->key; v++) {
        if (s.p == NULL || !str_eqi(s, str_of(v->key)) || (v->rules && !(v->rules & FOR(r->d->user))))
            continue;
        p->negated = operation == NOT_EQUAL_TO;
        set_special(r, p, v);
        return true;
    }
    return false;
}

/* A new predicate names only objects that exist. */
static int check_known(struct reader *r, const struct definition *d, int64_t id, struct str at) {
    int64_t found;
    if (d->known == NULL || r->age == PREDICATE_STORED) return 0;
    if (value_used(r->d->used, d->field, str_fmt(r->w->arena, "%" PRId64, id))) return 0;
    int rc = db_int(r->w->conn, d->known, BINDS(B_INT("id", id)), &found);
    return rc < 0 ? rc : rc ? 0 : predicate_refuse(r, ERR_FIELD_INVALID, at, d->unknown);
}

static int predicate_read_id(struct reader *r, struct proposition *p, enum operation operation,
                             const struct json *j, struct str at) {
    int64_t v;
    struct str s = predicate_scalar(j);
    if (read_special(r, p, operation, j)) return 0;
    if (s.p == NULL || !str_to_int(s, &v) || v <= 0)
        return predicate_refuse(r, ERR_FIELD_INVALID, at, "An id is expected.");
    TRY(check_known(r, p->field, v, at));
    proposition_bound(p, operation, bound_number(v), bound_number(v));
    return 0;
}

static int check_text(struct reader *r, struct str s, struct str at) {
    if (utf8_count(s) > LIMIT_TITLE)
        return fail_at(r->w, ERR_FIELD_INVALID, r->parameter, at, "At most %d characters are allowed.",
                       LIMIT_TITLE);
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F)
            return predicate_refuse(r, ERR_FIELD_INVALID, at, "Control characters are not allowed.");
    return 0;
}

static int read_string(struct reader *r, struct proposition *p, enum operation operation,
                       const struct json *j, struct str at) {
    struct str s = predicate_scalar(j);
    if (s.p == NULL) return predicate_refuse(r, ERR_FIELD_INVALID, at, "A text is expected.");
    TRY(check_text(r, s, at));
    struct str key = p->field->key ? p->field->key(r->w->arena, s) : fold_key(r->w->arena, s);
    if (key.p == NULL || key.n == 0)
        return predicate_refuse(r, ERR_FIELD_INVALID, at, "The text has no characters that can be compared.");
    p->negated = operation == DOES_NOT_CONTAIN;
    if (operation != CONTAINS && operation != DOES_NOT_CONTAIN) {
        proposition_bound(p, operation, bound_text(key), bound_text(key));
        return 0;
    }
    p->test = HAS_PART;
    p->text = key;
    return 0;
}

static int read_boolean(struct reader *r, struct proposition *p, enum operation operation,
                        const struct json *j, struct str at) {
    struct str s = predicate_scalar(j);
    bool yes = j->type == JSON_TRUE || str_eq(s, S("1")) || str_eqi(s, S("true"));
    bool no = j->type == JSON_FALSE || str_eq(s, S("0")) || str_eqi(s, S("false"));
    if (p->field->input == INPUT_BOOLEAN_TRUE && !yes)
        return predicate_refuse(r, ERR_FIELD_INVALID, at, "true is expected.");
    if (!yes && !no) return predicate_refuse(r, ERR_FIELD_INVALID, at, "true or false is expected.");
    if (p->field->open_now) {
        p->test = IS_LISTED;
        p->later = LATER_OPEN;
        p->negated = yes == (operation == NOT_EQUAL_TO);
        r->needs |= NEEDS_HOURS;
        return 0;
    }
    struct bound b = p->field->kind == VALUE_YESNO ? bound_text(yes ? S("yes") : S("no")) : bound_number(yes);
    proposition_bound(p, operation, b, b);
    return 0;
}

/* The option with this key; NULL: none. */
static const struct option *option_named(const struct definition *d, struct str key) {
    const struct option *o = d->options;
    while (o->key && !(key.p && str_eqi(key, str_of(o->key)))) o++;
    return o->key ? o : NULL;
}

static int bad_option(struct reader *r, struct str at) {
    return predicate_refuse(r, ERR_FIELD_INVALID, at,
                            "One of the keys of the definition's values is expected.");
}

static int predicate_read_option(struct reader *r, struct proposition *p, enum operation operation,
                                 const struct json *j, struct str at) {
    if (read_special(r, p, operation, j)) return 0;
    const struct option *o = option_named(p->field, predicate_scalar(j));
    if (o == NULL) return bad_option(r, at);
    int64_t v = o->number ? o->number : p->field->words ? word_id(p->field->words, str_of(o->key)) : 0;
    bool numeric = p->field->kind == VALUE_NUMBER && (v || str_to_int(str_of(o->key), &v));
    struct bound b = numeric ? bound_number(v) : bound_text(str_of(o->key));
    proposition_bound(p, operation, b, b);
    return 0;
}

/* Adds a text to the list, unless it is there. */
static int add_text(struct reader *r, struct proposition *p, struct str text, const char *what,
                    struct str at) {
    for (int i = 0; i < p->text_count; i++)
        if (str_eq(p->texts[i], text)) return 0;
    if (p->text_count == LIMIT_RULE_TAGS)
        return fail_at(r->w, ERR_FIELD_INVALID, r->parameter, at, "At most %d %s are allowed.",
                       LIMIT_RULE_TAGS, what);
    p->texts[p->text_count++] = text;
    return 0;
}

static int add_tag(struct reader *r, struct proposition *p, struct str name, struct str at) {
    TRY(check_text(r, name, at));
    struct str key = fold_key(r->w->arena, str_trim(name));
    if (key.n == 0) return predicate_refuse(r, ERR_FIELD_INVALID, at, "A tag is expected.");
    return add_text(r, p, key, "tags", at);
}

/* An option in a list of several, between commas. */
static int add_pick(struct reader *r, struct proposition *p, struct str key, struct str at) {
    const struct option *o = option_named(p->field, key);
    if (o == NULL) return bad_option(r, at);
    return add_text(r, p, str_fmt(r->w->arena, ",%s,", o->key), "options", at);
}

/* Reads a list, or text with commas. */
static int read_contained(struct reader *r, struct proposition *p, const struct json *j, struct str at,
                          int (*add)(struct reader *r, struct proposition *p, struct str name,
                                     struct str at)) {
    struct arena *a = r->w->arena;
    int at_item = 0;
    p->texts = arena_array(a, LIMIT_RULE_TAGS, sizeof *p->texts);
    if (j->type == JSON_ARRAY) {
        for (const struct json *item = j->first; item; item = item->next, at_item++) {
            struct str name = predicate_scalar(item), place = str_fmt(a, "%s/%d", at.p, at_item);
            if (name.p == NULL) return predicate_refuse(r, ERR_FIELD_INVALID, place, "A text is expected.");
            TRY(add(r, p, name, place));
        }
    } else {
        struct str rest = predicate_scalar(j);
        if (rest.p == NULL)
            return predicate_refuse(r, ERR_FIELD_INVALID, at, "A list is expected, or text with commas.");
        while (rest.p) {
            struct str name = str_trim(str_cut(&rest, ','));
            if (name.n) TRY(add(r, p, name, at));
        }
    }
    return p->text_count ? 0 : predicate_refuse(r, ERR_FIELD_EMPTY, at, NULL);
}

static int read_tags(struct reader *r, struct proposition *p, enum operation operation, const struct json *j,
                     struct str at) {
    p->test = operation == CONTAINS_ALL ? HAS_ALL : IS_AMONG;
    p->negated = operation == CONTAINS_NONE;
    return read_contained(r, p, j, at, add_tag);
}

/* "Is" means: the option is among the chosen ones. */
static int read_picks(struct reader *r, struct proposition *p, enum operation operation, const struct json *j,
                      struct str at) {
    p->test = operation == HAS_ALL_OF ? HAS_ALL_PARTS : HAS_ANY_PART;
    p->negated = operation == HAS_NONE_OF || operation == NOT_EQUAL_TO;
    if (operation != EQUAL_TO && operation != NOT_EQUAL_TO) return read_contained(r, p, j, at, add_pick);
    p->texts = arena_array(r->w->arena, 1, sizeof *p->texts);
    return add_pick(r, p, predicate_scalar(j), at);
}

/* Accepts a day, or a time on that day. */
static int read_day(struct reader *r, struct proposition *p, enum operation operation, const struct json *j,
                    struct str at) {
    struct str s = str_trim(j->type == JSON_STRING ? j->text : S(""));
    int64_t day, ms;
    if (time_parse_iso(s, &ms)) day = day_of(r->zone, ms);
    else if (!day_parse(s, &day)) day = INT64_MIN;
    if (day < DAY_FIRST)
        return predicate_refuse(r, ERR_FIELD_INVALID, at, "A date like 2026-11-21 is expected.");
    if (p->field->kind == VALUE_TIME) set_span(p, operation, day_span(r->zone, day, 1));
    else
        proposition_bound(p, operation, bound_text(day_text(r->w->arena, day)),
                          bound_text(day_text(r->w->arena, day)));
    return 0;
}

static int read_relative(struct reader *r, struct proposition *p, enum operation operation,
                         const struct json *j, struct str at) {
    int word = j->type == JSON_STRING ? word_id_any(relative_dates, j->text) : -1;
    if (word < 0 || !relative_fits(word, p->field->sub_type))
        return predicate_refuse(r, ERR_FIELD_INVALID, at,
                                "One of the keys of the definition's values is expected.");
    p->test = IS_WITHIN;
    p->later = LATER_PERIOD;
    p->operation = operation;
    p->word = word;
    if (r->d->subject->brand == NULL) return 0;
    p->by_brand = true;
    p->other_place = definition_place(r->d, r->d->subject->brand);
    r->needs |= NEEDS_ZONES;
    return 0;
}

/* Hours since the time, as a whole number. */
static int read_hours(struct reader *r, struct proposition *p, enum operation operation, const struct json *j,
                      struct str at) {
    struct str s = predicate_scalar(j);
    if (s.p == NULL || !str_to_int(s, &p->hours) || p->hours < 0 || p->hours > LIMIT_RULE_HOURS)
        return fail_at(r->w, ERR_FIELD_INVALID, r->parameter, at,
                       "A whole number of hours is expected, at most %d.", LIMIT_RULE_HOURS);
    p->operation = operation;
    if (operation >= OPEN_GREATER_THAN) {
        p->test = IS_OPENED;
        p->operation = operation - OPEN_GREATER_THAN + TIME_GREATER_THAN;
        p->other_place = definition_place(r->d, HOURS_FIELD);
        r->needs |= NEEDS_HOURS;
    } else p->later = LATER_HOURS;
    return 0;
}

read_fn *const predicate_readers[INPUT_TYPES] = {
    [INPUT_INTEGER] = predicate_read_number,
    [INPUT_FLOAT] = predicate_read_number,
    [INPUT_STRING] = read_string,
    [INPUT_BOOLEAN] = read_boolean,
    [INPUT_BOOLEAN_TRUE] = read_boolean,
    [INPUT_OPTIONS] = predicate_read_option,
    [INPUT_MULTIPLE] = read_picks,
    [INPUT_TAGS] = read_tags,
    [INPUT_DATE_ABSOLUTE] = read_day,
    [INPUT_DATE_RELATIVE] = read_relative,
    [INPUT_AUTOCOMPLETE] = predicate_read_id,
    [INPUT_TIME] = read_hours,
};

/* History operators: the test of an equality, and the state that it looks at. */
int predicate_read_history(struct reader *r, struct proposition *p, enum operation operation,
                           const struct json *j, struct str at) {
    static const enum past pasts[] = {PAST_CHANGED, PAST_CHANGED_TO, PAST_CHANGED_FROM};
    int kind = ((int)operation - CHANGED) % 3;
    p->test = IS_PRESENT;
    if (kind) TRY(predicate_readers[p->field->input](r, p, EQUAL_TO, j, at));
    p->past = pasts[kind];
    p->negated = operation >= NOT_CHANGED;
    return 0;
}
