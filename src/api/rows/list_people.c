/* Lists of people, by the ids under which a caller without login sees them. */
#include "api/rows/generic.h"

#include "api/input/input.h"
#include "base/ids.h"
#include "core/access/stranger.h"

#include <stdlib.h>

struct pair {
    int64_t shown, id;
};

/* True if the argument `ids` contains this pseudonym or is absent. */
static bool asked_for(struct call *c, int64_t shown) {
    const struct in *ids = arg(c, "ids");
    return !ids->given || ids_have(ids->value.ids, ids->value.i, shown);
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
    qsort(pairs, (size_t)count, sizeof *pairs, id_compare);
    int begin = begin_of(&c->options, pairs, count, &end);
    /* page_reply reverses it */
    for (int i = begin; i < end; i++) page[c->options.before_id ? end - 1 - i : i - begin] = pairs[i].id;
    return api_reply_page_of(c, page, end - begin, count, end < count);
}
