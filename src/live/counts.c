#include "live/counts.h"

#include "api/call/inner_read.h"
#include "live/event.h"

#include <poll.h>
#include <stdlib.h>

#define ROUND_MS 2000   /* pause between two counts of one view */
#define COUNTS_SHARE 4  /* counts take at most this part of a thread's time */
#define CROWDED_MS 1000 /* pause if the pool is full */

struct view_count {
    int64_t id, count;
};

/* ---- on a thread of the pool ------------------------------------------------------------------ */

static void counts_collect(struct count *c, const struct json *list) {
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct view_count one;
        const struct json *view = json_member(j, S("view")), *n = json_member(j, S("count"));
        if (!view || !n || !str_to_int(json_scalar(json_member(view, S("id"))), &one.id) ||
            !str_to_int(json_scalar(n), &one.count))
            continue;
        struct view_count *more = realloc(c->found, (size_t)(c->n + 1) * sizeof *more);
        if (more == NULL) abort();
        c->found = more;
        c->found[c->n++] = one;
    }
}

/* The counts of all views of a caller, by one GET. */
static void counts_read(struct pool_task *t) {
    struct count *c = (struct count *)(void *)t; /* the task is its first member */
    struct hub *h = c->hub;
    struct conn *conn = db_reader(h->api->desk->db);
    struct arena *a = arena_new();
    const struct json *list = NULL;
    int64_t begun = clock_monotonic();
    if (conn && db_read_begin(conn, 0) >= 0) {
        int status =
            inner_read(h->api, conn, &c->who.actor, a, S("/views/counts"), S("fields=view,count"), &list);
        if (status == 200) counts_collect(c, list);
        db_read_end(conn);
    }
    arena_free(a);
    c->took = clock_monotonic() - begun;
    queue_ring(h->notes);
    atomic_store(&c->done, true); /* the hub may end now. If it woke sooner, its next turn finds the counts */
}

/* ---- on the thread of the hub ----------------------------------------------------------------- */

static void count_tell(struct hub *h, struct peer *p, const struct view_count *v) {
    struct topic *t = topic_find(h, (struct live_name){LIVE_VIEW, v->id});
    struct subscription *s = t ? t->first : NULL;
    while (s && s->peer != p) s = s->next;
    if (s == NULL || s->count == v->count) return;
    hub_tell(h, s, "CHANGE", event_view(h, v->id, v->count), (struct str){0});
    s->count = v->count;
}

/* What a peer may not see any more is not told: if its rights were read again since the count began, it is
 * counted again. The snapshot of this turn is later than that of the count, and its entries were reviewed. */
static void counts_take(struct hub *h) {
    struct count *c = &h->count;
    struct peer *p = c->peer;
    if (p->reviews != c->reviews) p->counted_in = 0;
    else
        for (int i = 0; i < c->n; i++) count_tell(h, p, &c->found[i]);
    h->counts_at = clock_monotonic() + c->took * (COUNTS_SHARE - 1);
    free(c->found);
    peer_drop(p);
    *c = (struct count){0};
}

static bool hears_views(const struct peer *p) {
    const struct subscription *s = p->subscriptions;
    while (s && s->topic->name.kind != LIVE_VIEW) s = s->peer_next;
    return s != NULL;
}

static struct peer *next_uncounted(const struct hub *h) {
    struct peer *p = h->views_heard ? h->peers : NULL;
    while (p && (p->counted_in == h->round || !hears_views(p))) p = p->hub_next;
    return p;
}

static void count_begin(struct hub *h, struct peer *p, int64_t now) {
    struct count *c = &h->count;
    *c = (struct count){.task = {.run = counts_read, .whose = (uint64_t)p->who.actor.user_id},
                        .hub = h,
                        .peer = peer_hold(p),
                        .who = p->who,
                        .reviews = p->reviews};
    who_settle(&c->who);
    p->counted_in = h->round;
    if (pool_submit(h->api->pool, LANE_READ, &c->task)) return;
    p->counted_in = 0;
    h->counts_at = now + CROWDED_MS;
    peer_drop(p);
    *c = (struct count){0};
}

int counts_wait_ms(const struct hub *h, int most) {
    int64_t left = h->counts_at - clock_monotonic();
    return h->count.peer || left <= 0 || left > most ? most : (int)left;
}

void counts_follow(struct hub *h) {
    int64_t now = clock_monotonic();
    if (h->count.peer && !atomic_load(&h->count.done)) return;
    if (h->count.peer) counts_take(h);
    if (now < h->counts_at) return;
    struct peer *p = next_uncounted(h);
    if (p == NULL && h->counts_changed && now - h->round_at >= ROUND_MS) {
        h->counts_changed = false;
        h->round_at = now;
        h->round++;
        p = next_uncounted(h);
    }
    if (p) count_begin(h, p, now);
}

void counts_end(struct hub *h) {
    struct count *c = &h->count;
    while (c->peer && !atomic_load(&c->done)) poll(NULL, 0, 10);
    free(c->found);
    if (c->peer) peer_drop(c->peer);
    *c = (struct count){0};
}
