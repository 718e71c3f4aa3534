/* The change log, as clients read it (core/change/log.h). */
#include "core/change/log.h"

#include "api/rows/cursor.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "core/change/change.h"
#include "core/words.h"

/* Entries of a conversation are shown to callers who may see it. All other entries are shown to every
 * caller of the route. */
static void visible_changes(struct work *w, struct branches *out) {
    access_case_or_none(w, "t.case_id", out);
}

static const struct word change_verbs[] = {
    {CHANGE_CREATED, "CREATED"}, {CHANGE_DELETED, "DELETED"}, {CHANGE_UPDATED, "UPDATED"}, {0}};

static const struct field change_fields[] = {
    {"cursor", F_TEXT, READONLY, .column = "NULL",
     .doc = "Cursor of this entry. Send it as `after` to get the entries that "
            "follow.",
     .example = "\"q0FzX2m4QH1vJ8Yt5nLw0DF8c3FsaXRlfHw3MXw3MQ\""},
    {"action", F_WORD, READONLY, .column = "t.verb", .words = change_verbs,
     .doc = "Kind of change. CREATED and DELETED concern the whole object.", .example = "\"UPDATED\""},
    {"resource_type", F_TEXT, READONLY, .column = "t.kind", .doc = "Type of the changed object.",
     .example = "\"case\""},
    {"resource_id", F_INT, READONLY, .column = "t.object_id", .doc = "Id of the changed object.",
     .example = "23"},
    {"property", F_TEXT, READONLY,
     .doc = "Name of the changed property. Null if the object was created or "
            "deleted.",
     .example = "\"status\""},
    {"from", F_LONG, READONLY, .column = "t.old_value",
     .doc = "Value before the change, as text. A reference is shown as its id. Null: there was no value, it "
            "is a secret, or the bearer token lacks the scope of the object.",
     .example = "\"1\""},
    {"to", F_LONG, READONLY, .column = "t.new_value", .doc = "Value after the change.", .example = "\"2\""},
    {"actor", F_REF, READONLY, .ref = "user",
     .doc = "Person who made the change. Null: the caller was not logged in, or the server made the change."},
    {"cause", F_TEXT, READONLY,
     .doc = "Reason of a change by the server, as `Job: cascade`. Null: a "
            "request of a caller made the change."},
    {"changed_at", F_TIME, READONLY, .doc = "Time of the change."},
    {0},
};

static const struct field change_list_args[] = {
    {"after", F_TEXT, .max = 4096,
     .doc = "Cursor of the last entry that was read. Without it, the list "
            "begins with the oldest entry.",
     .example = "\"q0FzX2m4QH1vJ8Yt5nLw0DF8c3FsaXRlfHw3MXw3MQ\""},
    {0},
};

#define CHANGES "changes" /* its cursors */

static int refuse_cursor(struct call *c, const char *why) {
    return fail_field(&c->work, ERR_FIELD_INVALID, S("after"),
                      "%s Get the objects again, and the changes without `after`.", why);
}

/* Reads the given cursor. It must belong to this store, and no entry after it may have been deleted. */
static int changes_read_page(struct call *c, struct change_cursor *cursor, int64_t *ids, bool *more) {
    enum change_log_state state;
    const struct in *after = arg(c, "after");
    struct str place;
    if (after->given && !(cursor_open(&c->work, CHANGES, after->value.s, &place) &&
                          change_cursor_read(c->work.arena, place, cursor)))
        return refuse_cursor(c, "This is not a cursor of this desk.");
    int n = change_log_read(&c->work, cursor, (int)c->options.limit, ids, more, &state);
    TRY(n);
    if (state == CURSOR_FOREIGN)
        return refuse_cursor(c, "This cursor belongs to another store: the desk was moved or "
                                "restored.");
    if (state == CURSOR_PRUNED) return refuse_cursor(c, "Entries behind this cursor were deleted by age.");
    return n;
}

static struct str cursor_behind(struct call *c, struct change_cursor cursor, int64_t id) {
    cursor.last = id;
    return cursor_seal(&c->work, CHANGES, change_cursor_text(c->work.arena, &cursor));
}

/* An entry about an object that the token may not read has no values, like that of a secret. */
static void change_finish_row(const struct view *v, struct row *row, struct str cursor) {
    *row_cell(row, "cursor") = value_text(cursor);
    if (call_may_read_type(v->c, row_cell(row, "resource_type")->s)) return;
    *row_cell(row, "from") = *row_cell(row, "to") = (struct value){0};
}

static int get_changes(struct call *c) {
    struct change_cursor cursor = {0};
    struct row *rows = NULL;
    int64_t shown = 0;
    bool more = false;
    int found;
    TRY(api_input(c));
    int64_t *ids = arena_array(c->work.arena, (size_t)c->options.limit + 1, sizeof *ids);
    int n = changes_read_page(c, &cursor, ids, &more);
    TRY(n);
    struct view *v = view_new(c);
    TRY(view_load(v, c->resource, ids, n, &rows, &found));
    for (struct row *row = rows; row; row = row->next) {
        change_finish_row(v, row, cursor_behind(c, cursor, row->id));
        shown = row->id;
    }
    /* No entry has the cursor behind hidden ones at the end. Without next_url a client would ask for them for ever. */
    if (n && shown != ids[n - 1]) more = true;
    TRY(view_follow(v, rows));
    envelope_begin(v);
    jw_key(&v->w, S("data"));
    jw_array(&v->w);
    for (struct row *row = rows; row; row = row->next) view_row(v, row);
    jw_end(&v->w);
    envelope_resource(v);
    jw_key(&v->w, S("limit"));
    jw_int(&v->w, c->options.limit);
    if (more) reply_next(v, "after", cursor_behind(c, cursor, ids[n - 1]));
    envelope_end(v);
    return 0;
}

static const struct route change_routes[] = {
    {GET, "/changes", AD, "configuration", LIST_CURSOR, get_changes, .args = change_list_args,
     .summary = "List changes",
     .doc = "The entries of one object are in the order of their commits. No entry is missed or repeated if "
            "you continue with the cursor of the last entry. A page may have fewer entries than `limit`, "
            "because it leaves out entries of conversations that the caller may not see. Continue with "
            "`next_url`."},
    {0},
};

const struct resource change_resource = {
    .type = "change",
    .scope = "configuration",
    .title = "Changes",
    .doc = "The change log: all changes on the desk, for programs that follow "
           "them.",
    .table = "change_log",
    .where = "t.kind NOT IN ('notification', 'notifications')", /* a person's own, also the reading of them */
    .fields = change_fields,
    .routes = change_routes,
    .visible = visible_changes,
    .is_item = true,
    .unlogged = "it is the log"};
