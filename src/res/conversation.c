#include "core/cases/case.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "base/limits.h"
#include "core/cases/case_new.h"
#include "core/desk/cascade.h"
#include "core/desk/setting.h"
#include "core/desk/widget.h"
#include "core/helpcenter/article.h"
#include "core/people/user.h"
#include "core/rules/rule.h"
#include "core/rules/sla_match.h"
#include "res/attachment.h"
#include "res/case_parts.h"
#include "res/field_value.h"
#include "res/groups.h"
#include "res/message_origin.h"

#include <inttypes.h>

/* ---- the table ------------------------------------------------------------------------------- */

static void realtime_channel(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    write_realtime_channel(v, S("cases"), row->id);
}

static const struct word sources_given[] = {
    {SOURCE_HELPCENTER, "HELPCENTER"}, {SOURCE_MESSENGER, "MESSENGER"}, {SOURCE_API, "API"}, {0}};

static const struct field conversation_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the conversation."},
    {"legacy_id", F_TEXT, READONLY, .doc = "Id in the system that the conversation was imported from."},
    {"subject", F_TEXT, READONLY, .doc = "Subject of the conversation.", .example = "\"The engine stalls\""},
    {"channel", F_WORD, READONLY, .column = "CASE WHEN t.channel = 6 THEN 2 ELSE t.channel END",
     .words = channels,
     .doc = "Channel that the conversation came from. HELPCENTER, if staff opened it by a note.",
     .example = "\"HELPCENTER\""},
    {"requester", F_REF, READONLY, .ref = "user", .doc = "Person who asked."},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Person who created the conversation."},
    {"last_replier", F_REF, READONLY, .ref = "user", .doc = "Person who wrote the last message."},
    {"last_agent_replier", F_REF, READONLY, .ref = "user",
     .doc = "Staff member who wrote the last message of staff."},
    {"assigned_team", F_REF, READONLY, COLUMN_UNLESS_GONE("t.assigned_team_id", GONE_TEAMS), .ref = "team",
     .doc = "Team that is responsible for the conversation."},
    {"assigned_agent", F_REF, READONLY, COLUMN_UNLESS_GONE("t.assigned_agent_id", GONE_AGENTS), .ref = "user",
     .doc = "Agent who is responsible for the conversation."},
    {"status", F_REF, READONLY, .ref = "case_status", .shown_if = "cases.status_visible_to_customers",
     .doc = "Status. Null if customers may not see it."},
    {"is_closed", F_BOOL, READONLY, .column = "CASE WHEN t.status_type = 5 THEN 1 ELSE 0 END",
     .doc = "True if the conversation takes no more replies."},
    {"priority", F_REF, READONLY, .ref = "case_priority", .shown_if = "cases.priority_visible_to_customers",
     .doc = "Priority. Null if customers may not see it."},
    {"type", F_REF, READONLY, .ref = "case_type", .shown_if = "cases.type_visible_to_customers",
     .doc = "Type. Null if customers may not see it."},
    {"read_marker", F_REF, READONLY | LOGGED_IN, .column = "t.id", .ref = "read_marker",
     .doc = "Position up to which the caller has read."},
    {"custom_fields", F_ROWS, READONLY, .ref = "conversation_field_value", .owned_by = "id",
     .doc = "Each enabled custom field that customers see, with its value, sorted by position."},
    {"realtime_channel", F_COMPUTED, READONLY, .render = realtime_channel,
     .doc = "Realtime channel of changes.", .example = "\"presence-0f@v1_cases_23\""},
    {"last_message_status", F_WORD, READONLY, .words = message_statuses,
     .doc = "Delivery status of the last message."},
    {"last_message_preview", F_TEXT, READONLY, .doc = "Beginning of the last message."},
    {"last_replied_at", F_TIME, READONLY, .doc = "Time of the last message."},
    {"*", .group = row_times},
    {0},
};

/* ---- reading --------------------------------------------------------------------------------- */

static int get_conversations(struct call *c) {
    struct branches *b = ARENA_NEW(c->work.arena, struct branches);
    bool customer = c->work.actor.rank <= ROLE_CUSTOMER;
    if (customer && !setting_bool(c->work.desk, "cases.priority_visible_to_customers"))
        in_ignore(c, "priority", "customers may not see it");
    if (customer && !setting_bool(c->work.desk, "cases.status_visible_to_customers"))
        in_ignore(c, "status", "customers may not see it");
    TRY(api_input(c));
    if (arg(c, "filters")->given) access_organization_cases(&c->work, b);
    else access_own_cases(&c->work, b);
    TRY(case_list_plan(c, b, 0));
    return api_list(c);
}

#define REQUEST_TOKEN_LIFE (120 * TIME_SECOND)

/* Format: "<case>.<issued>.<40 hex>". The token is valid for that conversation, for 120 seconds. */
static struct str request_token(struct call *c, int64_t id, int64_t issued) {
    struct arena *a = c->work.arena;
    char of[INT_TEXT], when[INT_TEXT];
    struct str text = STR_CAT(a, str_int(of, id), S("."), str_int(when, issued)),
               hex = mac_hex(a, &c->work.desk->request_key, text);
    return STR_CAT(a, text, S("."), ((struct str){hex.p, 40}));
}

static bool request_token_good(struct call *c, struct str token, int64_t id) {
    int64_t of, issued;
    struct str rest = token;
    if (!str_to_int(str_cut(&rest, '.'), &of) || of != id || rest.p == NULL ||
        !str_to_int(str_cut(&rest, '.'), &issued))
        return false;
    if (issued > c->work.now || c->work.now - issued > REQUEST_TOKEN_LIFE) return false;
    return secret_eq(token, request_token(c, id, issued));
}

static int get_conversation(struct call *c) {
    const struct json *token = json_member(c->query, S("token"));
    if (token == NULL) {
        TRY(api_get(c));
        if (c->status != 304) call_header(c, "X-Request-Token", request_token(c, c->id, c->work.now));
        return 0;
    }
    if (token->type != JSON_STRING || !request_token_good(c, token->text, c->vars[0].id))
        return fail(&c->work, ERR_AUTHENTICATION_FAILED);
    if (c->work.actor.rank == ROLE_PUBLIC) c->work.actor.token_case_id = c->vars[0].id;
    return api_get(c);
}

/* ---- participants ---------------------------------------------------------------------------- */

QUERY(participants_of_case, PARTICIPANTS);

static int get_participants(struct call *c) {
    int64_t *ids;
    if (c->work.actor.rank > ROLE_PUBLIC) return api_list(c);
    TRY(api_of(c));
    TRY(api_input(c));
    int n =
        db_ids(c->work.conn, &participants_of_case, BINDS(B_INT("id", c->vars[0].id)), c->work.arena, &ids);
    return n < 0 ? n : api_reply_people(c, ids, n);
}

/* ---- making ---------------------------------------------------------------------------------- */

static const struct field create_input[] = {
    {"name", F_TEXT, .doc = "Name of the caller. Required without a login, else ignored.",
     .example = "\"Ada Byron\""},
    {"email", F_EMAIL, .doc = "E-mail address of the caller. Required without a login, else ignored.",
     .example = "\"ada@example.com\""},
    {"subject", F_TEXT, REQUIRED, .doc = "Subject of the conversation.", .example = "\"The engine stalls\""},
    {"contents", F_LONG, NULLABLE, .max = LIMIT_CONTENTS,
     .doc = "Text of the first message. Required without a file.",
     .example = "\"It stops after ten turns.\""},
    {"source", F_WORD, NULLABLE, .words = sources_given, .doc = "Channel of the first message."},
    {"*", .group = metadata_input},
    {"priority", F_REF, NULLABLE, .ref = "case_priority",
     .doc = "Id of the priority. Accepted from customers only if they may edit priorities."},
    {"client_id", F_TEXT, NULLABLE, .doc = "Id that the client chose. The first message shows it."},
    {"form", F_REF, NULLABLE, .ref = "case_form",
     .doc = "Id of the form. Only its fields are required then."},
    {"article", F_REF, NULLABLE, .ref = "article",
     .doc = "Id of the article that did not answer the question. It counts for the statistics of the "
            "article."},
    CASE_FIELD_VALUES,
    {"*", .group = attachment_input},
    {0},
};

/* The requester of a conversation that is created without login: the owner of the address, or a new
 * person. The reply must not reveal which. */
static int find_requester(struct call *c, struct case_new *n) {
    const struct actor *a = &c->work.actor;
    struct str email = in_text(c, "email"), name = in_text(c, "name");
    if (a->visitor_id) return n->requester_id = a->visitor_id, n->requester_name = a->visitor_name, 0;
    int found = customer_of_address(&c->work, name, email, &n->requester_id);
    TRY(found);
    n->requester_name = name;
    n->requester_is_new = found == 0;
    return 0;
}

/* A brand may refuse conversations of visitors whom its site does not name. */
static int widget_admits(struct call *c) {
    const struct actor *a = &c->work.actor;
    if (a->rank != ROLE_PUBLIC || a->visitor_id || a->widget_brand_id == 0) return 0;
    int allowed = widget_allows_anonymous(&c->work, a->widget_brand_id);
    if (allowed) return allowed < 0 ? allowed : 0;
    return fail_field(&c->work, ERR_PERMISSIONS_DENIED, (struct str){0},
                      "This brand takes conversations of its widget only from visitors whom the site has "
                      "signed in.");
}

static int post_conversation(struct call *c) {
    const struct actor *a = &c->work.actor;
    struct case_new n = {.sla = sla_of_new};
    struct attached files;
    bool stranger = a->rank == ROLE_PUBLIC, unknown = stranger && a->visitor_id == 0;
    const char *known = stranger ? "the site has signed the visitor in" : "the caller is logged in";
    if (!unknown) in_ignore(c, "name", known);
    if (!unknown) in_ignore(c, "email", known);
    if (a->rank <= ROLE_CUSTOMER && !setting_bool(c->work.desk, "cases.priority_customer_editable"))
        in_ignore(c, "priority", "customers may not edit it");
    TRY(widget_admits(c));
    attachments_read(c, &files);
    n.contents = attached_contents(c, &files);
    for (int i = 0; i < 2 && unknown; i++) {
        const char *name = i ? "email" : "name";
        const struct in *sent = in(c, name);
        if (sent->json == NULL) in_fail(c, name, ERR_FIELD_REQUIRED, NULL);
        else if (!sent->given || (sent->value.type == V_TEXT && str_trim(sent->value.s).n == 0))
            in_fail(c, name, ERR_FIELD_EMPTY, NULL);
    }
    n.metadata = metadata_given(c);
    if (failed(&c->work)) return -(int)failure(&c->work);
    TRY(attachments_store(c, &files));
    n.files = files.ids;
    n.file_count = files.count;
    if (stranger) TRY(find_requester(c, &n));
    else n.requester_id = a->user_id;
    n.creator_id = n.requester_id;
    if (stranger) n.brand_id = a->widget_brand_id;
    n.subject = in_text(c, "subject");
    n.client_id = in_text(c, "client_id");
    n.source = (int)in_int(c, "source");
    c->work.channel = rule_channel_of(n.source);
    n.priority_id = in_int(c, "priority");
    n.form_id = in_int(c, "form");
    n.value_count = field_values_given(c, &n.values);
    TRY(case_create(&c->work, &n, &c->id));
    if (in_int(c, "article")) TRY(article_opened(&c->work, in_int(c, "article")));
    c->work.actor.token_case_id = c->id;
    call_header(c, "X-Request-Token", request_token(c, c->id, c->work.now));
    return api_reply(c);
}

/* ---- changing -------------------------------------------------------------------------------- */

static const struct field update_input[] = {
    {"source", F_WORD, NULLABLE | BY_HANDLER, .words = sources_given,
     .doc = "Channel of the change. Rules may depend on it."},
    {"subject", F_TEXT, REQUIRED, .doc = "Subject of the conversation."},
    {"priority", F_REF, NULLABLE, .ref = "case_priority", .doc = "Id of the priority."},
    {"status", F_REF, BY_HANDLER, .ref = "case_status", .doc = "Id of the status."},
    {"type", F_REF, NULLABLE, .ref = "case_type", .doc = "Id of the type."},
    CASE_FIELD_VALUES,
    {0},
};

QUERY(status_type_wanted, "SELECT type FROM case_statuses WHERE id = :id");

/* Customers may only complete a conversation and reopen a completed one. Only admins and owners set
 * CLOSED. */
static int check_status(struct call *c, const struct case_now *now) {
    int64_t type = 0;
    if (!given(c, "status")) return 0;
    TRY(db_int(c->work.conn, &status_type_wanted, BINDS(B_INT("id", in_int(c, "status"))), &type));
    if (c->work.actor.rank == ROLE_CUSTOMER) {
        bool may = type == STATUS_COMPLETED ||
                   (type == STATUS_OPEN && now->status_type == STATUS_COMPLETED) ||
                   in_int(c, "status") == now->status_id;
        return may ? 0
                   : in_fail(c, "status", ERR_RESOURCE_ACTION_NOT_AVAILABLE,
                             "Customers may set COMPLETED, or OPEN on a completed conversation. Ask an "
                             "agent for another status.");
    }
    if (type == STATUS_CLOSED && c->work.actor.rank < ROLE_ADMIN)
        return in_fail(c, "status", ERR_PERMISSIONS_DENIED,
                       "Only admins and owners may close conversations.");
    return 0;
}

static int put_conversation(struct call *c) {
    struct case_now now;
    TRY(api_target(c));
    TRY(case_load(&c->work, c->id, &now));
    if (c->work.actor.rank == ROLE_CUSTOMER) {
        if (!setting_bool(c->work.desk, "cases.subject_customer_editable"))
            in_ignore(c, "subject", "customers may not edit it");
        if (!setting_bool(c->work.desk, "cases.priority_customer_editable"))
            in_ignore(c, "priority", "customers may not edit it");
        in_ignore(c, "type", "customers may not edit it");
    }
    TRY(api_input(c));
    c->work.channel = rule_channel_of((int)in_int(c, "source"));
    TRY(case_not_closed(&c->work, &now));
    TRY(check_status(c, &now));
    struct case_change wanted = {
        .set = (given(c, "subject") ? CASE_SUBJECT : 0U) | (given(c, "status") ? CASE_STATUS : 0U) |
               (given(c, "priority") ? CASE_PRIORITY : 0U) | (given(c, "type") ? CASE_TYPE : 0U),
        .subject = in_text(c, "subject"),
        .status_id = in_int(c, "status"),
        .priority_id = in_int(c, "priority"),
        .type_id = in_int(c, "type"),
        .sla = sla_of_changed};
    wanted.value_count = field_values_given(c, &wanted.values);
    if (wanted.set || wanted.value_count) TRY(case_change(&c->work, &now, &wanted));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct word filter_words[] = {{1, "MY_ORGANIZATION"}, {0}};
static const struct field conversation_list_args[] = {
    CASE_LIST_ARGS,
    {"filters", F_WORDS, .words = filter_words,
     .doc = "MY_ORGANIZATION: conversations of the customer's organization, as far as the customer may see "
            "them."},
    {0},
};
static const struct field token_args[] = {
    {"token", F_TEXT,
     .doc = "Token from the header X-Request-Token. It reads this one conversation without "
            "a login for 120 seconds."},
    {0}};

static const struct route conversation_routes[] = {
    {GET, "/conversations", ALL | FINGERPRINT | WIDGET, "", LIST, get_conversations,
     .bearer = "conversations", .args = conversation_list_args,
     .order = {.key = "t.created_at", .descending = true}, .count = case_list_count,
     .summary = "List conversations",
     .doc = "Customers get the conversations that they requested. Staff get all that they may see. A "
            "fingerprint gets those that were created with it."},
    {GET, "/conversations/:id", ALL | FINGERPRINT | TOKEN | WIDGET, "", ONE, get_conversation,
     .bearer = "conversations", .args = token_args, .headers = "X-Request-Token",
     .summary = "Get a conversation",
     .doc = "The header X-Request-Token of the reply is a token that reads the conversation without a login "
            "for 120 seconds."},
    {GET, "/conversations/:id/participants", ALL | FINGERPRINT, "", LIST, get_participants,
     .bearer = "conversations", .reply = "user_minimal", .of = "conversation",
     .where = "t.id IN (" PARTICIPANTS ")", .summary = "List the participants of a conversation"},
    {POST, "/conversations", PUBLIC | FINGERPRINT | WIDGET, "", ONE, post_conversation,
     .bearer = "conversations", .input = create_input, .body = FILES_ATTACHED, .prepare = attachments_prepare,
     .needs_prepare = attachments_need_prepare, .lane = LANE_SYNC, .lane_for = "attachment_file_ids",
     .headers = "X-Request-Token", .summary = "Create a conversation",
     .doc = "Without a login, the user is found by the e-mail address, or created. The reply then shows "
            "people under pseudonyms. With X-Fingerprint-ID, callers with this fingerprint see the "
            "conversation later. File parts of multipart/form-data are attached to the first message, "
            "whatever their names."},
    {PUT, "/conversations/:id", ALL, "", ONE, put_conversation, .bearer = "conversations",
     .input = update_input, .summary = "Update a conversation",
     .doc = "Customers can change customer-editable fields, complete a conversation, and reopen a completed "
            "conversation.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource conversation_resource = {.type = "conversation",
                                               .sample = "18",
                                               .scope = "conversations",
                                               .title = "Conversations",
                                               .doc = "Requests of customers, with the replies of staff.",
                                               .url = "conversations/:id",
                                               .table = "cases",
                                               .fields = conversation_fields,
                                               .conversation = "id",
                                               .routes = conversation_routes,
                                               .visible = access_cases,
                                               .changes_unseen = true,
                                               .changed = "t.updated_at",
                                               .shows_fields = true,
                                               .keyset = true};

/* ---- read markers ---------------------------------------------------------------------------- */

static const struct field marker_fields[] = {
    {"last_read_post_id", F_INT, READONLY, .column = "COALESCE(m.last_read_post_id, f.last_read_post_id)",
     .doc = "Last message that the person has read."},
    {"last_read_at", F_TIME, READONLY, .column = "COALESCE(m.last_read_at, f.last_read_at)",
     .doc = "Time at which the person last read the conversation."},
    {"unread_count", F_INT, READONLY,
     .column = "t.message_seq - COALESCE(m.last_read_seq, f.last_read_seq, 0)",
     .doc = "Number of messages after it.", .example = "1"},
    {0},
};

/* The read marker of the caller: of the person, or without login of the fingerprint. Its id is the id of
 * the conversation, so that a reference needs no query. */
const struct resource read_marker_resource = {
    .type = "read_marker",
    .scope = "conversations",
    .title = "Read markers",
    .doc = "Position up to which the caller has read a conversation.",
    .table = "cases",
    .from = "cases t LEFT "
            "JOIN read_markers m ON m.case_id = t.id AND m.user_id = :me "
            "LEFT JOIN fingerprint_markers f ON f.case_id = t.id "
            "AND CAST(:me AS BIGINT) = 0",
    .fields = marker_fields,
    .visible = access_cases};
