#include "core/login/last_use.h"

#include <pthread.h>
#include <stdlib.h>

#define TOUCHES 4096 /* slots; rows that share a slot are written at a later flush */

QUERY(session_touch_at,
      "UPDATE sessions SET last_activity_at = :now WHERE id = :id AND last_activity_at <= :since");
QUERY(grant_touch, "UPDATE oauth_grants SET last_activity_at = :now "
                   "WHERE id = :id AND COALESCE(last_activity_at, 0) <= :since");
QUERY(client_touch,
      "UPDATE oauth_clients SET last_used_at = :now WHERE id = :id AND COALESCE(last_used_at, 0) <= :since");
QUERY(api_token_touch,
      "UPDATE api_tokens SET last_used_at = :now WHERE id = :id AND COALESCE(last_used_at, 0) <= :since");
QUERY(user_touch, "UPDATE users SET last_activity_at = :now, last_seen_at = :now, last_active_at = :now "
                  "WHERE id = :id AND COALESCE(last_activity_at, 0) < :now");

static const struct query *const touch_queries[] = {[TOUCHED_SESSION] = &session_touch_at,
                                                    [TOUCHED_GRANT] = &grant_touch,
                                                    [TOUCHED_CLIENT] = &client_touch,
                                                    [TOUCHED_API_TOKEN] = &api_token_touch};

struct touches {
    pthread_mutex_t lock;
    struct touch place[TOUCHES];
};

struct touches *touches_new(void) {
    struct touches *t = calloc(1, sizeof *t);
    if (t) pthread_mutex_init(&t->lock, NULL);
    return t;
}

void touches_free(struct touches *t) {
    if (t == NULL) return;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static struct touch *touch_place(struct desk *d, enum touched what, int64_t id) {
    return &d->touches->place[((uint64_t)id + what * (TOUCHES / 4)) % TOUCHES];
}

static bool is_touch_of(const struct touch *t, enum touched what, int64_t id) {
    return t->what == what && t->id == id;
}

void touch(struct desk *d, struct touch t, int64_t last) {
    if (t.at - last < TIME_MINUTE) return;
    struct touch *p = touch_place(d, t.what, t.id);
    pthread_mutex_lock(&d->touches->lock);
    if (p->what == 0 || is_touch_of(p, t.what, t.id)) *p = t;
    pthread_mutex_unlock(&d->touches->lock);
}

int64_t touched_at(struct desk *d, enum touched what, int64_t id) {
    pthread_mutex_lock(&d->touches->lock);
    const struct touch *p = touch_place(d, what, id);
    int64_t at = is_touch_of(p, what, id) ? p->at : 0;
    pthread_mutex_unlock(&d->touches->lock);
    return at;
}

int touch_write(struct conn *c, enum touched what, int64_t id, int64_t at) {
    return db_exec(c, touch_queries[what],
                   BINDS(B_INT("id", id), B_INT("now", at), B_INT("since", at - TIME_MINUTE)));
}

static int write_touches(struct conn *c, void *arg) {
    for (const struct touch *t = arg; t->what; t++) {
        TRY(touch_write(c, t->what, t->id, t->at));
        if (t->user_id) TRY(db_exec(c, &user_touch, BINDS(B_INT("id", t->user_id), B_INT("now", t->at))));
    }
    return 0;
}

int touches_flush(struct desk *d) {
    struct arena *a = arena_new();
    struct touch *list = arena_array(a, TOUCHES + 1, sizeof *list);
    size_t n = 0;
    pthread_mutex_lock(&d->touches->lock);
    for (size_t i = 0; i < TOUCHES; i++)
        if (d->touches->place[i].what) list[n++] = d->touches->place[i];
    memset(d->touches->place, 0, sizeof d->touches->place);
    pthread_mutex_unlock(&d->touches->lock);
    int rc = n ? db_write(d->db, write_touches, list) : 0;
    arena_free(a);
    return rc;
}
