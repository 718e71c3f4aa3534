/* Posts (completions.md section 8): messages of conversations, as staff see them. Notes and activities are not posts here yet. */
#include "api/generic.h"
#include "api/view.h"
#include "core/words.h"
#include "res/groups.h"

static const struct field post_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the post."},
    {"client_id", F_TEXT, READONLY, .doc = "Id that the client chose."},
    {"subject", F_TEXT, READONLY, .doc = "Subject, if the post is an e-mail."},
    {"contents", F_LONG, READONLY, .column = "t.content_text", .doc = "Text of the post.",
     .example = "\"Have you tried turning it backwards?\""},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Author of the post."},
    {"identity", F_REF, READONLY, .ref = "identity_email",
     .column = "(SELECT e.id FROM identity_emails e WHERE e.user_id = t.creator_id AND e.is_primary = 1)",
     .doc = "Primary e-mail address of the author."},
    {"source_channel", F_COMPUTED, READONLY, .render = render_null, .doc = "Account that the post came through. Null if there is none.",
     .example = "null"},
    {"*", .group = attachments},
    {"destination_medium", F_COMPUTED, READONLY, .render = render_null,
     .doc = "Further medium that the post was sent to. Null if there is none.", .example = "null"},
    {"source", F_WORD, READONLY, .words = sources, .doc = "Channel that the post was written with."},
    {"metadata", F_JSON, READONLY, .doc = "user_agent and page_url of the client.", .example = "{}"},
    {"original", F_REF, READONLY, .ref = "case_message", .column = "t.id", .doc = "Message that the post shows."},
    {"post_status", F_WORD, READONLY, .column = "t.message_status", .words = message_statuses, .doc = "Delivery status.",
     .example = "\"SENT\""},
    {"post_status_reject_type", F_WORD, READONLY, .column = "t.reject_type", .words = reject_types, .doc = "Kind of rejection."},
    {"post_status_reject_reason", F_TEXT, READONLY, .column = "t.reject_reason", .doc = "Reply of the mail server."},
    {"post_status_updated_at", F_TIME, READONLY, .column = "t.message_status_updated_at",
     .doc = "Time of the last change of the delivery status."},
    {"is_requester", F_BOOL, READONLY, .doc = "True if the requester wrote the post."},
    {"*", .group = row_times},
    {0},
};

static const struct route post_routes[] = {
    {GET, "/users/:id/posts", COL_PLUS, "users", LIST, api_list, .within = {"user", "creator_id"}, .order = {.descending = true},
     .always_keys = true, .summary = "List the posts of a user",
     .doc = "Only posts of conversations that the caller may see, newest first."},
    {GET, "/cases/posts/:id", COL_PLUS, "conversations", ONE, api_get, .summary = "Get a post"},
    {0},
};

const struct resource post_resource = {.type = "post",
                                       .title = "Posts",
                                       .doc = "Posts of conversations, as staff see them.",
                                       .url = "cases/posts/:id",
                                       .table = "posts",
                                       .where = "t.kind = 1",
                                       .fields = post_fields,
                                       .routes = post_routes,
                                       .visible = access_posts,
                                       .keyset = true};
