/* One engine for all rules. A predicate is parsed once and evaluated in two ways:
 *
 *     JSON --check--> struct predicate --+--> SQL condition over a list's rows       (filters, views, monitors)
 *                                        +--> true or false for one object's facts   (SLAs, triggers)
 *
 * Both must always agree, or a trigger would act on objects that its view does not show. Therefore neither
 * evaluates operators. Parsing reduces the operators to a few tests with a sign (struct proposition), and
 * folds texts as the store's keys are folded. Words like "lastweek" and (current_user) stay, so that a
 * compiled predicate can be cached. Both ways first resolve them for a moment, by one function
 * (predicate_run.c). Then they only compare numbers and bytes, by the same rules:
 *
 *   - A field has a list of values: none (NULL, no row), one, or many (tags, addresses). A test holds if
 *     one value passes it. A negated proposition is its exact opposite: "is not X" holds for an object
 *     without a value, and for one with several only if none is X. In SQL, a column is wrapped in COALESCE
 *     before it is negated, and separate rows are tested by NOT IN.
 *   - Texts are compared by their keys (base/fold.h), byte by byte. @INSTR@ has no patterns, so % and _
 *     are plain characters.
 *   - Decimals of custom fields are stored as texts that sort like the numbers. No floating point of an
 *     engine is involved, and an index works.
 *   - Times are milliseconds. Days are half-open spans of them, so that days of 23 and 25 hours are correct.
 *
 * History operators apply the same tests to the state before the change (struct fact). Only triggers have
 * them, so they need no SQL. A stored proposition that is not valid any more holds for no object.
 *
 * A field with values in separate rows becomes `t.id IN (SELECT owner FROM rows WHERE ...)`. The store
 * starts from the index of those rows, so a selective filter costs what it finds, whatever the size of the
 * table (docs/BENCHMARKS.md). Negations and parts of texts have no index. Alone they read every row, 0.5
 * us each; beside a selective proposition they read only the rows that it finds. An index of parts would
 * need one row for each character of every name. Autocomplete finds names faster.
 *
 * Hours are elapsed time, since a moment in the past: "more than 2 hours" is "before two hours ago".
 * Business hours depend on the calendar of the conversation. In memory the open time is computed. In SQL
 * each calendar has a bound: the first time since which at most so much of it is open.
 *
 * The fields are data: core/predicates/definition.c. A new kind of object is a struct subject there; nothing
 * changes here. */
#include "core/predicates/predicate.h"

#include "base/buf.h"
#include "base/limits.h"
#include "core/desk/setting.h"

#include <assert.h>
#include <inttypes.h>

/* ---- propositions and collections ------------------------------------------------------------ */

/* A mandatory text member. Reports a missing or wrong one. */
static struct str required(struct reader *r, const struct json *object, const char *name, struct str at) {
    const struct json *j = json_named(object, str_of(name));
    struct str place = predicate_place(r, at, name);
    if (predicate_value_empty(j)) predicate_refuse(r, j ? ERR_FIELD_EMPTY : ERR_FIELD_REQUIRED, place, NULL);
    else if (j->type == JSON_STRING) return j->text;
    else predicate_refuse(r, ERR_FIELD_INVALID, place, "A text is expected.");
    return (struct str){0};
}

static void read_operation(struct reader *r, const struct definition *field, struct str word, struct str at,
                           int *operation) {
    uint64_t allowed = operators_of(r->d->user, field);
    struct str list = S("");
    *operation = word_id_any(operator_words, word);
    if (*operation >= 0 && allowed & OP(*operation)) return;
    for (int i = 0; i < OPERATORS; i++)
        if (allowed & OP(i))
            list = str_fmt(r->w->arena, "%s%s%s", list.p, list.n ? ", " : "", operator_words[i].word);
    fail_at(r->w, ERR_FIELD_INVALID, r->parameter, predicate_place(r, at, "operator"),
            "One of these is expected: %s.", list.p);
    *operation = -1;
}

static void read_proposition(struct reader *r, const struct json *j, struct str at, struct proposition *p) {
    int operation = -1;
    if (j->type != JSON_OBJECT) {
        predicate_refuse(r, ERR_FIELD_INVALID, at, "An object of field, operator and value is expected.");
        return;
    }
    struct str field = required(r, j, "field", at), word = required(r, j, "operator", at);
    const struct json *value = json_named(j, S("value"));
    p->field = field.p ? definition_of(r->d, field) : NULL;
    if (field.p && p->field == NULL)
        predicate_refuse(r, ERR_FIELD_INVALID, predicate_place(r, at, "field"),
                         "No definition has this field.");
    if (p->field) p->place = (int)(p->field - r->d->list);
    if (p->field && word.p) read_operation(r, p->field, word, at, &operation);
    bool needless = operation == CHANGED || operation == NOT_CHANGED;
    if (predicate_value_empty(value) && !needless)
        predicate_refuse(r, value ? ERR_FIELD_EMPTY : ERR_FIELD_REQUIRED, predicate_place(r, at, "value"),
                         NULL);
    else if (operation >= 0) {
        read_fn *read = operation >= CHANGED ? predicate_read_history : predicate_readers[p->field->input];
        int rc = read(r, p, (enum operation)operation, value, predicate_place(r, at, "value"));
        if (rc < 0 && !failed(r->w) && !r->broken) r->broken = rc;
    }
}

/* A stored proposition that is not valid any more holds for no object. */
static void read_stored_proposition(struct reader *r, const struct json *j, struct str at,
                                    struct proposition *p) {
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
    if (j->type != JSON_STRING || !str_eqi(j->text, S("AND")))
        predicate_refuse(r, ERR_FIELD_INVALID, predicate_place(r, at, name), "AND or OR is expected.");
    return false;
}

/* A mandatory list with at least one item. Reports a wrong one and returns NULL. */
static const struct json *read_list(struct reader *r, const struct json *object, const char *name,
                                    struct str at) {
    const struct json *j = json_named(object, str_of(name));
    struct str place = predicate_place(r, at, name);
    if (j == NULL || j->type == JSON_NULL) predicate_refuse(r, ERR_FIELD_REQUIRED, place, NULL);
    else if (j->type != JSON_ARRAY) predicate_refuse(r, ERR_FIELD_INVALID, place, "A list is expected.");
    else if (j->count == 0) predicate_refuse(r, ERR_FIELD_EMPTY, place, NULL);
    else return j;
    return NULL;
}

static void read_collection(struct reader *r, const struct json *j, struct str at, struct collection *c,
                            int *left) {
    if (j->type != JSON_OBJECT) {
        predicate_refuse(r, ERR_FIELD_INVALID, at, "An object with propositions is expected.");
        return;
    }
    c->any = read_any(r, j, "proposition_operator", at, false);
    const struct json *list = read_list(r, j, "propositions", at);
    if (list == NULL) return;
    if ((*left -= (int)list->count) < 0) {
        fail_at(r->w, ERR_FIELD_INVALID, r->parameter, predicate_place(r, at, "propositions"),
                "At most %d propositions are allowed.", LIMIT_PROPOSITIONS);
        *left = 0;
        return;
    }
    c->propositions = arena_array(r->w->arena, list->count, sizeof *c->propositions);
    for (const struct json *item = list->first; item; item = item->next, c->count++)
        (r->age == PREDICATE_STORED ? read_stored_proposition : read_proposition)(
            r, item, str_fmt(r->w->arena, "%s/propositions/%d", at.p, c->count), &c->propositions[c->count]);
}

int predicate_read(struct work *w, const struct definitions *d, const struct json *j, struct str at,
                   struct predicate **out) {
    struct reader r = {w, d, at, setting_text(w->desk, "desk.time_zone", w->arena), PREDICATE_NEW, 0, 0};
    struct predicate *p = *out = ARENA_NEW(w->arena, struct predicate);
    int left = LIMIT_PROPOSITIONS;
    p->definitions = d;
    if (j->type != JSON_OBJECT)
        return predicate_refuse(&r, ERR_FIELD_INVALID, (struct str){0},
                                "An object with collections is expected.");
    p->any = read_any(&r, j, "collection_operator", at, true);
    const struct json *list = read_list(&r, j, "collections", at);
    if (list && list->count > LIMIT_COLLECTIONS)
        return fail_at(w, ERR_FIELD_INVALID, at, predicate_place(&r, at, "collections"),
                       "At most %d collections are allowed.", LIMIT_COLLECTIONS);
    if (list) p->collections = arena_array(w->arena, list->count, sizeof *p->collections);
    for (const struct json *item = list ? list->first : NULL; item; item = item->next, p->count++)
        read_collection(&r, item, str_fmt(w->arena, "%s/collections/%d", at.p, p->count),
                        &p->collections[p->count], &left);
    p->needs = r.needs;
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
    return buf_take(&b, a);
}

static int read_collections(struct reader *r, const struct json *list, struct predicate *p) {
    struct arena *a = r->w->arena;
    int left = LIMIT_PROPOSITIONS;
    if (list->type != JSON_ARRAY)
        return predicate_refuse(r, ERR_FIELD_INVALID, r->parameter, "A list of collections is expected.");
    if (list->count > LIMIT_COLLECTIONS)
        return fail_at(r->w, ERR_FIELD_INVALID, r->parameter, r->parameter,
                       "At most %d collections are allowed.", LIMIT_COLLECTIONS);
    p->collections = arena_array(a, list->count + 1, sizeof *p->collections);
    for (const struct json *item = list->first; item; item = item->next, p->count++) {
        struct collection *c = &p->collections[p->count];
        read_collection(r, item, str_fmt(a, "%s/%d", r->parameter.p, p->count), c, &left);
        c->any = true;
    }
    return 0;
}

int predicate_read_collections(struct work *w, const struct definitions *d, const struct json *list,
                               struct str at, enum predicate_age age, struct predicate **out) {
    struct reader r = {w, d, at, setting_text(w->desk, "desk.time_zone", w->arena), age, 0, 0};
    struct predicate *p = *out = ARENA_NEW(w->arena, struct predicate);
    struct findings before = work_set_aside(w);
    p->definitions = d;
    int rc = read_collections(&r, list, p);
    p->needs = r.needs;
    struct findings found = work_set_aside(w);
    for (struct problem *q = found.problems; q; q = q->next)
        q->parameter = pointer_as_parameter(w->arena, q->pointer);
    work_put_back(w, &before);
    if (age == PREDICATE_NEW) work_put_back(w, &found);
    if (rc < 0 && found.problems == NULL) return rc;
    return age == PREDICATE_NEW && found.problems ? -(int)found.problems->code : r.broken;
}

bool predicate_tests(const struct predicate *p, const char *field) {
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->collections[i].count; k++) {
            const struct proposition *one = &p->collections[i].propositions[k];
            if (one->field && one->test != IS_NEVER && strcmp(one->field->field, field) == 0) return true;
        }
    return false;
}
