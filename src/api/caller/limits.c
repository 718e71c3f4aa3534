#include "api/caller/limits.h"

#include "api/call/machine.h"
#include "core/desk/processes.h"
#include "core/desk/setting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

/* Classes of requests. A class of routes without a quota is counted as the next one that applies: reads or
 * writes. */
enum { HEAVY, READS, WRITES, PAGES, LIMIT_CLASSES };
static const struct limit_class {
    const char *name, *setting;
    bool (*has)(const struct route *r); /* NULL: no route of the API */
} limit_classes[LIMIT_CLASSES] = {
    [HEAVY] = {"heavy", "limits.heavy_per_minute", route_is_heavy},
    [READS] = {"read", "limits.read_per_minute", route_reads},
    [WRITES] = {"write", "limits.write_per_minute", route_writes},
    [PAGES] = {"page", "limits.pages_per_minute"},
};

struct limits *limits_new(void) {
    struct limits *l = calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    random_bytes(&l->seed, sizeof l->seed);
    for (int i = 0; i < LIMIT_LOCKS; i++) pthread_mutex_init(&l->locks[i], NULL);
    return l;
}

void limits_free(struct limits *l) {
    if (l == NULL) return;
    for (int i = 0; i < LIMIT_LOCKS; i++) pthread_mutex_destroy(&l->locks[i]);
    free(l);
}

struct limit_slot *limit_slot_of(struct limit_slot set[LIMIT_WAYS], uint64_t caller) {
    struct limit_slot *fullest = set;
    for (struct limit_slot *s = set; s < set + LIMIT_WAYS; s++) {
        if (s->caller == caller) return s;
        if (s->full_at < fullest->full_at) fullest = s;
    }
    *fullest = (struct limit_slot){.caller = caller};
    return fullest;
}

struct limit_caller {
    uint64_t id, is_client; /* is_client: an OAuth client in its own name; otherwise as call_sharer */
};

static struct limit_caller limit_caller_of(const struct call *c) {
    const struct actor *a = &c->work.actor;
    return a->acts_alone ? (struct limit_caller){(uint64_t)a->client_id, 1}
                         : (struct limit_caller){call_sharer(c), 0};
}

static uint64_t hash_caller(const struct limits *l, struct limit_caller who, const struct limit_class *k) {
    struct {
        struct limit_caller who;
        const void *class;
    } key = {who, k};
    return XXH3_64bits_withSeed(&key, sizeof key, l->seed);
}

/* The share of this process. */
static int64_t quota_here(const struct desk *d, const struct limit_class *k) {
    int64_t quota = setting_int(d, k->setting), n = processes_number(d);
    return quota == 0 ? 0 : quota < n ? 1 : quota / n;
}

/* Returns false if the class has no quota. */
static bool limit_find(struct limited *x, const struct api *api, struct limit_caller who,
                       const struct limit_class *k, int64_t now) {
    int64_t quota = quota_here(api->desk, k);
    *x = (struct limited){0};
    if (quota)
        *x = (struct limited){
            .name = k->name, .caller = hash_caller(api->limits, who, k), .quota = quota, .now = now * 1000};
    return quota != 0;
}

static bool limit_find_of_call(const struct call *c, struct limited *x) {
    for (const struct limit_class *k = limit_classes; k < limit_classes + LIMIT_CLASSES; k++)
        if (k->has && k->has(c->route) && limit_find(x, c->api, limit_caller_of(c), k, c->work.now))
            return true;
    return false;
}

enum limit_act { LIMIT_TAKE, LIMIT_GIVE, LIMIT_LOOK };

static void limit_act(struct limits *l, struct limited *x, enum limit_act act) {
    size_t set = x->caller % LIMIT_SETS;
    pthread_mutex_t *lock = &l->locks[set % LIMIT_LOCKS];
    pthread_mutex_lock(lock);
    struct limit_slot *s = limit_slot_of(l->slots[set], x->caller);
    if (act == LIMIT_TAKE) x->state = bucket_take(&s->full_at, x->quota, x->now);
    else if (act == LIMIT_GIVE) x->state = bucket_give(&s->full_at, x->quota, x->now, BUCKET_WHOLE - 1);
    else x->state = bucket_look(s->full_at, x->quota, x->now);
    pthread_mutex_unlock(lock);
}

int limits_count(struct call *c) {
    if (!limit_find_of_call(c, &c->limited)) return 0;
    limit_act(c->api->limits, &c->limited, LIMIT_TAKE);
    return c->limited.state.refused ? call_wait(c, c->limited.state.retry_s) : 0;
}

bool limits_over(struct call *c) {
    struct limited x;
    if (!limit_find_of_call(c, &x)) return false;
    limit_act(c->api->limits, &x, LIMIT_LOOK);
    return x.state.refused;
}

static int64_t count_outside(struct limited *x, struct api *api, struct limit_caller who, int class) {
    if (!limit_find(x, api, who, &limit_classes[class], clock_now(&api->desk->clock))) return 0;
    limit_act(api->limits, x, LIMIT_TAKE);
    return x->state.refused ? x->state.retry_s : 0;
}

int64_t limits_client(struct limited *x, struct api *api, int64_t client_id, bool writes) {
    return count_outside(x, api, (struct limit_caller){(uint64_t)client_id, 1}, writes ? WRITES : READS);
}

static struct limit_caller visitor(const struct actor *a) {
    return (struct limit_caller){a->user_id ? (uint64_t)a->user_id : address_sharer(a->remote), 0};
}

int64_t limits_page(struct limited *x, struct api *api, const struct actor *a) {
    return count_outside(x, api, visitor(a), PAGES);
}
int64_t limits_form(struct limited *x, struct api *api, const struct actor *a) {
    return count_outside(x, api, visitor(a), WRITES);
}

void limits_unchanged(struct limited *x, struct api *api) {
    if (x->quota && !x->state.refused) limit_act(api->limits, x, LIMIT_GIVE);
}

void limits_headers(const struct limited *x, struct http_request *r) {
    const struct bucket_state *s = &x->state;
    if (x->quota == 0) return;
    http_add_header(r, "RateLimit-Policy", str_fmt(r->arena, "\"%s\";q=%" PRId64 ";w=60", x->name, x->quota));
    http_add_header(r, "RateLimit",
                    str_fmt(r->arena, "\"%s\";r=%" PRId64 ";t=%" PRId64, x->name, s->left,
                            s->refused ? s->retry_s : s->full_s));
}
