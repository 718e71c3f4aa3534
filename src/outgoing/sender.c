/* One thread sends to all endpoints, by libcurl's multi interface.
 *
 *     fill:   which endpoints have due deliveries? -> take their leases (a write) -> read their targets and deliveries -> start
 *     run:    libcurl moves the bytes of all requests; nothing blocks
 *     settle: the results of all ended requests are stored in one write
 *
 * Turns. An endpoint has at most PER_ENDPOINT requests at a time, and one if half of all places are taken.
 * So a slow endpoint takes its own places only, and FLIGHTS / 2 endpoints must hang before others wait,
 * for one timeout at most. Deliveries of one conversation to one endpoint follow each other, because only
 * the first PENDING one is read.
 *
 * Leases. Each endpoint with due deliveries is held by one process (core/change/lease.h). After a crash
 * another process takes the lease when it ends, and sends again what was not stored as sent. A process
 * that hangs longer than its lease may send a delivery twice, with the same event id. Results that can't
 * be stored are kept and stored later; the request is not repeated. */
#include "outgoing/sender.h"

#include "base/log.h"
#include "core/all/finish.h"
#include "core/change/lease.h"
#include "core/desk/setting.h"
#include "core/endpoints/delivery_queue.h"
#include "core/endpoints/endpoint.h"
#include "json/json.h"
#include "outgoing/exchange.h"

#include <pthread.h>
#include <stdlib.h>

#define FLIGHTS 128
#define PER_ENDPOINT 4
#define LOOK_AGAIN_MS 1000 /* pause between looks for retries, and deliveries of other processes */
#define COUNT_AGAIN_MS 15000
#define IDLE_MS 2000 /* an idle lease is released, because another process may add deliveries */
#define LEASE_MS TIME_MINUTE
#define READ_MS 10000
#define LAST_REPLIES_MS 2000 /* sender_stop waits so long */

/* The target and the deliveries that one turn of an endpoint has read. The last flight frees it. */
struct batch {
    struct arena *arena;
    struct target target;
    int flights;
};

struct flight {
    struct batch *batch;
    struct held *held;
    const struct delivery *delivery;
    struct exchange *exchange; /* NULL: no request is needed */
    struct attempt result;
    bool ended;
    struct flight *next;
};

/* An endpoint whose lease this process holds. */
struct held {
    int64_t id, leased_at, used_at; /* leased_at: time of the desk, 0: not held; used_at: clock_monotonic */
    int flights;
    bool wanted, due, ends; /* it has due deliveries; its lease is to be taken, or ended */
    struct held *next;
};

struct sender {
    struct desk *desk;
    CURLM *multi;
    pthread_t thread;
    atomic_bool stopping, woken;
    struct held *held;
    struct flight *flights;
    int flight_count;
    bool fresh; /* requests have ended since the last settle */
    struct sent sent;
};

/* ---- reading and writing the store ----------------------------------------------------------- */

static int sender_write(struct sender *s, int (*run)(struct work *w, void *arg)) {
    return desk_write(s->desk, (struct actor){.kind = ACTOR_SYSTEM, .cause = S("Endpoint")}, run, s);
}

/* ---- leases ---------------------------------------------------------------------------------- */

static struct held *held_of(struct sender *s, int64_t id) {
    for (struct held *h = s->held; h; h = h->next)
        if (h->id == id) return h;
    struct held *h = calloc(1, sizeof *h);
    if (h == NULL) return NULL;
    *h = (struct held){.id = id, .next = s->held};
    return s->held = h;
}

static int leases_take(struct work *w, void *arg) {
    struct sender *s = arg;
    for (struct held *h = s->held; h; h = h->next) {
        if (!h->due) continue;
        int rc = lease_take(w, delivery_lease(w->arena, h->id), w->desk->process, LEASE_MS);
        TRY(rc);
        h->leased_at = rc == 1 ? w->now : 0;
    }
    return 0;
}

static int leases_of_former(struct work *w, void *arg) {
    (void)arg;
    return leases_free(w);
}

static int leases_release(struct work *w, void *arg) {
    struct sender *s = arg;
    for (struct held *h = s->held; h; h = h->next)
        if (h->ends && h->leased_at) TRY(lease_release(w, delivery_lease(w->arena, h->id), w->desk->process));
    return 0;
}

/* Takes the leases of `wanted` endpoints, and holds those longer that are used. */
static void leases_keep(struct sender *s) {
    int64_t now = clock_now(&s->desk->clock);
    bool any = false;
    for (struct held *h = s->held; h; h = h->next) {
        int64_t age = now - h->leased_at;
        h->due = (h->wanted || h->flights) && (h->leased_at == 0 || age < 0 || age >= LEASE_MS / 3);
        any |= h->due;
    }
    if (any && sender_write(s, leases_take) < 0)
        for (struct held *h = s->held; h; h = h->next)
            if (h->due) h->leased_at = 0;
}

/* Releases the leases that were not used for IDLE_MS, or all. */
static void leases_end(struct sender *s, bool all) {
    int64_t now = clock_monotonic();
    bool any = false;
    for (struct held *h = s->held; h; h = h->next) {
        if (h->wanted || h->flights) h->used_at = now;
        h->ends = all || now - h->used_at >= IDLE_MS;
        any |= h->ends && h->leased_at;
    }
    if (any && sender_write(s, leases_release) < 0 && !all) return;
    for (struct held **at = &s->held; *at;) {
        struct held *h = *at;
        if (h->ends) {
            *at = h->next;
            free(h);
        } else at = &h->next;
    }
}

/* ---- starting -------------------------------------------------------------------------------- */

static void batch_leave(struct batch *b) {
    if (--b->flights == 0) arena_free(b->arena);
}

static void flight_start(struct sender *s, struct held *h, struct batch *b, const struct delivery *d,
                         const struct exchange_rules *rules) {
    struct flight *f = calloc(1, sizeof *f);
    if (f == NULL) return; /* it stays due */
    *f = (struct flight){.batch = b,
                         .held = h,
                         .delivery = d,
                         .result = {.delivery = d, .target = &b->target},
                         .next = s->flights};
    const char *why = d->body.p == NULL ? "The body was erased with the data of its person."
                      : b->target.locked
                          ? "The secrets of the endpoint were encrypted with another server key. Make a new "
                            "secret and set the password."
                          : NULL;
    if (why) {
        f->result.message = str_of(why);
        f->ended = true;
    } else if (b->target.type == ENDPOINT_EMAIL) {
        f->result.success = f->result.mail = f->ended = true;
        f->result.message = S("The mail was queued.");
    } else {
        f->exchange = exchange_new(b->arena, &b->target, d, rules);
        if (f->exchange == NULL ||
            curl_multi_add_handle(s->multi, exchange_handle(f->exchange)) != CURLM_OK) {
            if (f->exchange) exchange_free(f->exchange);
            free(f);
            return;
        }
        curl_easy_setopt(exchange_handle(f->exchange), CURLOPT_PRIVATE, f);
    }
    s->flights = f;
    s->fresh |= f->ended;
    s->flight_count++;
    h->flights++;
    b->flights++;
}

/* The ids of the deliveries of an endpoint that are under way, as a JSON array. */
static struct str busy_of(struct sender *s, struct arena *a, const struct held *h) {
    int64_t *ids = arena_array(a, (size_t)h->flights + 1, sizeof *ids);
    size_t n = 0;
    for (struct flight *f = s->flights; f; f = f->next)
        if (f->held == h) ids[n++] = f->delivery->id;
    return json_ids(a, ids, n);
}

/* Number of requests that an endpoint may start now. */
static int places_left(const struct sender *s, const struct held *h) {
    int most = s->flight_count < FLIGHTS / 2 ? PER_ENDPOINT : s->flight_count < FLIGHTS ? 1 : 0;
    return h->leased_at ? most - h->flights : 0;
}

struct batch_reading {
    struct sender *sender;
    struct held *held;
    struct batch *batch;
    struct delivery *first;
};

static int batch_read(struct work *w, void *arg) {
    struct batch_reading *r = arg;
    int64_t id = r->held->id;
    int rc = target_load(w, id, &r->batch->target);
    return rc == 1 ? deliveries_due(w, id, busy_of(r->sender, w->arena, r->held),
                                    places_left(r->sender, r->held), &r->first)
                   : rc;
}

static void endpoint_start(struct sender *s, struct held *h) {
    struct arena *a = arena_new();
    struct batch *b = ARENA_NEW(a, struct batch);
    struct batch_reading r = {.sender = s, .held = h, .batch = b};
    struct work w;
    *b = (struct batch){.arena = a, .flights = 1}; /* 1: this function */
    work_init(&w, s->desk, a);
    int rc = work_read(&w, READ_MS, batch_read, &r);
    const struct exchange_rules rules = {.private_allowed = setting_bool(s->desk, PRIVATE_ALLOWED),
                                         .timeout_ms =
                                             setting_int(s->desk, "endpoints.timeout_seconds") * TIME_SECOND,
                                         .now = clock_now(&s->desk->clock)};
    for (struct delivery *d = rc > 0 ? r.first : NULL; d; d = d->next) flight_start(s, h, b, d, &rules);
    batch_leave(b);
}

static int waiting_read(struct work *w, void *ids) { return deliveries_waiting(w, ids); }

/* Marks the endpoints with due deliveries as wanted. */
static int endpoints_want(struct sender *s) {
    struct work w;
    int64_t *ids = NULL;
    work_init(&w, s->desk, arena_new());
    int n = work_read(&w, READ_MS, waiting_read, &ids);
    for (struct held *h = s->held; h; h = h->next) h->wanted = false;
    for (int i = 0; i < n; i++) {
        struct held *h = held_of(s, ids[i]);
        if (h) h->wanted = true;
    }
    arena_free(w.arena);
    return n;
}

/* The first endpoint becomes the last, so that another one has the first choice of places. */
static void held_rotate(struct sender *s) {
    struct held **last = &s->held, *first = s->held;
    if (first == NULL || first->next == NULL) return;
    while (*last) last = &(*last)->next;
    s->held = first->next;
    first->next = NULL;
    *last = first;
}

static void sender_fill(struct sender *s) {
    if (endpoints_want(s) < 0) return;
    held_rotate(s);
    leases_keep(s);
    for (struct held *h = s->held; h; h = h->next)
        if (h->wanted && places_left(s, h) > 0) endpoint_start(s, h);
    leases_end(s, false);
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* Takes the replies that libcurl has received. */
static void sender_collect(struct sender *s) {
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(s->multi, &left)) != NULL;) {
        if (m->msg != CURLMSG_DONE) continue;
        struct flight *f = NULL;
        CURLcode rc = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&f);
        f->result = exchange_result(f->exchange, rc);
        f->ended = s->fresh = true;
        curl_multi_remove_handle(s->multi, m->easy_handle);
        exchange_free(f->exchange);
        f->exchange = NULL;
    }
}

static int settle_flights(struct work *w, void *arg) {
    const struct sender *s = arg;
    for (struct flight *f = s->flights; f; f = f->next)
        if (f->ended) TRY(delivery_settle(w, &f->result));
    return 0;
}

static void flight_end(struct sender *s, struct flight *f) {
    if (f->exchange) {
        curl_multi_remove_handle(s->multi, exchange_handle(f->exchange));
        exchange_free(f->exchange);
    } else atomic_fetch_add(f->result.success ? &s->sent.succeeded : &s->sent.failed, 1);
    f->held->flights--;
    s->flight_count--;
    batch_leave(f->batch);
    free(f);
}

/* Ends the flights that have a result, or all. */
static void flights_end(struct sender *s, bool all) {
    for (struct flight **at = &s->flights; *at;) {
        struct flight *f = *at;
        if (f->ended || all) {
            *at = f->next;
            flight_end(s, f);
        } else at = &f->next;
    }
}

/* Stores the results. Returns true if there were some and they are stored. */
static bool sender_settle(struct sender *s) {
    bool any = false;
    for (struct flight *f = s->flights; f; f = f->next) any |= f->ended;
    s->fresh = false;
    if (!any) return false;
    if (sender_write(s, settle_flights) < 0) {
        log_warn("results of deliveries could not be stored; they are stored later");
        return false;
    }
    flights_end(s, false);
    return true;
}

/* ---- the thread ------------------------------------------------------------------------------ */

QUERY(sender_waiting,
      "SELECT COUNT(*), COALESCE(MIN(d.created_at), 0) FROM endpoint_deliveries d WHERE d.status = 1");

static void sender_count(struct sender *s) {
    struct conn *c = db_reader(s->desk->db);
    struct stmt *row;
    if (c == NULL || db_read_begin(c, READ_MS) < 0) return;
    if (db_row(c, &sender_waiting, NULL, &row) == 1) {
        int64_t oldest = col_int(row, 1);
        atomic_store(&s->sent.waiting, col_int(row, 0));
        atomic_store(&s->sent.oldest_ms, oldest ? clock_now(&s->desk->clock) - oldest : 0);
        stmt_end(row);
    }
    db_read_end(c);
}

static bool sender_is_due(int64_t *last, int64_t every) {
    int64_t now = clock_monotonic();
    if (now - *last < every) return false;
    *last = now;
    return true;
}

static void sender_step(struct sender *s, int wait_ms) {
    int running;
    curl_multi_perform(s->multi, &running);
    sender_collect(s);
    atomic_store(&s->sent.in_flight, s->flight_count);
    if (!s->fresh) curl_multi_poll(s->multi, NULL, 0, wait_ms, NULL);
}

static void sender_finish(struct sender *s) {
    int64_t until = clock_monotonic() + LAST_REPLIES_MS;
    while (s->flights && clock_monotonic() < until) {
        sender_step(s, 100);
        sender_settle(s);
    }
    flights_end(s, true);
    leases_end(s, true);
}

static void *sender_main(void *arg) {
    struct sender *s = arg;
    /* most processes have nothing to send: their first look can wait */
    int64_t filled = clock_monotonic(), counted = 0; /* counts at once */
    if (!db_shared(s->desk->db)) sender_write(s, leases_of_former);
    while (!atomic_load(&s->stopping)) {
        bool settled = sender_settle(s), woken = atomic_exchange(&s->woken, false);
        if (settled || woken || sender_is_due(&filled, LOOK_AGAIN_MS)) sender_fill(s);
        if (sender_is_due(&counted, COUNT_AGAIN_MS)) sender_count(s);
        sender_step(s, LOOK_AGAIN_MS);
    }
    sender_finish(s);
    return NULL;
}

static void sender_woken(void *arg) {
    struct sender *s = arg;
    atomic_store(&s->woken, true);
    curl_multi_wakeup(s->multi);
}

void sender_free(struct sender *s) {
    if (s == NULL) return;
    s->desk->wake_sender = NULL;
    s->desk->sent = NULL;
    curl_multi_cleanup(s->multi);
    free(s);
}

struct sender *sender_start(struct desk *d) {
    struct sender *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->desk = d;
    s->multi = curl_multi_init();
    if (s->multi) curl_multi_setopt(s->multi, CURLMOPT_MAXCONNECTS, (long)FLIGHTS);
    if (s->multi == NULL || pthread_create(&s->thread, NULL, sender_main, s) != 0)
        return sender_free(s), NULL;
    d->sent = &s->sent;
    d->wake_sender_arg = s;
    d->wake_sender = sender_woken;
    return s;
}

void sender_stop(struct sender *s) {
    if (s == NULL) return;
    atomic_store(&s->stopping, true);
    curl_multi_wakeup(s->multi);
    pthread_join(s->thread, NULL);
}
