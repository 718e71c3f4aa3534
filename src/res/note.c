/* Notes on people and organizations (api.md "Notes", completions.md section 6). Notes on conversations are not implemented yet. */
#include "core/cases/note.h"

#include "api/generic.h"
#include "api/view.h"
#include "base/limits.h"
#include "res/groups.h"

static const struct field note_fields[] = {
    {"owner", F_TEXT, HIDDEN,
     .column = "CASE WHEN t.owner_user_id IS NOT NULL THEN 'users/' || t.owner_user_id ELSE 'organizations/' || t.organization_id END",
     .doc = "The object of the note, as the beginning of its address."},
    {"body_text", F_LONG, READONLY, .doc = "Text of the note.", .example = "\"Prefers to be called.\""},
    {"body_html", F_LONG, READONLY, .doc = "The note as HTML.", .example = "\"Prefers to be called.\""},
    {"contents", F_LONG, REQUIRED | INPUT_ONLY | BY_HANDLER, .max = LIMIT_CONTENTS, .column = "", .doc = "Text of the note.",
     .example = "\"Prefers to be called.\""},
    {"is_pinned", F_BOOL, BY_HANDLER, .initial = "0", .doc = "True if the note is shown above the others."},
    {"pinned_by", F_REF, READONLY, .ref = "user", .doc = "Person who pinned the note."},
    {"user", F_REF, READONLY, .ref = "user", .doc = "Author of the note."},
    {"*", .group = attachments},
    {"*", .group = row_times},
    {0},
};

static int post_note(struct call *c, enum note_owner kind) {
    TRY(api_of(c));
    TRY(api_input(c));
    TRY(note_add(&c->work, kind, c->vars[0].id, in_text(c, "contents"), in_int(c, "is_pinned") != 0, &c->id));
    return api_reply(c);
}

static int post_user_note(struct call *c) { return post_note(c, NOTE_USER); }
static int post_organization_note(struct call *c) { return post_note(c, NOTE_ORGANIZATION); }

static int put_note(struct call *c) {
    TRY(api_target(c));
    if (json_named(c->body, S("contents"))) TRY(note_may_change(&c->work, c->id));
    TRY(api_input(c));
    if (given(c, "contents")) TRY(note_rewrite(&c->work, c->id, in_text(c, "contents")));
    if (given(c, "is_pinned")) TRY(note_pin(&c->work, c->id, in_int(c, "is_pinned") != 0));
    return api_reply(c);
}

static int delete_note(struct call *c) {
    TRY(api_target(c));
    TRY(note_may_change(&c->work, c->id));
    TRY(api_input(c));
    TRY(note_remove(&c->work, c->id));
    return api_reply(c);
}

static const struct field list_args[] = {
    {"is_pinned", F_BOOL, .filter = "t.is_pinned = :is_pinned", .doc = "Only pinned notes (true), or only others (false)."},
    {0},
};

#define ABOUT_USER .within = {"user", "owner_user_id"}
#define ABOUT_ORGANIZATION .within = {"organization", "organization_id"}
#define NEWEST .args = list_args, .order = {"t.created_at", true}

static const struct route note_routes[] = {
    {GET, "/users/:id/notes", COL_PLUS, "conversations", LIST, api_list, ABOUT_USER, NEWEST, .summary = "List the notes on a user"},
    {GET, "/users/:id/notes/:note_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_USER, .summary = "Get a note on a user"},
    {POST, "/users/:id/notes", COL_PLUS, "conversations", ONE, post_user_note, ABOUT_USER, .summary = "Create a note on a user"},
    {PUT, "/users/:id/notes/:note_id", COL_PLUS, "conversations", ONE, put_note, ABOUT_USER, .summary = "Update or pin a note on a user",
     .doc = "All staff may pin it. Only the author, admins and owners may change the text."},
    {DELETE, "/users/:id/notes/:note_id", COL_PLUS, "conversations", NONE, delete_note, ABOUT_USER, .summary = "Delete a note on a user",
     .doc = "Only for the author, admins and owners."},
    {GET, "/organizations/:id/notes", COL_PLUS, "conversations", LIST, api_list, ABOUT_ORGANIZATION, NEWEST,
     .summary = "List the notes on an organization"},
    {GET, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_ORGANIZATION,
     .summary = "Get a note on an organization"},
    {POST, "/organizations/:id/notes", COL_PLUS, "conversations", ONE, post_organization_note, ABOUT_ORGANIZATION,
     .summary = "Create a note on an organization"},
    {PUT, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", ONE, put_note, ABOUT_ORGANIZATION,
     .summary = "Update or pin a note on an organization",
     .doc = "All staff may pin it. Only the author, admins and owners may change the text."},
    {DELETE, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", NONE, delete_note, ABOUT_ORGANIZATION,
     .summary = "Delete a note on an organization", .doc = "Only for the author, admins and owners."},
    {0},
};

const struct resource note_resource = {.type = "note",
                                       .title = "Notes",
                                       .doc = "Notes of staff on people and organizations. Customers never see them.",
                                       .url = ":owner/notes/:id",
                                       .table = "notes",
                                       .fields = note_fields,
                                       .routes = note_routes,
                                       .visible = access_staff};
