/* Scheduled replies of a conversation (docs/CONVERSATIONS.md, "Scheduled replies"). */
#include "res/scheduled_reply.h"

#include "api/input/input.h"
#include "api/rows/generic.h"
#include "base/limits.h"
#include "core/words.h"
#include "json/json.h"
#include "res/case_parts.h"
#include "res/groups.h"

/* ---- with a reply ---------------------------------------------------------------------------- */

const struct field scheduled_input[] = {
    {"send_at", F_TIME, NULLABLE | CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "",
     .check = check_within_year,
     .doc = "Time at which the reply is posted, at most a year ahead. The request is checked now, and again "
            "at that time. Null: now.",
     .example = "\"2027-03-01T08:00:00Z\""},
    {"scheduled_reply", F_REF, CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "", .ref = "scheduled_reply",
     .doc = "Your scheduled reply that this reply replaces. Without `send_at` this reply is sent now, in "
            "place of it."},
    {0},
};

int scheduled_former(struct call *c, int64_t case_id, struct scheduled_reply *out) {
    const struct in *in_former = in(c, "scheduled_reply");
    if (in_former->value.type != V_INT) return 0;
    int rc = scheduled_reply_lock(&c->work, in_former->value.i, out);
    if (rc < 0) return rc;
    if (rc == 0 || out->case_id != case_id)
        return in_fail(c, "scheduled_reply", ERR_FIELD_INVALID,
                       "The conversation has no such scheduled reply. It may have been sent or deleted.");
    return out->creator_id == c->work.actor.user_id ? 1 : fail(&c->work, ERR_PERMISSIONS_DENIED);
}

int scheduled_before(struct call *c, int64_t case_id, int64_t former, int64_t *id) {
    if (in(c, "client_id")->value.type != V_TEXT) return 0;
    int rc = scheduled_reply_of_client(&c->work, case_id, in_text(c, "client_id"), id);
    return rc > 0 && *id == former ? 0 : rc;
}

/* Parameters of this request alone, and those that are written anew. */
static bool stays_behind(struct str name, bool with_contents) {
    static const char *const names[] = {"send_at", "scheduled_reply_id", "draft_etag", "attachment_file_ids"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name_eq(name, str_of(names[i]))) return true;
    return with_contents && name_eq(name, S("contents"));
}

static struct str parameters_written(struct arena *a, const struct json *from, struct str clean,
                                     struct str files) {
    struct json_writer w;
    struct buf b = {0};
    jw_init(&w, &b);
    jw_object(&w);
    for (const struct json *j = from->first; j; j = j->next) {
        if (stays_behind(j->name, clean.p != NULL)) continue;
        jw_key_raw(&w, j->name);
        jw_json(&w, j);
    }
    if (clean.p) {
        jw_key(&w, S("contents"));
        jw_str(&w, clean);
    }
    if (files.n > 2) {
        jw_key(&w, S("attachment_file_ids"));
        jw_raw(&w, files);
    }
    jw_end(&w);
    return buf_take(&b, a);
}

struct str scheduled_parameters(struct call *c, struct str clean, struct str files) {
    return parameters_written(c->work.arena, c->body, clean, files);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct field scheduled_reply_fields[] = {
    {"case_id", F_INT, HIDDEN, .column = "t.case_id"},
    {"case", F_REF, READONLY, .ref = "case", .doc = "The conversation."},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Its author."},
    {"send_at", F_TIME, 0, .check = check_within_year, .doc = "Time at which it is posted.",
     .example = "\"2027-03-01T08:00:00Z\""},
    {"last_seen_post_id", F_INT, NULLABLE | UPDATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "", .min = 1,
     .max = INT64_MAX,
     .doc = "The newest post that the caller has seen: replaces the parameter of the reply. Null: the reply "
            "is posted whatever was posted before."},
    {"is_note", F_BOOL, READONLY, .doc = "True if it becomes a note."},
    {"content_text", F_LONG, READONLY, .doc = "Its text.", .example = "\"Have you tried\""},
    {"parameters", F_JSON, READONLY,
     .doc = "The parameters of POST /cases/:id/reply that it will be posted with. HTML in `contents` is "
            "clean.",
     .example = "{\"contents\": \"Have you tried\", \"channel\": \"MAIL\"}"},
    {"refused_at", F_TIME, READONLY, .doc = "Time at which it could not be posted. Null: it waits."},
    {"refusal", F_JSON, READONLY,
     .doc = "Why it could not be posted: `code`, `message` and `parameter` of the error. Null: it waits.",
     .example = "null"},
    {"*", .group = row_times},
    {0},
};

/* Locks the conversation first, in the order of every write to a conversation. */
static int scheduled_target(struct call *c, struct scheduled_reply *s) {
    if (c->vars[0].id) TRY(db_lock_row(c->work.conn, "cases", c->vars[0].id));
    TRY(api_target(c));
    TRY_FOUND(&c->work, scheduled_reply_lock(&c->work, c->id, s));
    return 0;
}

/* The same parameters with another last_seen_post_id. */
static struct str seen_replaced(struct call *c, const struct scheduled_reply *s) {
    struct arena *a = c->work.arena;
    struct json *all, *kept = json_new(a, JSON_OBJECT);
    struct json_error err;
    if (json_parse(a, s->parameters, &all, &err) < 0) return s->parameters;
    for (struct json *j = all->first, *next; j; j = next) {
        next = j->next;
        j->next = NULL;
        if (!name_eq(j->name, S("last_seen_post_id"))) json_append(kept, j);
    }
    if (in(c, "last_seen_post_id")->value.type == V_INT) {
        char text[INT_TEXT];
        struct json *seen = json_new(a, JSON_NUMBER);
        seen->name = S("last_seen_post_id");
        seen->text = str_dup(a, str_int(text, in_int(c, "last_seen_post_id")));
        json_append(kept, seen);
    }
    return json_text(a, kept);
}

static int put_scheduled_reply(struct call *c) {
    struct scheduled_reply s;
    TRY(scheduled_target(c, &s));
    if (s.creator_id != c->work.actor.user_id) return fail(&c->work, ERR_PERMISSIONS_DENIED);
    TRY(api_input(c));
    int64_t send_at = given(c, "send_at") ? in_int(c, "send_at") : s.send_at;
    if (!given(c, "send_at") && (s.is_refused || send_at <= c->work.now))
        return in_fail(c, "send_at", ERR_FIELD_REQUIRED, "Its time has passed. Send another one.");
    if (send_at == s.send_at && !given(c, "last_seen_post_id")) return api_reply(c);
    TRY(scheduled_reply_move(&c->work, &s, send_at,
                             given(c, "last_seen_post_id") ? seen_replaced(c, &s) : s.parameters));
    return api_reply(c);
}

static int delete_scheduled_reply(struct call *c) {
    struct scheduled_reply s;
    TRY(scheduled_target(c, &s));
    if (s.creator_id != c->work.actor.user_id && c->work.actor.rank < ROLE_ADMIN)
        return fail(&c->work, ERR_PERMISSIONS_DENIED);
    TRY(api_input(c));
    TRY(scheduled_reply_drop(&c->work, &s));
    return api_reply(c);
}

static const struct field scheduled_args[] = {
    {"refused", F_BOOL, .filter = "CASE WHEN t.refused_at IS NULL THEN 0 ELSE 1 END = :refused",
     .doc = "Only those that were refused (true), or only those that wait (false)."},
    {0},
};

#define SAMPLE                                                                            \
    .sample = {.path = "18,$SCHEDULED",                                                   \
               .setup = "curl {owner} -d contents=Later -d send_at=2027-03-01T08:00:00Z " \
                        "\"{api}/cases/18/reply\"\nSCHEDULED=$(curl {owner} "             \
                        "\"{api}/cases/18/scheduled_replies\" | member id)"}
#define OF_CASE .within = {"case", "case_id"}

static const struct route scheduled_reply_routes[] = {
    {GET, "/profile/scheduled_replies", COL_PLUS, "conversations", LIST, api_list, .args = scheduled_args,
     .where = "t.creator_id = :me", .summary = "List your scheduled replies"},
    {GET, "/cases/:id/scheduled_replies", COL_PLUS, "conversations", LIST, api_list, OF_CASE,
     .args = scheduled_args, .summary = "List the scheduled replies of a conversation",
     .doc = "Those of all people, also refused ones."},
    {GET, "/cases/:id/scheduled_replies/:scheduled_reply_id", COL_PLUS, "conversations", ONE, api_get,
     OF_CASE, SAMPLE, .summary = "Get a scheduled reply"},
    {PUT, "/cases/:id/scheduled_replies/:scheduled_reply_id", COL_PLUS, "conversations", ONE,
     put_scheduled_reply, OF_CASE, SAMPLE, .summary = "Give a scheduled reply another time",
     .doc = "Only its author may. A refused one waits again. To change its text, send the reply again "
            "(POST /cases/:id/reply) with `scheduled_reply_id`."},
    {DELETE, "/cases/:id/scheduled_replies/:scheduled_reply_id", COL_PLUS, "conversations", NONE,
     delete_scheduled_reply, OF_CASE, SAMPLE, .summary = "Cancel a scheduled reply",
     .doc = "Only its author, admins and owners may."},
    {0},
};

const struct resource scheduled_reply_resource = {
    .type = "scheduled_reply",
    .scope = "conversations",
    .title = "Scheduled replies",
    .doc = "Replies and notes that are posted at a time: POST /cases/:id/reply with `send_at` makes them.",
    .url = "cases/:case_id/scheduled_replies/:id",
    .table = "scheduled_replies",
    .fields = scheduled_reply_fields,
    .routes = scheduled_reply_routes,
    .within = {"case", "case_id"},
    .unlogged = "its changes are changes of the conversation"};
