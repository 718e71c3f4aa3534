/* Posts (completions.md section 8): what was written in conversations, as staff see it. Of the three kinds only messages are made so far. */
#include "api/generic.h"
#include "api/view.h"
#include "core/words.h"

static const struct field post_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "Its universal id."},
    {"client_id", F_TEXT, READONLY, .doc = "What the client called it."},
    {"subject", F_TEXT, READONLY, .doc = "Of a mail."},
    {"contents", F_LONG, READONLY, .column = "t.content_text", .doc = "What it says.",
     .example = "\"Have you tried turning it backwards?\""},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Who wrote it."},
    {"identity", F_REF, READONLY, .ref = "identity_email",
     .column = "(SELECT e.id FROM identity_emails e WHERE e.user_id = t.creator_id AND e.is_primary = 1)", .doc = "The address of whom."},
    {"source_channel", F_COMPUTED, READONLY, .render = render_null, .doc = "The account it came by; null without one.", .example = "null"},
    {"attachments", F_COMPUTED, READONLY, .render = render_nothing, .doc = "Its files.", .example = "[]"},
    {"download_all", F_COMPUTED, READONLY, .render = render_null, .doc = "Address of all its files; null with fewer than two.",
     .example = "null"},
    {"destination_medium", F_COMPUTED, READONLY, .render = render_null, .doc = "Where it was sent besides; null: nowhere.",
     .example = "null"},
    {"source", F_WORD, READONLY, .words = sources, .doc = "The program it was written with."},
    {"metadata", F_JSON, READONLY, .doc = "What the program said of itself.", .example = "{}"},
    {"original", F_REF, READONLY, .ref = "case_message", .column = "t.id", .doc = "The message it is."},
    {"post_status", F_WORD, READONLY, .column = "t.message_status", .words = message_statuses, .doc = "How far it came.",
     .example = "\"SENT\""},
    {"post_status_reject_type", F_WORD, READONLY, .column = "t.reject_type", .words = reject_types, .doc = "Why it was rejected."},
    {"post_status_reject_reason", F_TEXT, READONLY, .column = "t.reject_reason", .doc = "What the mail server said."},
    {"post_status_updated_at", F_TIME, READONLY, .column = "t.message_status_updated_at", .doc = "When its status last changed."},
    {"is_requester", F_BOOL, READONLY, .doc = "Whether the requester wrote it."},
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at", F_TIME, READONLY, .doc = "When it last changed."},
    {0},
};

static const struct route post_routes[] = {
    {GET, "/users/:id/posts", COL_PLUS, "users", LIST, api_list, .within = {"user", "creator_id"}, .order = {.descending = true},
     .always_keys = true, .summary = "List what a person wrote", .doc = "In conversations that the caller may see, the newest first."},
    {GET, "/cases/posts/:id", COL_PLUS, "conversations", ONE, api_get, .summary = "Read a post"},
    {0},
};

const struct resource post_resource = {.type = "post",
                                       .title = "Posts",
                                       .doc = "What was written in conversations, as staff see it.",
                                       .url = "cases/posts/:id",
                                       .table = "posts",
                                       .where = "t.kind = 1",
                                       .fields = post_fields,
                                       .routes = post_routes,
                                       .visible = access_posts,
                                       .keyset = true};
