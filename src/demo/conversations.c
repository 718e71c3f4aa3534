#include "demo/extras.h"

#include "base/fold.h"
#include "work/work.h"

QUERY(
    demo_case_insert,
    "INSERT INTO cases (id, uuid, subject, subject_key, channel, source, state, requester_id, "
    "creator_id, organization_id, assigned_team_id, assigned_agent_id, status_id, "
    "status_type, priority_id, type_id, message_seq, agent_message_count, "
    "requester_message_count, reopen_count, last_replier_id, last_agent_replier_id, "
    "last_message_status, last_message_preview, last_replied_at, "
    "last_public_channel, last_reply_by_agent_at, last_agent_activity_at, "
    "agent_updated_at, last_reply_by_requester_at, last_customer_activity_at, "
    "last_opened_at, last_pending_at, last_completed_at, last_completed_by_id, "
    "last_closed_at, status_changed_at, last_updated_by_id, created_at, updated_at) "
    "VALUES (:id, :uuid, :subject, :subject_key, :channel, :source, :state, :requester, "
    ":requester, CAST(:organization AS BIGINT), CAST(:team AS BIGINT), "
    "CAST(:agent AS BIGINT), CAST(:status AS BIGINT), "
    "CAST(CAST(:status AS BIGINT) AS INTEGER), CAST(:priority AS BIGINT), CAST(:type AS BIGINT), "
    ":seq, CAST(:seq AS BIGINT) - CAST(:by_requester AS BIGINT), :by_requester, :reopened, "
    ":replier, CAST(:agent_replier AS BIGINT), :message_status, :preview, :replied, "
    ":channel, CAST(:by_agent_at AS BIGINT), CAST(:agent_at AS BIGINT), "
    "CAST(:agent_at AS BIGINT), :by_requester_at, :by_requester_at, "
    "CASE WHEN CAST(:status AS BIGINT) = 2 THEN CAST(:updated AS BIGINT) END, "
    "CASE WHEN CAST(:status AS BIGINT) = 3 THEN CAST(:updated AS BIGINT) END, "
    "CASE WHEN CAST(:status AS BIGINT) >= 4 THEN CAST(:updated AS BIGINT) END, "
    "CASE WHEN CAST(:status AS BIGINT) >= 4 THEN CAST(:agent_replier AS BIGINT) END, "
    "CASE WHEN CAST(:status AS BIGINT) = 5 THEN CAST(:updated AS BIGINT) END, "
    "CASE WHEN CAST(:status AS BIGINT) >= 4 THEN CAST(:updated AS BIGINT) "
    "WHEN CAST(:status AS BIGINT) <> 1 OR CAST(:state AS INTEGER) <> 1 THEN CAST(:replied AS BIGINT) END, :updater, "
    ":created, :updated)");
QUERY(demo_post_insert,
      "INSERT INTO posts (id, case_id, kind, uuid, content_text, creator_id, is_requester, channel, "
      "source, message_status, message_status_updated_at, by_staff, created_at, updated_at) "
      "VALUES (:id, :case, 1, :uuid, :text, :creator, :is_requester, :channel, :source, :status, :at, "
      "1 - CAST(:is_requester AS INTEGER), :at, :at)");
QUERY(demo_participant, "INSERT INTO case_participants (case_id, user_id) VALUES (:case, :user)");
QUERY(demo_marker,
      "INSERT INTO read_markers (case_id, user_id, last_read_post_id, last_read_seq, last_read_at) "
      "VALUES (:case, :user, :post, :seq, :at)");

/* ---- a heap of the next messages ------------------------------------------------------------- */

struct event {
    int64_t at, case_id;
    int message; /* position in the conversation */
};

static bool before(const struct event *a, const struct event *b) {
    return a->at < b->at || (a->at == b->at && a->case_id < b->case_id);
}

static void swap(struct event *a, struct event *b) {
    struct event kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct filling *f, struct event e) {
    if (f->event_count == f->event_room) {
        struct event *old = f->events;
        f->event_room = f->event_room ? 2 * f->event_room : 1024;
        f->events = arena_array(f->arena, f->event_room, sizeof *f->events);
        if (old) memcpy(f->events, old, f->event_count * sizeof *old);
    }
    size_t at = f->event_count++;
    f->events[at] = e;
    for (; at && before(&f->events[at], &f->events[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&f->events[at], &f->events[(at - 1) / 2]);
}

static struct event pop(struct filling *f) {
    struct event first = f->events[0], *heap = f->events;
    size_t n = --f->event_count;
    heap[0] = heap[n];
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &heap[at])) break;
        swap(&heap[child], &heap[at]);
    }
    return first;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Returns true if this is the last message of its writer. Then the writer's read marker is at this
 * message. */
static bool writers_last(const struct demo_case *dc, int message) {
    for (int i = message + 1; i < dc->message_count; i++)
        if (dc->messages[i].creator_id == dc->messages[message].creator_id) return false;
    return true;
}

/* Each participant has read up to their own last message. An eighth of the closed conversations get read
 * markers, which is enough. */
static int read_until(struct conn *c, const struct filling *f, const struct demo_case *dc,
                      const struct event *e) {
    const struct demo_message *m = &dc->messages[e->message];
    const struct bind *binds =
        BINDS(B_INT("case", dc->id), B_INT("user", m->creator_id), B_INT("post", f->posts),
              B_INT("seq", e->message + 1), B_INT("at", m->at));
    TRY(db_exec(c, &demo_participant, binds));
    return dc->status == STATUS_CLOSED && dc->id % 8 != 0 ? 0 : db_exec(c, &demo_marker, binds);
}

static int insert_post(struct conn *c, struct filling *f, const struct event *e) {
    struct demo_case dc;
    struct chance chance = chance_of(f->world.seed, OF_UUID, e->case_id * 16 + 1 + e->message);
    char uuid[36];
    demo_case(&f->world, e->case_id, &dc);
    const struct demo_message *m = &dc.messages[e->message];
    chance_uuid(&chance, uuid);
    demo_contents(&f->text, &f->world, &dc, e->message);
    f->posts++;
    TRY(db_exec(c, &demo_post_insert,
                BINDS(B_INT("id", f->posts), B_INT("case", dc.id),
                      B_TEXT("uuid", ((struct str){uuid, sizeof uuid})), B_TEXT("text", buf_view(&f->text)),
                      B_INT("creator", m->creator_id), B_INT("is_requester", m->by_requester),
                      B_INT("channel", dc.channel),
                      B_INT("source", m->by_requester ? dc.source : SOURCE_AGENT), B_INT("status", m->status),
                      B_INT("at", m->at))));
    if (writers_last(&dc, e->message)) TRY(read_until(c, f, &dc, e));
    if (e->message + 1 == dc.message_count) return fill_extras(c, f, &dc);
    push(f, (struct event){dc.messages[e->message + 1].at, dc.id, e->message + 1});
    return 0;
}

static int messages_until(struct conn *c, struct filling *f, int64_t time) {
    while (f->event_count && f->events[0].at < time) {
        struct event e = pop(f);
        TRY(insert_post(c, f, &e));
    }
    return 0;
}

/* ---- conversations --------------------------------------------------------------------------- */

#define PREVIEW 160 /* characters, as in core/cases/message.c */

static void write_preview(struct buf *out, struct str text) {
    size_t characters = 0;
    out->n = 0;
    for (size_t i = 0; i < text.n; i++) {
        bool blank = text.p[i] == '\n' || text.p[i] == ' ';
        if (blank && out->n && out->p[out->n - 1] == ' ') continue;
        if (((unsigned char)text.p[i] & 0xC0) != 0x80 && ++characters > PREVIEW) break;
        buf_char(out, blank ? ' ' : text.p[i]);
    }
    while (out->n && out->p[out->n - 1] == ' ') out->n--;
}

static int64_t last_agent_replier(const struct demo_case *dc) {
    for (int i = dc->message_count - 1; i >= 0; i--)
        if (!dc->messages[i].by_requester) return dc->messages[i].creator_id;
    return 0;
}

/* Time of the last message of staff, or of the requester; 0: none. */
static int64_t last_message_at(const struct demo_case *dc, bool by_requester) {
    for (int i = dc->message_count - 1; i >= 0; i--)
        if (dc->messages[i].by_requester == by_requester) return dc->messages[i].at;
    return 0;
}

static int64_t requesters_messages(const struct demo_case *dc) {
    int64_t n = 0;
    for (int i = 0; i < dc->message_count; i++) n += dc->messages[i].by_requester;
    return n;
}

static int insert_case(struct conn *c, struct filling *f, const struct demo_case *dc) {
    struct chance chance = chance_of(f->world.seed, OF_UUID, dc->id * 16);
    char uuid[36];
    const struct demo_message *last = &dc->messages[dc->message_count - 1];
    struct arena_mark mark = arena_mark(f->arena);
    int64_t agent_at = last_message_at(dc, false), agent = last_agent_replier(dc);
    /* The agent resolved it at the time of the last change. */
    bool resolved = dc->status >= STATUS_COMPLETED && agent;
    chance_uuid(&chance, uuid);
    demo_subject(&f->subject, &f->world, dc);
    demo_contents(&f->text, &f->world, dc, dc->message_count - 1);
    write_preview(&f->preview, buf_view(&f->text));
    int rc = db_exec(
        c, &demo_case_insert,
        BINDS(B_INT("id", dc->id), B_TEXT("uuid", ((struct str){uuid, sizeof uuid})),
              B_TEXT("subject", buf_view(&f->subject)),
              B_TEXT("subject_key", fold_key(f->arena, buf_view(&f->subject))), B_INT("channel", dc->channel),
              B_INT("source", dc->source), B_INT("state", dc->state), B_INT("requester", dc->requester.id),
              B_ID("organization", dc->organization_id), B_ID("team", dc->team_id),
              B_ID("agent", dc->agent_id), B_INT("status", dc->status), B_ID("priority", dc->priority_id),
              B_ID("type", dc->type_id), B_INT("seq", dc->message_count),
              B_INT("by_requester", requesters_messages(dc)), B_INT("reopened", dc->reopened),
              B_INT("replier", last->creator_id), B_ID("agent_replier", agent), B_ID("by_agent_at", agent_at),
              B_ID("agent_at", resolved ? dc->updated_at : agent_at),
              B_INT("by_requester_at", last_message_at(dc, true)),
              B_INT("updater", resolved ? agent : last->creator_id), B_INT("message_status", last->status),
              B_TEXT("preview", buf_view(&f->preview)), B_INT("replied", last->at),
              B_INT("created", dc->created_at), B_INT("updated", dc->updated_at)));
    arena_return(f->arena, mark);
    return rc;
}

int fill_conversation(struct conn *c, struct filling *f, int64_t id) {
    struct demo_case dc;
    demo_case(&f->world, id, &dc);
    TRY(messages_until(c, f, dc.created_at));
    TRY(insert_case(c, f, &dc));
    push(f, (struct event){dc.created_at, id, 0});
    return id == f->world.conversations ? messages_until(c, f, INT64_MAX) : 0;
}
