/* Drafts of the caller, and those that others share. The address of a private draft names a conversation
 * and a channel, or the new conversation, and the caller is the last part of the key, so there is no
 * address of a private draft of somebody else.
 *
 * Two editors of one person (tabs, machines) never overwrite each other unnoticed: a draft is only
 * overwritten by a request that names the version it replaces. A request that was sent twice finds its own
 * text and succeeds. */
#include "res/draft.h"

#include "api/input/input.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/limits.h"
#include "core/access/access.h"
#include "core/words.h"
#include "json/json.h"
#include "res/attachment.h"
#include "res/groups.h"

#include <inttypes.h>

static const struct word draft_channels[] = {
    {DRAFT_REPLY, "REPLY"}, {DRAFT_NOTE, "NOTE"}, {DRAFT_FORWARD, "FORWARD"}, {0}};

/* ---- the table ------------------------------------------------------------------------------- */

static void render_json(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    if (own->type == V_TEXT) jw_raw(&v->w, own->s);
    else jw_null(&v->w);
}

#define PARAMETERS_DOC                                                                                     \
    "Further parameters of the reply, note, forward or conversation, as the editor will send them: "       \
    "`channel`, `channel_options` (recipients of copies), `subject`, `status_id`, `tags`, `macro_id` and " \
    "others. The desk stores them and checks them when they are sent."

static const struct field draft_texts[] = {
    {"contents", F_LONG, READONLY | ON_DEMAND, .max = LIMIT_DRAFT,
     .doc = "The text as the editor wrote it. The desk does not clean HTML in it.",
     .example = "\"Have you tried\""},
    {"parameters", F_JSON, READONLY | ON_DEMAND, .render = render_json, .doc = PARAMETERS_DOC,
     .example = "{\"status_id\": 3}"},
    {"attachment_file_ids", F_JSON, READONLY, .column = "t.file_ids", .render = render_json,
     .doc = "Ids of your uploaded files that will be attached. Null: none.", .example = "[7]"},
    {0},
};

static const struct field draft_fields[] = {
    {"case_id", F_INT, HIDDEN, .column = "t.case_id"},
    {"case", F_REF, READONLY, .ref = "case", .doc = "The conversation."},
    {"user", F_REF, READONLY, .ref = "user_minimal", .doc = "Its writer."},
    {"place", F_TEXT, HIDDEN,
     .column = "CASE WHEN t.is_shared = 1 THEN 'drafts/' || t.id WHEN t.channel = 2 THEN "
               "'draft?channel=NOTE' WHEN t.channel = 3 THEN 'draft?channel=FORWARD' ELSE 'draft' END"},
    {"channel", F_WORD, READONLY, .words = draft_channels,
     .doc = "REPLY: becomes a reply. NOTE: becomes a note. FORWARD: becomes a forward."},
    {"is_shared", F_BOOL, READONLY,
     .doc = "True if everybody of staff who sees the conversation reads it, and can take it."},
    {"*", .group = draft_texts},
    {"base_post_id", F_INT, READONLY,
     .doc = "The newest post that was seen when the text was begun, for `last_seen_post_id` of the reply.",
     .example = "6490"},
    {"*", .group = row_times},
    {0},
};

static const struct field draft_texts_input[] = {
    {"contents", F_LONG, NULLABLE, .max = LIMIT_DRAFT,
     .doc = "Required. The text as the editor has it. If it is blank and nothing else is given, the draft is "
            "deleted.",
     .example = "\"Have you tried\""},
    {"parameters", F_OBJECT, NULLABLE, .doc = PARAMETERS_DOC, .example = "{\"status_id\": 3}"},
    {"attachment_file_ids", F_IDS, 0, .check = check_file_ids,
     .doc = "Ids of your uploaded files to attach. They do not expire before the draft.", .example = "[]"},
    {0},
};

static const struct field draft_input[] = {
    {"*", .group = draft_texts_input},
    {"base_post_id", F_INT, NULLABLE, .min = 1, .max = INT64_MAX,
     .doc = "The newest post that was seen when the text was begun.", .example = "6490"},
    {"is_shared", F_BOOL, 0,
     .doc = "True: everybody of staff who sees the conversation reads the draft, and can take it. Without "
            "it, this stays as it is. The draft of a forward is not shared."},
    {0},
};

#define REQUESTER_DOC                                                                                 \
    "Person who will be the requester. The desk stores the number and checks it when it is sent, so " \
    "the person may be gone. Null: nobody is chosen."

static const struct field new_case_draft_fields[] = {
    {"requester_id", F_INT, READONLY, .doc = REQUESTER_DOC, .example = "3"},
    {"*", .group = draft_texts},
    {"*", .group = row_times},
    {0},
};

static const struct field new_case_draft_input[] = {
    {"*", .group = draft_texts_input},
    {"requester_id", F_INT, NULLABLE, .min = 1, .max = INT64_MAX, .doc = REQUESTER_DOC, .example = "3"},
    {0},
};

static const struct field draft_args[] = {
    {"channel", F_WORD, .words = draft_channels, .doc = "REPLY (default), NOTE or FORWARD."},
    {0},
};

static const struct field draft_list_args[] = {
    {"case_ids", F_IDS, .filter = "t.case_id IN @LIST(:case_ids)",
     .doc = "Only drafts of these conversations."},
    {0},
};

/* The caller's own and shared ones, of conversations that the caller sees now. */
static void draft_visible(struct work *w, struct branches *out) {
    struct branches cases = {0};
    if (w->actor.rank < ROLE_COLLABORATOR) return;
    access_cases_of_any_state(w, &cases);
    access_through(w, "cases", "t.case_id", NULL, &cases, out);
    branch_bind_int(out, ":writer", w->actor.user_id);
    out->where[0] = str_fmt(w->arena, "(t.user_id = :writer OR t.is_shared = 1) AND %s", out->where[0]).p;
}

/* ---- one draft ------------------------------------------------------------------------------- */

static enum draft_channel channel_asked(struct call *c) {
    const struct in *in = arg(c, "channel");
    return in->given && in->value.type == V_INT ? (enum draft_channel)in->value.i : DRAFT_REPLY;
}

/* The key that the address names. */
static struct draft draft_named(struct call *c) {
    if (c->route->of == NULL) return (struct draft){0};
    return (struct draft){.case_id = c->vars[0].id, .channel = channel_asked(c)};
}

static struct value number_or_null(int64_t n) {
    return n ? (struct value){V_INT, .i = n} : (struct value){0};
}

static struct str draft_place(struct arena *a, const struct draft *d) {
    if (d->is_shared) return str_fmt(a, "drafts/%" PRId64, d->id);
    return d->channel == DRAFT_NOTE      ? S("draft?channel=NOTE")
           : d->channel == DRAFT_FORWARD ? S("draft?channel=FORWARD")
                                         : S("draft");
}

static struct row *draft_row(struct view *v, const struct draft *d) {
    struct row *row = row_new(v, layout_of(resource_of(d->case_id ? "draft" : "new_case_draft")), d->id);
    if (d->case_id) {
        *row_cell(row, "case") = (struct value){V_INT, .i = d->case_id};
        *row_cell(row, "case_id") = (struct value){V_INT, .i = d->case_id};
        *row_cell(row, "user") = (struct value){V_INT, .i = d->user_id};
        *row_cell(row, "place") = value_text(draft_place(v->c->work.arena, d));
        *row_cell(row, "is_shared") = (struct value){V_INT, .i = d->is_shared};
        *row_cell(row, "channel") = (struct value){V_INT, .i = d->channel};
        *row_cell(row, "base_post_id") = number_or_null(d->base_post_id);
    } else *row_cell(row, "requester_id") = number_or_null(d->requester_id);
    *row_cell(row, "contents") = value_text(d->contents);
    *row_cell(row, "parameters") = value_text(d->parameters);
    *row_cell(row, "attachment_file_ids") = value_text(d->file_ids);
    *row_cell(row, "created_at") = (struct value){V_INT, .i = d->created_at};
    *row_cell(row, "updated_at") = (struct value){V_INT, .i = d->updated_at};
    return row;
}

static struct str draft_tag(struct view *v, const struct row *row) {
    char hex[33];
    view_tag(v, row, hex);
    return str_dup(v->c->work.arena, str_of(hex));
}

static int draft_reply(struct call *c, const struct draft *d) {
    struct view *v = view_new(c);
    struct row *row = draft_row(v, d);
    int rc;
    TRY(view_follow(v, row));
    c->etag = draft_tag(v, row);
    c->modified = d->updated_at;
    if (c->method == GET && !c->options.ajax && (rc = conditional(c)) != 0) return rc < 0 ? rc : 0;
    return envelope_row(v, row);
}

/* Compares If-Match and If-None-Match with the stored draft; now NULL: there is none. */
static int draft_compare(struct call *c, const struct draft *now) {
    struct view *v = view_new(c);
    c->etag = now ? draft_tag(v, draft_row(v, now)) : (struct str){0};
    int rc = conditional(c);
    c->etag = (struct str){0};
    return rc < 0 ? rc : 0;
}

static bool names_version(const struct call *c) {
    return http_header(c->http, "If-Match").p || http_header(c->http, "If-None-Match").p;
}

static int get_draft(struct call *c) {
    struct draft d;
    c->options.also = "+contents,+parameters";
    TRY(api_of(c));
    TRY(api_input(c));
    struct draft named = draft_named(c);
    TRY_FOUND(&c->work, draft_load(&c->work, named.case_id, named.channel, &d));
    return draft_reply(c, &d);
}

static int draft_read(struct call *c, struct draft *d) {
    struct arena *a = c->work.arena;
    int rc = api_input(c);
    const struct in *contents = in(c, "contents"), *files = in(c, "attachment_file_ids"),
                    *parameters = in(c, "parameters");
    *d = draft_named(c);
    if (d->case_id) {
        d->base_post_id = in_int(c, "base_post_id");
        d->is_shared = in_int(c, "is_shared") != 0;
        if (d->is_shared && d->channel == DRAFT_FORWARD)
            in_fail(c, "is_shared", ERR_FIELD_INVALID, "The draft of a forward is not shared.");
    } else d->requester_id = in_int(c, "requester_id");
    d->contents = contents->value.s.p ? contents->value.s : S("");
    if (contents->json == NULL) in_fail(c, "contents", ERR_FIELD_REQUIRED, NULL);
    if (files->value.type == V_IDS && files->value.i)
        d->file_ids = json_ids(a, files->value.ids, (size_t)files->value.i);
    if (files->value.type == V_IDS && files->value.i > LIMIT_ATTACHMENTS)
        in_fail(c, "attachment_file_ids", ERR_FIELD_INVALID, "At most %d files can be attached.",
                LIMIT_ATTACHMENTS);
    if (parameters->given && parameters->json && parameters->json->type == JSON_OBJECT)
        d->parameters = json_text(a, parameters->json);
    if (d->parameters.n > LIMIT_DRAFT_PARAMETERS)
        in_fail(c, "parameters", ERR_FIELD_INVALID, "At most %d bytes of JSON are stored.",
                LIMIT_DRAFT_PARAMETERS);
    return failed(&c->work) ? -(int)failure(&c->work) : rc;
}

/* Sharing is a change of the conversation, so its row is locked first, in the order of every write to it. */
static int draft_lock_write(struct call *c, bool shares, struct draft *now) {
    struct work *w = &c->work;
    struct draft named = draft_named(c);
    if (!shares) TRY(draft_load(w, named.case_id, named.channel, now));
    if (shares || now->is_shared) TRY(db_lock_row(w->conn, "cases", named.case_id));
    return draft_lock(w, named.case_id, named.channel, now);
}

static int put_draft(struct call *c) {
    struct work *w = &c->work;
    struct draft now, wanted;
    TRY(api_of(c));
    TRY(draft_read(c, &wanted));
    int found = draft_lock_write(c, wanted.is_shared, &now);
    bool is_empty = draft_is_empty(&wanted);
    TRY(found);
    if (wanted.case_id && !given(c, "is_shared")) wanted.is_shared = now.is_shared;
    c->compared = true; /* RFC 9110 section 13.1.1: a request whose change is made already may succeed */
    if (!found && is_empty) return api_reply_none(c);
    if (found && draft_is_same(&now, &wanted)) return draft_reply(c, &now);
    if (found && !names_version(c)) return fail(w, ERR_RESOURCE_MODIFIED);
    TRY(draft_compare(c, found ? &now : NULL));
    if (is_empty) {
        TRY(draft_drop(w, &now));
        return api_reply_none(c);
    }
    TRY(draft_save(w, found ? &now : NULL, &wanted));
    return draft_reply(c, &wanted);
}

static int delete_draft(struct call *c) {
    struct draft now;
    TRY(api_of(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, draft_lock_write(c, false, &now));
    TRY(draft_compare(c, &now));
    TRY(draft_drop(&c->work, &now));
    return api_reply(c);
}

/* ---- shared ones ------------------------------------------------------------------------------ */

static int get_shared_draft(struct call *c) {
    c->options.also = "+contents,+parameters";
    return api_get(c);
}

static int put_draft_take(struct call *c) {
    struct draft d;
    TRY(db_lock_row(c->work.conn, "cases", c->vars[0].id));
    TRY(api_target(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, draft_take(&c->work, c->vars[0].id, c->id, &d));
    c->options.also = "+contents,+parameters";
    return draft_reply(c, &d);
}

/* ---- sending --------------------------------------------------------------------------------- */

const struct field draft_sent_input[] = {
    {"draft_etag", F_TEXT, NULLABLE | CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "",
     .doc = "ETag of your draft that is sent, or *. If your draft (of this conversation and channel, or of a "
            "new conversation) has it, it is deleted together with the write. A newer one stays."},
    {0},
};

int draft_sent(struct call *c, enum draft_channel channel) {
    struct str tag = in_text(c, "draft_etag");
    struct draft now;
    if (tag.p == NULL) return 0;
    int found = draft_lock(&c->work, c->route->of ? c->vars[0].id : 0, channel, &now);
    if (found <= 0) return found;
    struct view *v = view_new(c);
    return tag_listed(tag, draft_tag(v, draft_row(v, &now))) ? draft_drop(&c->work, &now) : 0;
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define OF_CASE .within = {"case", "case_id"}
#define SHARED                                                                                      \
    .sample = {.path = "18,$DRAFT",                                                                 \
               .setup = "curl {owner} -X PUT -d contents=Begun -d is_shared=true "                  \
                        "\"{api}/cases/18/draft\"\nDRAFT=$(curl {owner} \"{api}/cases/18/drafts\" " \
                        "| member id)"}

static const struct route draft_routes[] = {
    {GET, "/profile/drafts", COL_PLUS, "conversations", LIST, api_list, .args = draft_list_args,
     .where = "t.user_id = :me", .order = {.key = "t.updated_at", .descending = true},
     .summary = "List your drafts",
     .doc = "The newest first. Only of conversations that you see. Texts only with "
            "`fields=+contents,+parameters`."},
    {PUT, "/cases/:id/draft", COL_PLUS, "conversations", ONE, put_draft, .of = "case", .args = draft_args,
     .input = draft_input, .also = NONE, .summary = "Save your draft of a reply, note or forward",
     .doc = "Replaces the whole draft, or creates it. To replace one, send its ETag in If-Match; * replaces "
            "any. Without a precondition, or with another ETag, a draft with other contents is not "
            "overwritten: 412. A PUT of what is stored succeeds and changes nothing. A blank text without "
            "files deletes the draft, of a forward also without parameters; the reply then has only the "
            "status. The reply has no texts. Nobody else sees a draft that is not shared. It is deleted 90 "
            "days after its last change; of "
            "more than 200 drafts of a person, the oldest are."},
    {GET, "/cases/:id/draft", COL_PLUS, "conversations", ONE, get_draft, .of = "case", .args = draft_args,
     .summary = "Get your draft of a reply, note or forward",
     .doc = "404 if you have none. Also if the conversation is suspended, merged or in the trash."},
    {DELETE, "/cases/:id/draft", COL_PLUS, "conversations", NONE, delete_draft, .of = "case",
     .args = draft_args, .summary = "Delete your draft of a reply, note or forward",
     .doc = "With If-Match only if it has this ETag."},
    {GET, "/cases/:id/drafts", COL_PLUS, "conversations", LIST, api_list, OF_CASE,
     .order = {.key = "t.updated_at", .descending = true}, .summary = "List the drafts of a conversation",
     .doc = "Your own and those that others share, the newest first. Texts only with "
            "`fields=+contents,+parameters`."},
    {GET, "/cases/:id/drafts/:draft_id", COL_PLUS, "conversations", ONE, get_shared_draft, OF_CASE, SHARED,
     .summary = "Get your own or a shared draft"},
    {PUT, "/cases/:id/drafts/:draft_id/take", COL_PLUS, "conversations", ONE, put_draft_take, OF_CASE, SHARED,
     .input = no_fields, .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .summary = "Take a shared draft",
     .doc = "The draft becomes yours with its files, and is no longer shared: go on with it, and send it. "
            "404 if somebody has sent, deleted or taken it. Refused if you have a draft of the same channel "
            "in the conversation."},
    {0},
};

const struct resource draft_resource = {
    .type = "draft",
    .scope = "conversations",
    .title = "Drafts",
    .doc = "Replies, notes and forwards that you have begun and not sent, and those "
           "that others share with you. A draft belongs to one person, "
           "one conversation and one channel.",
    .url = "cases/:case/:place",
    .table = "drafts",
    .fields = draft_fields,
    .routes = draft_routes,
    .visible = draft_visible,
    .keyset = true,
    .unlogged = "its sharing is a change of the conversation"};

static const struct route new_case_draft_routes[] = {
    {PUT, "/cases/draft", AG_PLUS, "conversations", ONE, put_draft, .input = new_case_draft_input,
     .also = NONE, .summary = "Save your draft of a new conversation",
     .doc =
         "Replaces the whole draft, or creates it. You have one at most. As with the draft of a reply, send "
         "its ETag in If-Match to replace it. Without a text, files, requester and parameters the draft is "
         "deleted; the reply then has only the status. POST /cases deletes it if `draft_etag` names it. "
         "Nobody else sees it. It is deleted 90 days after its last change."},
    {GET, "/cases/draft", AG_PLUS, "conversations", ONE, get_draft,
     .summary = "Get your draft of a new conversation", .doc = "404 if you have none.",
     .errors = "RESOURCE_NOT_FOUND"},
    {DELETE, "/cases/draft", AG_PLUS, "conversations", NONE, delete_draft,
     .summary = "Delete your draft of a new conversation", .doc = "With If-Match only if it has this ETag.",
     .errors = "RESOURCE_NOT_FOUND"},
    {0},
};

/* No table: no list and no reference has its rows. */
const struct resource new_case_draft_resource = {.type = "new_case_draft",
                                                 .scope = "conversations",
                                                 .title = "Drafts of new conversations",
                                                 .doc =
                                                     "The conversation that you have begun and not opened.",
                                                 .url = "cases/draft",
                                                 .fields = new_case_draft_fields,
                                                 .routes = new_case_draft_routes};
