/* People as callers without login see them: under pseudonyms of the conversation that shows them, the
 * requester by the name that the caller gave (core/access/stranger.h). Each row that belongs to a
 * conversation sets the current one. */
#include "api/rows/view.h"
#include "base/ids.h"
#include "core/words.h"

#include <stdlib.h>

static const struct stranger_case *people_case(const struct view *v, int64_t id) {
    return v->case_count ? bsearch(&id, v->cases, (size_t)v->case_count, sizeof *v->cases, id_compare) : NULL;
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
    qsort(all, (size_t)v->case_count, sizeof *all, id_compare);
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
