#include "live/subscriptions.h"

#include "api/rows/cursor.h"
#include "live/frame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

struct subscription *subscribe(struct hub *h, struct peer *p, struct live_name name, struct str text,
                               struct str join_ref) {
    struct topic *known = topic_find(h, name), *t = known ? known : topic_make(h, name, text);
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
    h->views_heard += name.kind == LIVE_VIEW;
    return s;
}

void unsubscribe_peer(struct hub *h, struct subscription *s) {
    if (s->meta) s->meta->gone = true; /* the others are told by the next turn */
    *s->at = s->next;
    if (s->next) s->next->at = s->at;
    *s->peer_at = s->peer_next;
    if (s->peer_next) s->peer_next->peer_at = s->peer_at;
    s->peer->subscribed--;
    h->views_heard -= s->topic->name.kind == LIVE_VIEW;
    if (s->topic->first == NULL) topic_free(h, s->topic);
    free(s->join_ref);
    free(s);
}

struct subscription *subscription_of(const struct peer *p, struct str topic) {
    struct subscription *s = p->subscriptions;
    while (s && !str_eq(str_of(s->topic->text), topic)) s = s->peer_next;
    return s;
}

/* ---- sending --------------------------------------------------------------------------------- */

void hub_send(struct hub *h, struct peer *p, struct buf *bytes) {
    struct shared *shared = shared_new(bytes);
    wire_send(h->wire, p, shared);
    shared_drop(shared);
}

#define REALTIME "realtime" /* the places of its events (api/rows/cursor.h) */

/* A place within an event has "2|part|kind|" before its cursor. */
bool place_given(struct work *w, struct str text, struct live_place *out) {
    struct str place, rest;
    int64_t kind;
    *out = (struct live_place){0};
    if (!cursor_open(w, REALTIME, text, &place)) return false;
    rest = place;
    if (str_eq(str_cut(&rest, '|'), S("2"))) {
        if (!str_to_int(str_cut(&rest, '|'), &out->part) || !str_to_int(str_cut(&rest, '|'), &kind))
            return false;
        out->kind = (enum live_kind)kind;
        place = rest;
    }
    return place.p && change_cursor_read(w->arena, place, &out->cursor);
}

struct str hub_place(struct hub *h, const struct live_place *at) {
    struct arena *a = h->work.arena;
    struct str text = change_cursor_text(a, &at->cursor);
    if (at->part) text = STR_CAT(a, str_fmt(a, "2|%" PRId64 "|%d|", at->part, (int)at->kind), text);
    return cursor_seal(&h->work, REALTIME, text);
}

/* The payload with the member `cursor`. */
static struct str with_cursor(struct arena *a, struct str payload, struct str cursor) {
    struct str open = {payload.p, payload.n - 1};
    return STR_CAT(a, open, open.n > 1 ? S(",\"cursor\":\"") : S("\"cursor\":\""), cursor, S("\"}"));
}

void hub_tell(struct hub *h, struct subscription *s, const char *event, struct str payload,
              struct str cursor) {
    struct buf out = {0};
    struct peer *p = s->peer;
    struct str topic = str_of(s->topic->text);
    if (p->form == PEER_STREAM) {
        stream_event_write(&out, cursor, str_of(event), topic, payload);
    } else {
        if (s->cursors && cursor.p) payload = with_cursor(h->work.arena, payload, cursor);
        frame_write(&out, p->version, str_of(s->join_ref), S("null"), topic, str_of(event), payload);
    }
    hub_send(h, p, &out);
}

void subscription_end(struct hub *h, struct subscription *s) {
    hub_tell(h, s, "phx_close", S("{}"), (struct str){0});
    unsubscribe_peer(h, s);
}
