/* All collections of a predicate must hold, so one collection is enough to rule it out. A collection gives
 * keys if each of its propositions is either (1) the equality of a field with one value: the key is the
 * value, or (2) a history operator that needs a change: the key is ANY_CHANGE. A conversation that has
 * none of the keys can't meet the collection. The first such collection of a rule is used. A rule without
 * one is evaluated always, which costs a tenth of a microsecond.
 *
 * The keys of a conversation are the values of its fields, at most two for each indexed field. They are
 * looked up by binary search. */
#include "core/rules/rule_index.h"

#include <stdlib.h>

bool proposition_is_equality(const struct proposition *p, int64_t *value) {
    if (p->field == NULL || p->field->among || p->field->kind != VALUE_NUMBER || p->past || p->later)
        return false;
    *value = p->test == IS_EMPTY ? NO_NUMBER : p->low.number;
    bool single = p->test == IS_WITHIN && p->low.given && p->high.given && !p->low.open && !p->high.open &&
                  p->low.number == p->high.number;
    return p->test == IS_EMPTY || single;
}

/* Returns false if the proposition has no key. */
static bool key_of(const struct proposition *p, struct rule_key *out) {
    if (p->field == NULL || p->negated) return false;
    out->place = p->place;
    out->number = ANY_CHANGE;
    return p->past ? true : proposition_is_equality(p, &out->number);
}

static const struct collection *keyed_collection(const struct predicate *p) {
    struct rule_key key;
    for (int i = 0; i < p->count && !p->any; i++) {
        const struct collection *c = &p->collections[i];
        bool keyed = c->any && c->count > 0;
        for (int k = 0; k < c->count; k++) keyed = keyed && key_of(&c->propositions[k], &key);
        if (keyed) return c;
    }
    return NULL;
}

static int keys_compare(const void *x, const void *y) {
    const struct rule_key *a = x, *b = y;
    if (a->place != b->place) return a->place - b->place;
    return (a->number > b->number) - (a->number < b->number);
}

void rule_index_build(struct arena *a, const struct predicate *const *predicates, int count,
                      struct rule_index *out) {
    int room = 0;
    *out =
        (struct rule_index){.always = arena_array(a, (size_t)count + 1, sizeof *out->always), .rules = count};
    for (int i = 0; i < count; i++) {
        const struct collection *c = keyed_collection(predicates[i]);
        out->always[i] = c == NULL;
        for (int k = 0; c && k < c->count; k++) {
            out->keys = arena_more(a, out->keys, out->count, &room, sizeof *out->keys);
            key_of(&c->propositions[k], &out->keys[out->count]);
            out->keys[out->count++].rule = i;
        }
    }
    if (out->count) qsort(out->keys, (size_t)out->count, sizeof *out->keys, keys_compare);
    out->places = arena_array(a, (size_t)out->count + 1, sizeof *out->places);
    for (int i = 0; i < out->count; i++)
        if (i == 0 || out->keys[i].place != out->keys[i - 1].place)
            out->places[out->place_count++] = out->keys[i].place;
}

static void mark_key(const struct rule_index *x, int place, int64_t number, bool *may) {
    const struct rule_key wanted = {.place = place, .number = number};
    int low = 0, high = x->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (keys_compare(&x->keys[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    for (; low < x->count && keys_compare(&x->keys[low], &wanted) == 0; low++) may[x->keys[low].rule] = true;
}

void rule_index_mark(const struct rule_index *x, const struct fact *facts, bool *may) {
    memcpy(may, x->always, (size_t)x->rules * sizeof *may);
    for (int i = 0; i < x->place_count; i++) {
        const struct fact *f = &facts[x->places[i]];
        if (f->changed) mark_key(x, x->places[i], ANY_CHANGE, may);
        if (f->count == 0) mark_key(x, x->places[i], NO_NUMBER, may);
        for (int k = 0; f->numbers && k < f->count; k++) mark_key(x, x->places[i], f->numbers[k], may);
    }
}
