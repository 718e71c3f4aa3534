#include "live/topic.h"

#include "api/call/inner_read.h"
#include "core/desk/channel_name.h"
#include "core/words.h"

#include <inttypes.h>

const struct live_object live_objects[] = {
    {"cases", LIVE_CASE, "/cases/:id",
     "A conversation. Customers and fingerprints need GET /conversations/:id."},
    {"users", LIVE_USER, "/users/:id", "A person."},
    {"organizations", LIVE_ORGANIZATION, "/organizations/:id", "An organization."},
    {"views", LIVE_VIEW, "/views/:id", "The count of a view."},
    {0}};

/* An id as the API writes it: no sign, no zero in front. */
static bool id_read(struct str text, int64_t *id) {
    char again[INT_TEXT];
    return str_to_int(text, id) && *id > 0 && str_eq(str_int(again, *id), text);
}

static bool object_parse(struct str text, struct live_name *out) {
    if (!str_starts(text, S("v1_"))) return false;
    text = (struct str){text.p + 3, text.n - 3};
    if (str_eq(text, S("inbox"))) return *out = (struct live_name){.kind = LIVE_INBOX}, true;
    if (str_eq(text, S("comments"))) return *out = (struct live_name){.kind = LIVE_COMMENTS}, true;
    struct str rest = text, kind = str_cut(&rest, '_');
    for (const struct live_object *o = live_objects; rest.p && o->name; o++)
        if (str_eq(kind, str_of(o->name))) return out->kind = o->kind, id_read(rest, &out->id);
    return false;
}

QUERY(live_uuid, "SELECT uuid FROM users WHERE id = :id");

static int own_parse(struct work *w, const struct who *who, struct str name, struct live_name *out) {
    struct str uuid;
    int rc = who->actor.user_id
                 ? db_text(w->conn, &live_uuid, BINDS(B_INT("id", who->actor.user_id)), w->arena, &uuid)
                 : 0;
    if (rc <= 0) return rc;
    *out = (struct live_name){LIVE_OWN, who->actor.user_id};
    return secret_eq(name, channel_of_own(w->desk, w->arena, uuid));
}

int topic_parse(struct work *w, const struct who *who, struct str name, struct live_name *out) {
    struct str rest = name, kind = str_cut(&rest, '-'), installation = str_cut(&rest, '@');
    *out = (struct live_name){0};
    if (rest.p == NULL || !str_eq(installation, w->desk->installation)) return 0;
    if (str_eq(kind, S("presence"))) return object_parse(rest, out);
    if (str_eq(kind, S("user_presence"))) {
        *out = (struct live_name){LIVE_PERSON, channel_presence_person(w->desk, w->arena, name)};
        return out->id != 0;
    }
    return str_eq(kind, S("user_notifications")) ? own_parse(w, who, name, out) : 0;
}

/* The GET of the topic is that of a list. */
static bool topic_is_list(enum live_kind kind) {
    return kind == LIVE_INBOX || kind == LIVE_OWN || kind == LIVE_COMMENTS;
}

struct str topic_path(struct arena *a, struct live_name t, const struct who *who) {
    static const char *const paths[] = {
        [LIVE_CASE] = "/cases/%" PRId64,   [LIVE_USER] = "/users/%" PRId64,
        [LIVE_PERSON] = "/users/%" PRId64, [LIVE_ORGANIZATION] = "/organizations/%" PRId64,
        [LIVE_VIEW] = "/views/%" PRId64,   [LIVE_INBOX] = "/cases",
        [LIVE_OWN] = "/notifications",     [LIVE_COMMENTS] = "/comments"};
    if (t.kind == LIVE_CASE && who->actor.rank < ROLE_COLLABORATOR)
        return str_fmt(a, "/conversations/%" PRId64, t.id);
    if (t.kind == LIVE_OWN && who->actor.rank < ROLE_COLLABORATOR)
        return S("/profile"); /* nothing is told there */
    if (topic_is_list(t.kind)) return str_of(paths[t.kind]);
    return str_fmt(a, paths[t.kind], t.id);
}

int topic_is_heard(struct api *api, struct work *w, const struct who *who, struct live_name t) {
    struct arena_mark mark = arena_mark(w->arena);
    bool is_list = topic_is_list(t.kind) && (t.kind != LIVE_OWN || who->actor.rank >= ROLE_COLLABORATOR);
    struct str query = is_list ? S("limit=1&fields=id") : S("fields=id");
    int status = inner_read(api, w->conn, &who->actor, w->arena, topic_path(w->arena, t, who), query, NULL);
    arena_return(w->arena, mark);
    return status < 0 ? status : status == 200;
}
