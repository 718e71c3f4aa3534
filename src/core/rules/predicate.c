/* One engine for all rules. A predicate is parsed once and evaluated in two ways:
 *
 *     JSON --check--> struct predicate --+--> SQL condition over a list's rows       (filters, views, monitors)
 *                                        +--> true or false for one object's facts   (SLAs, triggers)
 *
 * Both must always agree, or a trigger would act on objects that its view does not show. Therefore neither evaluates operators. Parsing
 * reduces the seventeen operators to a few tests with a sign (struct proposition), resolves words like "lastweek" at the current time in
 * the desk's time zone, and folds texts as the store's keys are folded. Both ways then only compare numbers and bytes, by the same
 * rules:
 *
 *   - A field has a list of values: none (NULL, no row), one, or many (tags, addresses). A test holds if one value passes it. A negated
 *     proposition is its exact opposite: "is not X" holds for an object without a value, and for one with several only if none is X. In SQL, a
 *     column is wrapped in COALESCE before it is negated, and separate rows are tested by NOT IN.
 *   - Texts are compared by their keys (base/fold.h), byte by byte. @INSTR@ has no patterns, so % and _ are plain characters.
 *   - Decimals of custom fields are stored as texts that sort like the numbers. No floating point of an engine is involved, and an index works.
 *   - Times are milliseconds. Days are half-open spans of them, so that days of 23 and 25 hours are correct.
 *
 * A special value such as (current_user) is resolved when the predicate is read, so a stored predicate is read at each use. A stored
 * proposition that is not valid any more holds for no object.
 *
 * A field with values in separate rows becomes `t.id IN (SELECT owner FROM rows WHERE ...)`. The store starts from the index of those
 * rows, so a selective filter costs what it finds, whatever the size of the table (docs/BENCHMARKS.md). Negations and parts of texts
 * have no index. Alone they read every row, 0.5 us each; beside a selective proposition they read only the rows that it finds. An index
 * of parts would need one row for each character of every name. Autocomplete finds names faster.
 *
 * The fields are data: core/rules/definition.c. A new kind of object is a struct subject there; nothing changes here. */
#include "core/rules/predicate.h"

#include "base/buf.h"
#include "base/fold.h"
#include "base/limits.h"
#include "core/rules/calendar.h"
#include "core/desk/setting.h"

#include <assert.h>
#include <inttypes.h>

struct reader {
    struct work *w;
    const struct definitions *d;
    struct str parameter;
    struct str zone; /* time zone of the desk */
    enum predicate_age age;
    int broken; /* first error of the store, or 0 */
};

static int bad(struct reader *r, enum error code, struct str at, const char *why) {
    return fail_at(r->w, code, r->parameter, at, why ? "%s" : NULL, why);
}

static struct str under(struct reader *r, struct str at, const char *name) { return str_fmt(r->w->arena, "%s/%s", at.p, name); }

/* A single value as text; p NULL: the JSON is no single value. */
static struct str scalar(const struct json *j) {
    if (j->type == JSON_STRING || j->type == JSON_NUMBER) return j->text;
    return (struct str){0};
}

static bool is_empty(const struct json *j) {
    return j == NULL || j->type == JSON_NULL || (j->type == JSON_STRING && str_trim(j->text).n == 0);
}

/* ---- bounds ------------------------------------------------------------------------------------------------------------ */

/* Sets the test for `operation` and a value. The value is the span low..high; a single number or text is low = high. */
static void set_bounds(struct proposition *p, enum operation operation, struct bound low, struct bound high) {
    struct bound above = high, below = low; /* bounds of the values beyond the span */
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
    set_bounds(p, operation, bound_number(s.from), end);
}

/* ---- one value, by its input type ---------------------------------------------------------------------------------- */

typedef int read_fn(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at);

static int predicate_read_number(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at) {
    struct str s = scalar(j), key = {0};
    int64_t v;
    bool whole = p->field->input != INPUT_FLOAT;
    if (s.p && s.n <= 64 && (!whole || str_to_int(s, &v))) key = decimal_key(r->w->arena, s);
    if (key.p == NULL) return bad(r, ERR_FIELD_INVALID, at, whole ? "A whole number is expected." : "A number like 12.5 is expected.");
    bool decimal = p->field->kind == VALUE_DECIMAL;
    assert(decimal || whole);
    set_bounds(p, operation, decimal ? bound_text(key) : bound_number(v), decimal ? bound_text(key) : bound_number(v));
    return 0;
}

QUERY(teams_of_actor, "SELECT team_id FROM team_members WHERE user_id = :me ORDER BY team_id");

/* One id is an equality, for which the store finds an index in list order. */
static void set_ids(struct proposition *p, int64_t *ids, int count) {
    p->test = IS_LISTED;
    p->numbers = ids;
    p->number_count = count;
    if (count != 1) return;
    p->test = IS_WITHIN;
    p->low = p->high = bound_number(ids[0]);
}

/* Resolves a value that stands for others. Without a person, the current user is nobody, and no value is equal to it. */
static int set_special(struct reader *r, struct proposition *p, const struct special_value *s) {
    int64_t me = r->w->actor.user_id, *ids = arena_array(r->w->arena, 1, sizeof *ids);
    int n;
    switch (s->what) {
    case NO_VALUE: p->test = IS_EMPTY; break;
    case SAME_AS_FIELD:
        p->test = IS_SAME;
        p->other = definition_of(r->d, str_of(s->field));
        assert(p->other);
        p->other_place = (int)(p->other - r->d->list);
        break;
    case CURRENT_USER:
        *ids = me;
        set_ids(p, ids, me ? 1 : 0);
        break;
    case CURRENT_USERS_TEAMS:
        n = db_ids(r->w->conn, &teams_of_actor, BINDS(B_INT("me", me)), r->w->arena, &ids);
        TRY(n);
        set_ids(p, ids, n);
    }
    return 0;
}

/* Returns 1 if the value is a special one, 0 if not, or a negative error. */
static int read_special(struct reader *r, struct proposition *p, enum operation operation, const struct json *j) {
    struct str s = scalar(j);
    for (const struct special_value *v = p->field->specials; v && v->key; v++) {
        if (s.p == NULL || !str_eqi(s, str_of(v->key))) continue;
        p->negated = operation == NOT_EQUAL_TO;
        TRY(set_special(r, p, v));
        return 1;
    }
    return 0;
}

/* A new predicate names only objects that exist. */
static int check_known(struct reader *r, const struct definition *d, int64_t id, struct str at) {
    int64_t found;
    if (d->known == NULL || r->age == PREDICATE_STORED) return 0;
    int rc = db_int(r->w->conn, d->known, BINDS(B_INT("id", id)), &found);
    return rc < 0 ? rc : rc ? 0 : bad(r, ERR_FIELD_INVALID, at, "There is no such resource.");
}

static int predicate_read_id(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at) {
    int64_t v;
    struct str s = scalar(j);
    int rc = read_special(r, p, operation, j);
    if (rc) return rc < 0 ? rc : 0;
    if (s.p == NULL || !str_to_int(s, &v) || v <= 0) return bad(r, ERR_FIELD_INVALID, at, "An id is expected.");
    TRY(check_known(r, p->field, v, at));
    set_bounds(p, operation, bound_number(v), bound_number(v));
    return 0;
}

static int check_text(struct reader *r, struct str s, struct str at) {
    if (utf8_count(s) > LIMIT_TITLE)
        return fail_at(r->w, ERR_FIELD_INVALID, r->parameter, at, "At most %d characters are allowed.", LIMIT_TITLE);
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F) return bad(r, ERR_FIELD_INVALID, at, "Control characters are not allowed.");
    return 0;
}

static int read_string(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at) {
    struct str s = scalar(j);
    if (s.p == NULL) return bad(r, ERR_FIELD_INVALID, at, "A text is expected.");
    TRY(check_text(r, s, at));
    struct str key = p->field->key ? p->field->key(r->w->arena, s) : fold_key(r->w->arena, s);
    if (key.p == NULL || key.n == 0) return bad(r, ERR_FIELD_INVALID, at, "The text has no characters that can be compared.");
    p->negated = operation == DOES_NOT_CONTAIN;
    if (operation != CONTAINS && operation != DOES_NOT_CONTAIN) {
        set_bounds(p, operation, bound_text(key), bound_text(key));
        return 0;
    }
    p->test = HAS_PART;
    p->text = key;
    return 0;
}

static int read_boolean(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at) {
    struct str s = scalar(j);
    bool yes = j->type == JSON_TRUE || str_eq(s, S("1")) || str_eqi(s, S("true"));
    bool no = j->type == JSON_FALSE || str_eq(s, S("0")) || str_eqi(s, S("false"));
    if (!yes && !no) return bad(r, ERR_FIELD_INVALID, at, "true or false is expected.");
    struct bound b = p->field->kind == VALUE_YESNO ? bound_text(yes ? S("yes") : S("no")) : bound_number(yes);
    set_bounds(p, operation, b, b);
    return 0;
}

static int predicate_read_option(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at) {
    struct str s = scalar(j);
    const struct option *o = p->field->options;
    int rc = read_special(r, p, operation, j);
    if (rc) return rc < 0 ? rc : 0;
    while (o->key && !(s.p && str_eqi(s, str_of(o->key)))) o++;
    if (o->key == NULL) return bad(r, ERR_FIELD_INVALID, at, "One of the keys of the definition's values is expected.");
    s = str_of(o->key);
    if (p->field->kind == VALUE_PICKS) {
        p->test = HAS_PART;
        p->negated = operation == NOT_EQUAL_TO;
        p->text = str_fmt(r->w->arena, ",%s,", s.p);
        return 0;
    }
    int64_t v = p->field->words ? word_id(p->field->words, s) : 0;
    bool numeric = p->field->kind == VALUE_NUMBER && (p->field->words || str_to_int(s, &v));
    set_bounds(p, operation, numeric ? bound_number(v) : bound_text(s), numeric ? bound_number(v) : bound_text(s));
    return 0;
}

static int add_tag(struct reader *r, struct proposition *p, struct str name, struct str at) {
    TRY(check_text(r, name, at));
    struct str key = fold_key(r->w->arena, str_trim(name));
    if (key.n == 0) return bad(r, ERR_FIELD_INVALID, at, "A tag is expected.");
    for (int i = 0; i < p->text_count; i++)
        if (str_eq(p->texts[i], key)) return 0;
    if (p->text_count == LIMIT_RULE_TAGS)
        return fail_at(r->w, ERR_FIELD_INVALID, r->parameter, at, "At most %d tags are allowed.", LIMIT_RULE_TAGS);
    p->texts[p->text_count++] = key;
    return 0;
}

static int read_tags(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at) {
    struct arena *a = r->w->arena;
    int at_item = 0;
    p->test = operation == CONTAINS_ALL ? HAS_ALL : IS_AMONG;
    p->negated = operation == CONTAINS_NONE;
    p->texts = arena_array(a, LIMIT_RULE_TAGS, sizeof *p->texts);
    if (j->type == JSON_ARRAY) {
        for (const struct json *item = j->first; item; item = item->next, at_item++) {
            struct str name = scalar(item), place = str_fmt(a, "%s/%d", at.p, at_item);
            if (name.p == NULL) return bad(r, ERR_FIELD_INVALID, place, "A tag is expected.");
            TRY(add_tag(r, p, name, place));
        }
    } else {
        struct str rest = scalar(j);
        if (rest.p == NULL) return bad(r, ERR_FIELD_INVALID, at, "Tags are expected: a list, or text with commas.");
        while (rest.p) {
            struct str name = str_trim(str_cut(&rest, ','));
            if (name.n) TRY(add_tag(r, p, name, at));
        }
    }
    return p->text_count ? 0 : bad(r, ERR_FIELD_EMPTY, at, NULL);
}

/* Accepts a day, or a time on that day. */
static int read_day(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at) {
    struct str s = str_trim(j->type == JSON_STRING ? j->text : S(""));
    int64_t day, ms;
    if (time_parse_iso(s, &ms)) day = day_of(r->zone, ms);
    else if (!day_parse(s, &day)) day = INT64_MIN;
    if (day < DAY_FIRST) return bad(r, ERR_FIELD_INVALID, at, "A date like 2026-11-21 is expected.");
    if (p->field->kind == VALUE_TIME) set_span(p, operation, day_span(r->zone, day, 1));
    else set_bounds(p, operation, bound_text(day_text(r->w->arena, day)), bound_text(day_text(r->w->arena, day)));
    return 0;
}

static int read_relative(struct reader *r, struct proposition *p, enum operation operation, const struct json *j, struct str at) {
    int word = j->type == JSON_STRING ? word_id_any(relative_dates, j->text) : -1;
    if (word < 0 || !relative_fits(word, p->field->sub_type))
        return bad(r, ERR_FIELD_INVALID, at, "One of the keys of the definition's values is expected.");
    set_span(p, operation, relative_span(word, r->zone, r->w->now));
    return 0;
}

static read_fn *const readers[INPUT_TYPES] = {
    [INPUT_INTEGER] = predicate_read_number, [INPUT_FLOAT] = predicate_read_number,   [INPUT_STRING] = read_string,
    [INPUT_BOOLEAN] = read_boolean,          [INPUT_OPTIONS] = predicate_read_option, [INPUT_TAGS] = read_tags,
    [INPUT_DATE_ABSOLUTE] = read_day,        [INPUT_DATE_RELATIVE] = read_relative,   [INPUT_AUTOCOMPLETE] = predicate_read_id,
};

/* ---- propositions and collections ------------------------------------------------------------------------------------ */

/* A mandatory text member. Reports a missing or wrong one. */
static struct str required(struct reader *r, const struct json *object, const char *name, struct str at) {
    const struct json *j = json_named(object, str_of(name));
    struct str place = under(r, at, name);
    if (is_empty(j)) bad(r, j ? ERR_FIELD_EMPTY : ERR_FIELD_REQUIRED, place, NULL);
    else if (j->type == JSON_STRING) return j->text;
    else bad(r, ERR_FIELD_INVALID, place, "A text is expected.");
    return (struct str){0};
}

static void read_operation(struct reader *r, const struct definition *field, struct str word, struct str at, int *operation) {
    unsigned allowed = operators_of(r->d->user, field->input);
    struct str list = S("");
    *operation = word_id_any(operator_words, word);
    if (*operation >= 0 && allowed & 1u << *operation) return;
    for (int i = 0; i < OPERATORS; i++)
        if (allowed & 1u << i) list = str_fmt(r->w->arena, "%s%s%s", list.p, list.n ? ", " : "", operator_words[i].word);
    fail_at(r->w, ERR_FIELD_INVALID, r->parameter, under(r, at, "operator"), "One of these is expected: %s.", list.p);
    *operation = -1;
}

static void read_proposition(struct reader *r, const struct json *j, struct str at, struct proposition *p) {
    int operation = -1;
    if (j->type != JSON_OBJECT) {
        bad(r, ERR_FIELD_INVALID, at, "An object of field, operator and value is expected.");
        return;
    }
    struct str field = required(r, j, "field", at), word = required(r, j, "operator", at);
    const struct json *value = json_named(j, S("value"));
    p->field = field.p ? definition_of(r->d, field) : NULL;
    if (field.p && p->field == NULL) bad(r, ERR_FIELD_INVALID, under(r, at, "field"), "No definition has this field.");
    if (p->field) p->place = (int)(p->field - r->d->list);
    if (p->field && word.p) read_operation(r, p->field, word, at, &operation);
    if (is_empty(value)) bad(r, value ? ERR_FIELD_EMPTY : ERR_FIELD_REQUIRED, under(r, at, "value"), NULL);
    else if (operation >= 0) {
        int rc = readers[p->field->input](r, p, (enum operation)operation, value, under(r, at, "value"));
        if (rc < 0 && !failed(r->w) && !r->broken) r->broken = rc;
    }
}

/* A stored proposition that is not valid any more holds for no object. */
static void read_stored_proposition(struct reader *r, const struct json *j, struct str at, struct proposition *p) {
    struct findings before = work_set_aside(r->w);
    read_proposition(r, j, at, p);
    if (failed(r->w)) *p = (struct proposition){.test = IS_NEVER};
    work_set_aside(r->w);
    work_put_back(r->w, &before);
}

/* Reads AND or OR. Without the member, returns `any`. */
static bool read_any(struct reader *r, const struct json *object, const char *name, struct str at, bool any) {
    const struct json *j = json_named(object, str_of(name));
    if (j == NULL || j->type == JSON_NULL) return any;
    if (j->type == JSON_STRING && str_eqi(j->text, S("OR"))) return true;
    if (j->type != JSON_STRING || !str_eqi(j->text, S("AND"))) bad(r, ERR_FIELD_INVALID, under(r, at, name), "AND or OR is expected.");
    return false;
}

/* A mandatory list with at least one item. Reports a wrong one and returns NULL. */
static const struct json *read_list(struct reader *r, const struct json *object, const char *name, struct str at) {
    const struct json *j = json_named(object, str_of(name));
    struct str place = under(r, at, name);
    if (j == NULL || j->type == JSON_NULL) bad(r, ERR_FIELD_REQUIRED, place, NULL);
    else if (j->type != JSON_ARRAY) bad(r, ERR_FIELD_INVALID, place, "A list is expected.");
    else if (j->count == 0) bad(r, ERR_FIELD_EMPTY, place, NULL);
    else return j;
    return NULL;
}

static void read_collection(struct reader *r, const struct json *j, struct str at, struct collection *c, int *left) {
    if (j->type != JSON_OBJECT) {
        bad(r, ERR_FIELD_INVALID, at, "An object with propositions is expected.");
        return;
    }
    c->any = read_any(r, j, "proposition_operator", at, false);
    const struct json *list = read_list(r, j, "propositions", at);
    if (list == NULL) return;
    if ((*left -= (int)list->count) < 0) {
        fail_at(r->w, ERR_FIELD_INVALID, r->parameter, under(r, at, "propositions"), "At most %d propositions are allowed.",
                LIMIT_PROPOSITIONS);
        *left = 0;
        return;
    }
    c->propositions = arena_array(r->w->arena, list->count, sizeof *c->propositions);
    for (const struct json *item = list->first; item; item = item->next, c->count++)
        (r->age == PREDICATE_STORED ? read_stored_proposition : read_proposition)(
            r, item, str_fmt(r->w->arena, "%s/propositions/%d", at.p, c->count), &c->propositions[c->count]);
}

int predicate_read(struct work *w, const struct definitions *d, const struct json *j, struct str at, struct predicate **out) {
    struct reader r = {w, d, at, setting_text(w->desk, "desk.time_zone", w->arena), PREDICATE_NEW, 0};
    struct predicate *p = *out = ARENA_NEW(w->arena, struct predicate);
    int left = LIMIT_PROPOSITIONS;
    p->definitions = d;
    if (j->type != JSON_OBJECT) return bad(&r, ERR_FIELD_INVALID, (struct str){0}, "An object with collections is expected.");
    p->any = read_any(&r, j, "collection_operator", at, true);
    const struct json *list = read_list(&r, j, "collections", at);
    if (list && list->count > LIMIT_COLLECTIONS)
        return fail_at(w, ERR_FIELD_INVALID, at, under(&r, at, "collections"), "At most %d collections are allowed.", LIMIT_COLLECTIONS);
    if (list) p->collections = arena_array(w->arena, list->count, sizeof *p->collections);
    for (const struct json *item = list ? list->first : NULL; item; item = item->next, p->count++)
        read_collection(&r, item, str_fmt(w->arena, "%s/collections/%d", at.p, p->count), &p->collections[p->count], &left);
    return failed(w) ? -(int)failure(w) : r.broken;
}

/* "a/0/b" as "a[0].b". */
static struct str pointer_as_parameter(struct arena *a, struct str pointer) {
    struct buf b = {0};
    for (struct str rest = pointer; rest.p;) {
        struct str part = str_cut(&rest, '/');
        bool number = part.n && part.p[0] >= '0' && part.p[0] <= '9';
        buf_text(&b, number ? "[" : b.n ? "." : "");
        buf_str(&b, part);
        buf_text(&b, number ? "]" : "");
    }
    struct str s = str_dup(a, buf_view(&b));
    buf_free(&b);
    return s;
}

static int read_collections(struct reader *r, const struct json *list, struct predicate *p) {
    struct arena *a = r->w->arena;
    int left = LIMIT_PROPOSITIONS;
    if (list->type != JSON_ARRAY) return bad(r, ERR_FIELD_INVALID, r->parameter, "A list of collections is expected.");
    if (list->count > LIMIT_COLLECTIONS)
        return fail_at(r->w, ERR_FIELD_INVALID, r->parameter, r->parameter, "At most %d collections are allowed.", LIMIT_COLLECTIONS);
    p->collections = arena_array(a, list->count + 1, sizeof *p->collections);
    for (const struct json *item = list->first; item; item = item->next, p->count++) {
        struct collection *c = &p->collections[p->count];
        read_collection(r, item, str_fmt(a, "%s/%d", r->parameter.p, p->count), c, &left);
        c->any = true;
    }
    return 0;
}

int predicate_read_collections(struct work *w, const struct definitions *d, const struct json *list, struct str at, enum predicate_age age,
                               struct predicate **out) {
    struct reader r = {w, d, at, setting_text(w->desk, "desk.time_zone", w->arena), age, 0};
    struct predicate *p = *out = ARENA_NEW(w->arena, struct predicate);
    struct findings before = work_set_aside(w);
    p->definitions = d;
    int rc = read_collections(&r, list, p);
    struct findings found = work_set_aside(w);
    for (struct problem *q = found.problems; q; q = q->next) q->parameter = pointer_as_parameter(w->arena, q->pointer);
    work_put_back(w, &before);
    if (age == PREDICATE_NEW) work_put_back(w, &found);
    if (rc < 0 && found.problems == NULL) return rc;
    return age == PREDICATE_NEW && found.problems ? -(int)found.problems->code : r.broken;
}
