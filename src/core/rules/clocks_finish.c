#include "core/rules/clocks.h"

#include "json/json.h"

/* The conversations and breaches of a work. */
struct clocks {
    int64_t *ids;
    int count, room;
    struct breach *first, **last;
};

static struct clocks *clocks_of(struct work *w) {
    if (w->clocks) return w->clocks;
    w->clocks = ARENA_NEW(w->arena, struct clocks);
    w->clocks->last = &w->clocks->first;
    return w->clocks;
}

void clocks_touch(struct work *w, int64_t case_id) {
    struct clocks *c = clocks_of(w);
    if (c->count && c->ids[c->count - 1] == case_id) return;
    c->ids = arena_more(w->arena, c->ids, c->count, &c->room, sizeof *c->ids);
    c->ids[c->count++] = case_id;
}

const struct breach *breaches_of(const struct work *w) { return w->clocks ? w->clocks->first : NULL; }

int clocks_finish(struct work *w) {
    struct clocks *c = w->clocks;
    if (c == NULL || c->count == 0) return 0;
    return clocks_recompute(w, json_ids(w->arena, c->ids, (size_t)c->count));
}

int clocks_recompute(struct work *w, struct str ids) {
    (void)w, (void)ids;
    return 0;
}
