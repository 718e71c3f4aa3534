#include "core/change/change.h"

#include "base/clock.h"
#include "json/json.h"

#include <inttypes.h>

struct changed_value changed_word(const struct word *words, int64_t n) {
    return (struct changed_value){
        .given = n != 0, .number = n, .text = n ? str_of(word_of(words, n)) : (struct str){0}};
}

struct changed_value changed_bool(bool b) {
    return (struct changed_value){.given = true, .number = b, .text = b ? S("true") : S("false")};
}

struct changed_value changed_time(struct arena *a, int64_t t) {
    char *text = arena_alloc(a, TIME_ISO_SIZE);
    return (struct changed_value){.given = true, .number = t, .text = {text, time_iso(text, t)}};
}

struct str changed_value_text(struct arena *a, const struct changed_value *v) {
    if (!v->given) return (struct str){0};
    return v->text.p ? v->text : str_int(arena_bytes(a, INT_TEXT), v->number);
}

static bool value_eq(const struct changed_value *a, const struct changed_value *b) {
    if (a->given != b->given) return false;
    if (!a->given) return true;
    return a->text.p && b->text.p ? str_eq(a->text, b->text)
                                  : a->text.p == NULL && b->text.p == NULL && a->number == b->number;
}

#define FEW_BITS 6 /* buckets of a work with few changes: 64 */

static struct change **change_bucket(const struct changes *all, int64_t id) {
    return &all->buckets[((uint64_t)id * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - all->bucket_bits)];
}

/* Doubles the buckets. The changes of a bucket stay in their order, the newest first. */
static void grow_buckets(struct work *w, struct changes *all) {
    struct changes former = *all;
    all->bucket_bits++;
    all->buckets = arena_array(w->arena, (size_t)1 << all->bucket_bits, sizeof *all->buckets);
    for (size_t i = 0; i < (size_t)1 << former.bucket_bits; i++) {
        struct change *newest_last = NULL;
        for (struct change *c = former.buckets[i], *next; c; c = next)
            next = c->in_bucket, c->in_bucket = newest_last, newest_last = c;
        for (struct change *c = newest_last, *next; c; c = next) {
            struct change **bucket = change_bucket(all, c->id);
            next = c->in_bucket;
            c->in_bucket = *bucket;
            *bucket = c;
        }
    }
}

static bool is_of(const struct change *c, struct changed object) {
    return c->id == object.id && (c->kind == object.kind || strcmp(c->kind, object.kind) == 0);
}

static struct changes *changes_begun(struct work *w) {
    if (w->changes) return w->changes;
    w->changes = ARENA_NEW(w->arena, struct changes);
    *w->changes = (struct changes){.first = NULL};
    w->changes->last = &w->changes->first;
    w->changes->bucket_bits = FEW_BITS;
    w->changes->buckets = arena_array(w->arena, (size_t)1 << FEW_BITS, sizeof *w->changes->buckets);
    return w->changes;
}

static void change_append(struct work *w, struct changed object, struct change made) {
    struct changes *all = changes_begun(w);
    if (all->count >> all->bucket_bits >= 4) grow_buckets(w, all);
    struct change **bucket = change_bucket(all, object.id), *c = ARENA_NEW(w->arena, struct change);
    *c = made;
    c->kind = object.kind;
    c->id = object.id;
    c->case_id = object.case_id;
    c->by = all->by;
    c->number = ++all->count;
    if (c->by && c->case_id == c->by->case_id) c->by->changed = true;
    c->in_bucket = *bucket;
    *bucket = c;
    *all->last = c;
    all->last = &c->next;
    if (c->verb != CHANGE_CREATED || strcmp(c->kind, "case_message") != 0) return;
    c->next_message = all->messages;
    all->messages = c;
}

/* The recorded change of this property, or the creation of the object; NULL: none. */
static struct change *change_recorded(struct work *w, struct changed object, const char *property) {
    struct changes *all = w->changes;
    if (all == NULL) return NULL;
    for (struct change *c = *change_bucket(all, object.id); c; c = c->in_bucket) {
        if (!is_of(c, object) || c->by != all->by) continue;
        if (c->verb == CHANGE_CREATED ||
            (c->verb == CHANGE_UPDATED && property && strcmp(c->property, property) == 0))
            return c;
    }
    return NULL;
}

void change_created(struct work *w, struct changed object) {
    change_append(w, object, (struct change){.verb = CHANGE_CREATED});
}

void change_deleted(struct work *w, struct changed object) {
    struct change *made = change_recorded(w, object, NULL);
    if (made) made->verb = 0; /* created and deleted by this work: no change */
    else change_append(w, object, (struct change){.verb = CHANGE_DELETED});
}

void change_property(struct work *w, struct changed object, const char *property, struct changed_value from,
                     struct changed_value to) {
    struct change *before = change_recorded(w, object, property);
    if (before && before->verb == CHANGE_CREATED) return;
    if (before == NULL && value_eq(&from, &to)) return;
    if (before == NULL) {
        change_append(w, object,
                      (struct change){.verb = CHANGE_UPDATED, .property = property, .from = from, .to = to});
        return;
    }
    before->to = to;
}

void change_beside_creation(struct work *w, struct changed object, const char *property,
                            struct changed_value from, struct changed_value to) {
    change_append(w, object,
                  (struct change){.verb = CHANGE_UPDATED, .property = property, .from = from, .to = to});
}

void change_named(struct work *w, struct changed object, const char *property) {
    if (change_recorded(w, object, property)) return;
    change_append(w, object, (struct change){.verb = CHANGE_UPDATED, .property = property, .named = true});
}

void change_tells(struct work *w, struct changed object) {
    struct change *c = w->changes ? *change_bucket(w->changes, object.id) : NULL;
    while (c && !is_of(c, object)) c = c->in_bucket;
    if (c) c->tells = true;
}

int changes_deleted(struct work *w, const char *kind, struct str ids) {
    struct json *list;
    struct json_error err;
    int64_t id;
    if (json_parse(w->arena, ids, &list, &err) < 0) return -ERR_INTERNAL_ERROR;
    for (const struct json *j = list->first; j; j = j->next)
        if (str_to_int(j->text, &id)) change_deleted(w, (struct changed){kind, id, 0});
    return 0;
}

/* Returns false if the work has undone the change. */
static bool change_remains(const struct change *c) {
    return c->verb && (c->verb != CHANGE_UPDATED || c->named || !value_eq(&c->from, &c->to));
}

const struct change *changes_of(const struct work *w) {
    struct changes *all = w->changes;
    if (all == NULL) return NULL;
    for (struct change **at = &all->first; *at;) {
        if (change_remains(*at)) at = &(*at)->next;
        else *at = (*at)->next;
        all->last = at; /* after the loop this is the end of the list, also if the last change was removed */
    }
    return all->first;
}

struct str changes_messages(struct work *w) {
    int64_t *ids = NULL;
    int n = 0, room = 0;
    for (const struct change *c = w->changes ? w->changes->messages : NULL; c; c = c->next_message) {
        if (!change_remains(c)) continue;
        ids = arena_more(w->arena, ids, n, &room, sizeof *ids);
        ids[n++] = c->id;
    }
    return json_ids(w->arena, ids, (size_t)n);
}

int changes_of_object(struct work *w, struct changed object, const struct change ***out) {
    int n = 0, at = 0;
    struct change *newest = w->changes ? *change_bucket(w->changes, object.id) : NULL;
    for (const struct change *c = newest; c; c = c->in_bucket)
        if (is_of(c, object) && change_remains(c)) n++;
    *out = arena_array(w->arena, (size_t)n + 1, sizeof **out);
    for (const struct change *c = newest; c; c = c->in_bucket)
        if (is_of(c, object) && change_remains(c)) (*out)[n - ++at] = c;
    return n;
}

/* ---- rules that act -------------------------------------------------------------------------- */

struct change_author *change_author_begin(struct work *w, struct str cause, int64_t case_id) {
    struct changes *all = changes_begun(w);
    struct change_author *by = ARENA_NEW(w->arena, struct change_author);
    *by = (struct change_author){.cause = cause, .case_id = case_id};
    by->last_note = &by->notes;
    if (all->last_author) all->last_author->next = by;
    else all->first_author = by;
    all->last_author = by;
    all->by = by;
    return by;
}

void change_author_end(struct work *w) {
    if (w->changes) w->changes->by = NULL;
}

void change_author_note(struct work *w, struct change_author *by, struct rule_note note) {
    struct rule_note *n = ARENA_NEW(w->arena, struct rule_note);
    *n = note;
    n->next = NULL;
    *by->last_note = n;
    by->last_note = &n->next;
}

void change_author_stop(struct work *w, struct change_author *by) {
    if (by->stops) return;
    by->stops = true;
    by->next_stop = w->changes->first_stop;
    w->changes->first_stop = by;
}

bool change_notifications_stopped(const struct work *w, int64_t case_id) {
    for (const struct change_author *by = w->changes ? w->changes->first_stop : NULL; by; by = by->next_stop)
        if (by->case_id == case_id) return true;
    return false;
}

const struct change_author *change_authors_of(const struct work *w) {
    return w->changes ? w->changes->first_author : NULL;
}
