#include "live/event.h"

#include "api/call/inner_read.h"
#include "core/change/change.h"
#include "core/words.h"

#include <inttypes.h>

/* ---- entries to events ----------------------------------------------------------------------- */

static const struct {
    const char *kind; /* of the change log */
    enum live_kind about;
    bool is_post, is_note, is_list;
} kinds[] = {{"case", .about = LIVE_CASE},
             {"case_message", .about = LIVE_CASE, .is_post = true},
             {"note", .about = LIVE_CASE, .is_post = true, .is_note = true},
             {"user", .about = LIVE_USER},
             {"organization", .about = LIVE_ORGANIZATION},
             {"notification", .about = LIVE_OWN},
             {"notifications", .about = LIVE_OWN, .is_list = true},
             {"comment", .about = LIVE_COMMENTS, .is_post = true}};

const struct event_word event_words[EVENT_KINDS] = {
    [EVENT_CREATED] = {"NEW_CASE", "A conversation was opened. Only in the channel of all conversations.",
                       false},
    [EVENT_CHANGED] = {"CHANGE", "Properties of the object have changed.", false},
    [EVENT_POST_CREATED] = {"NEW_POST", "A message, a note or a comment was added.", true},
    [EVENT_POST_CHANGED] = {"CHANGE_POST", "A message, a note or a comment has changed.", true},
    [EVENT_NOTIFIED] = {"NEW_NOTIFICATION", "The caller has a new notification.", false}};

/* Of one page: the entries between them are the same whenever it is read (struct live_place). */
static bool same_object(const struct entry *a, const struct entry *b) {
    return a->verb == b->verb && a->object_id == b->object_id && a->cursor == b->cursor &&
           str_eq(a->kind, b->kind);
}

struct event *event_next(struct arena *a, const struct entry **list, int64_t until) {
    const struct entry *first = *list, *last = first;
    size_t i = 0;
    while (last->next && last->id != until && last->verb == CHANGE_UPDATED && same_object(first, last->next))
        last = last->next;
    *list = last->next;
    while (i < sizeof kinds / sizeof *kinds && !str_eq(first->kind, str_of(kinds[i].kind))) i++;
    bool created = first->verb == CHANGE_CREATED;
    if (i == sizeof kinds / sizeof *kinds || first->verb == CHANGE_DELETED) return NULL;
    if (created && !kinds[i].is_post && kinds[i].about != LIVE_CASE && kinds[i].about != LIVE_OWN)
        return NULL;
    struct event *e = ARENA_NEW(a, struct event);
    *e = (struct event){.kind = kinds[i].is_post ? (created ? EVENT_POST_CREATED : EVENT_POST_CHANGED)
                                : created && kinds[i].about == LIVE_OWN
                                    ? EVENT_NOTIFIED
                                    : (created ? EVENT_CREATED : EVENT_CHANGED),
                        .is_list = kinds[i].is_list,
                        .about = kinds[i].about,
                        .object_id = first->object_id,
                        .topic_id = first->object_id,
                        .case_id = kinds[i].is_post ? first->case_id : first->object_id,
                        .is_note = kinds[i].is_note,
                        .first = first,
                        .last = last};
    e->name = event_words[e->kind].name;
    return e;
}

QUERY(live_note, "SELECT COALESCE(owner_user_id, 0), COALESCE(organization_id, 0) FROM notes WHERE id = :id");
QUERY(live_comment, "SELECT article_id FROM article_comments WHERE id = :id");

static bool note_place_read(struct hub *h, struct event *e) {
    struct stmt *row;
    if (db_row(h->work.conn, &live_note, BINDS(B_INT("id", e->object_id)), &row) != 1) return false;
    int64_t user = col_int(row, 0), organization = col_int(row, 1);
    stmt_end(row);
    e->about = user ? LIVE_USER : LIVE_ORGANIZATION;
    e->topic_id = user ? user : organization;
    return e->topic_id != 0;
}

bool event_place_read(struct hub *h, struct event *e) {
    if (e->is_note && e->case_id == 0) return note_place_read(h, e);
    if (e->about != LIVE_COMMENTS) return true;
    e->topic_id = 0;
    return db_int(h->work.conn, &live_comment, BINDS(B_INT("id", e->object_id)), &e->parent_id) == 1;
}

QUERY(live_case, "SELECT COALESCE(t.assigned_team_id, 0), COALESCE(t.assigned_agent_id, 0) FROM cases t "
                 "WHERE t.id = :id");

bool event_case_read(struct hub *h, struct event *e) {
    struct stmt *row;
    if (e->case_read) return e->case_found;
    e->case_read = true;
    e->case_found = db_row(h->work.conn, &live_case, BINDS(B_INT("id", e->case_id)), &row) == 1;
    if (!e->case_found) return false;
    e->team_id = col_int(row, 0);
    e->agent_id = col_int(row, 1);
    stmt_end(row);
    return true;
}

/* ---- payloads -------------------------------------------------------------------------------- */

static void event_write_url(struct json_writer *w, struct hub *h, const char *name, struct str path) {
    jw_key(w, str_of(name));
    if (path.p) JW_CAT(w, h->api->desk->base_url, S("/api/v1"), path);
    else jw_null(w);
}

static void event_write_head(struct json_writer *w, const char *type, int64_t id) {
    jw_object(w);
    jw_key(w, S("resource_type"));
    jw_str(w, str_of(type));
    jw_key(w, S("resource_id"));
    jw_int(w, id);
}

/* The names of the changed properties, separated by commas. */
static struct str changed_names(struct arena *a, const struct event *e) {
    struct buf out = {0};
    for (const struct entry *x = e->first;; x = x->next) {
        if (x->property.p) buf_fmt(&out, "%s%.*s", out.n ? "," : "", (int)x->property.n, x->property.p);
        if (x == e->last) break;
    }
    return buf_take(&out, a);
}

#define TEXT_SHOWN 255 /* bytes; a longer text is read by the client */

/* Frames have few numbers: a reference is its id, a time is in seconds. */
static void write_value(struct json_writer *w, struct str name, const struct json *v) {
    int64_t ms;
    const struct json *id = json_member(v, S("id"));
    bool is_time = name.n > 3 && memcmp(name.p + name.n - 3, "_at", 3) == 0;
    if (v->type == JSON_OBJECT) {
        if (id) jw_json(w, id);
        else jw_null(w);
    } else if (v->type == JSON_ARRAY) {
        jw_array(w);
        for (const struct json *j = v->first; j; j = j->next) write_value(w, S(""), j);
        jw_end(w);
    } else if (v->type == JSON_STRING && is_time && time_parse_iso(v->text, &ms)) {
        jw_int(w, ms / 1000);
    } else if (v->type == JSON_STRING && v->text.n > TEXT_SHOWN) {
        jw_null(w);
    } else {
        jw_json(w, v);
    }
}

/* The members of the object that a GET shows, without those that every object has. */
static void write_shown(struct json_writer *w, const struct json *data) {
    static const char *const every[] = {"id", "uuid", "resource_type", "resource_url"};
    jw_key(w, S("changed_properties"));
    jw_object(w);
    for (const struct json *j = data->first; j; j = j->next) {
        bool skip = false;
        for (size_t i = 0; i < sizeof every / sizeof *every; i++)
            skip = skip || str_eq(j->name, str_of(every[i]));
        if (skip) continue;
        jw_key(w, j->name);
        write_value(w, j->name, j);
    }
    jw_end(w);
}

static struct str object_payload(struct hub *h, struct event *e, const struct who *who) {
    static const char *const types[] = {
        [LIVE_CASE] = "case", [LIVE_USER] = "user", [LIVE_ORGANIZATION] = "organization"};
    struct arena *a = h->work.arena;
    struct str path = topic_path(a, (struct live_name){e->about, e->object_id}, who),
               names = changed_names(a, e);
    struct str query = STR_CAT(a, S("fields=updated_at"), names.n ? S(",") : S(""), names);
    const struct json *data;
    struct buf out = {0};
    struct json_writer w;
    int status = inner_read(h->api, h->work.conn, &who->actor, a, path, query, &data);
    if (status != 200 || data == NULL) return (struct str){0};
    jw_init(&w, &out);
    event_write_head(&w, types[e->about], e->object_id);
    event_write_url(&w, h, "resource_url", path);
    write_shown(&w, data);
    jw_end(&w);
    return buf_take(&out, a);
}

static void write_changed_names(struct json_writer *w, struct arena *a, const struct event *e) {
    jw_key(w, S("changed_properties"));
    jw_array(w);
    for (struct str rest = changed_names(a, e); rest.n;) jw_str(w, str_cut(&rest, ','));
    jw_end(w);
}

/* A comment, or a note on a person or an organization. */
static struct str remark_payload(struct hub *h, struct event *e, const struct who *who) {
    struct arena *a = h->work.arena;
    bool is_comment = e->about == LIVE_COMMENTS;
    struct str path =
        is_comment ? str_fmt(a, "/articles/%" PRId64 "/comments/%" PRId64, e->parent_id, e->object_id)
                   : str_fmt(a, "/%s/%" PRId64 "/notes/%" PRId64,
                             e->about == LIVE_USER ? "users" : "organizations", e->topic_id, e->object_id);
    struct buf out = {0};
    struct json_writer w;
    if (inner_read(h->api, h->work.conn, &who->actor, a, path, S("fields=id"), NULL) != 200)
        return (struct str){0};
    jw_init(&w, &out);
    event_write_head(&w, is_comment ? "comment" : "note", e->object_id);
    event_write_url(&w, h, "resource_url", path);
    write_changed_names(&w, a, e);
    jw_end(&w);
    return buf_take(&out, a);
}

static struct str post_payload(struct hub *h, struct event *e, const struct who *who) {
    struct arena *a = h->work.arena;
    bool staff = who->actor.rank >= ROLE_COLLABORATOR;
    struct str agent = str_fmt(a, "/cases/%" PRId64 "/%s/%" PRId64, e->case_id,
                               e->is_note ? "notes" : "messages", e->object_id),
               customer = e->is_note ? (struct str){0}
                                     : str_fmt(a, "/conversations/%" PRId64 "/messages/%" PRId64, e->case_id,
                                               e->object_id),
               own = staff ? agent : customer;
    struct buf out = {0};
    struct json_writer w;
    if (own.p == NULL || inner_read(h->api, h->work.conn, &who->actor, a, own, S("fields=id"), NULL) != 200)
        return (struct str){0};
    jw_init(&w, &out);
    event_write_head(&w, "post", e->object_id);
    event_write_url(&w, h, "resource_url", own);
    event_write_url(&w, h, "customer_resource_url", customer);
    event_write_url(&w, h, "agent_resource_url", staff ? agent : (struct str){0});
    jw_key(&w, S("case_id"));
    jw_int(&w, e->case_id);
    write_changed_names(&w, a, e);
    jw_end(&w);
    return buf_take(&out, a);
}

QUERY(live_notified, "SELECT user_id FROM notifications WHERE id = :id");

int64_t event_person(struct hub *h, struct event *e) {
    if (e->is_list) return e->object_id;
    if (e->person_id == 0 &&
        db_int(h->work.conn, &live_notified, BINDS(B_INT("id", e->object_id)), &e->person_id) != 1)
        e->person_id = -1;
    return e->person_id;
}

/* A notification, or for a list only the number of unread ones. */
static struct str own_payload(struct hub *h, const struct event *e, const struct who *who) {
    struct arena *a = h->work.arena;
    struct str path = e->is_list ? S("/notifications") : str_fmt(a, "/notifications/%" PRId64, e->object_id);
    const struct json *data = NULL;
    struct buf out = {0};
    struct json_writer w;
    int64_t unread;
    int status = e->is_list ? 200
                            : inner_read(h->api, h->work.conn, &who->actor, a, path,
                                         e->kind == EVENT_NOTIFIED ? S("") : S("fields=read_at"), &data);
    if (status != 200 || (!e->is_list && data == NULL)) return (struct str){0};
    if (inner_count(h->api, h->work.conn, &who->actor, a, S("/notifications"),
                    S("unread=true&limit=1&fields=id"), &unread) != 200)
        return (struct str){0};
    jw_init(&w, &out);
    jw_object(&w);
    jw_key(&w, S("resource_type"));
    jw_str(&w, S("notification"));
    jw_key(&w, S("resource_id"));
    if (e->is_list) jw_null(&w);
    else jw_int(&w, e->object_id);
    event_write_url(&w, h, "resource_url", path);
    if (data) {
        write_shown(&w, data);
    } else {
        jw_key(&w, S("changed_properties"));
        jw_object(&w);
        jw_end(&w);
    }
    jw_key(&w, S("unread_count"));
    jw_int(&w, unread);
    jw_end(&w);
    return buf_take(&out, a);
}

struct str event_payload(struct hub *h, struct event *e, const struct who *who) {
    for (const struct event_shown *s = e->shown; s; s = s->next)
        if (s->to == who || (e->about == LIVE_CASE && who_sees_as(s->to, who))) return s->payload;
    bool is_post = e->kind == EVENT_POST_CREATED || e->kind == EVENT_POST_CHANGED;
    struct event_shown *s = ARENA_NEW(h->work.arena, struct event_shown);
    *s = (struct event_shown){.to = who, .next = e->shown};
    s->payload = is_post && e->about == LIVE_CASE ? post_payload(h, e, who)
                 : is_post                        ? remark_payload(h, e, who)
                 : e->about == LIVE_OWN           ? own_payload(h, e, who)
                                                  : object_payload(h, e, who);
    e->shown = s;
    e->keeps = true;
    return s->payload;
}

struct str event_view(struct hub *h, int64_t id, int64_t count) {
    struct buf out = {0};
    struct json_writer w;
    jw_init(&w, &out);
    event_write_head(&w, "view", id);
    event_write_url(&w, h, "resource_url", str_fmt(h->work.arena, "/views/%" PRId64, id));
    jw_key(&w, S("changed_properties"));
    jw_object(&w);
    jw_key(&w, S("count"));
    jw_int(&w, count);
    jw_end(&w);
    jw_end(&w);
    return buf_take(&out, h->work.arena);
}
