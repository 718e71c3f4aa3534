#include "core/cases/message.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "base/limits.h"
#include "core/access/permission.h"
#include "core/cases/message_mail.h"
#include "core/mail/mailbox.h"
#include "core/rules/rule.h"
#include "res/help_center.h"
#include "res/attachment.h"
#include "res/groups.h"
#include "res/html.h"
#include "res/message_origin.h"

static const struct field message_fields[] = {
    {"case_id", F_INT, HIDDEN, .doc = "Conversation of the message."},
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the message."},
    {"client_id", F_TEXT, READONLY, .doc = "Id that the client chose.", .example = "\"a-1\""},
    {"subject", F_TEXT, READONLY,
     .column = "COALESCE(t.subject, (SELECT k.subject FROM cases k "
               "WHERE k.id = t.case_id))",
     .doc = "Subject of the e-mail; else of the conversation."},
    {"channel", F_WORD, READONLY, .words = channels, .doc = "Channel that the message came from.",
     .example = "\"HELPCENTER\""},
    {"content_text", F_LONG, READONLY, .doc = "Text of the message.",
     .example = "\"It stops after ten turns.\""},
    {"content_html", F_LONG, READONLY, .render = render_content_html, .doc = "The message as safe HTML.",
     .example = "\"It stops after ten turns.\""},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Author of the message."},
    {"*", .group = attachments},
    {"source", F_WORD, READONLY, .words = sources, .doc = "Channel that the message was written with."},
    {"*", .group = metadata_shown},
    {"message_status", F_WORD, READONLY, .words = message_statuses, .doc = "Delivery status.",
     .example = "\"SENT\""},
    {"message_status_reject_type", F_WORD, READONLY, .column = "t.reject_type", .words = reject_types,
     .doc = "Kind of rejection."},
    {"message_status_reject_reason", F_TEXT, READONLY, .column = "t.reject_reason",
     .doc = "Reply of the mail server."},
    {"message_status_updated_at", F_TIME, READONLY, .doc = "Time of the last change of the delivery status."},
    {"*", .group = row_times},
    {0},
};

/* Refuse `channel`, because a text that is meant as a note must not reach a customer. */
static const char no_channel[] = "Messages here are public and take no channel. To write a note, use POST "
                                 "/cases/:id/notes.";

static const struct field create_input[] = {
    {"contents", F_LONG, NULLABLE, .max = LIMIT_CONTENTS,
     .doc = "Text of the message. Required without a file.",
     .example = "\"Have you tried turning it backwards?\""},
    {"*", .group = message_source_input},
    {"*", .group = metadata_input},
    {"client_id", F_TEXT, NULLABLE,
     .doc = "Id that the client chose. The message shows it. If the same conversation already has a message "
            "with this id, the reply is that message.",
     .example = "\"a-2\""},
    {"channel", F_TEXT, REFUSED, .doc = no_channel},
    {"*", .group = attachment_input},
    {"*", .group = article_link_input},
    {0},
};

static const struct field create_args[] = {{"channel", F_TEXT, REFUSED, .doc = no_channel}, {0}};

static int post_message(struct call *c) {
    struct case_now now;
    struct attached files;
    TRY(api_of_case(c));
    TRY_FOUND(&c->work, case_load_of_author(&c->work, c->vars[0].id, &now));
    if (now.state != CASE_ACTIVE) return fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    attachments_read(c, &files);
    struct str contents = attached_contents(c, &files), metadata = metadata_given(c);
    if (failed(&c->work)) return -(int)failure(&c->work);
    TRY(article_links_append(c, now.requester_id, &contents, &(struct str){0}));
    TRY(attachments_store(c, &files));
    /* A caller with a fingerprint is the requester, under the name that the caller gave. */
    bool logged_in = c->work.actor.rank > ROLE_PUBLIC;
    struct message_new m = {.contents = contents,
                            .client_id = in_text(c, "client_id"),
                            .metadata = metadata,
                            .creator_id = logged_in ? c->work.actor.user_id : now.requester_id,
                            .creator_name = logged_in ? (struct str){0} : now.requester_name,
                            .files = files.ids,
                            .file_count = files.count,
                            .source = (int)in_int(c, "source")};
    bool by_mail = now.channel == CHANNEL_MAIL && c->work.actor.rank >= ROLE_COLLABORATOR &&
                   m.creator_id != now.requester_id;
    struct mailbox sends = {0};
    if (by_mail) TRY(mailbox_for_case(&c->work, now.id, &sends));
    m.mailbox_id = sends.id;
    int64_t messages = now.message_seq;
    c->work.channel = rule_channel_of(m.source);
    TRY(message_post(&c->work, &now, &m, &c->id));
    bool made = now.message_seq > messages; /* else the one with this client_id is answered */
    if (by_mail && made) TRY(message_mail_send(&c->work, &now, c->id, NULL, 0));
    return made && m.file_count == 0 ? api_reply_made(c, "attachments") : api_reply(c);
}

static const struct word statuses_given[] = {{MESSAGE_DELIVERED, "DELIVERED"}, {MESSAGE_SEEN, "SEEN"}, {0}};
static const struct field update_input[] = {
    {"message_status", F_WORD, PRESENT, .words = statuses_given,
     .doc = "DELIVERED or SEEN. SEEN also applies to all messages before this one.", .example = "\"SEEN\""},
    {0},
};

static int put_message(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(message_set_status(&c->work, c->vars[0].id, c->id, (enum message_status)in_int(c, "message_status")));
    return api_reply(c);
}

static const struct route message_routes[] = {
    {GET, "/conversations/:id/messages", ALL | FINGERPRINT | WIDGET, "", LIST, api_list,
     .bearer = "conversations", .order = {.descending = true}, .args = html_args,
     .summary = "List the messages of a conversation", .doc = "Newest first."},
    {GET, "/conversations/:id/messages/:message_id", ALL | FINGERPRINT | WIDGET, "", ONE, api_get,
     .bearer = "conversations", .args = html_args, .summary = "Get a message"},
    {POST, "/conversations/:id/messages", ALL | FINGERPRINT | WIDGET, "", ONE, post_message,
     .bearer = "conversations", .input = create_input, .args = create_args, .body = FILES_ATTACHED,
     .prepare = attachments_prepare, .needs_prepare = attachments_need_prepare, .lane = LANE_SYNC,
     .lane_for = "attachment_file_ids", .permission = "cases.public_reply",
     .summary = "Reply to a conversation",
     .doc = "A reply of staff opens a new conversation. A reply of the requester reopens a pending or "
            "completed conversation. " FILE_PARTS_DOC,
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/conversations/:id/messages/:message_id", ALL | FINGERPRINT | WIDGET, "", NONE, put_message,
     .bearer = "conversations", .input = update_input, .summary = "Mark a message as delivered or seen",
     .doc = "The status never goes back: an earlier status is ignored."},
    {0},
};

const struct resource conversation_message_resource = {
    .type = "conversation_message",
    .scope = "conversations",
    .shown_as = "case_message",
    .title = "Messages",
    .doc = "Messages of conversations.",
    .url = "conversations/:case_id/messages/:id",
    .table = "posts",
    .where = "t.kind = 1",
    .fields = message_fields,
    .conversation = "case_id",
    .routes = message_routes,
    .within = {"conversation", "case_id"},
    .changed = "(SELECT k.updated_at FROM cases k WHERE k.id = t.case_id)",
    .keyset = true};
