#include "live/presence.h"

#include "api/call/inner_read.h"
#include "core/all/finish.h"
#include "core/change/outbox.h"
#include "core/desk/processes.h"
#include "core/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPING_MS (8 * TIME_SECOND)
#define RENEW_MS (10 * TIME_SECOND)
#define FORGET_MS (25 * TIME_SECOND)
#define ACTIVE_MS (30 * TIME_SECOND) /* listeners of a person are told of no shorter step of last_active_at */
#define TOLD_MOST 40                 /* metas in one message between processes */

/* Names of the flags in metas and pushes, by their bits. */
static const char *const flags[] = {"is_viewing", "is_typing", "is_updating", "is_foreground"};
enum { VIEWING = 1, TYPING = 2, UPDATING = 4, FOREGROUND = 8, FLAGS = 4 };

/* ---- metas ----------------------------------------------------------------------------------- */

static int64_t wall(const struct hub *h) { return clock_now(&h->api->desk->clock); }
static int64_t steady(const struct hub *h) { return clock_steady(&h->api->desk->clock); }

static struct meta *meta_of(struct hub *h, struct str process, int64_t number) {
    struct meta *m = h->metas;
    while (m && (m->number != number || !str_eq(str_of(m->process), process))) m = m->next;
    return m;
}

static struct meta *meta_new(struct hub *h, struct str process, int64_t number, struct live_name of,
                             int64_t user_id) {
    struct meta *m = calloc(1, sizeof *m);
    if (m == NULL) abort();
    m->number = number;
    m->of = of;
    m->user_id = user_id;
    m->flags = VIEWING | FOREGROUND;
    m->version = 1;
    m->active_at = wall(h);
    snprintf(m->process, sizeof m->process, "%.*s", (int)process.n, process.p);
    m->next = h->metas;
    m->at = &h->metas;
    if (m->next) m->next->at = &m->next;
    h->metas = m;
    return m;
}

static void meta_free(struct meta *m) {
    *m->at = m->next;
    if (m->next) m->next->at = m->at;
    free(m);
}

static bool is_at(const struct meta *m, struct live_name name) {
    return !m->gone && m->of.kind == name.kind && m->of.id == name.id;
}

static bool is_own(const struct hub *h, const struct meta *m) {
    return str_eq(str_of(m->process), h->api->desk->process);
}

/* ---- what a listener sees -------------------------------------------------------------------- */

/* A person as the listener sees them: JSON, p NULL if they are not shown. */
static struct str person_seen(struct hub *h, const struct who *who, int64_t user_id) {
    struct arena *a = h->work.arena;
    const struct json *data;
    struct buf out = {0};
    struct json_writer w;
    int status = inner_read(h->api, h->work.conn, &who->actor, a, str_fmt(a, "/users/%" PRId64, user_id),
                            S("fields=full_name,avatar"), &data);
    if (status != 200 || data == NULL) return (struct str){0};
    jw_init(&w, &out);
    jw_object(&w);
    jw_key(&w, S("id"));
    jw_int(&w, user_id);
    for (const struct json *j = data->first; j; j = j->next) {
        if (!str_eq(j->name, S("full_name")) && !str_eq(j->name, S("avatar"))) continue;
        jw_key(&w, j->name);
        jw_json(&w, j);
    }
    jw_end(&w);
    return buf_take(&out, a);
}

/* One meta. before: its version before the change; 0: it is new. */
static void write_meta(struct json_writer *w, const struct meta *m, unsigned state, int version, int before,
                       struct str person, bool staff) {
    char ref[48];
    jw_object(w);
    jw_key(w, S("phx_ref"));
    snprintf(ref, sizeof ref, "%.8s-%" PRId64 "-%d", m->process, m->number, version);
    jw_str(w, str_of(ref));
    if (before) {
        jw_key(w, S("phx_ref_prev"));
        snprintf(ref, sizeof ref, "%.8s-%" PRId64 "-%d", m->process, m->number, before);
        jw_str(w, str_of(ref));
    }
    jw_key(w, S("user"));
    jw_raw(w, person);
    jw_key(w, S("last_active_at"));
    jw_int(w, m->active_at);
    for (int i = 0; i < FLAGS; i++) {
        jw_key(w, str_of(flags[i]));
        jw_bool(w, (state >> i & 1) && (staff || 1u << i != UPDATING));
    }
    jw_end(w);
}

static void open_person(struct json_writer *w, int64_t user_id) {
    char id[INT_TEXT];
    jw_key_raw(w, str_int(id, user_id));
    jw_object(w);
    jw_key(w, S("metas"));
    jw_array(w);
}

static void close_person(struct json_writer *w) {
    jw_end(w);
    jw_end(w);
}

static struct str state_for(struct hub *h, const struct subscription *s) {
    const struct who *who = &s->peer->who;
    bool staff = who->actor.rank >= ROLE_COLLABORATOR;
    struct live_name name = s->topic->name;
    struct buf out = {0};
    struct json_writer w;
    jw_init(&w, &out);
    jw_object(&w);
    for (const struct meta *m = h->metas; m; m = m->next) {
        const struct meta *x = h->metas;
        if (!is_at(m, name)) continue;
        while (x != m && (!is_at(x, name) || x->user_id != m->user_id)) x = x->next;
        if (x != m) continue; /* the person is written with the first meta */
        struct str person = person_seen(h, who, m->user_id);
        if (person.p == NULL) continue;
        open_person(&w, m->user_id);
        for (x = m; x; x = x->next)
            if (is_at(x, name) && x->user_id == m->user_id)
                write_meta(&w, x, x->flags, x->version, 0, person, staff);
        close_person(&w);
    }
    jw_end(&w);
    return buf_take(&out, h->work.arena);
}

enum diff_kind { DIFF_JOIN, DIFF_CHANGE, DIFF_LEAVE };

static void write_side(struct json_writer *w, const char *name, bool given, const struct meta *m,
                       unsigned state, int version, int before, struct str person, bool staff) {
    jw_key(w, str_of(name));
    jw_object(w);
    if (given) {
        open_person(w, m->user_id);
        write_meta(w, m, state, version, before, person, staff);
        close_person(w);
    }
    jw_end(w);
}

static struct str diff_for(struct hub *h, const struct who *who, const struct meta *m, enum diff_kind kind) {
    struct str person = person_seen(h, who, m->user_id);
    bool staff = who->actor.rank >= ROLE_COLLABORATOR;
    struct buf out = {0};
    struct json_writer w;
    if (person.p == NULL) return person;
    int before = kind == DIFF_CHANGE ? m->told_version : 0;
    jw_init(&w, &out);
    jw_object(&w);
    write_side(&w, "joins", kind != DIFF_LEAVE, m, m->flags, m->version, before, person, staff);
    write_side(&w, "leaves", kind != DIFF_JOIN, m, m->told, m->told_version, 0, person, staff);
    jw_end(&w);
    return buf_take(&out, h->work.arena);
}

/* Tells all who listen to the conversation or the person, but the one. Staff with the same rights are told the same. */
static void tell_diff(struct hub *h, struct meta *m, enum diff_kind kind, const struct subscription *but) {
    struct topic *t = topic_find(h, m->of);
    const struct who *last = NULL;
    struct str payload = {0};
    for (struct subscription *s = t ? t->first : NULL; s; s = s->next) {
        if (s == but || s->peer->form == PEER_STREAM) continue;
        const struct who *who = &s->peer->who;
        if (last == NULL || !who_sees_as(last, who)) payload = diff_for(h, who, m, kind);
        last = who;
        if (payload.p) hub_tell(h, s, "presence_diff", payload, (struct str){0});
    }
    m->told = m->flags;
    m->told_version = m->version;
    m->active_told = m->active_at;
}

/* ---- own sockets ----------------------------------------------------------------------------- */

QUERY(live_requester, "SELECT t.requester_id FROM cases t WHERE t.id = :id");

/* The person whom a socket makes present; 0: nobody. A visitor without login is the person for whom the
 * conversation was opened. In the channel of a person only that person is present. */
static int64_t present_person(struct hub *h, const struct subscription *s) {
    int64_t id = s->peer->who.actor.user_id;
    if (s->topic->name.kind == LIVE_PERSON) return id == s->topic->name.id ? id : 0;
    if (id == 0 && db_int(h->work.conn, &live_requester, BINDS(B_INT("id", s->topic->name.id)), &id) != 1)
        id = 0;
    return id;
}

void presence_join(struct hub *h, struct subscription *s) {
    enum live_kind kind = s->topic->name.kind;
    if ((kind != LIVE_CASE && kind != LIVE_PERSON) || s->peer->form == PEER_STREAM) return;
    int64_t person = s->listens ? 0 : present_person(h, s);
    if (person) {
        s->meta = meta_new(h, h->api->desk->process, ++h->last_meta, s->topic->name, person);
        s->meta->is_new = true;
        tell_diff(h, s->meta, DIFF_JOIN, s);
    }
    hub_tell(h, s, "presence_state", state_for(h, s), (struct str){0});
}

static void change_flags(struct hub *h, struct meta *m, unsigned state) {
    m->flags = state;
    m->version++;
    m->is_new = true;
    tell_diff(h, m, DIFF_CHANGE, NULL);
}

/* Clients give seconds, with a fraction, or milliseconds. */
static bool time_given(const struct json *j, int64_t *ms) {
    double given = j && j->type == JSON_NUMBER ? strtod(j->text.p, NULL) : 0;
    if (given < 1e9 || given > 1e14) return false;
    *ms = (int64_t)(given < 1e11 ? given * 1000 : given);
    return true;
}

void presence_push(struct hub *h, struct subscription *s, const struct json *payload) {
    struct meta *m = s->meta;
    if (m == NULL) return;
    unsigned state = m->flags, set = 0;
    int64_t at;
    for (int i = 0; i < FLAGS; i++) {
        const struct json *j = json_member(payload, str_of(flags[i]));
        if (j && j->type == JSON_TRUE) set |= 1u << i;
        if (j && j->type == JSON_FALSE) state &= ~(1u << i);
    }
    state |= set;
    if (time_given(json_member(payload, S("last_active_at")), &at) && at <= wall(h) + TIME_MINUTE)
        m->active_at = at;
    if (set & TYPING) m->typing_until = steady(h) + TYPING_MS;
    else if (!(state & TYPING)) m->typing_until = 0;
    bool later = m->of.kind == LIVE_PERSON && m->active_at - m->active_told >= ACTIVE_MS;
    if (state != m->flags || later) change_flags(h, m, state);
}

void presence_tick(struct hub *h) {
    int64_t now = steady(h);
    for (struct meta *m = h->metas, *next; m; m = next) {
        next = m->next;
        if (!is_own(h, m) && now > m->heard_at + FORGET_MS) m->gone = true;
        if (m->gone && !m->gone_told) tell_diff(h, m, DIFF_LEAVE, NULL);
        else if (is_own(h, m) && m->typing_until && now > m->typing_until)
            m->typing_until = 0, change_flags(h, m, m->flags & ~(unsigned)TYPING);
        m->gone_told = m->gone;
        if (m->gone && !is_own(h, m)) meta_free(m);
    }
}

/* ---- other processes ------------------------------------------------------------------------- */

static int send_told(struct work *w, void *told) {
    return outbox_add(w, TOPIC_PRESENCE, *(const struct str *)told);
}

static void send_part(struct hub *h, struct buf *part) {
    struct str told;
    if (part->n == 0) return;
    buf_text(part, "]}");
    told = buf_view(part);
    /* a lost message is repaired by the next renewal */
    desk_write(h->api->desk, (struct actor){.kind = ACTOR_SYSTEM, .cause = S("presence")}, send_told, &told);
    buf_free(part);
}

void presence_share(struct hub *h) {
    struct desk *d = h->api->desk;
    int64_t now = steady(h);
    bool shared = db_shared(d->db) && processes_number(d) > 1, all = shared && now - h->renewed_at > RENEW_MS;
    struct buf part = {0};
    int n = 0;
    if (all) h->renewed_at = now;
    for (struct meta *m = h->metas, *next; m; m = next) {
        next = m->next;
        if (!is_own(h, m)) continue;
        if (shared && (m->is_new || all || m->gone)) {
            if (part.n == 0) buf_fmt(&part, "{\"process\":\"%s\",\"metas\":[", m->process);
            else buf_char(&part, ',');
            buf_fmt(&part, "[%" PRId64 ",%" PRId64 ",%" PRId64 ",%u,%d,%" PRId64 ",%d,%d]", m->number,
                    m->of.id, m->user_id, m->flags, m->version, m->active_at, m->gone, (int)m->of.kind);
            if (++n % TOLD_MOST == 0) send_part(h, &part);
        }
        m->is_new = false;
        if (m->gone && m->gone_told) meta_free(m);
    }
    send_part(h, &part);
}

static void hear_one(struct hub *h, struct str process, const struct json *list) {
    int64_t v[8] = {0}; /* an older process sends seven, all of conversations */
    int n = 0;
    for (const struct json *j = list->first; j && n < 8; j = j->next) str_to_int(json_scalar(j), &v[n++]);
    struct meta *m = meta_of(h, process, v[0]);
    bool is_new = m == NULL;
    if (n < 7 || (is_new && v[6])) return;
    struct live_name of = {v[7] == LIVE_PERSON ? LIVE_PERSON : LIVE_CASE, v[1]};
    if (is_new) m = meta_new(h, process, v[0], of, v[2]);
    bool changed = !is_new && m->version != v[4];
    m->heard_at = steady(h);
    m->flags = (unsigned)v[3];
    m->version = (int)v[4];
    m->active_at = v[5];
    m->gone = v[6] != 0;
    if (is_new || changed) tell_diff(h, m, is_new ? DIFF_JOIN : DIFF_CHANGE, NULL);
}

void presence_hear(struct hub *h, struct str told) {
    struct json *j;
    struct json_error err;
    if (told.p == NULL || json_parse(h->work.arena, told, &j, &err) < 0) return;
    const struct json *process = json_member(j, S("process")), *metas = json_member(j, S("metas"));
    if (!process || !metas || str_eq(json_scalar(process), h->api->desk->process)) return;
    for (const struct json *m = metas->first; m; m = m->next) hear_one(h, json_scalar(process), m);
}

void presence_end(struct hub *h) {
    for (struct meta *m = h->metas, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    h->metas = NULL;
}
