/* Notes on conversations, people and organizations. */
#include "core/cases/note.h"
#include "core/rules/rules_finish.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "api/rows/reply.h"
#include "base/ids.h"
#include "base/limits.h"
#include "res/help_center.h"
#include "res/attachment.h"
#include "res/case_parts.h"
#include "res/draft.h"
#include "res/groups.h"
#include "res/html.h"

static const struct field note_fields[] = {
    {"owner", F_TEXT, HIDDEN,
     .column = "CASE WHEN t.case_id IS NOT NULL THEN 'cases/' || t.case_id WHEN t.owner_user_id IS NOT NULL "
               "THEN 'users/' || t.owner_user_id ELSE 'organizations/' || t.organization_id END",
     .doc = "The object of the note, as the beginning of its address."},
    {"body_text", F_LONG, READONLY, .doc = "Text of the note.", .example = "\"Prefers to be called.\""},
    {"body_html", F_LONG, READONLY, .render = render_body_html, .doc = "The note as HTML.",
     .example = "\"Prefers to be called.\""},
    {"contents", F_LONG, REQUIRED | INPUT_ONLY | BY_HANDLER, .max = LIMIT_CONTENTS, .column = "",
     .doc = "Text of the note.", .example = "\"Prefers to be called.\""},
    {"is_pinned", F_BOOL, BY_HANDLER, .initial = "0", .doc = "True if the note is shown above the others."},
    {"is_html", F_BOOL, INPUT_ONLY | BY_HANDLER, .initial = "0", .column = "",
     .doc = "True if `contents` is HTML. It is cleaned."},
    {"color", F_WORD, CREATE_ONLY | BY_HANDLER | ON_DEMAND, .words = note_colors,
     .doc = "Color of the note. Default: YELLOW."},
    {"pinned_by", F_REF, READONLY, .ref = "user", .doc = "Person who pinned the note."},
    {"user", F_REF, READONLY, .ref = "user", .doc = "Author of the note."},
    {"creator", F_REF, READONLY, .column = "t.user_id", .ref = "user",
     .doc = "The same person, as posts and messages call the author."},
    {"*", .group = attachment_input},
    {"*", .group = article_link_input},
    {"*", .group = attachments},
    {"forward", F_COMPUTED, READONLY, .column = FORWARD_TEXT, .render = render_forward,
     .doc = "To whom the note was forwarded by e-mail: `to` and `cc` with the delivery status of each "
            "address, `subject`, and `post_ids`, the messages. Null: the note is no forward.",
     .example = "null"},
    {"answers_note", F_REF, READONLY, .ref = "note", .column = ANSWERED_NOTE,
     .doc = "Note of the forward that this one answers; it came by e-mail. Null: it is no answer."},
    {"*", .group = row_times},
    {0},
};

/* Locks the conversation of the path first, in the order of every write to a conversation. */
static int note_target(struct call *c) {
    bool of_case = c->within && strcmp(c->within->parent, "case") == 0;
    if (of_case && c->vars[0].id) TRY(db_lock_row(c->work.conn, "cases", c->vars[0].id));
    return api_target(c);
}

static int note_create(struct call *c, enum note_owner kind) {
    struct attached files;
    TRY(api_of(c));
    TRY(attachments_read(c, &files));
    struct note_new n = {.kind = kind,
                         .owner_id = c->vars[0].id,
                         .pinned = in_int(c, "is_pinned") != 0,
                         .color = (int)in_int(c, "color"),
                         .files = files.ids,
                         .file_count = files.count};
    TRY(html_contents(c, &n.text, &n.html, &n.original));
    TRY(article_links_append(c, c->work.actor.user_id, &n.text, &n.html));
    TRY(attachments_store(c, &files));
    return note_add(&c->work, &n, &c->id);
}

static int post_user_note(struct call *c) {
    TRY(note_create(c, NOTE_USER));
    return api_reply(c);
}

static int post_organization_note(struct call *c) {
    TRY(note_create(c, NOTE_ORGANIZATION));
    return api_reply(c);
}

static const struct field case_note_input[] = {
    {"*", .group = note_fields},
    {"*", .group = draft_sent_input},
    {0},
};

static int post_case_note(struct call *c) {
    TRY(note_create(c, NOTE_CASE));
    TRY(draft_sent(c, DRAFT_NOTE));
    TRY(rules_finish(&c->work));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "post") = (struct value){V_INT, .i = c->id};
    *row_cell(row, "case") = (struct value){V_INT, .i = c->vars[0].id};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

static int put_note(struct call *c) {
    struct str text, html, original;
    TRY(note_target(c));
    if (json_named(c->body, S("contents"))) TRY(note_may_change(&c->work, c->id));
    TRY(api_input(c));
    if (given(c, "contents")) {
        TRY(html_contents(c, &text, &html, &original));
        TRY(note_rewrite(&c->work, c->id, text, html, original));
    }
    if (given(c, "is_pinned")) TRY(note_pin(&c->work, c->id, in_int(c, "is_pinned") != 0));
    return api_reply(c);
}

static int delete_note(struct call *c) {
    TRY(note_target(c));
    TRY(note_may_change(&c->work, c->id));
    TRY(api_input(c));
    TRY(note_remove(&c->work, c->id));
    return api_reply(c);
}

/* ---- the notes of a conversation, its requester and the requester's organization ------------- */

QUERY(note_owners, "SELECT COALESCE(u.id, 0), COALESCE(o.id, 0) "
                   "FROM cases k LEFT JOIN users u ON u.id = k.requester_id AND u.deleted_at IS NULL "
                   "LEFT JOIN organizations o ON o.id = u.organization_id AND o.deleted_at IS NULL "
                   "WHERE k.id = :id");

static const struct word note_owner_words[] = {
    {NOTE_CASE, "CASE"}, {NOTE_USER, "USER"}, {NOTE_ORGANIZATION, "ORGANIZATION"}, {0}};

static bool owner_asked(struct call *c, enum note_owner owner) {
    const struct in *filter = arg(c, "filter");
    return !filter->given || ids_have(filter->value.ids, filter->value.i, owner);
}

static void note_branch(struct call *c, struct branches *b, enum note_owner owner, const char *where,
                        const char *name, int64_t id) {
    if (id == 0 || !owner_asked(c, owner)) return;
    branch_add(b, where);
    branch_bind_int(b, name, id);
}

/* One index range in the order of the list for each owner. */
static int get_case_notes(struct call *c) {
    struct branches *b = ARENA_NEW(c->work.arena, struct branches);
    struct stmt *row;
    TRY(api_of(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, db_row(c->work.conn, &note_owners, BINDS(B_INT("id", c->vars[0].id)), &row));
    int64_t user = col_int(row, 0), organization = col_int(row, 1);
    stmt_end(row);
    note_branch(c, b, NOTE_CASE, "t.case_id = :of_case", ":of_case", c->vars[0].id);
    note_branch(c, b, NOTE_USER, "t.owner_user_id = :of_user", ":of_user", user);
    note_branch(c, b, NOTE_ORGANIZATION, "t.organization_id = :of_organization", ":of_organization",
                organization);
    c->branches = b;
    return api_list(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define PINNED_ARG                                                                      \
    {                                                                                   \
        "is_pinned", F_BOOL, .filter = "t.is_pinned = :is_pinned",                      \
                             .doc = "Only pinned notes (true), or only others (false)." \
    }

static const struct field case_note_args[] = {
    PINNED_ARG,
    {"filter", F_WORDS, .words = note_owner_words,
     .doc = "Only notes on the conversation, its requester, or the requester's organization."},
    {"*", .group = html_args},
    {0},
};

static const struct field note_list_args[] = {
    PINNED_ARG,
    {"*", .group = html_args},
    {0},
};

#define HTML \
    .prepare = html_prepare, .needs_prepare = html_needs_prepare, .lane = LANE_PICTURE, .lane_for = "is_html"
#define HTML_AND_FILES                                                                                       \
    .body = FILES_ATTACHED, .prepare = html_and_files_prepare, .needs_prepare = html_and_files_need_prepare, \
    .lane = LANE_PICTURE, .lane_for = "is_html"
#define ABOUT_CASE .within = {"case", "case_id"}
#define ABOUT_USER .within = {"user", "owner_user_id"}
#define ABOUT_ORGANIZATION .within = {"organization", "organization_id"}
#define NEWEST .args = note_list_args, .order = {"t.created_at", true}

static const struct route note_routes[] = {
    {GET, "/cases/:id/notes", COL_PLUS, "conversations", LIST, get_case_notes, .of = "case",
     .args = case_note_args, .order = {"t.created_at", true}, .summary = "List the notes of a conversation",
     .doc = "Notes on the conversation, on its requester and on the requester's organization."},
    {GET, "/cases/:id/notes/:note_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_CASE, .args = html_args,
     .summary = "Get a note on a conversation"},
    {POST, "/cases/:id/notes", COL_PLUS, "conversations", ONE, post_case_note, .of = "case", HTML_AND_FILES,
     .reply = "case_note", .input = case_note_input, .summary = "Create a note on a conversation",
     .doc = "Also on a closed conversation. " FILE_PARTS_DOC, .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/cases/:id/notes/:note_id", COL_PLUS, "conversations", ONE, put_note, ABOUT_CASE, HTML,
     .summary = "Update or pin a note on a conversation",
     .doc = "All staff may pin it. Only the author, admins and owners may change the text.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/cases/:id/notes/:note_id", COL_PLUS, "conversations", NONE, delete_note, ABOUT_CASE,
     .summary = "Delete a note on a conversation", .doc = "Only for the author, admins and owners.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {GET, "/users/:id/notes", COL_PLUS, "conversations", LIST, api_list, ABOUT_USER, NEWEST,
     .summary = "List the notes on a user"},
    {GET, "/users/:id/notes/:note_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_USER, .args = html_args,
     .summary = "Get a note on a user"},
    {POST, "/users/:id/notes", COL_PLUS, "conversations", ONE, post_user_note, ABOUT_USER, HTML_AND_FILES,
     .summary = "Create a note on a user", .doc = FILE_PARTS_DOC},
    {PUT, "/users/:id/notes/:note_id", COL_PLUS, "conversations", ONE, put_note, ABOUT_USER, HTML,
     .summary = "Update or pin a note on a user",
     .doc = "All staff may pin it. Only the author, admins and owners may "
            "change the text."},
    {DELETE, "/users/:id/notes/:note_id", COL_PLUS, "conversations", NONE, delete_note, ABOUT_USER,
     .summary = "Delete a note on a user", .doc = "Only for the author, admins and owners."},
    {GET, "/organizations/:id/notes", COL_PLUS, "conversations", LIST, api_list, ABOUT_ORGANIZATION, NEWEST,
     .summary = "List the notes on an organization"},
    {GET, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_ORGANIZATION,
     .args = html_args, .summary = "Get a note on an organization"},
    {POST, "/organizations/:id/notes", COL_PLUS, "conversations", ONE, post_organization_note,
     ABOUT_ORGANIZATION, HTML_AND_FILES, .summary = "Create a note on an organization",
     .doc = FILE_PARTS_DOC},
    {PUT, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", ONE, put_note, ABOUT_ORGANIZATION,
     HTML, .summary = "Update or pin a note on an organization",
     .doc = "All staff may pin it. Only the author, admins and owners may change the text."},
    {DELETE, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", NONE, delete_note,
     ABOUT_ORGANIZATION, .summary = "Delete a note on an organization",
     .doc = "Only for the author, admins and owners."},
    {0},
};

const struct resource note_resource = {.type = "note",
                                       .scope = "conversations",
                                       .title = "Notes",
                                       .doc = "Notes of staff on conversations, people and organizations. "
                                              "Customers never see them.",
                                       .url = ":owner/notes/:id",
                                       .table = "notes",
                                       .fields = note_fields,
                                       .routes = note_routes,
                                       .visible = access_notes,
                                       .changed = "(SELECT MAX(o.updated_at) FROM outgoing_mails o "
                                                  "WHERE o.post_id = t.id)"};

/* ---- the answer to a new note of a conversation ---------------------------------------------- */

static const struct field case_note_fields[] = {
    {"post", F_REF, READONLY, .ref = "post", .doc = "The new post."},
    {"case", F_REF, READONLY, .ref = "case", .doc = "Its conversation."},
    {0},
};

const struct resource case_note_resource = {.type = "case_note",
                                            .scope = "conversations",
                                            .title = "New notes of conversations",
                                            .doc = "The answer to a new note on a conversation.",
                                            .fields = case_note_fields};
