/* People as callers without login see them: under pseudonyms of the conversation that shows them, the
 * requester by the name that the caller gave (core/access/stranger.h). Each row that belongs to a
 * conversation sets the current one. */
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/words.h"

#include <stdlib.h>

static int compare_cases(const void *a, const void *b) {
    const int64_t x = ((const struct stranger_case *)a)->id, y = ((const struct stranger_case *)b)->id;
    return (x > y) - (x < y);
}

static const struct stranger_case *people_case(const struct view *v, int64_t id) {
    const struct stranger_case key = {.id = id};
    return v->case_count ? bsearch(&key, v->cases, (size_t)v->case_count, sizeof key, compare_cases) : NULL;
}

/* The conversation of a row; 0: none. */
static int64_t conversation_of(const struct row *row) {
    int place = row->layout->conversation;
    if (place == URL_END) return 0;
    return place == URL_ID ? row->id : row->cells[place].i;
}

static int people_load_cases(struct view *v, const int64_t *ids, size_t n) {
    struct arena *a = v->c->work.arena;
    struct stranger_case *found;
    int count = stranger_cases(&v->c->work, json_ids(a, ids, n), &found);
    if (count <= 0) return count;
    struct stranger_case *all = arena_array(a, (size_t)(v->case_count + count), sizeof *all);
    if (v->case_count) memcpy(all, v->cases, (size_t)v->case_count * sizeof *all);
    memcpy(all + v->case_count, found, (size_t)count * sizeof *all);
    v->cases = all;
    v->case_count += count;
    qsort(all, (size_t)v->case_count, sizeof *all, compare_cases);
    return 0;
}

int view_pseudonyms(struct view *v, const struct row *rows) {
    size_t n = 0, count = 1;
    int64_t of = v->c->conversation;
    if (v->c->work.actor.rank > ROLE_PUBLIC) return 0;
    for (const struct row *row = rows; row; row = row->next) count++;
    int64_t *ids = arena_array(v->c->work.arena, count, sizeof *ids);
    if (of && !people_case(v, of)) ids[n++] = of;
    for (const struct row *row = rows; row; row = row->next) {
        int64_t id = conversation_of(row);
        if (id && !people_case(v, id)) ids[n++] = id;
    }
    if (n) TRY(people_load_cases(v, ids, n));
    v->conversation = people_case(v, of);
    return 0;
}

const struct stranger_case *view_enter(struct view *v, const struct row *row) {
    const struct stranger_case *outer = v->conversation,
                               *own = v->case_count ? people_case(v, conversation_of(row)) : NULL;
    if (own) v->conversation = own;
    return outer;
}

int64_t view_id(const struct view *v, const struct layout *layout, int64_t id) {
    if (v->conversation == NULL || !layout->resource->is_person) return id;
    return stranger_person(v->c->work.desk, v->conversation, id);
}

struct str view_given_name(const struct view *v, const struct row *row) {
    if (v->conversation == NULL || !row->layout->resource->is_person) return (struct str){0};
    return stranger_name(v->conversation, row->id);
}

/* ---- flat replies: one person may appear under several pseudonyms ---------------------------- */

void view_note_person(struct view *v, const struct row *row) {
    if (v->conversation == NULL || !row->layout->resource->is_person) return;
    /* Rows of one conversation are adjacent. */
    for (const struct shown_person *p = v->shown_people; p && p->conversation == v->conversation;
         p = p->before)
        if (p->row == row) return;
    struct shown_person *p = ARENA_NEW(v->c->work.arena, struct shown_person);
    *p = (struct shown_person){row, v->conversation, v->shown_people};
    v->shown_people = p;
}

/* ---- lists of people ------------------------------------------------------------------------- */

struct pair {
    int64_t shown, id;
};

static int by_shown(const void *a, const void *b) {
    const int64_t x = ((const struct pair *)a)->shown, y = ((const struct pair *)b)->shown;
    return (x > y) - (x < y);
}

/* True if the argument `ids` contains this pseudonym or is absent. */
static bool asked_for(struct call *c, int64_t shown) {
    const struct in *ids = arg(c, "ids");
    if (!ids->given) return true;
    for (int64_t i = 0; i < ids->value.i; i++)
        if (ids->value.ids[i] == shown) return true;
    return false;
}

/* The start of the page among sorted pairs, and its end. */
static int begin_of(const struct options *o, const struct pair *pairs, int n, int *end) {
    int at = 0;
    *end = n;
    if (!o->keyset) at = o->offset < n ? (int)o->offset : n;
    while (o->after_id && at < n && pairs[at].shown <= o->after_id) at++;
    while (o->before_id && *end > 0 && pairs[*end - 1].shown >= o->before_id) --*end;
    if (o->before_id && *end - at > o->limit) at = *end - (int)o->limit;
    if (*end - at > o->limit) *end = at + (int)o->limit;
    return at;
}

int api_reply_people(struct call *c, const int64_t *ids, int n) {
    struct arena *a = c->work.arena;
    struct stranger_case *of;
    int count = 0, end, cases = stranger_cases(&c->work, json_ids(a, &c->conversation, 1), &of);
    if (cases <= 0) return cases < 0 ? cases : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    struct pair *pairs = arena_array(a, (size_t)n + 1, sizeof *pairs);
    int64_t *page = arena_array(a, (size_t)n + 1, sizeof *page);
    for (int i = 0; i < n; i++) {
        pairs[count] = (struct pair){stranger_person(c->work.desk, of, ids[i]), ids[i]};
        count += asked_for(c, pairs[count].shown);
    }
    qsort(pairs, (size_t)count, sizeof *pairs, by_shown);
    int begin = begin_of(&c->options, pairs, count, &end);
    /* page_reply reverses it */
    for (int i = begin; i < end; i++) page[c->options.before_id ? end - 1 - i : i - begin] = pairs[i].id;
    return api_reply_page_of(c, page, end - begin, count, end < count);
}
