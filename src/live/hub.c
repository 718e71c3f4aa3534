#include "live/hub.h"

#include "api/rows/cursor.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/desk/processes.h"
#include "live/frame.h"
#include "live/presence.h"
#include "live/service.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum note_kind { NOTE_OPENED, NOTE_FRAME, NOTE_GONE, NOTE_PRESENCE };

struct note {
    struct queue_item item; /* the first member */
    enum note_kind kind;
    struct peer *peer; /* holds a reference; NULL: NOTE_PRESENCE */
    size_t n;
    char text[]; /* NOTE_FRAME, NOTE_PRESENCE */
};

/* ---- topics and subscriptions ---------------------------------------------------------------- */

static struct topic **bucket_of(struct hub *h, struct live_name name) {
    uint64_t key = ((uint64_t)name.id * LIVE_KINDS + name.kind) * 0x9E3779B97F4A7C15u;
    return &h->buckets[key >> 52]; /* 12 bits: HUB_BUCKETS */
}

struct topic *topic_find(struct hub *h, struct live_name name) {
    struct topic *t = *bucket_of(h, name);
    while (t && (t->name.kind != name.kind || t->name.id != name.id)) t = t->next;
    return t;
}

static char *copy_of(struct str s) {
    char *copy = strndup(s.p, s.n);
    if (copy == NULL) abort();
    return copy;
}

static struct topic *topic_make(struct hub *h, struct live_name name, struct str text) {
    struct topic *t = calloc(1, sizeof *t), **bucket = bucket_of(h, name);
    if (t == NULL) abort();
    *t = (struct topic){.name = name, .text = copy_of(text), .next = *bucket};
    return *bucket = t;
}

static void topic_free(struct hub *h, struct topic *t) {
    struct topic **at = bucket_of(h, t->name);
    while (*at != t) at = &(*at)->next;
    *at = t->next;
    free(t->text);
    free(t);
}

static struct subscription *subscribe(struct hub *h, struct peer *p, struct topic *t, struct str join_ref) {
    struct subscription *s = calloc(1, sizeof *s);
    if (s == NULL) abort();
    *s = (struct subscription){.peer = p, .topic = t, .join_ref = copy_of(join_ref), .count = -1};
    s->next = t->first;
    s->at = &t->first;
    if (s->next) s->next->at = &s->next;
    t->first = s;
    s->peer_next = p->subscriptions;
    s->peer_at = &p->subscriptions;
    if (s->peer_next) s->peer_next->peer_at = &s->peer_next;
    p->subscriptions = s;
    p->subscribed++;
    h->subscriptions++;
    return s;
}

void hub_forget(struct hub *h, struct subscription *s) {
    presence_leave(h, s);
    *s->at = s->next;
    if (s->next) s->next->at = s->at;
    *s->peer_at = s->peer_next;
    if (s->peer_next) s->peer_next->peer_at = s->peer_at;
    s->peer->subscribed--;
    h->subscriptions--;
    if (s->topic->first == NULL) topic_free(h, s->topic);
    free(s->join_ref);
    free(s);
}

static struct subscription *subscription_of(const struct peer *p, struct str topic) {
    struct subscription *s = p->subscriptions;
    while (s && !str_eq(str_of(s->topic->text), topic)) s = s->peer_next;
    return s;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void send_bytes(struct hub *h, struct peer *p, struct buf *bytes) {
    struct shared *shared = shared_new(bytes);
    wire_send(h->wire, p, shared);
    shared_drop(shared);
}

struct str hub_cursor(struct hub *h, const struct change_cursor *c) {
    return cursor_seal(&h->work, REALTIME_CURSOR, change_cursor_text(h->work.arena, c));
}

/* The payload with the member `cursor`. */
static struct str with_cursor(struct arena *a, struct str payload, struct str cursor) {
    struct str open = {payload.p, payload.n - 1};
    return STR_CAT(a, open, open.n > 1 ? S(",\"cursor\":\"") : S("\"cursor\":\""), cursor, S("\"}"));
}

void hub_tell(struct hub *h, struct subscription *s, const char *event, struct str payload, struct str cursor) {
    struct buf out = {0};
    struct peer *p = s->peer;
    struct str topic = str_of(s->topic->text);
    if (p->form == PEER_STREAM) {
        stream_event_write(&out, cursor, str_of(event), topic, payload);
    } else {
        if (s->cursors && cursor.p) payload = with_cursor(h->work.arena, payload, cursor);
        frame_write(&out, p->version, str_of(s->join_ref), S("null"), topic, str_of(event), payload);
    }
    send_bytes(h, p, &out);
}

static void reply(struct hub *h, struct peer *p, const struct frame *f, const char *status, struct str response) {
    struct buf out = {0};
    struct str payload = str_fmt(h->work.arena, "{\"status\":\"%s\",\"response\":%s}", status, response.p);
    frame_write(&out, p->version, f->join_ref, f->ref, f->topic, S("phx_reply"), payload);
    send_bytes(h, p, &out);
}

void subscription_end(struct hub *h, struct subscription *s) {
    hub_tell(h, s, "phx_close", S("{}"), (struct str){0});
    hub_forget(h, s);
}

/* ---- joins ----------------------------------------------------------------------------------- */

/* Returns 1 with a subscription, 0 if the caller may not listen, or a negative error. */
static int topic_join(struct hub *h, struct peer *p, struct str text, struct str join_ref,
                      struct subscription **out) {
    struct live_name name;
    int rc = topic_parse(&h->work, &p->who, text, &name);
    if (rc == 1) rc = topic_is_heard(h->api, &h->work, &p->who, name);
    if (rc != 1) return rc;
    struct topic *t = topic_find(h, name);
    *out = subscribe(h, p, t ? t : topic_make(h, name, text), join_ref);
    return 1;
}

/* Opens the cursor that a client sends back. */
static bool cursor_given(struct hub *h, struct str text, struct change_cursor *out) {
    struct str place;
    return cursor_open(&h->work, REALTIME_CURSOR, text, &place) &&
           change_cursor_read(h->work.arena, place, out);
}

/* The events since the client's cursor, before those of the hub. Returns false if the log does not reach back. */
static bool missed(struct hub *h, struct str after, struct entry **first) {
    struct change_cursor c = {0};
    *first = NULL;
    return cursor_given(h, after, &c) && feed_read(h, &c, LIMIT_LIVE_REPLAY, first) == 1;
}

static void join(struct hub *h, struct peer *p, const struct frame *f) {
    struct subscription *s = subscription_of(p, f->topic);
    const struct json *after = json_member(f->payload, S("after"));
    struct entry *first = NULL;
    bool resync = false;
    if (s) hub_forget(h, s); /* the client has forgotten its first join */
    int rc = p->subscribed < LIMIT_LIVE_TOPICS ? topic_join(h, p, f->topic, f->join_ref, &s) : 2;
    if (rc != 1) {
        const char *why = rc < 0 ? "unavailable" : rc == 0 ? "unauthorized" : "too many topics";
        reply(h, p, f, "error", str_fmt(h->work.arena, "{\"reason\":\"%s\"}", why));
        return;
    }
    s->cursors = after != NULL;
    if (after && after->type == JSON_STRING && after->text.n) resync = !missed(h, after->text, &first);
    if (resync) first = NULL;
    struct str cursor = hub_cursor(h, &h->cursor);
    reply(h, p, f, "ok",
          s->cursors ? str_fmt(h->work.arena, "{\"cursor\":\"%s\",\"resync\":%s}", cursor.p,
                               resync ? "true" : "false")
                     : S("{}"));
    presence_join(h, s);
    feed_tell_one(h, first, s);
}

/* A stream names its channels once. */
static void stream_begin(struct hub *h, struct peer *p) {
    struct entry *first = NULL;
    bool resync = p->after.n && !missed(h, p->after, &first);
    if (resync) first = NULL;
    for (struct str rest = p->asked; rest.p;) {
        struct subscription *s = NULL;
        struct str text = str_trim(str_cut(&rest, ','));
        if (subscription_of(p, text)) continue;
        int rc = topic_join(h, p, text, S("null"), &s);
        if (rc == 1) continue;
        /* the right was lost since the request was admitted, or the store can't be read: it tries again */
        wire_close(h->wire, p, CLOSE_RESTART, "a channel was lost");
        return;
    }
    struct buf out = {0};
    buf_text(&out, "retry: 2000\n");
    /* the missed events have the ids before that of the hub, and a client keeps the last id that it saw */
    struct str id = first ? p->after : hub_cursor(h, &h->cursor);
    stream_event_write(&out, id, resync ? S("resync") : S("open"), S(""), S("{}"));
    send_bytes(h, p, &out);
    for (struct subscription *s = p->subscriptions; s; s = s->peer_next) feed_tell_one(h, first, s);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void hear(struct hub *h, struct peer *p, struct str text) {
    struct frame f;
    if (!frame_read(h->work.arena, p->version, text, &f)) {
        wire_close(h->wire, p, CLOSE_POLICY, "this is no frame of a channel");
    } else if (str_eq(f.topic, S("phoenix")) && str_eq(f.event, S("heartbeat"))) {
        reply(h, p, &f, "ok", S("{}"));
    } else if (str_eq(f.event, S("phx_join"))) {
        join(h, p, &f);
    } else if (str_eq(f.event, S("phx_leave"))) {
        struct subscription *s = subscription_of(p, f.topic);
        reply(h, p, &f, "ok", S("{}"));
        if (s) hub_forget(h, s);
    } else if (str_eq(f.event, S("update-presence-meta"))) {
        struct subscription *s = subscription_of(p, f.topic);
        if (s && f.payload) presence_push(h, s, f.payload);
    } /* other events are ignored */
}

static void open_peer(struct hub *h, struct peer *p) {
    p->hub_next = h->peers;
    p->hub_before = NULL;
    if (p->hub_next) p->hub_next->hub_before = p;
    h->peers = peer_hold(p);
    wire_open(h->wire, p);
    if (p->form == PEER_STREAM) stream_begin(h, p);
}

static void forget_peer(struct hub *h, struct peer *p) {
    while (p->subscriptions) hub_forget(h, p->subscriptions);
    if (p->hub_before) p->hub_before->hub_next = p->hub_next;
    else h->peers = p->hub_next;
    if (p->hub_next) p->hub_next->hub_before = p->hub_before;
    peer_drop(p);
}

static void note_take(struct hub *h, struct note *n) {
    struct arena_mark mark = arena_mark(h->work.arena);
    if (n->kind == NOTE_OPENED) open_peer(h, n->peer);
    else if (n->kind == NOTE_FRAME) hear(h, n->peer, (struct str){n->text, n->n});
    else if (n->kind == NOTE_GONE) forget_peer(h, n->peer);
    else presence_hear(h, (struct str){n->text, n->n});
    arena_return(h->work.arena, mark);
    if (n->peer) peer_drop(n->peer);
    free(n);
}

/* ---- turns ----------------------------------------------------------------------------------- */

#define NET_MS 700                /* ended sessions and tokens are found so late */
#define SHARED_MS 25              /* commits of other processes are found so late */
#define ENTRIES_OF_A_TURN 1000000 /* a hub that is further behind tells its peers to read again */

static void cursor_keep(struct hub *h) {
    struct arena *memory = arena_new();
    struct change_cursor *c = &h->cursor;
    c->store = str_dup(memory, c->store);
    c->then = str_dup(memory, c->then);
    c->now = str_dup(memory, c->now);
    if (h->cursor_memory) arena_free(h->cursor_memory);
    h->cursor_memory = memory;
}

/* Tells what was committed since the last turn. */
static int hub_follow(struct hub *h) {
    struct entry *first = NULL;
    int rc = 1;
    if (!h->follows) TRY(change_log_end(&h->work, &h->cursor));
    else rc = feed_read(h, &h->cursor, ENTRIES_OF_A_TURN, &first);
    TRY(rc);
    if (rc == 0) { /* the log was pruned, or the store was replaced: nothing is known any more */
        for (struct peer *p = h->peers; p; p = p->hub_next)
            wire_close(h->wire, p, CLOSE_RESTART, "events were lost: connect and read again");
        TRY(change_log_end(&h->work, &h->cursor));
    }
    h->follows = true;
    if (first) rights_review(h, first);
    feed_tell(h, first);
    cursor_keep(h);
    return 0;
}

static void hub_tick(struct hub *h) {
    int64_t now = clock_monotonic();
    if (now - h->net_at < NET_MS) return;
    h->net_at = now;
    rights_net(h);
}

/* Returns false if the store can't be read: the notes wait. */
static bool hub_turn(struct hub *h, struct note *first, struct queue_item **left) {
    work_init(&h->work, h->api->desk, arena_new());
    h->work.conn = db_reader(h->api->desk->db);
    bool ok = h->work.conn && db_read_begin(h->work.conn, 0) >= 0;
    bool reading = ok;
    if (ok) ok = hub_follow(h) >= 0;
    if (ok) {
        hub_tick(h);
        feed_views(h);
        while (first) {
            struct note *n = first;
            first = (struct note *)(void *)n->item.next;
            note_take(h, n);
        }
        presence_tick(h);
    }
    if (reading) db_read_end(h->work.conn);
    presence_share(h);
    arena_free(h->work.arena);
    *left = first ? &first->item : NULL;
    return ok;
}

static int wait_ms(struct hub *h, bool ok) {
    if (!ok) return 250;
    if (h->peers == NULL) return -1;
    return db_shared(h->api->desk->db) && processes_number(h->api->desk) > 1 ? SHARED_MS : NET_MS / 2;
}

/* Nobody serves them any more. */
static void notes_drop(struct queue_item *first) {
    while (first) {
        struct note *n = (struct note *)(void *)first;
        first = first->next;
        if (n->kind == NOTE_OPENED) peer_refuse(n->peer);
        if (n->peer) peer_drop(n->peer);
        free(n);
    }
}

static void *hub_main(void *arg) {
    struct hub *h = arg;
    struct queue_item *left = NULL;
    int64_t seen = 0;
    bool ok = true;
    while (!atomic_load(&h->stops)) {
        struct pollfd bell = {.fd = h->notes.bell, .events = POLLIN};
        atomic_store(&h->sleeps, h->peers != NULL);
        bool told = h->peers && atomic_load(&h->commits) != seen;
        if ((left == NULL && !told) || !ok) poll(&bell, 1, wait_ms(h, ok));
        atomic_store(&h->sleeps, false);
        seen = atomic_load(&h->commits); /* before the snapshot, which sees these commits */
        struct queue_item **end = &left;
        while (*end) end = &(*end)->next;
        *end = queue_take(&h->notes);
        if (left || h->peers) ok = hub_turn(h, (struct note *)(void *)left, &left);
        else h->follows = false; /* nobody listens */
    }
    work_init(&h->work, h->api->desk, arena_new());
    notes_drop(left);
    while (h->peers) forget_peer(h, h->peers);
    presence_end(h);
    arena_free(h->work.arena);
    return NULL;
}

/* ---- for other threads ----------------------------------------------------------------------- */

static void note_put(struct hub *h, enum note_kind kind, struct peer *p, struct str text) {
    struct note *n = malloc(sizeof *n + text.n);
    if (n == NULL) abort();
    *n = (struct note){.kind = kind, .peer = p ? peer_hold(p) : NULL, .n = text.n};
    memcpy(n->text, text.p, text.n);
    queue_put(&h->notes, &n->item);
}

static void on_heard(void *hub, struct peer *p, struct str text) { note_put(hub, NOTE_FRAME, p, text); }
static void on_gone(void *hub, struct peer *p) { note_put(hub, NOTE_GONE, p, S("")); }

void hub_hear(struct hub *h, struct str told) { note_put(h, NOTE_PRESENCE, NULL, told); }

void hub_open(struct hub *h, struct peer *p) { note_put(h, NOTE_OPENED, p, S("")); }

/* The writer thread pays an addition, and a call of the system only if the hub sleeps. */
void hub_wake(struct hub *h) {
    atomic_fetch_add(&h->commits, 1);
    if (atomic_load(&h->sleeps) && atomic_exchange(&h->sleeps, false)) queue_ring(&h->notes);
}

struct wire *hub_wire(const struct hub *h) { return h->wire; }

struct hub *hub_start(struct api *api) {
    struct hub *h = calloc(1, sizeof *h);
    if (h == NULL) return NULL;
    h->api = api;
    h->wire = wire_start(&(struct wire_events){on_heard, on_gone, h});
    if (h->wire && queue_open(&h->notes) && pthread_create(&h->thread, NULL, hub_main, h) == 0) return h;
    if (h->wire) wire_stop(h->wire, 0);
    wire_free(h->wire);
    queue_close(&h->notes);
    free(h);
    return NULL;
}

void hub_stop(struct hub *h, int64_t ms) {
    wire_stop(h->wire, ms);
    atomic_store(&h->stops, true);
    queue_ring(&h->notes);
    pthread_join(h->thread, NULL);
}

void hub_free(struct hub *h) {
    notes_drop(queue_take(&h->notes));
    wire_free(h->wire);
    queue_close(&h->notes);
    if (h->cursor_memory) arena_free(h->cursor_memory);
    free(h);
}
