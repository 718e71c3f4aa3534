/* Posts: messages, notes and activities of conversations, as staff see them.
 *
 * The timeline of a conversation is a UNION ALL of index ranges by case, one for each kind, in the order
 * of ids. Both engines push the condition on the case and the order into each arm, and merge. For that,
 * each column has the same type in all arms (the casts), and the kind is a constant, so that an arm that a
 * filter leaves out is not read. An arm has no condition of its own, or PostgreSQL would sort instead of
 * merging: notes and activities of people and organizations are left out by `.where`. */
#include "core/cases/message.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/ids.h"
#include "core/access/access.h"
#include "core/desk/cascade.h"
#include "res/case_parts.h"
#include "res/channel.h"
#include "res/groups.h"
#include "res/html.h"
#include "res/message_origin.h"
#include "res/person.h"
#include "res/post_document.h"

#define MESSAGE_ARM                                                                         \
    "SELECT p.id, p.case_id, 1 AS kind, p.uuid, p.client_id, p.subject, "                   \
    "p.content_text AS contents, p.creator_id, p.channel, p.source, p.metadata, "           \
    "p.message_status AS status, p.reject_type, p.reject_reason, "                          \
    "p.message_status_updated_at AS status_at, p.is_requester, p.created_at, p.updated_at " \
    "FROM posts p"
#define NO_TEXT "CAST(NULL AS TEXT)"
#define NO_NUMBER "CAST(NULL AS INTEGER)"
#define NOTE_ARM                                                                                   \
    "SELECT n.id, n.case_id, 2, " NO_TEXT ", n.client_id, " NO_TEXT                                \
    ", n.body_text, n.user_id, CAST(6 AS INTEGER), " NO_NUMBER ", " NO_TEXT                        \
    ", CAST(5 AS INTEGER), " NO_NUMBER ", " NO_TEXT ", CAST(NULL AS BIGINT), CAST(0 AS INTEGER), " \
    "n.created_at, n.updated_at FROM notes n"
#define ACTIVITY_ARM                                                                                        \
    "SELECT a.id, a.owner_case_id, 3, " NO_TEXT ", " NO_TEXT ", " NO_TEXT ", a.did, a.actor_id, " NO_NUMBER \
    ", " NO_NUMBER ", " NO_TEXT ", CAST(5 AS INTEGER), " NO_NUMBER ", " NO_TEXT                             \
    ", CAST(NULL AS BIGINT), CAST(0 AS INTEGER), "                                                          \
    "a.created_at, a.created_at FROM activities a"
#define TIMELINE "(" MESSAGE_ARM " UNION ALL " NOTE_ARM " UNION ALL " ACTIVITY_ARM ") t"

/* ---- members --------------------------------------------------------------------------------- */

/* Notes and activities have no UUID in the store: theirs is derived from the id by the server's key (RFC
 * 9562, version 8). */
static void post_uuid(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    if (own->type == V_TEXT) {
        jw_str(&v->w, own->s);
        return;
    }
    const char *hex =
        mac_hex(a, &v->c->work.desk->account_key, str_fmt(a, "post %lld", (long long)row->id)).p;
    jw_str(&v->w, str_fmt(a, "%.8s-%.4s-8%.3s-8%.3s-%.12s", hex, hex + 8, hex + 12, hex + 15, hex + 18));
}

/* A text, or the sentence of an activity. */
static void post_contents(struct view *v, const struct row *row, const struct value *own) {
    const struct value *actor = row_cell(row, "creator");
    if (row_cell(row, "kind")->i != POST_ACTIVITY || own->type != V_TEXT) {
        jw_str(&v->w, own->s);
        return;
    }
    struct str who =
        actor->type == V_INT ? person_words(v, actor->i, row_cell(row, "actor_name")->s) : S("The server");
    jw_cat(&v->w, (const struct str[]){who, S(" "), own->s}, 3);
}

static void post_original(struct view *v, const struct row *row, const struct value *own) {
    static const char *const types[] = {
        [POST_MESSAGE] = "case_message", [POST_NOTE] = "note", [POST_ACTIVITY] = "activity"};
    (void)own;
    view_reference(v, layout_of(resource_of(types[row_cell(row, "kind")->i])), row->id);
}

static const struct field post_fields[] = {
    {"kind", F_INT, HIDDEN, .doc = "Kind of the post."},
    /* They load the originals. */
    {"original_message", F_REF, HIDDEN, .ref = "case_message", .column = "CASE WHEN t.kind = 1 THEN t.id END",
     .doc = "If it is a message."},
    {"original_note", F_REF, HIDDEN, .ref = "note", .column = "CASE WHEN t.kind = 2 THEN t.id END",
     .doc = "If it is a note."},
    {"original_activity", F_REF, HIDDEN, .ref = "activity", .column = "CASE WHEN t.kind = 3 THEN t.id END",
     .doc = "If it is an activity."},
    {"uuid", F_TEXT, READONLY, .render = post_uuid, .doc = "UUID of the post."},
    {"client_id", F_TEXT, READONLY, .doc = "Id that the client chose."},
    {"actor_name", F_TEXT, HIDDEN,
     .column = "CASE WHEN t.kind = 3 THEN (SELECT u.full_name FROM users u "
               "WHERE u.id = t.creator_id) END",
     .doc = "Name of the actor of an activity."},
    {"subject", F_LONG, READONLY | LENGTHY, .render = post_contents,
     .column = "CASE WHEN t.kind = 1 THEN COALESCE(t.subject, (SELECT k.subject FROM cases k "
               "WHERE k.id = t.case_id)) ELSE t.contents END",
     .doc = "Subject of the message; the conversation's, if the message has none. A note or an activity has "
            "its text here.",
     .example = "\"The engine stalls\""},
    {"contents", F_LONG, READONLY | LENGTHY, .render = post_contents,
     .doc = "Text of the post. The text of an activity is a sentence.",
     .example = "\"Have you tried turning it backwards?\""},
    {"is_html", F_BOOL, READONLY | ON_DEMAND,
     .column = "CASE WHEN t.kind = 1 AND EXISTS (SELECT 1 FROM posts p WHERE p.id = t.id "
               "AND p.content_html IS NOT NULL) THEN 1 WHEN t.kind = 2 AND EXISTS (SELECT 1 "
               "FROM post_originals o WHERE o.post_id = t.id) THEN 1 ELSE 0 END",
     .doc = "True if the post was written as HTML. GET /cases/posts/:id/document shows it with its look."},
    {"creator", F_REF, READONLY, .ref = "user",
     .doc = "Author of the post. Null for an activity of the server."},
    {"identity", F_REF, READONLY, .ref = "identity_email",
     .column = "(SELECT e.id FROM identity_emails e WHERE e.user_id = t.creator_id AND e.is_primary = 1)",
     .doc = "Primary e-mail address of the author."},
    CHANNEL_MAILBOX("(SELECT p.mailbox_id FROM posts p WHERE p.id = t.id), (SELECT k.mailbox_id "
                    "FROM cases k WHERE k.id = t.case_id)"),
    {"source_channel", F_COMPUTED, READONLY, .column = "t.channel", .render = render_channel,
     .doc = "Channel of the post. Null for an activity.", .example = CHANNEL_EXAMPLE},
    {"*", .group = attachments},
    {"destination_medium", F_COMPUTED, READONLY, .render = render_null,
     .doc = "Further medium that the post was sent to. Null if there is none.", .example = "null"},
    {"source", F_WORD, READONLY, .words = sources, .doc = "Channel that the post was written with."},
    {"*", .group = metadata_shown},
    {"original", F_COMPUTED, READONLY, .render = post_original,
     .doc = "The case_message, note or activity with the same id.",
     .example = "{\"id\": 1, \"resource_type\": \"case_message\"}"},
    {"forward", F_COMPUTED, READONLY | ON_DEMAND, .column = "CASE WHEN t.kind = 2 THEN " FORWARD_TEXT " END",
     .render = render_forward, .doc = "The member `forward` of the note; null for other posts.",
     .example = "null"},
    {"answers_note", F_REF, READONLY | ON_DEMAND, .ref = "note",
     .column = "CASE WHEN t.kind = 2 THEN " ANSWERED_NOTE " END",
     .doc = "The member `answers_note` of the note; null for other posts."},
    {"post_status", F_WORD, READONLY, .column = "t.status", .words = post_statuses,
     .doc = "Delivery status. NOT_SENT for notes and activities.", .example = "\"SENT\""},
    {"post_status_reject_type", F_WORD, READONLY, .column = "t.reject_type", .words = reject_types,
     .doc = "Kind of rejection."},
    {"post_status_reject_reason", F_TEXT, READONLY, .column = "t.reject_reason",
     .doc = "Reply of the mail server."},
    {"post_status_updated_at", F_TIME, READONLY, .column = "t.status_at",
     .doc = "Time of the last change of the delivery status."},
    {"is_requester", F_BOOL, READONLY, .doc = "True if the author is the requester."},
    {"*", .group = row_times},
    {0},
};

/* ---- the timeline ---------------------------------------------------------------------------- */

enum { FILTER_ALL = POST_ACTIVITY + 1 };
static const struct word filter_words[] = {{FILTER_ALL, "ALL"},
                                           {POST_MESSAGE, "MESSAGES"},
                                           {POST_NOTE, "NOTES"},
                                           {POST_ACTIVITY, "ACTIVITIES"},
                                           {0}};
static const struct word original_words[] = {
    {POST_MESSAGE, "CASE_MESSAGE"}, {POST_NOTE, "NOTE"}, {POST_ACTIVITY, "ACTIVITY"}, {0}};

#define FILTERS_DOC "Only posts of these kinds. ALL: activities, too. Default: MESSAGES and NOTES"
static const struct field filter_args[] = {
    {"filters", F_WORDS, .words = filter_words, .doc = FILTERS_DOC "."},
    {0},
};
static const struct field timeline_args[] = {
    {"filters", F_WORDS, .words = filter_words,
     .doc = FILTERS_DOC "; with the `resource_type` ACTIVITY, ALL."},
    {"resource_type", F_WORD, .words = original_words, .doc = "With `id`: the page around this post."},
    {"id", F_INT, .min = 1, .max = INT64_MAX, .doc = "With `resource_type`: the page around this post."},
    {0},
};

static bool around_activity(struct call *c) {
    return c->route->args == timeline_args && arg(c, "resource_type")->value.i == POST_ACTIVITY;
}

/* Programs that read a timeline expect a channel in each post, which activities lack. So activities come
 * only if they are asked for. */
static bool kind_asked(struct call *c, enum post_kind kind) {
    const struct in *filters = arg(c, "filters");
    const struct value *v = &filters->value;
    if (filters->given && v->i) return ids_have(v->ids, v->i, kind) || ids_have(v->ids, v->i, FILTER_ALL);
    return kind != POST_ACTIVITY || around_activity(c);
}

static void timeline_filter(struct call *c) {
    struct str where = S("");
    for (int kind = POST_MESSAGE; kind <= POST_ACTIVITY; kind++)
        if (kind_asked(c, (enum post_kind)kind))
            where = str_fmt(c->work.arena, "%s%st.kind = %d", where.p, where.n ? " OR " : "", kind);
    c->where = str_fmt(c->work.arena, "%s AND (%s)", c->where, where.p).p;
}

QUERY(post_is_there, "SELECT 1 FROM " TIMELINE " WHERE t.id = :id AND t.case_id = :case AND t.kind = :kind");
/* The highest of the next :most posts from :id on. */
QUERY(post_page_top,
      "SELECT MAX(m.id) "
      "FROM (SELECT x.id FROM (SELECT * FROM (SELECT p.id FROM posts p WHERE p.case_id = :case "
      "AND p.kind = 1 AND p.id >= :id AND CAST(:messages AS INTEGER) = 1 ORDER BY p.id LIMIT :most) a1 "
      "UNION ALL SELECT * FROM (SELECT n.id FROM notes n WHERE n.case_id = :case AND n.id >= :id "
      "AND CAST(:notes AS INTEGER) = 1 ORDER BY n.id LIMIT :most) a2 UNION ALL SELECT * "
      "FROM (SELECT a.id FROM activities a WHERE a.owner_case_id = :case AND a.id >= :id "
      "AND CAST(:activities AS INTEGER) = 1 ORDER BY a.id LIMIT :most) a3) x ORDER BY x.id LIMIT :most) m");

/* Begins the page so that the post of `resource_type` and `id` is in its middle. */
static int timeline_around(struct call *c) {
    const struct in *type = arg(c, "resource_type"), *id = arg(c, "id");
    struct options *o = &c->options;
    int64_t there, top = 0;
    if ((!type->given && !id->given) || o->after_id || o->before_id) return 0;
    if (!type->given || !id->given)
        return fail_field(&c->work, ERR_FIELD_REQUIRED, type->given ? S("id") : S("resource_type"),
                          "resource_type and id go together.");
    const struct bind *binds =
        BINDS(B_INT("id", id->value.i), B_INT("case", c->vars[0].id), B_INT("kind", type->value.i),
              B_INT("most", o->limit / 2 + 1), B_INT("messages", kind_asked(c, POST_MESSAGE)),
              B_INT("notes", kind_asked(c, POST_NOTE)), B_INT("activities", kind_asked(c, POST_ACTIVITY)));
    int rc = db_int(c->work.conn, &post_is_there, binds, &there);
    TRY(rc);
    if (rc == 0)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("id"),
                          "The conversation has no such post. Call without id and resource_type, and read "
                          "the pages from the newest.");
    rc = db_int(c->work.conn, &post_page_top, binds, &top);
    if (rc > 0) o->after_id = top + 1;
    return rc < 0 ? rc : 0;
}

static int get_case_posts(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    TRY(timeline_around(c));
    timeline_filter(c);
    c->branches = ARENA_NEW(c->work.arena, struct branches);
    c->branches->all = true; /* api_of has found the conversation visible */
    return api_list(c);
}

#define IF_ASKED(kind, sql) "CASE WHEN CAST(:" kind " AS INTEGER) = 1 THEN " sql " ELSE 0 END"
/* The number of posts of the conversation t. It counts its own messages and notes. */
#define POSTS_OF_CASE                                        \
    IF_ASKED("messages", "t.message_seq")                    \
    " + " IF_ASKED("notes", "t.notes_count") " + " IF_ASKED( \
        "activities", "(SELECT COUNT(*) FROM activities a WHERE a.owner_case_id = t.id)")
QUERY(posts_counted, "SELECT " POSTS_OF_CASE " FROM cases t WHERE t.id = :of");
QUERY(
    posts_of_user,
    "SELECT " IF_ASKED("messages", "(SELECT COUNT(*) FROM posts p WHERE p.creator_id = :of)") " + " IF_ASKED(
        "notes",
        "(SELECT COUNT(*) FROM notes n WHERE n.user_id = :of AND n.case_id IS NOT NULL)") " + " IF_ASKED("activities",
                                                                                                         "(SELECT COUNT(*) FROM activities a WHERE a.actor_id = :of "
                                                                                                         "AND a.owner_case_id IS NOT NULL)"));

/* Binds of the counts: the object of the path, and the kinds. */
static const struct bind *count_binds(struct call *c, struct branches *b) {
    branch_bind_int(b, ":of", c->vars[0].id);
    branch_bind_int(b, ":messages", kind_asked(c, POST_MESSAGE));
    branch_bind_int(b, ":notes", kind_asked(c, POST_NOTE));
    branch_bind_int(b, ":activities", kind_asked(c, POST_ACTIVITY));
    return b->binds;
}

static int count_case_posts(struct call *c, int64_t *total) {
    return db_int(c->work.conn, &posts_counted, count_binds(c, &(struct branches){0}), total);
}

/* Staff who see all conversations need no look at them: each message and note has one. While a cascade
 * deletes conversations, the rule of visibility leaves out their posts. */
static int get_user_posts(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    timeline_filter(c);
    if (c->work.actor.case_access == CASES_ALL && !cascades_under_way(&c->work)) {
        c->branches = ARENA_NEW(c->work.arena, struct branches);
        c->branches->all = true;
    }
    return api_list(c);
}

static int get_organization_posts(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    timeline_filter(c);
    return api_list(c);
}

/* Conversations of any state that the caller sees, as a condition over the alias t. Adds its binds to b. */
static const char *seen_cases(struct call *c, struct branches *b) {
    struct buf seen = {0};
    access_cases_of_any_state(&c->work, b);
    buf_text(&seen, "1 = 0");
    for (int i = 0; i < b->count; i++) buf_fmt(&seen, " OR (%s)", b->where[i]);
    return buf_take(&seen, c->work.arena).p;
}

static int count_by(struct call *c, const char *sql, struct branches *b, int64_t *total) {
    struct stmt *row;
    TRY(db_start(c->work.conn, sql, count_binds(c, b), &row));
    int rc = stmt_step(row);
    if (rc > 0) *total = col_int(row, 0);
    stmt_end(row);
    return rc;
}

/* Most posts of a customer are in conversations that the customer requested. One index has these with the
 * columns of visibility. Only the conversations of other people are looked up one by one: that costs six
 * times as much for each post. */
static int count_seen_posts(struct call *c, int64_t *total) {
    struct branches b = {0};
    const char *seen = seen_cases(c, &b);
    const char *sql =
        str_fmt(c->work.arena,
                "SELECT COUNT(*) FROM (SELECT p.case_id FROM posts p WHERE p.creator_id = :of "
                "AND CAST(:messages AS INTEGER) = 1 UNION ALL SELECT n.case_id FROM notes n "
                "WHERE n.user_id = :of AND n.case_id IS NOT NULL "
                "AND CAST(:notes AS INTEGER) = 1 UNION ALL SELECT a.owner_case_id FROM activities a "
                "WHERE a.actor_id = :of AND a.owner_case_id IS NOT NULL "
                "AND CAST(:activities AS INTEGER) = 1) x "
                "WHERE CASE WHEN x.case_id IN (SELECT t.id FROM cases t WHERE t.requester_id = :of "
                "AND (%s)) THEN 1 WHEN x.case_id IN (SELECT t.id FROM cases t "
                "WHERE t.requester_id = :of) THEN 0 WHEN EXISTS (SELECT 1 FROM cases t "
                "WHERE t.id = x.case_id AND (%s)) THEN 1 ELSE 0 END = 1",
                seen, seen)
            .p;
    return count_by(c, sql, &b, total);
}

/* Without a look at conversations, indexes alone count the posts. */
static int count_user_posts(struct call *c, int64_t *total) {
    if (c->branches == NULL) return count_seen_posts(c, total);
    return db_int(c->work.conn, &posts_of_user, count_binds(c, &(struct branches){0}), total);
}

static int count_organization_posts(struct call *c, int64_t *total) {
    struct branches b = {0};
    const char *sql = str_fmt(c->work.arena,
                              "SELECT CAST(COALESCE(SUM(" POSTS_OF_CASE "), 0) AS BIGINT) FROM cases t "
                              "WHERE t.organization_id = :of AND (%s)",
                              seen_cases(c, &b))
                          .p;
    return count_by(c, sql, &b, total);
}

/* ---- reading marks --------------------------------------------------------------------------- */

static const struct word marks_given[] = {{MESSAGE_SEEN, "SEEN"}, {0}};
static const struct field mark_input[] = {
    {"post_status", F_WORD, PRESENT, .words = marks_given,
     .doc = "SEEN: the caller has read the post and all posts before it.", .example = "\"SEEN\""},
    {0},
};

QUERY(post_place, "SELECT t.case_id, COALESCE((SELECT MAX(p.id) FROM posts p WHERE p.case_id = t.case_id "
                  "AND p.kind = 1 AND p.id <= t.id), 0) FROM " TIMELINE " WHERE t.id = :id");

/* Marks the last message up to the post, and with it all messages before. */
static int put_post(struct call *c) {
    struct stmt *row;
    struct case_now now;
    TRY(api_target(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, db_row(c->work.conn, &post_place, BINDS(B_INT("id", c->id)), &row));
    int64_t case_id = col_int(row, 0), message = col_int(row, 1);
    stmt_end(row);
    TRY_FOUND(&c->work, case_load(&c->work, case_id, &now));
    TRY(case_not_hidden(&c->work, &now));
    if (message) TRY(message_set_status(&c->work, case_id, message, MESSAGE_SEEN));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct route post_routes[] = {
    {GET, "/users/:id/posts", COL_PLUS, "users", LIST, get_user_posts, .within = {"user", "creator_id"},
     .args = filter_args, .order = {.descending = true}, .always_keys = true, .count = count_user_posts,
     .summary = "List the posts of a person",
     .doc = "Messages and notes of the person in conversations that the caller may see, and with "
            "filters=all also activities. The newest comes first."},
    {GET, "/organizations/:id/posts", COL_PLUS, "conversations", LIST, get_organization_posts,
     .of = "organization", .where = "t.case_id IN (SELECT k.id FROM cases k WHERE k.organization_id = :id)",
     .args = filter_args, .order = {.descending = true}, .always_keys = true,
     .count = count_organization_posts, .summary = "List the posts of an organization",
     .doc = "Messages and notes in the conversations of the organization that the caller may see, and with "
            "filters=all also activities. The newest comes first."},
    {GET, "/cases/:id/posts", COL_PLUS, "conversations", LIST, get_case_posts, .within = {"case", "case_id"},
     .args = timeline_args, .order = {.descending = true}, .always_keys = true, .count = count_case_posts,
     .summary = "List the posts of a conversation",
     .doc = "Messages and notes, and with filters=all also activities. The newest comes first; after_id "
            "leads to older posts.",
     .errors = "FIELD_REQUIRED"},
    {GET, "/cases/posts/:id", COL_PLUS, "conversations", ONE, api_get, .summary = "Get a post",
     .sample = {.path = "$POST", .setup = "POST=$(curl {owner} \"{api}/cases/18/posts\" | member id)"}},
    {GET, "/cases/posts/:id/document", COL_PLUS, "conversations", ONE, get_post_document, .args = html_args,
     .is_download = true, .sample = {.path = "$POST"},
     .summary = "Show a message or a note as a page for a frame",
     .doc =
         "HTML whose policy allows no script and no form, and pictures of this desk only. With "
         "`remote_pictures` it allows pictures of other servers over https. Only pages of the desk may have "
         "the frame; a browser that asks for the page outside of one is refused.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/posts/:id", COL_PLUS, "conversations", ONE, put_post, .input = mark_input,
     .summary = "Mark a post as seen",
     .doc = "Marks all messages before it, too. The status of a note or an activity stays NOT_SENT.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.path = "$POST"}},
    {0},
};

/* `.table` is that of messages: a write locks the row of a message. */
const struct resource post_resource = {.type = "post",
                                       .scope = "conversations",
                                       .title = "Posts",
                                       .doc = "Messages, notes and activities of conversations, as staff see "
                                              "them.",
                                       .url = "cases/posts/:id",
                                       .table = "posts",
                                       .from = TIMELINE,
                                       .where = "t.case_id IS NOT NULL",
                                       .fields = post_fields,
                                       .routes = post_routes,
                                       .visible = access_timeline,
                                       .keyset = true};
