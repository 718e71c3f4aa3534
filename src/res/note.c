/* Notes on people and organizations (api.md "Notes", completions.md section 6). Those on conversations come with the cases. */
#include "core/cases/note.h"

#include "api/generic.h"
#include "api/view.h"
#include "base/limits.h"

static const struct field note_fields[] = {
    {"owner", F_TEXT, HIDDEN,
     .column = "CASE WHEN t.owner_user_id IS NOT NULL THEN 'users/' || t.owner_user_id ELSE 'organizations/' || t.organization_id END",
     .doc = "What it is about, as the beginning of its address."},
    {"body_text", F_LONG, READONLY, .doc = "What it says.", .example = "\"Prefers to be called.\""},
    {"body_html", F_LONG, READONLY, .doc = "The same as HTML.", .example = "\"Prefers to be called.\""},
    {"contents", F_LONG, REQUIRED | INPUT_ONLY | BY_HANDLER, .max = LIMIT_CONTENTS, .column = "", .doc = "What it says.",
     .example = "\"Prefers to be called.\""},
    {"is_pinned", F_BOOL, BY_HANDLER, .initial = "0", .doc = "Whether it is shown above the others."},
    {"pinned_by", F_REF, READONLY, .ref = "user", .doc = "Who pinned it."},
    {"user", F_REF, READONLY, .ref = "user", .doc = "Who wrote it."},
    {"attachments", F_COMPUTED, READONLY, .render = render_nothing, .doc = "Its files.", .example = "[]"},
    {"download_all", F_COMPUTED, READONLY, .render = render_null, .doc = "Address of all its files; null with fewer than two.",
     .example = "null"},
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at", F_TIME, READONLY, .doc = "When it last changed."},
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
    {"is_pinned", F_BOOL, .filter = "t.is_pinned = :is_pinned", .doc = "Only pinned ones, or only others."},
    {0},
};

#define ABOUT_USER .within = {"user", "owner_user_id"}
#define ABOUT_ORGANIZATION .within = {"organization", "organization_id"}
#define NEWEST .args = list_args, .order = {"t.created_at", true}

static const struct route note_routes[] = {
    {GET, "/users/:id/notes", COL_PLUS, "conversations", LIST, api_list, ABOUT_USER, NEWEST, .summary = "List the notes on a person"},
    {GET, "/users/:id/notes/:note_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_USER, .summary = "Read a note on a person"},
    {POST, "/users/:id/notes", COL_PLUS, "conversations", ONE, post_user_note, ABOUT_USER, .summary = "Write a note on a person"},
    {PUT, "/users/:id/notes/:note_id", COL_PLUS, "conversations", ONE, put_note, ABOUT_USER, .summary = "Change or pin a note on a person",
     .doc = "Everybody may pin it; who wrote it, admins and owners may change what it says."},
    {DELETE, "/users/:id/notes/:note_id", COL_PLUS, "conversations", NONE, delete_note, ABOUT_USER, .summary = "Delete a note on a person",
     .doc = "By who wrote it, admins and owners."},
    {GET, "/organizations/:id/notes", COL_PLUS, "conversations", LIST, api_list, ABOUT_ORGANIZATION, NEWEST,
     .summary = "List the notes on an organization"},
    {GET, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_ORGANIZATION,
     .summary = "Read a note on an organization"},
    {POST, "/organizations/:id/notes", COL_PLUS, "conversations", ONE, post_organization_note, ABOUT_ORGANIZATION,
     .summary = "Write a note on an organization"},
    {PUT, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", ONE, put_note, ABOUT_ORGANIZATION,
     .summary = "Change or pin a note on an organization",
     .doc = "Everybody may pin it; who wrote it, admins and owners may change what it says."},
    {DELETE, "/organizations/:id/notes/:note_id", COL_PLUS, "conversations", NONE, delete_note, ABOUT_ORGANIZATION,
     .summary = "Delete a note on an organization", .doc = "By who wrote it, admins and owners."},
    {0},
};

const struct resource note_resource = {.type = "note",
                                       .title = "Notes",
                                       .doc = "What staff write about people and organizations; customers never see it.",
                                       .url = ":owner/notes/:id",
                                       .table = "notes",
                                       .fields = note_fields,
                                       .routes = note_routes,
                                       .visible = access_staff};
