/* Messages as staff see them (shapes.md "case_message"). The rows are those of conversation_message, with the same ids. */
#include "api/generic.h"
#include "api/view.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/html_view.h"

#define ADDRESS_OF_CREATOR(column) "(SELECT e." column " FROM identity_emails e WHERE e.user_id = t.creator_id AND e.is_primary = 1)"

static const struct field case_message_fields[] = {
    {"case_id", F_INT, HIDDEN, .doc = "Conversation of the message."},
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the message."},
    {"subject", F_TEXT, READONLY, .column = "COALESCE(t.subject, (SELECT k.subject FROM cases k WHERE k.id = t.case_id))",
     .doc = "Subject; the conversation's, if the message has none."},
    {"body_text", F_LONG, READONLY, .column = "t.content_text", .doc = "Text of the message.", .example = "\"It stops after ten turns.\""},
    {"body_html", F_LONG, READONLY, .column = "t.content_html", .render = render_body_html, .doc = "The message as safe HTML.",
     .example = "\"It stops after ten turns.\""},
    {"fullname", F_TEXT, READONLY, .column = "COALESCE(t.creator_name, (SELECT u.full_name FROM users u WHERE u.id = t.creator_id))",
     .doc = "Name of the author, as given with the message."},
    {"email", F_TEXT, READONLY, .column = ADDRESS_OF_CREATOR("email"), .doc = "Primary e-mail address of the author."},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Author of the message."},
    {"identity", F_REF, READONLY, .ref = "identity_email", .column = ADDRESS_OF_CREATOR("id"), .doc = "Identity of that address."},
    {"mailbox", F_COMPUTED, READONLY, .render = render_null, .doc = "Mailbox that the message came through. Null if there is none.",
     .example = "null"},
    {"*", .group = attachments},
    {"location", F_COMPUTED, READONLY, .render = render_null, .doc = "Place of the author. Null if it is unknown.", .example = "null"},
    {"creation_mode", F_WORD, READONLY, .column = "t.source", .words = sources, .doc = "Program that the message was written with."},
    {"locale", F_REF, READONLY, .ref = "locale", .column = "(SELECT u.locale_id FROM users u WHERE u.id = t.creator_id)",
     .doc = "Locale of the author."},
    {"*", .group = row_times},
    {0},
};

static const struct route case_message_routes[] = {
    {GET, "/cases/:id/messages", COL_PLUS, "conversations", LIST, api_list, .order = {.descending = true}, .args = html_args,
     .summary = "List the messages of a conversation as staff see them", .doc = "The newest first."},
    {0},
};

const struct resource case_message_resource = {.type = "case_message",
                                               .title = "Messages of cases",
                                               .doc = "Messages as staff see them.",
                                               .url = "conversations/:case_id/messages/:id",
                                               .table = "posts",
                                               .where = "t.kind = 1",
                                               .fields = case_message_fields,
                                               .routes = case_message_routes,
                                               .within = {"case", "case_id"},
                                               .keyset = true};
