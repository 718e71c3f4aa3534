#include "res/channel.h"

#include "api/rows/generic.h"
#include "base/fold.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/link.h"
#include "core/access/permission.h"
#include "core/cases/message_mail.h"
#include "core/words.h"

#include <string.h>

/* ---- the channels of a desk ------------------------------------------------------------------
 *
 * A case shows its channels as references {uuid, resource_type}; include=channel shows them in full.
 * Twitter and Facebook are not connected, so nobody can reply by them, but imported messages may have
 * them. */

static const enum channel connected[] = {CHANNEL_MAIL, CHANNEL_HELPCENTER, CHANNEL_MESSENGER, CHANNEL_NOTE};
#define CONNECTED ((int)(sizeof connected / sizeof *connected))

#define UUID_START "c0000000-0000-4000-"
#define UUID_OF_CHANNEL UUID_START "8000-"
#define UUID_OF_MAILBOX UUID_START "8001-"

/* mailbox_id 0: MAIL by the mailbox that the conversation has, or another channel. */
static struct str channel_uuid(struct arena *a, int channel, int64_t mailbox_id) {
    bool is_mailbox = channel == CHANNEL_MAIL && mailbox_id;
    char number[INT_TEXT];
    struct str end = str_int(number, is_mailbox ? mailbox_id : channel), zeros = S("000000000000");
    zeros.n -= end.n < zeros.n ? end.n : zeros.n;
    return STR_CAT(a, is_mailbox ? S(UUID_OF_MAILBOX) : S(UUID_OF_CHANNEL), zeros, end);
}

QUERY(channel_mailbox_enabled,
      "SELECT id FROM mailboxes WHERE id = :id AND is_enabled = 1 AND deleted_at IS NULL");

/* Returns 1 and sets both for the UUID of a connected channel, or the id of an enabled mailbox; 0 if it is
 * neither; or a negative error. */
static int channel_find(struct work *w, struct str text, int *channel, int64_t *mailbox_id) {
    const struct str start = S(UUID_OF_MAILBOX);
    bool of_mailbox = text.n > start.n && str_eqi((struct str){text.p, start.n}, start);
    int64_t id;
    for (int i = 0; i < CONNECTED; i++) {
        if (!str_eqi(text, channel_uuid(w->arena, connected[i], 0))) continue;
        *channel = (int)connected[i];
        *mailbox_id = 0;
        return 1;
    }
    if (of_mailbox) {
        text.p += start.n, text.n -= start.n;
        while (text.n > 1 && text.p[0] == '0') text.p++, text.n--;
    }
    if (!str_to_int(text, &id) || id <= 0) return 0;
    *channel = CHANNEL_MAIL;
    return db_int(w->conn, &channel_mailbox_enabled, BINDS(B_INT("id", id)), mailbox_id);
}

static void channel_write(struct view *v, int channel, int64_t mailbox_id) {
    jw_object(&v->w);
    jw_name(&v->w, JSON_NAME("uuid"));
    jw_str(&v->w, channel_uuid(v->c->work.arena, channel, mailbox_id));
    if (view_includes(v, resource_of("channel"))) {
        jw_key(&v->w, S("type"));
        jw_str(&v->w, str_of(word_of(post_channels, channel)));
        jw_key(&v->w, S("character_limit"));
        jw_null(&v->w);
        jw_key(&v->w, S("account"));
        if (channel == CHANNEL_MAIL && mailbox_id)
            view_reference(v, layout_of(resource_of("mailbox")), mailbox_id);
        else jw_null(&v->w);
    }
    jw_name(&v->w, JSON_NAME("resource_type"));
    view_type(v, "channel");
    jw_end(&v->w);
}

static int64_t row_mailbox(const struct row *row) {
    const struct value *mailbox = row_cell(row, "channel_mailbox");
    return mailbox->type == V_INT ? mailbox->i : 0;
}

void render_channel(struct view *v, const struct row *row, const struct value *own) {
    int64_t channel;
    if (own->type == V_TEXT && str_to_int(own->s, &channel)) channel_write(v, (int)channel, row_mailbox(row));
    else jw_null(&v->w);
}

static bool channel_replies(const struct actor *a, enum channel channel, bool has_mail) {
    if (channel == CHANNEL_NOTE) return true;
    return permitted(a, "cases.public_reply") && (channel != CHANNEL_MAIL || has_mail);
}

/* Puts the mailbox of the conversation first. */
static void own_mailbox_first(int64_t *ids, int n, int64_t own) {
    int at = ids_place(ids, n, own);
    if (at < 0) return;
    memmove(ids + 1, ids, (size_t)at * sizeof *ids);
    ids[0] = own;
}

void render_reply_channels(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    struct json *list = NULL;
    struct json_error err;
    int n = 0;
    bool has_mail = row_cell(row, "identity")->type != V_NULL;
    if (has_mail && own->type == V_TEXT && json_parse(a, own->s, &list, &err) < 0) list = NULL;
    int64_t *ids = arena_array(a, (list ? list->count : 0) + 1, sizeof *ids);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (str_to_int(j->text, &ids[n])) n++;
    own_mailbox_first(ids, n, row_mailbox(row));
    jw_array(&v->w);
    for (int i = 0; i < CONNECTED; i++) {
        if (!channel_replies(&v->c->work.actor, connected[i], n > 0)) continue;
        for (int k = 0; k < (connected[i] == CHANNEL_MAIL ? n : 1); k++)
            channel_write(v, (int)connected[i], ids[k]);
    }
    jw_end(&v->w);
}

/* ---- lists ----------------------------------------------------------------------------------- */

QUERY(channel_requester, "SELECT requester_id FROM cases WHERE id = :id");

/* Channels of one case: MAIL only if the requester has an address. */
static int requester_has_mail(struct call *c) {
    int64_t requester;
    struct str address;
    if (c->var_count == 0) return 1;
    int rc = db_int(c->work.conn, &channel_requester, BINDS(B_INT("id", c->vars[0].id)), &requester);
    return rc <= 0 ? rc : message_mail_address(&c->work, requester, &address);
}

QUERY(channel_account,
      "SELECT COALESCE((SELECT k.mailbox_id FROM cases k WHERE k.id = :id), " DEFAULT_MAILBOX ")");
QUERY(channel_accounts, "SELECT id FROM mailboxes WHERE is_enabled = 1 AND deleted_at IS NULL ORDER BY id");

/* The enabled mailboxes; first that of the conversation, else the default. */
static int channel_mailboxes(struct call *c, int64_t **ids) {
    int64_t own = 0;
    int n = db_ids(c->work.conn, &channel_accounts, NULL, c->work.arena, ids);
    TRY(n);
    TRY(db_int(c->work.conn, &channel_account, BINDS(B_INT("id", c->var_count ? c->vars[0].id : 0)), &own));
    own_mailbox_first(*ids, n, own);
    return n;
}

static struct row *channel_row(struct call *c, struct view *v, int channel, int64_t mailbox_id) {
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "uuid") = value_text(channel_uuid(c->work.arena, channel, mailbox_id));
    *row_cell(row, "type") = value_text(str_of(word_of(post_channels, channel)));
    if (mailbox_id) *row_cell(row, "account") = (struct value){V_INT, .i = mailbox_id};
    return row;
}

static int channel_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    bool replies = strstr(c->route->path, "/reply/") != NULL;
    int64_t *mailboxes;
    int has_mail = requester_has_mail(c), n = channel_mailboxes(c, &mailboxes);
    (void)name; /* there is no read of a single channel */
    TRY(has_mail);
    TRY(n);
    for (int i = 0; i < CONNECTED; i++) {
        bool by_mail = connected[i] == CHANNEL_MAIL;
        bool listed = replies ? channel_replies(&c->work.actor, connected[i], has_mail)
                              : connected[i] != CHANNEL_NOTE && (!by_mail || has_mail);
        for (int k = 0; listed && k < (by_mail ? n : 1); k++) {
            *out = channel_row(c, v, (int)connected[i], by_mail ? mailboxes[k] : 0);
            out = &(*out)->next;
        }
    }
    return 0;
}

static int get_case_channels(struct call *c) {
    TRY(api_of(c));
    return api_list(c);
}

static const struct field channel_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the channel."},
    {"type", F_TEXT, READONLY, .doc = "MAIL, HELPCENTER, MESSENGER, NOTE, TWITTER or FACEBOOK.",
     .example = "\"MAIL\""},
    {"character_limit", F_INT, READONLY,
     .doc = "Maximum number of characters of a message. Null: no limit of its "
            "own."},
    {"account", F_REF, READONLY, .ref = "mailbox",
     .doc = "Mailbox of the channel MAIL. Null for the other channels."},
    {0},
};

static const struct route channel_routes[] = {
    {GET, "/cases/channels", COL_PLUS, "conversations", LIST_COUNT, api_list,
     .summary = "List the channels of new conversations",
     .doc = "MAIL is listed for each enabled mailbox, its `account`."},
    {GET, "/cases/reply/channels", COL_PLUS, "conversations", LIST_COUNT, api_list,
     .summary = "List the channels of replies",
     .doc = "MAIL is listed for each enabled mailbox, its `account`. Without the permission "
            "cases.public_reply, NOTE is the only one."},
    {GET, "/cases/:id/channels", COL_PLUS, "conversations", LIST_COUNT, get_case_channels, .of = "case",
     .summary = "List the channels by which a requester can be reached",
     .doc = "MAIL is listed for each enabled mailbox if the requester has an e-mail address; first that of "
            "the conversation."},
    {GET, "/cases/:id/reply/channels", COL_PLUS, "conversations", LIST_COUNT, get_case_channels, .of = "case",
     .summary = "List the channels for a reply to a conversation",
     .doc = "MAIL is listed for each enabled mailbox if the requester has an e-mail address; first that of "
            "the conversation."},
    {0},
};

const struct resource channel_resource = {
    .type = "channel",
    .scope = "conversations",
    .title = "Channels",
    .doc = "Ways by which messages come and go. A channel has a UUID and no "
           "id.",
    .fields = channel_fields,
    .routes = channel_routes,
    .rows = channel_rows};

/* ---- input ----------------------------------------------------------------------------------- */

/* The channel becomes the value, and the id of its mailbox in->made. */
static int check_channel_id(struct call *c, struct in *in) {
    int64_t *mailbox = in->made = ARENA_NEW(c->work.arena, int64_t);
    int channel = 0, rc = channel_find(&c->work, in->value.s, &channel, mailbox);
    if (rc < 0) return rc;
    in->value = (struct value){V_INT, .i = channel};
    return rc ? 0
              : fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                        "There is no such channel, and no enabled mailbox with this id. GET "
                        "/cases/reply/channels lists them.");
}

/* An address of the desk gets no copy: the mail would come back, and the desk would take part in its own
 * conversation. Programs that answer all recipients of a mail send it, so it is left out. Returns 1 if the
 * address gets a copy, 0, or a negative error. */
static int copy_leaves(struct call *c, struct str address) {
    int ours = mailbox_owns(&c->work, address);
    if (ours > 0)
        call_warn(c, STR_CAT(c->work.arena, address, S(" is an address of this desk. It gets no copy.")));
    return ours < 0 ? ours : !ours;
}

/* The addresses of channel_options.cc become in->made: a struct str list, each checked, ended by p NULL. */
static int check_channel_options(struct call *c, struct in *in) {
    struct arena *a = c->work.arena;
    const struct json *list = json_named(in->json, S("cc"));
    struct str text;
    int n = 0;
    if (list == NULL || list->type == JSON_NULL) return 0;
    if (list->type == JSON_STRING) list = input_joined(a, list, &text) ? input_split(a, text) : list;
    struct str *cc = in->made = arena_array(a, (list->type == JSON_ARRAY ? list->count : 0) + 1, sizeof *cc);
    if (list->type != JSON_ARRAY || list->count > LIMIT_COPIES)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, S("channel_options/cc"),
                       "At most %d e-mail addresses are expected.", LIMIT_COPIES);
    int place = 0;
    for (const struct json *j = list->first; j; j = j->next, place++) {
        struct str address = j->type == JSON_STRING ? str_trim(j->text) : S("");
        bool valid = email_valid(address);
        if (!valid)
            fail_at(&c->work, ERR_FIELD_INVALID, in->name, str_fmt(a, "channel_options/cc/%d", place),
                    "An e-mail address is expected.");
        int leaves = valid ? copy_leaves(c, address) : 0;
        TRY(leaves);
        if (leaves) cc[n++] = address;
    }
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

const struct field channel_input[] = {
    {"channel_id", F_TEXT, NULLABLE | CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "",
     .check = check_channel_id,
     .doc = "UUID of a channel, or the id of its account, a mailbox. In place of `channel`, or beside the "
            "same `channel`.",
     .example = "\"c0000000-0000-4000-8000-000000000006\""},
    {"channel_options", F_OBJECT, NULLABLE | CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "",
     .check = check_channel_options,
     .doc = "`html`: true if `contents` is HTML. It is cleaned. `cc`: e-mail addresses that get a copy, at "
            "most 50; only with the channel MAIL. Addresses of the desk get none.",
     .example = "{\"html\": false}"},
    {0},
};

int channel_given(struct call *c, struct channel_given *out) {
    const struct in *id = in(c, "channel_id");
    const int64_t word = in_int(c, "channel");
    const struct str *cc = in(c, "channel_options")->made;
    bool found = id->given && id->value.type == V_INT;
    *out = (struct channel_given){.channel = (int)(found ? id->value.i : word), .cc = cc};
    if (found) out->mailbox_id = *(const int64_t *)id->made;
    while (cc && cc[out->copies].p) out->copies++;
    if (!found || word == 0 || id->value.i == 0 || word == id->value.i) return 0;
    return in_fail(c, "channel_id", ERR_PARAMETERS_INCONSISTENT,
                   "channel and channel_id differ. Send one of them.");
}

int channel_mailbox(struct call *c, const struct channel_given *g, int64_t case_id, struct mailbox *out) {
    TRY(mailbox_for_reply(&c->work, g->mailbox_id, case_id, out));
    if (g->mailbox_id && out->id != g->mailbox_id)
        call_warn(c,
                  STR_CAT(c->work.arena, S("The mailbox of channel_id is not verified. The mail leaves by "),
                          out->address, S(".")));
    return 0;
}

int channel_check(struct call *c, const struct channel_given *g, int channel, int64_t requester_id) {
    struct str address;
    if (channel != CHANNEL_MAIL && g->copies)
        return fail_at(&c->work, ERR_FIELD_INVALID, S("channel_options"), S("channel_options/cc"),
                       "Only messages by the channel MAIL have copies.");
    if (channel != CHANNEL_MAIL || requester_id == c->work.actor.user_id) return 0;
    int rc = message_mail_address(&c->work, requester_id, &address);
    if (rc) return rc < 0 ? rc : 0;
    return in_fail(c, given(c, "channel_id") ? "channel_id" : "channel", ERR_FIELD_INVALID,
                   "The requester has no e-mail address. Choose another channel.");
}
