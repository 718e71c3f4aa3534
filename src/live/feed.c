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

static void tell(struct hub *h, struct event *e, struct subscription *s) {
    struct arena_mark mark = arena_mark(h->work.arena);
    bool hears = s->topic->name.kind != LIVE_INBOX || inbox_hears(h, e, s);
    struct str payload = hears ? event_payload(h, e, &s->peer->who) : (struct str){0};
    if (payload.p) {
        struct change_cursor c = *e->last->cursor;
        bool wanted = s->cursors || s->peer->form == PEER_STREAM;
        c.last = e->last->id;
        hub_tell(h, s, e->name, payload, wanted ? hub_cursor(h, &c) : (struct str){0});
    }
    if (!e->keeps) arena_return(h->work.arena, mark);
}

static bool event_is_about(const struct event *e, struct live_name name) {
    switch (name.kind) {
    case LIVE_CASE: return e->about == LIVE_CASE && e->case_id == name.id && e->kind != EVENT_CREATED;
    case LIVE_INBOX: return e->about == LIVE_CASE;
    default: return e->about == name.kind && e->object_id == name.id;
    }
}

static void tell_all(struct hub *h, struct event *e, struct live_name name) {
    struct topic *t = topic_find(h, name);
    if (t == NULL || !event_is_about(e, name)) return;
    for (struct subscription *s = t->first, *next; s; s = next) {
        next = s->next;
        tell(h, e, s);
    }
}

void feed_tell(struct hub *h, const struct entry *first) {
    while (first) {
        struct event *e = event_next(h->work.arena, &first);
        if (e == NULL) continue;
        if (e->about == LIVE_CASE) {
            tell_all(h, e, (struct live_name){LIVE_CASE, e->case_id});
            tell_all(h, e, (struct live_name){LIVE_INBOX, 0});
        } else {
            tell_all(h, e, (struct live_name){e->about, e->object_id});
        }
    }
}

void feed_tell_one(struct hub *h, const struct entry *first, struct peer *p,
                   const struct subscription *only) {
    while (first) {
        struct event *e = event_next(h->work.arena, &first);
        for (struct subscription *s = e ? p->subscriptions : NULL; s; s = s->peer_next)
            if ((only == NULL || s == only) && event_is_about(e, s->topic->name)) tell(h, e, s);
    }
}

/* ---- counts of views ------------------------------------------------------------------------- */

#define VIEWS_MS 2000 /* pause between two counts of one view */
#define VIEWS_TURN_MS 10
#define VIEWS_SHARE \
    20 /* counts take at most this part of the time: they may be long, and events wait for them */

/* The counts of all views of a caller, by one GET. */
static void count_for(struct hub *h, struct peer *p) {
    struct arena *a = h->work.arena;
    const struct json *list;
    int status =
        inner_read(h->api, h->work.conn, &p->who.actor, a, S("/views/counts"), S("fields=view,count"), &list);
    for (const struct json *j = status == 200 && list ? list->first : NULL; j; j = j->next) {
        int64_t id = 0, count = 0;
        const struct json *view = json_member(j, S("view")), *n = json_member(j, S("count"));
        if (!view || !n || !str_to_int(json_scalar(json_member(view, S("id"))), &id) ||
            !str_to_int(json_scalar(n), &count))
            continue;
        struct topic *t = topic_find(h, (struct live_name){LIVE_VIEW, id});
        struct subscription *s = t ? t->first : NULL;
        while (s && s->peer != p) s = s->next;
        if (s == NULL || s->count == count) continue;
        hub_tell(h, s, "CHANGE", event_view(h, id, count), (struct str){0});
        s->count = count;
    }
}

static bool hears_views(const struct peer *p) {
    const struct subscription *s = p->subscriptions;
    while (s && s->topic->name.kind != LIVE_VIEW) s = s->peer_next;
    return s != NULL;
}

static struct peer *next_uncounted(const struct hub *h) {
    struct peer *p = h->peers;
    while (p && (p->counted_in == h->round || !hears_views(p))) p = p->hub_next;
    return p;
}

/* A round counts for each peer that hears of views, a few of them in a turn. It begins if conversations have
 * changed. */
void feed_views(struct hub *h) {
    int64_t now = clock_monotonic(), took = 0;
    if (now < h->views_at) return;
    struct peer *p = next_uncounted(h);
    if (p == NULL) {
        if (!h->counts_changed || now - h->round_at < VIEWS_MS) return;
        h->counts_changed = false;
        h->round_at = now;
        h->round++;
    }
    while (took < VIEWS_TURN_MS && (p = next_uncounted(h))) {
        p->counted_in = h->round;
        count_for(h, p);
        took = clock_monotonic() - now;
    }
    h->views_at = now + took * VIEWS_SHARE;
}
