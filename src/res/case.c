/* Cases: conversations as staff see and work on them. The rows are those of conversations, with the same
 * ids. */
#include "core/cases/case.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "base/limits.h"
#include "core/cases/case_delete.h"
#include "core/cases/case_new.h"
#include "core/access/permission.h"
#include "core/cases/case_trash.h"
#include "core/cases/message_mail.h"
#include "core/desk/cascade.h"
#include "core/people/identity.h"
#include "core/cases/message.h"
#include "core/people/tag.h"
#include "core/people/visitor.h"
#include "core/rules/sla_match.h"
#include "res/attachment.h"
#include "res/case_parts.h"
#include "res/channel.h"
#include "res/draft.h"
#include "res/html.h"
#include "res/field_value.h"
#include "res/tag.h"
#include "res/groups.h"

#include <inttypes.h>

/* ---- the table ------------------------------------------------------------------------------- */

static void case_realtime_channel(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    write_realtime_channel(v, S("cases"), row->id);
}

#define VISITOR_TEXT                                                                 \
    "CASE WHEN t.fingerprint IS NOT NULL THEN CAST(t.creator_id AS TEXT) || ' ' || " \
    "CAST(COALESCE(t.brand_id, 1) AS TEXT) || ' ' || t.fingerprint END"

/* The conversation has the fingerprint of a page, or the one that stands for a signed visitor. */
static void render_visitor(struct view *v, const struct row *row, const struct value *own) {
    struct str fingerprint = own->s;
    int64_t user_id = 0, brand_id = 0;
    (void)row;
    if (own->type != V_TEXT) {
        jw_null(&v->w);
        return;
    }
    str_to_int(str_cut(&fingerprint, ' '), &user_id);
    str_to_int(str_cut(&fingerprint, ' '), &brand_id);
    const struct work *w = &v->c->work;
    struct str all = visitor_fingerprint(w->desk, w->arena, user_id, brand_id);
    jw_str(&v->w, str_starts(all, fingerprint) ? S("SIGNED") : S("ANONYMOUS"));
}

static const struct word post_visibilities[] = {{1, "PUBLIC"}, {2, "NOTE"}, {0}};

#define LAST_POST_IS_NOTE "t.last_note_preview IS NOT NULL"

static const struct field case_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "Universal id."},
    {"legacy_id", F_TEXT, NULLABLE | UNIQUE | BY_HANDLER,
     .doc = "Id in the system that the conversation came from."},
    {"subject", F_TEXT, REQUIRED | BY_HANDLER, .doc = "Subject.", .example = "\"The engine stalls\""},
    {"contents", F_LONG, REQUIRED | CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .max = LIMIT_CONTENTS,
     .column = "", .doc = "The first message.", .example = "\"It stops after ten turns.\""},
    {"portal", F_WORD, READONLY, .column = "t.source", .words = sources,
     .doc = "Program that the conversation was opened with."},
    CHANNEL_MAILBOX("t.mailbox_id"),
    {"source_channel", F_COMPUTED, READONLY, .column = "t.channel", .render = render_channel,
     .doc = "Channel that the conversation came by.", .example = CHANNEL_EXAMPLE},
    {"channel", F_WORD, NULLABLE | CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "",
     .words = post_channels,
     .doc = "Channel of the first message. NOTE: a note of the caller opens the conversation, which "
            "customers do not see. Default: HELPCENTER."},
    {"*", .group = channel_input},
    {"last_public_channel", F_COMPUTED, READONLY,
     .column = "COALESCE(t.last_public_channel, NULLIF(t.channel, 6))", .render = render_channel,
     .doc = "Channel of the last message. Null if there is none.", .example = CHANNEL_EXAMPLE},
    {"requester", F_REF, REQUIRED | BY_HANDLER, .ref = "user", .doc = "Person who asks."},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Person who opened the conversation."},
    {"identity", F_REF, READONLY, .ref = "identity_email",
     .column = "(SELECT e.id FROM identity_emails e WHERE e.user_id = t.requester_id AND e.is_primary = 1)",
     .doc = "Primary e-mail address of the requester."},
    {"assigned_agent", F_REF, NULLABLE | BY_HANDLER, COLUMN_UNLESS_GONE("t.assigned_agent_id", GONE_AGENTS),
     .ref = "user", .check = check_assigned_agent, .doc = "Agent who works on the conversation."},
    {"assigned_team", F_REF, NULLABLE | BY_HANDLER, COLUMN_UNLESS_GONE("t.assigned_team_id", GONE_TEAMS),
     .ref = "team", .doc = "Team that works on the conversation."},
    {"last_assigned_by", F_REF, READONLY, .ref = "user", .doc = "Person who last assigned the conversation."},
    {"brand", F_REF, BY_HANDLER, .column = "COALESCE(t.brand_id, 1)", .ref = "brand",
     .doc = "Brand. Default: the default brand."},
    {"status", F_REF, BY_HANDLER, .ref = "case_status", .doc = "Status. Default: New."},
    {"priority", F_REF, NULLABLE | BY_HANDLER, .ref = "case_priority", .doc = "Priority."},
    {"type", F_REF, NULLABLE | BY_HANDLER, .ref = "case_type", .doc = "Type."},
    {"read_marker", F_REF, READONLY, .column = "t.id", .ref = "read_marker",
     .doc = "Position up to which the caller has read the conversation."},
    {"sla_version", F_REF, READONLY, .ref = "sla_version",
     .doc = "Attached version of a service level agreement. Null if there is "
            "none."},
    {"sla_metrics", F_MANY, READONLY, .ref = "sla_metric", .owned_by = "case_id",
     .doc = "Its clocks. GET /cases/:id/sla/explain explains them."},
    {"form", F_REF, NULLABLE | BY_HANDLER, .ref = "case_form",
     .doc = "Form of the conversation. Only its fields are required then."},
    CASE_FIELD_VALUES,
    {"custom_fields", F_ROWS, READONLY, .ref = "case_field_value", .owned_by = "id",
     .doc = "Each enabled custom field with its value, sorted by position."},
    {"last_replier", F_REF, READONLY, .ref = "user", .doc = "Author of the last message."},
    {"last_replier_identity", F_REF, READONLY, .ref = "identity_email",
     .column = "(SELECT e.id FROM identity_emails e WHERE e.user_id = t.last_replier_id "
               "AND e.is_primary = 1)",
     .doc = "Primary e-mail address of that person."},
    {"last_updated_by", F_REF, READONLY, .ref = "user",
     .doc = "Person who last changed the conversation; null: no person."},
    {"last_completed_by", F_REF, READONLY, .ref = "user",
     .doc = "Person who last completed the conversation."},
    {"last_closed_by", F_REF, READONLY, .ref = "user", .doc = "Person who closed the conversation."},
    {"state", F_WORD, READONLY, .column = "CASE WHEN t.state = 4 THEN 1 ELSE t.state END",
     .words = case_states, .doc = "ACTIVE, SUSPENDED, or TRASH.", .example = "\"ACTIVE\""},
    {"post_count", F_INT, READONLY, .column = "t.message_seq + t.notes_count",
     .doc = "Number of messages and notes.", .example = "3"},
    {"has_notes", F_BOOL, READONLY, .column = "CASE WHEN t.notes_count > 0 THEN 1 ELSE 0 END",
     .doc = "True if the conversation has notes."},
    {"pinned_notes_count", F_INT, READONLY, .doc = "Number of its pinned notes.", .example = "0"},
    {"has_attachments", F_BOOL, READONLY, .column = "CASE WHEN t.attachments_count > 0 THEN 1 ELSE 0 END",
     .doc = "True if a message or a note has files."},
    {"is_merged", F_BOOL, READONLY, .column = "CASE WHEN t.merged_into_id IS NULL THEN 0 ELSE 1 END",
     .doc = "True if a merge moved the posts to another conversation."},
    {"rating", F_WORD, READONLY, .words = rating_scores,
     .doc = "Score of the rating. Null if there is none."},
    {"rating_status", F_WORD, READONLY,
     .column = "CASE WHEN t.rating IS NOT NULL "
               "THEN 3 WHEN t.surveyed_at IS NOT NULL THEN 2 ELSE 1 END",
     .words = rating_statuses, .doc = "UNOFFERED, OFFERED (a survey was sent), or RECEIVED.",
     .example = "\"UNOFFERED\""},
    TAG_NAMES_MEMBER,
    {"tags", F_MANY, NULLABLE | ON_DEMAND | RECORDS, .ref = "tag", .many = TAGS_OF("case_tags", "case_id"),
     .check = check_tags, .store = store_case_tags, .doc = "Tags, at most 100.", .example = "[\"vip\"]"},
    {"snooze", F_COMPUTED, READONLY | ON_DEMAND, .column = CASE_SNOOZE_TEXT, .render = render_snooze,
     .doc = "When the conversation was snoozed, by whom, and `until` when; null there: until the customer "
            "replies. Null: it is not snoozed.",
     .example = "null"},
    {"visitor", F_COMPUTED, READONLY | ON_DEMAND, .column = VISITOR_TEXT, .render = render_visitor,
     .doc = "How the desk knows who opened the conversation without a login. SIGNED: the server of a site "
            "named the visitor (POST /widget/identity). ANONYMOUS: the visitor gave name and address, which "
            "nobody has proved, or staff have given the conversation to another brand. Null: somebody with a "
            "login, a mail or a program opened it.",
     .example = "null"},
    {"last_post_status", F_WORD, READONLY,
     .column = "CASE WHEN " LAST_POST_IS_NOTE " THEN NULL ELSE t.last_message_status END",
     .words = message_statuses, .doc = "Delivery status of the last post; null of a note."},
    {"last_post_preview", F_TEXT, READONLY, .column = "COALESCE(t.last_note_preview, t.last_message_preview)",
     .doc = "Beginning of the last post."},
    {"last_post_type", F_WORD, READONLY, .column = "CASE WHEN " LAST_POST_IS_NOTE " THEN 2 ELSE 1 END",
     .words = post_visibilities, .doc = "PUBLIC for a message, NOTE for a note."},
    {"last_message_preview", F_TEXT, READONLY, .doc = "Beginning of the last message."},
    {"reply_channels", F_COMPUTED, READONLY | ON_DEMAND, .column = REPLY_MAILBOXES,
     .render = render_reply_channels, .doc = "Channels for a reply.",
     .example = "[{\"uuid\": \"c0000000-0000-4000-8000-000000000002\", "
                "\"resource_type\": \"channel\"}]"},
    {"realtime_channel", F_COMPUTED, READONLY, .render = case_realtime_channel,
     .doc = "Channel of realtime events.", .example = "\"presence-0f@v1_cases_23\""},
    {"last_assigned_at", F_TIME, READONLY, .doc = "Time of the last assignment."},
    {"last_replied_at", F_TIME, READONLY, .doc = "Time of the last message."},
    {"last_opened_at", F_TIME, READONLY, .doc = "Time when the status last became OPEN."},
    {"last_pending_at", F_TIME, READONLY, .doc = "Time when the status last became PENDING."},
    {"last_closed_at", F_TIME, READONLY, .doc = "Time when the status became CLOSED."},
    {"last_completed_at", F_TIME, READONLY, .doc = "Time when the status last became COMPLETED."},
    {"last_agent_activity_at", F_TIME, READONLY, .doc = "Time of the last change or post by staff."},
    {"last_customer_activity_at", F_TIME, READONLY,
     .doc = "Time of the last change or message by a customer."},
    {"last_reply_by_agent_at", F_TIME, READONLY, .doc = "Time of the last message by staff."},
    {"last_reply_by_requester_at", F_TIME, READONLY, .doc = "Time of the last message by the requester."},
    {"agent_updated_at", F_TIME, READONLY, .doc = "Time of the last change by staff."},
    {"latest_assignee_update", F_TIME, READONLY, .doc = "Time of the last change by the assigned agent."},
    {"macro", F_REF, NULLABLE | UPDATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "", .ref = "macro",
     .doc = MACRO_DOC " Its text is not used."},
    {"*", .group = attachment_input},
    {"*", .group = draft_sent_input},
    {"*", .group = row_times},
    {0},
};

/* ---- lists ----------------------------------------------------------------------------------- */

static const struct field case_list_args[] = {
    CASE_LIST_ARGS,
    {"tags", F_TEXTS, .check = check_tag_keys, .doc = "Only conversations with one of these tags."},
    {"identity_type", F_WORD, .words = case_identity_types, .doc = "Kind of `identity_value`."},
    {"identity_value", F_TEXT,
     .doc = "Only conversations whose requester has this address, number or "
            "account."},
    {"assigned_agent_id", F_INT, .doc = "Only conversations that are assigned to this agent."},
    {"assigned_team_id", F_INT, .doc = "Only conversations that are assigned to this team."},
    {"requester_id", F_INT, .doc = "Only conversations of this requester."},
    {"organization_id", F_INT, .doc = "Only conversations of this organization."},
    {0},
};

/* All conversations, or those of the person or the organization :id. */
static int get_cases(struct call *c) {
    struct branches *b = ARENA_NEW(c->work.arena, struct branches);
    TRY(api_of(c));
    TRY(api_input(c));
    access_cases(&c->work, b);
    TRY(case_list_plan(c, b, 0));
    return api_list(c);
}

/* ---- making and changing --------------------------------------------------------------------- */

/* Importers send `channel` and `legacy_id`: they mail nobody. Returns 1 if the first message is mailed, 0,
 * or a negative error. */
static int first_is_mailed(struct call *c, const struct channel_given *g) {
    bool asked = g->channel == CHANNEL_MAIL && (given(c, "channel_id") || g->copies);
    if (asked || g->copies) TRY(channel_check(c, g, g->channel, in_int(c, "requester")));
    if (!asked) return 0;
    if (in(c, "legacy_id")->value.type == V_TEXT) {
        notice(&c->work, "NOTICE", "A conversation with a legacy_id is imported. No mail was sent.");
        return 0;
    }
    return permitted(&c->work.actor, "cases.public_reply") ? 1 : fail(&c->work, ERR_PERMISSIONS_DENIED);
}

static int mail_first(struct call *c, const struct channel_given *g, int64_t message_id) {
    struct mailbox sends;
    struct case_now now;
    TRY(case_load(&c->work, c->id, &now));
    TRY(channel_mailbox(c, g, now.id, &sends));
    return message_mail_send(&c->work, &now, message_id, g->cc, g->copies);
}

static int post_case(struct call *c) {
    struct attached files;
    struct channel_given channel;
    struct str text, html, original;
    TRY(attachments_read(c, &files));
    TRY(channel_given(c, &channel));
    TRY(html_contents(c, &text, &html, &original));
    int64_t first;
    bool is_note = channel.channel == CHANNEL_NOTE;
    int mailed = first_is_mailed(c, &channel);
    TRY(mailed);
    struct case_new n = {.subject = in_text(c, "subject"),
                         .contents = text,
                         .html = is_note || c->prepared ? html : (struct str){0},
                         .original = original,
                         .legacy_id = in_text(c, "legacy_id"),
                         .requester_id = in_int(c, "requester"),
                         .creator_id = c->work.actor.user_id,
                         .priority_id = in_int(c, "priority"),
                         .type_id = in_int(c, "type"),
                         .status_id = in_int(c, "status"),
                         .assigned_team_id = in_int(c, "assigned_team"),
                         .assigned_agent_id = in_int(c, "assigned_agent"),
                         .brand_id = in_int(c, "brand"),
                         .form_id = in_int(c, "form"),
                         .channel = channel.channel,
                         .mailbox_id = channel.mailbox_id,
                         .message_id = &first,
                         .source = SOURCE_AGENT,
                         .files = files.ids,
                         .file_count = files.count,
                         .sla = sla_of_new};
    TRY(attachments_store(c, &files));
    n.value_count = field_values_given(c, &n.values);
    TRY(case_create(&c->work, &n, &c->id));
    if (mailed) TRY(mail_first(c, &channel, first));
    TRY(draft_sent(c, DRAFT_REPLY));
    TRY(api_keep(c));
    return api_reply_one(c, c->id);
}

/* Only the tags of a closed conversation may change. */
static int put_cases(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    struct case_change change = case_change_given(c);
    struct case_now *now;
    TRY(load_targets(c, &now));
    TRY(refuse_targets(c, now, case_why_merged));
    TRY(refuse_targets(c, now, case_why_hidden));
    struct macro macro;
    int with_macro = macro_given(c, &macro);
    TRY(with_macro);
    bool changes = change.set || change.value_count || with_macro;
    if (changes) TRY(refuse_targets(c, now, case_why_closed));
    TRY(check_closing(c));
    for (int i = 0; changes && i < c->id_count; i++) {
        struct case_change each = change;
        if (with_macro) TRY(macro_join(c, &macro, &now[i], &each));
        TRY(case_change(&c->work, &now[i], &each));
        if (with_macro) TRY(macro_join_tags(c, &macro, now[i].id));
    }
    if (with_macro) TRY(macro_used(&c->work, macro.id));
    TRY(api_keep(c));
    return api_reply(c);
}

/* ---- the trash ------------------------------------------------------------------------------- */

static int set_state(struct call *c, enum case_state state) {
    struct case_now *now;
    TRY(load_targets(c, &now));
    TRY(refuse_targets(c, now, case_why_merged));
    for (int i = 0; i < c->id_count; i++)
        if (now[i].state != (int)state)
            TRY(case_change(&c->work, &now[i], &(struct case_change){.set = CASE_STATE, .state = state}));
    return api_reply(c);
}

static int trash_cases(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    return set_state(c, CASE_TRASH);
}

static int put_case_read(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(messages_read(&c->work, c->id));
    return api_reply(c);
}

static int put_case_unread(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(messages_unread(&c->work, c->id));
    return api_reply(c);
}

static int restore_case(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    return set_state(c, CASE_ACTIVE);
}

/* A list of ids under another name would empty the whole trash. */
#define NOT_IDS(name) \
    { name, F_TEXT, REFUSED, .doc = "Send `ids`, or nothing to empty the trash." }
static const struct field trash_args[] = {NOT_IDS("id"), NOT_IDS("case_id"), NOT_IDS("case_ids"), {0}};

/* Other DELETE requests ignore a body that they can't read. Here it may hold ids, and without them the
 * whole trash would be deleted. */
static bool body_has_nothing(const struct call *c) {
    struct str text = str_trim(c->http->body);
    return !c->http->has_body || (c->http->form == NULL && str_eq(text, S("{}")));
}

static int empty_trash(struct call *c) {
    TRY(api_input(c));
    if (!body_has_nothing(c))
        return fail_field(&c->work, ERR_FIELD_REQUIRED, S("ids"),
                          "The body has no ids. To empty the trash, send no body.");
    if (c->work.actor.rank < ROLE_ADMIN) return fail(&c->work, ERR_PERMISSIONS_DENIED);
    TRY(trash_empty(&c->work, &c->id));
    c->resource = resource_of(c->route->also_reply);
    c->status = c->route->also_status;
    return api_reply_one(c, c->id);
}

static int delete_trashed_cases(struct call *c) {
    c->resource = c->home;
    if (json_named(c->query, S("ids")) == NULL && json_named(c->body, S("ids")) == NULL)
        return empty_trash(c);
    TRY(api_target(c));
    TRY(api_input(c));
    struct case_now *now;
    TRY(load_targets(c, &now));
    TRY(refuse_targets(c, now, case_why_merged));
    TRY(api_refuse(c, "t.state <> 3", "The conversation is not in the trash. Move it to the trash first."));
    TRY(cases_delete(&c->work, api_ids(c)));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define NEWEST .order = {.key = "t.updated_at", .descending = true}

static const struct route case_routes[] = {
    {GET, "/cases", COL_PLUS, "conversations", LIST, get_cases, .args = case_list_args, NEWEST,
     .count = case_list_count, .summary = "List the conversations for staff",
     .doc = "Conversations that the caller may see, the last changed first. Conversations in the trash are "
            "left out.",
     .errors = "FIELD_REQUIRED"},
    {GET, "/users/:id/cases", COL_PLUS, "conversations", LIST, get_cases, .within = {"user", "requester_id"},
     NEWEST, .count = case_list_count, .summary = "List the conversations of a person"},
    {GET, "/organizations/:id/cases", COL_PLUS, "conversations", LIST, get_cases,
     .within = {"organization", "organization_id"}, NEWEST, .count = case_list_count,
     .summary = "List the conversations of an organization"},
    {GET, "/cases/:id", COL_PLUS, "conversations", ONE, api_get,
     .summary = "Get a conversation as staff see it", .doc = "Also if it is suspended or in the trash."},
    {POST, "/cases", AG_PLUS, "conversations", ONE, post_case, .body = FILES_ATTACHED,
     .prepare = html_and_files_prepare, .needs_prepare = html_and_files_need_prepare, .lane = LANE_PICTURE,
     .lane_for = "channel_options", .summary = "Open a conversation for a requester",
     .doc = "The first message is mailed to the requester if `channel_id` is that of a mailbox, or if "
            "`channel_options` has `cc`, but not if there is a `legacy_id`. " FILE_PARTS_DOC},
    {POST, "/cases/:id/reply", COL_PLUS, "conversations", ONE, post_case_reply, .of = "case",
     .reply = "case_reply", .input = reply_input, .body = FILES_ATTACHED, .prepare = html_and_files_prepare,
     .needs_prepare = html_and_files_need_prepare, .lane = LANE_PICTURE, .lane_for = "channel_options",
     .summary = "Reply to a conversation",
     .doc = "A public reply needs the permission cases.public_reply; a note (channel NOTE) does not. "
            "Changes of properties need the role agent or above. With last_seen_post_id, the reply is "
            "refused if other people have posted since. " FILE_PARTS_DOC,
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE POST_OVERTAKEN"},
    {DELETE, "/cases/:id/reply/:post_id", AG_PLUS, "conversations", NONE, delete_case_reply, .of = "case",
     .summary = "Undo a reply by mail",
     .doc = "Only the author can undo a reply, and only while its e-mails wait for mail.undo_seconds. The "
            "message is deleted. The status returns to the one before the reply, if the reply itself "
            "changed it. Other changes stay.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.path = "$CASE,$CASE_REPLY", .refused = "RESOURCE_NOT_FOUND"}},
    {GET, "/cases/:id/participants", COL_PLUS, "conversations", LIST, api_list, .reply = "user_minimal",
     .of = "case", .where = "t.id IN (" PARTICIPANTS ")",
     .summary = "List the participants of a conversation as staff see it",
     .doc = "The requester, the authors of messages, people who got a copy by mail, and the requesters and "
            "participants of conversations that were merged into this one."},
    {PUT, "/cases/snooze", AG_PLUS, "conversations", COUNT, put_case_snooze, .input = snooze_input,
     .summary = "Snooze several conversations", .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.refused = "RESOURCE_ACTION_NOT_AVAILABLE"}},
    {DELETE, "/cases/snooze", AG_PLUS, "conversations", COUNT, delete_case_snooze, .ends_state = true,
     .summary = "End the snoozes of several conversations", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/trash", AG_PLUS, "conversations", COUNT, trash_cases, .permission = "cases.trash",
     .input = no_fields, .summary = "Move several conversations to the trash",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/:id", AG_PLUS, "conversations", ONE, put_cases, .summary = "Change a conversation",
     .doc = "With If-Match the conversation changes only if nobody else has changed it since.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases", AG_PLUS, "conversations", COUNT, put_cases, .summary = "Change several conversations",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/:id/read", COL_PLUS, "conversations", ONE, put_case_read, .input = no_fields,
     .summary = "Mark a conversation as read",
     .doc = "The caller has read all its messages: `read_marker` moves to the newest."},
    {PUT, "/cases/:id/unread", COL_PLUS, "conversations", ONE, put_case_unread, .input = no_fields,
     .summary = "Mark the newest message of a conversation as unread",
     .doc = "`read_marker` of the caller moves back to the message before the newest. It stays if it is "
            "there already, or further back."},
    {PUT, "/cases/:id/snooze", AG_PLUS, "conversations", ONE, put_case_snooze, .input = snooze_input,
     .summary = "Snooze a conversation",
     .doc =
         "It leaves the inbox until the time, or until the customer replies. A reply of the customer ends "
         "each snooze, and so do completing, closing, merging and the trash. SLA clocks go on. Other lists "
         "show the conversation as before. The reply has the member `snooze`; elsewhere "
         "`fields=+snooze` asks for it.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/cases/:id/snooze", AG_PLUS, "conversations", NONE, delete_case_snooze,
     .summary = "End the snooze of a conversation", .doc = "Succeeds if it is not snoozed, too.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/:id/trash", AG_PLUS, "conversations", ONE, trash_cases, .permission = "cases.trash",
     .input = no_fields, .summary = "Move a conversation to the trash",
     .doc = "Customers do not see it then. PUT /cases/:id/restore brings it "
            "back.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/:id/restore", AG_PLUS, "conversations", ONE, restore_case, .permission = "cases.trash",
     .input = no_fields, .summary = "Take a conversation out of the trash",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/cases/trash", AG_PLUS, "conversations", COUNT, delete_trashed_cases,
     .permission = "cases.trash", .args = trash_args, .also = ONE, .also_status = 202,
     .also_reply = "bulk_job", .label = "job", .summary = "Delete conversations in the trash for ever",
     .doc =
         "Without `ids`, admins and owners empty the trash: the reply is a job with the number of "
         "conversations as `total`, which deletes those that are in the trash now. Deletes each "
         "conversation with its messages, notes, activities, attachments, tags and values of custom fields, "
         "and the conversations that were merged into it. A large conversation is deleted in parts, but "
         "nobody sees it any more.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {POST, "/cases/:id/merge", AG_PLUS, "conversations", ONE, post_case_merge, .permission = "cases.merge",
     .status = 200, .input = merge_input, .summary = "Merge conversations into this one",
     .doc = "The posts of the others move here and keep their ids. The others are closed, and customers do "
            "not see them any more. Their requesters become participants. Tags are added. All other "
            "properties of this conversation stay.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.path = "18", .body = "{\"case_ids\":[79,119],\"force\":true}"}},
    {POST, "/cases/:id/split", AG_PLUS, "conversations", ONE, post_case_split, .permission = "cases.split",
     .input = split_input, .summary = "Split a conversation",
     .doc =
         "The posts move into a new conversation, which the reply shows, and keep their ids, files and "
         "times. It has the brand, mailbox, team, agent, priority and type of this one, and is NEW, or OPEN "
         "if a reply of staff moved. A reply by mail to a moved message comes to it.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.path = "18",
                .body = "{\"post_ids\":[$POST],\"subject\":\"The other invoice\"}",
                .setup = "POST=$(curl {owner} \"{api}/cases/18/messages\" | member id)"}},
    {POST, "/cases/:id/forward", COL_PLUS, "conversations", ONE, post_case_forward, .of = "case",
     .permission = "cases.public_reply", .body = FILES_ATTACHED, .prepare = html_and_files_prepare,
     .lane = LANE_PICTURE, .lane_for = "is_html", .reply = "case_forward", .input = forward_input,
     .summary = "Forward messages to people outside",
     .doc = "The e-mail becomes a note with the member `forward`. An answer becomes a note, too, with the "
            "member `answers_note`: customers see neither. The messages are quoted without addresses of "
            "people. Also for a closed conversation. " FILE_PARTS_DOC,
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/cases/:id/forward/:post_id", COL_PLUS, "conversations", NONE, delete_case_forward,
     .of = "case", .permission = "cases.public_reply", .summary = "Undo a forward",
     .doc = "Only for its author, within `mail.undo_seconds`. The note and its e-mails are deleted.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .sample = {.path = "$CASE,$CASE_FORWARD", .refused = "RESOURCE_NOT_FOUND"}},
    {0},
};

const struct resource case_resource = {.type = "case",
                                       .sample = "18",
                                       .scope = "conversations",
                                       .title = "Cases",
                                       .doc = "Conversations as staff see and work on them.",
                                       .url = "cases/:id",
                                       .table = "cases",
                                       .fields = case_fields,
                                       .routes = case_routes,
                                       .visible = access_cases_of_any_state,
                                       .changed = CASE_CHANGED,
                                       .shows_fields = true,
                                       .keyset = true};
