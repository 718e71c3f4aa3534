#include "live/hub.h"

#include "base/limits.h"
#include "core/desk/processes.h"
#include "live/counts.h"
#include "live/feed.h"
#include "live/frame.h"
#include "live/presence.h"
#include "live/rights.h"
#include "live/subscriptions.h"

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

struct hub_thread {
    struct hub hub;
    struct queue notes;
    pthread_t thread;
    _Atomic bool stops, sleeps;
    _Atomic int64_t commits; /* of this process */
};

/* ---- replies --------------------------------------------------------------------------------- */

static void reply(struct hub *h, struct peer *p, const struct frame *f, const char *status,
                  struct str response) {
    struct buf out = {0};
    struct str payload = str_fmt(h->work.arena, "{\"status\":\"%s\",\"response\":%s}", status, response.p);
    frame_write(&out, p->version, f->join_ref, f->ref, f->topic, S("phx_reply"), payload);
    hub_send(h, p, &out);
}

/* ---- joins ----------------------------------------------------------------------------------- */

/* Returns 1 with a subscription, 0 if the caller may not listen, or a negative error. */
static int topic_join(struct hub *h, struct peer *p, struct str text, struct str join_ref,
                      struct subscription **out) {
    struct live_name name;
    int rc = topic_parse(&h->work, &p->who, text, &name);
    if (rc == 1) rc = topic_is_heard(h->api, &h->work, &p->who, name);
    if (rc != 1) return rc;
    *out = subscribe(h, p, name, text, join_ref);
    return 1;
}

/* The entries since the client's place, before those of the hub. Returns false if the log does not reach back. */
static bool missed(struct hub *h, struct str after, struct live_place *from, struct entry **first) {
    *first = NULL;
    if (!place_given(&h->work, after, from)) return false;
    struct change_cursor c = from->cursor;
    return feed_read(h, &c, LIMIT_LIVE_REPLAY, first) == 1;
}

static struct str place_now(struct hub *h) { return hub_place(h, &(struct live_place){.cursor = h->cursor}); }

static void channel_join(struct hub *h, struct peer *p, const struct frame *f) {
    struct subscription *s = subscription_of(p, f->topic);
    const struct json *after = json_member(f->payload, S("after"));
    struct live_place from = {0};
    struct entry *first = NULL;
    bool resync = false;
    if (s) unsubscribe_peer(h, s); /* the client has forgotten its first join */
    int rc = p->subscribed < LIMIT_LIVE_TOPICS ? topic_join(h, p, f->topic, f->join_ref, &s) : 2;
    if (rc != 1) {
        const char *why = rc < 0 ? "unavailable" : rc == 0 ? "unauthorized" : "too many topics";
        reply(h, p, f, "error", str_fmt(h->work.arena, "{\"reason\":\"%s\"}", why));
        return;
    }
    s->cursors = after != NULL;
    const struct json *present = json_member(f->payload, S("present"));
    s->listens = present && present->type == JSON_FALSE;
    if (after && after->type == JSON_STRING && after->text.n) resync = !missed(h, after->text, &from, &first);
    if (resync) first = NULL;
    struct str cursor = place_now(h);
    reply(h, p, f, "ok",
          s->cursors ? str_fmt(h->work.arena, "{\"cursor\":\"%s\",\"resync\":%s}", cursor.p,
                               resync ? "true" : "false")
                     : S("{}"));
    presence_join(h, s);
    feed_tell_one(h, first, &from, p, s);
}

/* A stream names its channels once. */
static void stream_begin(struct hub *h, struct peer *p) {
    struct live_place from = {0};
    struct entry *first = NULL;
    bool resync = p->after.n && !missed(h, p->after, &from, &first);
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
    struct str id = first ? p->after : place_now(h);
    stream_event_write(&out, id, resync ? S("resync") : S("open"), S(""), S("{}"));
    hub_send(h, p, &out);
    feed_tell_one(h, first, &from, p, NULL);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void hear(struct hub *h, struct peer *p, struct str text) {
    struct frame f;
    if (atomic_load(&p->ended)) return;
    if (!frame_read(h->work.arena, p->version, text, &f)) {
        wire_close(h->wire, p, CLOSE_POLICY, "this is no frame of a channel");
    } else if (str_eq(f.topic, S("phoenix")) && str_eq(f.event, S("heartbeat"))) {
        reply(h, p, &f, "ok", S("{}"));
    } else if (str_eq(f.event, S("phx_join"))) {
        channel_join(h, p, &f);
    } else if (str_eq(f.event, S("phx_leave"))) {
        struct subscription *s = subscription_of(p, f.topic);
        reply(h, p, &f, "ok", S("{}"));
        if (s) unsubscribe_peer(h, s);
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
    h->peer_count++;
    wire_open(h->wire, p);
    if (p->form == PEER_STREAM) stream_begin(h, p);
}

static void forget_peer(struct hub *h, struct peer *p) {
    while (p->subscriptions) unsubscribe_peer(h, p->subscriptions);
    h->peer_count--;
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

#define NET_MS 700                /* ended sessions and tokens are found so late, or before an event */
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

/* Ends peers whose logins have ended. Before events are told, it is done sooner the fewer peers there are: of up
 * to twenty none hears what was committed after its logout. */
static void logins_review(struct hub *h, bool tells) {
    int64_t now = clock_monotonic(), pause = tells ? h->peer_count / 20 : NET_MS;
    if (now - h->net_at < (pause < NET_MS ? pause : NET_MS)) return;
    h->net_at = now;
    rights_net(h);
}

/* Tells what was committed since the last turn. */
static int hub_follow(struct hub *h) {
    struct entry *first = NULL;
    struct change_cursor next = h->cursor; /* what a failed read moved is forgotten */
    int rc = h->follows ? feed_read(h, &next, ENTRIES_OF_A_TURN, &first) : change_log_end(&h->work, &next);
    TRY(rc);
    if (rc == 0 &&
        h->follows) { /* the log was pruned, or the store was replaced: nothing is known any more */
        for (struct peer *p = h->peers; p; p = p->hub_next)
            wire_close(h->wire, p, CLOSE_RESTART, "events were lost: connect and read again");
        TRY(change_log_end(&h->work, &next));
    }
    h->cursor = next;
    h->follows = true;
    if (first) rights_review(h, first);
    logins_review(h, first != NULL);
    feed_tell(h, first);
    cursor_keep(h);
    return 0;
}

/* Returns false if the store can't be read: the notes wait. */
static bool hub_turn(struct hub *h, struct note *first, struct queue_item **left) {
    work_init(&h->work, h->api->desk, arena_new());
    h->work.conn = db_reader(h->api->desk->db);
    bool ok = h->work.conn && db_read_begin(h->work.conn, 0) >= 0;
    bool reading = ok;
    if (ok) ok = hub_follow(h) >= 0;
    if (ok) {
        counts_follow(h);
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

static int wait_ms(const struct hub *h, bool ok) {
    if (!ok) return 250;
    if (h->peers == NULL) return -1;
    return counts_wait_ms(h, db_shared(h->api->desk->db) && processes_number(h->api->desk) > 1 ? SHARED_MS
                                                                                               : NET_MS / 2);
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

/* Waits until there is something to do. seen: the commits that the last turn has seen. */
static void hub_wait(struct hub_thread *t, bool ok, bool waiting, int64_t seen) {
    struct pollfd bell = {.fd = t->notes.bell, .events = POLLIN};
    bool listens = t->hub.peers != NULL;
    atomic_store(&t->sleeps, listens);
    bool told = listens && atomic_load(&t->commits) != seen;
    if ((!waiting && !told) || !ok) poll(&bell, 1, wait_ms(&t->hub, ok));
    atomic_store(&t->sleeps, false);
}

static void *hub_main(void *arg) {
    struct hub_thread *t = arg;
    struct hub *h = &t->hub;
    struct queue_item *left = NULL;
    int64_t seen = 0;
    bool ok = true;
    while (!atomic_load(&t->stops)) {
        struct queue_item **end = &left;
        hub_wait(t, ok, left != NULL, seen);
        seen = atomic_load(&t->commits); /* before the snapshot, which sees these commits */
        while (*end) end = &(*end)->next;
        *end = queue_take(&t->notes);
        if (left || h->peers) ok = hub_turn(h, (struct note *)(void *)left, &left);
        else h->follows = false; /* nobody listens */
    }
    counts_end(h);
    work_init(&h->work, h->api->desk, arena_new());
    notes_drop(left);
    while (h->peers) forget_peer(h, h->peers);
    presence_end(h);
    arena_free(h->work.arena);
    return NULL;
}

/* ---- for other threads ----------------------------------------------------------------------- */

static void note_put(struct hub_thread *t, enum note_kind kind, struct peer *p, struct str text) {
    struct note *n = malloc(sizeof *n + text.n);
    if (n == NULL) abort();
    *n = (struct note){.kind = kind, .peer = p ? peer_hold(p) : NULL, .n = text.n};
    if (text.n) memcpy(n->text, text.p, text.n); /* p of an empty message is NULL */
    queue_put(&t->notes, &n->item);
}

static void on_heard(void *t, struct peer *p, struct str text) { note_put(t, NOTE_FRAME, p, text); }
static void on_gone(void *t, struct peer *p) { note_put(t, NOTE_GONE, p, S("")); }

void hub_hear(struct hub_thread *t, struct str told) { note_put(t, NOTE_PRESENCE, NULL, told); }

void hub_open(struct hub_thread *t, struct peer *p) { note_put(t, NOTE_OPENED, p, S("")); }

/* The writer thread pays an addition, and a call of the system only if the hub sleeps. */
void hub_wake(struct hub_thread *t) {
    atomic_fetch_add(&t->commits, 1);
    if (atomic_load(&t->sleeps) && atomic_exchange(&t->sleeps, false)) queue_ring(&t->notes);
}

int64_t hub_peers(const struct hub_thread *t) { return wire_peers(t->hub.wire); }

struct hub_thread *hub_start(struct api *api) {
    struct hub_thread *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->hub.api = api;
    t->hub.notes = &t->notes;
    t->notes.bell = -1;
    t->hub.wire = wire_start(&(struct wire_events){on_heard, on_gone, t}, &api->desk->clock);
    bool ok = t->hub.wire && queue_open(&t->notes);
    if (ok && pthread_create(&t->thread, NULL, hub_main, t) == 0) return t;
    if (t->hub.wire) wire_stop(t->hub.wire, 0);
    hub_free(t);
    return NULL;
}

void hub_stop(struct hub_thread *t, int64_t ms) {
    wire_stop(t->hub.wire, ms);
    atomic_store(&t->stops, true);
    queue_ring(&t->notes);
    pthread_join(t->thread, NULL);
}

void hub_free(struct hub_thread *t) {
    if (t->notes.bell >= 0) notes_drop(queue_take(&t->notes));
    wire_free(t->hub.wire);
    queue_close(&t->notes);
    if (t->hub.cursor_memory) arena_free(t->hub.cursor_memory);
    free(t);
}
