#include "jobs/listener.h"

#include "core/all/finish.h"
#include "core/change/outbox.h"
#include "core/desk/processes.h"

#include <pthread.h>
#include <stdlib.h>

#define LOOK_MS 500    /* pause between looks without a message, because a message may be lost */
#define BUDGET_MS 5000 /* limit of one reading of the outbox */
#define AWAY_MS (OUTBOX_KEPT / 2)

struct listener {
    struct desk *desk;
    pthread_t thread;
    struct arena *memory; /* the arena that `place` is in */
    struct str place;     /* place in the outbox; p NULL: unknown */
    int64_t read_at;      /* clock_monotonic of the last reading */
    int64_t beat_at;      /* clock_monotonic of the last processes_beat; 0: none */
};

#define DECLARE(NAME, name) extern TOPIC_CODE(NAME);
TOPICS(DECLARE)

/* e NULL: entries may have been missed. */
static void listener_hand_on(struct listener *l, const struct outbox_entry *e) {
#define NOTIFY(NAME, name) \
    if (e == NULL || str_eq(S(name), e->topic)) topic_code_##NAME(l->desk, e ? e->payload : (struct str){0});
    TOPICS(NOTIFY)
}

struct listening {
    struct listener *listener;
    struct outbox_entry *first;
};

static int read_on(struct work *w, void *arg) {
    struct listening *x = arg;
    return outbox_read(w, &x->listener->place, &x->first);
}

static void listener_read(struct listener *l) {
    struct work w;
    struct listening x = {.listener = l};
    struct arena *a = arena_new();
    int64_t now = clock_monotonic();
    if (now - l->read_at > AWAY_MS) l->place = (struct str){0};
    bool all = l->place.p == NULL;
    struct str before = l->place;
    work_init(&w, l->desk, a);
    if (work_read(&w, BUDGET_MS, read_on, &x) < 0) {
        l->place = before;
        arena_free(a);
        return;
    }
    l->read_at = now;
    if (all) listener_hand_on(l, NULL);
    for (const struct outbox_entry *e = x.first; e; e = e->next) listener_hand_on(l, e);
    arena_free(l->memory); /* not before outbox_read has read the old place from it */
    l->memory = a;         /* the new place is in it */
}

static void listener_beat(struct listener *l) {
    int64_t now = clock_monotonic();
    if (l->beat_at && now - l->beat_at < PROCESS_BEAT) return;
    l->beat_at = now;
    processes_beat(l->desk);
}

static void *listener_main(void *arg) {
    struct listener *l = arg;
    do {
        listener_read(l);
        listener_beat(l);
    } while (db_listen(l->desk->db, LOOK_MS) >= 0);
    processes_leave(l->desk);
    return NULL;
}

int listener_start(struct desk *d, struct listener **out) {
    *out = NULL;
    if (!db_shared(d->db)) return 0;
    struct listener *l = calloc(1, sizeof *l);
    if (l == NULL) return -1;
    l->desk = d;
    if (pthread_create(&l->thread, NULL, listener_main, l) != 0) return free(l), -1;
    *out = l;
    return 0;
}

void listener_stop(struct listener *l) {
    if (l == NULL) return;
    db_listen_end(l->desk->db);
    pthread_join(l->thread, NULL);
    arena_free(l->memory);
    free(l);
}
