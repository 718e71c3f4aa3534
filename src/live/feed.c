#include "live/feed.h"

#include "api/call/inner_read.h"
#include "core/access/access.h"
#include "core/change/change.h"
#include "core/words.h"
#include "live/event.h"

#include <inttypes.h>

/* ---- the log --------------------------------------------------------------------------------- */

#define PAGE 500

QUERY(live_entries, "SELECT l.id, l.kind, l.object_id, l.case_id, l.verb, l.property "
                    "FROM change_log l WHERE l.id IN @LIST(:ids) ORDER BY l.id");

static int feed_read_page(struct hub *h, const struct change_cursor *cursor, const int64_t *ids, int n,
                          struct entry ***end) {
    struct work *w = &h->work;
    struct arena *a = w->arena;
    struct change_cursor *own = ARENA_NEW(a, struct change_cursor);
    int rc;
    *own = *cursor;
    DB_ROWS(rc, w->conn, &live_entries, BINDS(B_TEXT("ids", json_ids(a, ids, (size_t)n))), row) {
        struct entry *e = ARENA_NEW(a, struct entry);
        *e = (struct entry){.id = col_int(row, 0),
                            .kind = str_dup(a, col_text(row, 1)),
                            .object_id = col_int(row, 2),
                            .case_id = col_int(row, 3),
                            .verb = (int)col_int(row, 4),
                            .property = str_dup(a, col_text(row, 5)),
                            .cursor = own};
        **end = e;
        *end = &e->next;
    }
    return rc;
}

int feed_read(struct hub *h, struct change_cursor *cursor, int64_t most, struct entry **first) {
    struct arena *a = h->work.arena;
    int64_t *ids = arena_array(a, PAGE + 1, sizeof *ids), read = 0;
    enum change_log_state state;
    *first = NULL;
    for (int n = 1; n > 0; read += n) {
        bool more;
        if (read > most) return 0;
        n = change_log_read(&h->work, cursor, PAGE, ids, &more, &state);
        TRY(n);
        if (state != CURSOR_GOOD) return 0;
        if (n == 0) break;
        TRY(feed_read_page(h, cursor, ids, n, &first));
        cursor->last = ids[n - 1];
    }
    return 1;
}

/* ---- whom an event reaches ------------------------------------------------------------------- */

/* A staff member who hears of all conversations hears of those that he sees. */
static bool inbox_hears(struct hub *h, struct event *e, const struct subscription *s) {
    struct work *w = &h->work;
    struct case_reader *reader;
    struct actor before = w->actor;
    if (!event_case_read(h, e)) return false;
    w->actor = s->peer->who.actor;
    bool hears = access_case_reader(w, &reader) >= 0 && access_case_of(reader, e->team_id, e->agent_id);
    w->actor = before;
    return hears;
}

static bool event_is_about(struct hub *h, struct event *e, struct live_name name) {
    switch (name.kind) {
    case LIVE_OWN: return e->about == LIVE_OWN && event_person(h, e) == name.id;
    case LIVE_CASE: return e->about == LIVE_CASE && e->case_id == name.id && e->kind != EVENT_CREATED;
    case LIVE_INBOX: return e->about == LIVE_CASE;
    default: return e->about == name.kind && e->topic_id == name.id;
    }
}

/* True if another frame of the event follows to the same stream. */
static bool is_told_again(struct hub *h, struct event *e, const struct subscription *s) {
    const struct subscription *x = s->peer->form == PEER_STREAM ? s->peer->subscriptions : NULL;
    while (x && (x->topic->name.kind <= s->topic->name.kind || !event_is_about(h, e, x->topic->name)))
        x = x->peer_next;
    return x != NULL;
}

/* The place behind the frame of an event. */
static struct str place_behind(struct hub *h, struct event *e, const struct subscription *s) {
    struct live_place at = {.cursor = *e->last->cursor};
    at.cursor.last = e->last->id;
    if (is_told_again(h, e, s)) {
        at.cursor.last = e->first->id - 1;
        at.part = e->last->id;
        at.kind = s->topic->name.kind;
    }
    return hub_place(h, &at);
}

static void tell(struct hub *h, struct event *e, struct subscription *s) {
    struct arena_mark mark = arena_mark(h->work.arena);
    bool hears = s->topic->name.kind != LIVE_INBOX || inbox_hears(h, e, s);
    struct str payload = hears ? event_payload(h, e, &s->peer->who) : (struct str){0};
    if (payload.p) {
        bool wanted = s->cursors || s->peer->form == PEER_STREAM;
        hub_tell(h, s, e->name, payload, wanted ? place_behind(h, e, s) : (struct str){0});
    }
    if (!e->keeps) arena_return(h->work.arena, mark);
}

static void tell_all(struct hub *h, struct event *e, struct live_name name) {
    struct topic *t = topic_find(h, name);
    if (t == NULL || !event_is_about(h, e, name)) return;
    for (struct subscription *s = t->first, *next; s; s = next) {
        next = s->next;
        tell(h, e, s);
    }
}

/* The next event whose object is still there. NULL: the next entries mean nothing. */
static struct event *feed_next(struct hub *h, const struct entry **first, int64_t until) {
    struct event *e = event_next(h->work.arena, first, until);
    return e && event_place_read(h, e) ? e : NULL;
}

/* The channels of an event follow in the order of enum live_kind. */
void feed_tell(struct hub *h, const struct entry *first) {
    while (first) {
        struct event *e = feed_next(h, &first, 0);
        if (e == NULL) continue;
        if (e->about == LIVE_CASE) {
            tell_all(h, e, (struct live_name){LIVE_CASE, e->case_id});
            tell_all(h, e, (struct live_name){LIVE_INBOX, 0});
        } else if (e->about == LIVE_OWN) {
            tell_all(h, e, (struct live_name){LIVE_OWN, event_person(h, e)});
        } else {
            tell_all(h, e, (struct live_name){e->about, e->topic_id});
        }
    }
}

void feed_tell_one(struct hub *h, const struct entry *first, const struct live_place *from, struct peer *p,
                   const struct subscription *only) {
    while (first && !atomic_load(&p->ended)) {
        struct event *e = feed_next(h, &first, from->part);
        if (e == NULL) continue;
        int kind = e->last->id == from->part ? (int)from->kind + 1 : 0; /* those before were told */
        for (; kind < LIVE_KINDS; kind++)
            for (struct subscription *s = p->subscriptions; s; s = s->peer_next)
                if ((int)s->topic->name.kind == kind && (only == NULL || s == only) &&
                    event_is_about(h, e, s->topic->name))
                    tell(h, e, s);
    }
}
