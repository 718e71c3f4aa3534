/* Messages as staff see them. The rows are those of conversation_message, with the same ids. */
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/html.h"

#define ADDRESS_OF_CREATOR(column)                 \
    "(SELECT e." column " FROM identity_emails e " \
    "WHERE e.user_id = t.creator_id AND e.is_primary = 1)"

/* Milliseconds become seconds. One step in the index of posts by conversation for each message of staff. */
#define RESPONSE_TIME                                                                           \
    "CASE WHEN t.is_requester = 0 AND EXISTS (SELECT 1 FROM users u WHERE u.id = t.creator_id " \
    "AND u.role_type >= 2) THEN (SELECT CASE WHEN b.is_requester = 0 "                          \
    "THEN NULL WHEN b.created_at > t.created_at THEN 0 "                                        \
    "ELSE (t.created_at - b.created_at) / 1000 END FROM posts b WHERE b.case_id = t.case_id "   \
    "AND b.kind = 1 AND b.id < t.id ORDER BY b.id DESC LIMIT 1) END"

static const struct word recipient_types[] = {{RECIPIENT_TO, "TO"}, {RECIPIENT_CC, "CC"}, {0}};

static const struct field message_recipient_fields[] = {
    {"email", F_TEXT, READONLY, .column = "t.recipient", .doc = "Address of the recipient.",
     .example = "\"ada@example.com\""},
    {"identity", F_REF, READONLY, .ref = "identity_email",
     .column = "(SELECT MIN(e.id) FROM identity_emails e WHERE e.user_id = t.user_id AND e.is_claim = 0 "
               "AND LOWER(e.email) = LOWER(t.recipient))",
     .doc = "Identity with the address. Null if the person has it no longer."},
    {"name", F_TEXT, READONLY, .column = "(SELECT u.full_name FROM users u WHERE u.id = t.user_id)",
     .scope = "users", .doc = "Name of the recipient. Null if the bearer token lacks the scope users."},
    {"type", F_WORD, READONLY, .column = "t.recipient_type", .words = recipient_types,
     .doc = "TO for the requester, CC for a copy. For an e-mail that came in: the header with the address."},
    {"email_delivery_status", F_WORD, READONLY, .column = "t.status", .words = mail_statuses,
     .doc = "Delivery status of the e-mail. Null: the e-mail came in, so its sender delivered it.",
     .example = "\"SENT\""},
    {"email_delivery_status_updated_at", F_TIME, READONLY, .column = "t.updated_at",
     .doc = "Time of the last change of that status."},
    {0},
};

/* Letters of the desk, and people whom the sender of a mail named. */
#define RECIPIENTS                                                                               \
    "(SELECT o.id, o.post_id, o.user_id, o.recipient, o.recipient_type, o.status, o.updated_at " \
    "FROM outgoing_mails o WHERE o.post_id IS NOT NULL UNION ALL SELECT r.id, r.post_id, "       \
    "r.user_id, r.address, r.type, CAST(NULL AS INTEGER), CAST(NULL AS BIGINT) "                 \
    "FROM mail_recipients r) t"

const struct resource message_recipient_resource = {.type = "message_recipient",
                                                    .scope = "conversations",
                                                    .title = "Recipients of messages",
                                                    .doc = "People to whom a message was mailed.",
                                                    .from = RECIPIENTS,
                                                    .fields = message_recipient_fields,
                                                    .visible = access_staff};

static const struct field case_message_fields[] = {
    {"case_id", F_INT, HIDDEN, .doc = "Conversation of the message."},
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the message."},
    {"subject", F_TEXT, READONLY,
     .column = "COALESCE(t.subject, (SELECT k.subject FROM cases k "
               "WHERE k.id = t.case_id))",
     .doc = "Subject; the conversation's, if the message has none."},
    {"body_text", F_LONG, READONLY, .column = "t.content_text", .doc = "Text of the message.",
     .example = "\"It stops after ten turns.\""},
    {"body_html", F_LONG, READONLY, .column = "t.content_html", .render = render_body_html,
     .doc = "The message as safe HTML.", .example = "\"It stops after ten turns.\""},
    {"recipients", F_ROWS, READONLY, .ref = "message_recipient", .owned_by = "post_id",
     .doc = "People to whom the message was mailed, by the desk or, if the message came by e-mail, by its "
            "author. A purge of a person removes the person here."},
    {"fullname", F_TEXT, READONLY,
     .column = "COALESCE(t.creator_name, (SELECT u.full_name FROM users u "
               "WHERE u.id = t.creator_id))",
     .scope = "users",
     .doc = "Name of the author, as given with the message. Null if the bearer token "
            "lacks the scope users."},
    {"email", F_TEXT, READONLY, .column = ADDRESS_OF_CREATOR("email"), .scope = "users",
     .doc = "Primary e-mail address of the author. Null if the bearer token lacks the scope users."},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Author of the message."},
    {"identity", F_REF, READONLY, .ref = "identity_email", .column = ADDRESS_OF_CREATOR("id"),
     .doc = "Identity of that address."},
    {"mailbox", F_REF, READONLY, .ref = "mailbox",
     .doc = "Mailbox that the message came through. Null if there is none."},
    {"*", .group = attachments},
    {"location", F_COMPUTED, READONLY, .render = render_null,
     .doc = "Place of the author. Null if it is unknown.", .example = "null"},
    {"creation_mode", F_WORD, READONLY, .column = "t.source", .words = sources,
     .doc = "Program that the message was written with."},
    {"locale", F_REF, READONLY, .ref = "locale",
     .column = "(SELECT u.locale_id FROM users u WHERE u.id = t.creator_id)", .doc = "Locale of the author."},
    {"response_time", F_INT, READONLY, .column = RESPONSE_TIME,
     .doc = "Seconds from the message before this one, if it is the requester's and this one is a reply of "
            "staff. Otherwise null.",
     .example = "1260"},
    {"*", .group = row_times},
    {0},
};

static const struct route case_message_routes[] = {
    {GET, "/cases/:id/messages", COL_PLUS, "conversations", LIST, api_list, .order = {.descending = true},
     .args = html_args, .summary = "List the messages of a conversation as staff see them",
     .doc = "The newest first."},
    {GET, "/cases/:id/messages/:message_id", COL_PLUS, "conversations", ONE, api_get, .args = html_args,
     .summary = "Get a message as staff see it",
     .doc = "Also if the conversation is suspended, merged or in the trash.",
     .sample = {.path = "18,$MESSAGE",
                .setup = "MESSAGE=$(curl {owner} \"{api}/cases/18/messages\" | member id)"}},
    {0},
};

const struct resource case_message_resource = {.type = "case_message",
                                               .scope = "conversations",
                                               .title = "Messages of cases",
                                               .doc = "Messages as staff see them.",
                                               .url = "cases/:case_id/messages/:id",
                                               .table = "posts",
                                               .where = "t.kind = 1",
                                               .fields = case_message_fields,
                                               .routes = case_message_routes,
                                               .within = {"case", "case_id"},
                                               .keyset = true};
