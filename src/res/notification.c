/* The notifications of the caller (core/cases/staff_notice.h). */
#include "core/cases/notification_rows.h"

#include "api/rows/generic.h"
#include "core/words.h"
#include "res/groups.h"

/* The caller's own, of conversations that the caller sees. */
static void visible_notifications(struct work *w, struct branches *out) {
    if (w->actor.rank < ROLE_COLLABORATOR) return;
    access_of_case(w, "t.case_id", out); /* binds :me */
    out->where[0] = STR_CAT(w->arena, S("t.user_id = :me AND "), str_of(out->where[0])).p;
}

static const struct field notification_fields[] = {
    {"type", F_WORD, READONLY, .words = notification_events,
     .doc =
         "The event, as in the notification preferences. reply_on_case: somebody else wrote a message in "
         "your conversation. case_assigned_to_agent, case_assigned_to_team: a conversation was assigned to "
         "you, or to your team. sla_breached: a conversation of yours missed a target. sla_warning: it is "
         "about to. mentioned_in_conversation: a note mentions you. scheduled_reply_refused: a scheduled "
         "reply of yours was not sent; it has the reason.",
     .example = "\"reply_on_case\""},
    {"case", F_REF, READONLY, .ref = "case", .doc = "The conversation."},
    {"post", F_REF, READONLY, .ref = "post", .doc = "The message or the note. Null: the event has none."},
    {"actor", F_REF, READONLY, .ref = "user",
     .doc = "Person who caused the event. Null: somebody without login, or the server."},
    {"others_count", F_INT, READONLY,
     .doc = "Number of further conversations that the same change concerned, if they are more than 20. They "
            "have no notification of their own.",
     .example = "0"},
    {"read_at", F_TIME, READONLY, .doc = "Time at which you read it. Null: it is unread."},
    {"created_at", F_TIME, READONLY, .doc = "Time of the event."},
    {0},
};

static const struct field notification_args[] = {
    {"unread", F_BOOL, .filter = "CASE WHEN t.read_at IS NULL THEN 1 ELSE 0 END = :unread",
     .doc = "Only unread ones (true), or only those that you have read (false)."},
    {"type", F_WORDS, .words = notification_events, .filter = "t.type IN @LIST(:type)",
     .doc = "Only those of these types.", .example = "[\"mentioned_in_conversation\"]"},
    {"case_ids", F_IDS, .filter = "t.case_id IN @LIST(:case_ids)",
     .doc = "Only those of these conversations."},
    {0},
};

static const struct field read_all_input[] = {
    {"until_id", F_INT, .min = 1, .max = INT64_MAX,
     .doc = "Only this notification and older ones, so that those which came meanwhile stay unread.",
     .example = "23"},
    {0},
};

static int put_notification_read(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(notification_read(&c->work, c->id));
    return api_reply(c);
}

/* The unread ones that the caller sees, up to an id. Returns their number, or a negative error. */
static int unread_ids(struct call *c, int64_t until, int64_t **ids) {
    struct branches b = {0};
    struct buf sql = {0};
    struct stmt *s;
    int n = 0, room = 0, rc;
    buf_text(&sql, "SELECT t.id FROM notifications t WHERE t.user_id = :me AND t.read_at IS NULL "
                   "AND t.id <= :until");
    view_condition(c, c->resource, &b, &sql);
    buf_char(&sql, 0);
    branch_bind_int(&b, ":until", until);
    rc = db_start(c->work.conn, sql.p, b.binds, &s);
    buf_free(&sql);
    TRY(rc);
    while ((rc = stmt_step(s)) > 0) {
        *ids = arena_more(c->work.arena, *ids, n, &room, sizeof **ids);
        (*ids)[n++] = col_int(s, 0);
    }
    stmt_end(s);
    return rc < 0 ? rc : n;
}

static int put_notifications_read_all(struct call *c) {
    int64_t *ids = NULL;
    TRY(api_input(c));
    int n = unread_ids(c, given(c, "until_id") ? in_int(c, "until_id") : INT64_MAX, &ids);
    TRY(n);
    if (n) n = notifications_read(&c->work, json_ids(c->work.arena, ids, (size_t)n));
    return n < 0 ? n : api_reply_count(c, n);
}

#define OWN_NOTIFICATION "NOTIFICATION=$(curl {owner} \"{api}/notifications?limit=1\" | member id)"

static const struct route notification_routes[] = {
    {GET, "/notifications", COL_PLUS, "conversations", LIST, api_list, .args = notification_args,
     .order = {.descending = true}, .summary = "List your notifications",
     .doc = "The newest first. Those of conversations that you do not see any more are left out. "
            "`total_count` of `unread=true&limit=1` is the number of unread ones."},
    {GET, "/notifications/:id", COL_PLUS, "conversations", ONE, api_get,
     .sample = {.path = "$NOTIFICATION", .setup = OWN_NOTIFICATION}, .summary = "Get a notification"},
    {PUT, "/notifications/:id/read", COL_PLUS, "conversations", ONE, put_notification_read,
     .input = no_fields, .sample = {.path = "$NOTIFICATION", .setup = OWN_NOTIFICATION},
     .summary = "Mark a notification as read", .doc = "If it is read already, `read_at` stays."},
    {PUT, "/notifications/read_all", COL_PLUS, "conversations", COUNT, put_notifications_read_all,
     .input = read_all_input, .summary = "Mark all notifications as read",
     .doc = "`total_count` is the number of those that were unread."},
    {0},
};

const struct resource notification_resource = {
    .type = "notification",
    .scope = "conversations",
    .title = "Notifications",
    .doc =
        "What the caller, a member of staff, was notified of: assigned conversations, replies, mentions and "
        "missed targets. The preference `desktop` of a type decides whether they are added. The newest 500 are "
        "kept, for 90 days (setting notifications.kept_days).",
    .url = "notifications/:id",
    .table = "notifications",
    .where =
        "(t.post_id IS NULL OR EXISTS (SELECT 1 FROM posts p WHERE p.id = t.post_id AND p.case_id = t.case_id) "
        "OR EXISTS (SELECT 1 FROM notes n WHERE n.id = t.post_id AND n.case_id = t.case_id))",
    .fields = notification_fields,
    .routes = notification_routes,
    .visible = visible_notifications};
