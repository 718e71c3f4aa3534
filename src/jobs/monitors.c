#include "jobs/periodic.h"

#include "base/log.h"
#include "core/access/scope.h"
#include "core/all/finish.h"
#include "core/rules/monitor.h"

enum { CHOSEN = 1000 };          /* conversations that one read chooses, or examines */
enum { MONITOR_READ_MS = 2000 }; /* duration of one snapshot */

/* A turn: a monitor, and the conversations that it acts on in this write. */
struct monitor_turn {
    int64_t id; /* id of the monitor */
    const int64_t *ids;
    int count;
};

#define MONITOR_ACTOR ((struct actor){.kind = ACTOR_RULE, .scopes = SCOPES_ALL, .cause = S("Monitor")})

static int monitor_claim_part(struct work *w, void *arg) {
    const struct monitor_turn *t = arg;
    return monitor_claim(w, t->id);
}

/* Reads the monitor again, because it may have changed since the choice. */
static int monitor_act_part(struct work *w, void *arg) {
    const struct monitor_turn *t = arg;
    struct monitor m;
    int rc = monitor_read(w, t->id, &m);
    return rc > 0 ? monitor_act(w, &m, t->ids, t->count) : rc;
}

/* Reads with this thread's connection. Returns what `read` returns. */
static int monitor_see(struct desk *d, struct arena *a, int (*see)(struct work *w, void *arg), void *arg) {
    struct work w;
    work_init(&w, d, a);
    return work_read(&w, MONITOR_READ_MS, see, arg);
}

/* A part of the scan. */
struct choice {
    int64_t monitor, after, *ids;
    bool parts, more;
};

static int see_due(struct work *w, void *arg) { return monitors_due(w, arg); }

static int see_choice(struct work *w, void *arg) {
    struct choice *c = arg;
    struct monitor m;
    int64_t looked = 0;
    int rc = monitor_read(w, c->monitor, &m);
    if (rc <= 0) return rc;
    int n = c->parts ? monitor_choose_among(w, &m, c->after, CHOSEN, &looked, &c->ids)
                     : monitor_choose(w, &m, c->after, CHOSEN, &c->ids);
    if (!c->parts && n > 0) looked = c->ids[n - 1];
    c->more = c->parts ? looked > 0 : n == CHOSEN;
    if (looked) c->after = looked;
    return n;
}

/* Acts on the next conversations that the monitor chooses. */
static int monitor_part(struct desk *d, struct arena *a, struct choice *c, const atomic_bool *stopping) {
    int n = monitor_see(d, a, see_choice, c);
    if (n < 0 && !c->parts && db_budget_spent(db_reader(d->db))) {
        c->parts = c->more = true; /* again */
        return 0;
    }
    TRY(n);
    for (int at = 0; at < n && !atomic_load(stopping); at += MONITOR_CHUNK) {
        struct monitor_turn t = {
            .id = c->monitor, .ids = c->ids + at, .count = n - at < MONITOR_CHUNK ? n - at : MONITOR_CHUNK};
        TRY(desk_write(d, MONITOR_ACTOR, monitor_act_part, &t));
    }
    return 0;
}

/* Claims the monitor, or does the next part of its scan. */
static int monitor_step(struct desk *d, struct monitors_state *s, const atomic_bool *stopping) {
    struct monitor_turn claim = {.id = s->ids[s->at]};
    struct choice c = {.monitor = s->ids[s->at], .after = s->after, .parts = s->parts};
    int rc;
    if (!s->claimed) {
        rc = desk_write(d, MONITOR_ACTOR, monitor_claim_part, &claim);
        s->claimed = c.more = rc > 0;
    } else {
        struct arena *a = arena_new();
        rc = monitor_part(d, a, &c, stopping);
        arena_free(a);
    }
    s->after = c.after;
    s->parts = c.parts;
    if (rc < 0 || c.more) return rc;
    s->at++;
    s->after = 0;
    s->claimed = s->parts = false;
    return 0;
}

void monitors_end(struct monitors_state *s) {
    if (s->arena) arena_free(s->arena);
    *s = (struct monitors_state){.last = s->last};
}

static int monitors_look(struct desk *d, struct monitors_state *s) {
    int64_t now = clock_now(&d->clock);
    if (s->arena) return 0;
    if (s->last && now >= s->last && now - s->last < MONITORS_LOOK) return 0;
    s->last = now;
    s->arena = arena_new();
    s->count = monitor_see(d, s->arena, see_due, &s->ids);
    return s->count < 0 ? s->count : 0;
}

bool monitors_run(struct desk *d, struct monitors_state *s, const atomic_bool *stopping) {
    int64_t until = clock_monotonic() + MONITORS_TURN;
    int rc = monitors_look(d, s);
    while (rc >= 0 && s->at < s->count && clock_monotonic() < until && !atomic_load(stopping))
        rc = monitor_step(d, s, stopping);
    if (rc < 0) log_warn("a monitor could not be run; the next run tries again");
    bool more = rc >= 0 && s->at < s->count;
    if (!more) monitors_end(s);
    return more;
}
