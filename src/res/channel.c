#include "res/channel.h"

#include "api/generic.h"
#include "core/access/permission.h"
#include "core/cases/message_mail.h"

/* ---- the channels of a desk -------------------------------------------------------------------------------------------------
 *
 * A case shows its channels as references {uuid, resource_type}; include=channel shows them in full. Twitter and Facebook are not connected,
 * so nobody can reply by them, but imported messages may have them. */

static const enum channel connected[] = {CHANNEL_MAIL, CHANNEL_HELPCENTER, CHANNEL_MESSENGER, CHANNEL_NOTE};
#define CONNECTED ((int)(sizeof connected / sizeof *connected))

struct str channel_uuid(struct arena *a, int channel) {
    return str_fmt(a, "c0000000-0000-4000-8000-%012d", channel);
}

static void channel_write(struct view *v, const struct row *row, int channel) {
    const struct value *mailbox = row_cell(row, "channel_mailbox");
    jw_object(&v->w);
    jw_key(&v->w, S("uuid"));
    jw_str(&v->w, channel_uuid(v->c->work.arena, channel));
    if (view_includes(v, resource_of("channel"))) {
        jw_key(&v->w, S("type"));
        jw_str(&v->w, str_of(word_of(post_channels, channel)));
        jw_key(&v->w, S("character_limit"));
        jw_null(&v->w);
        jw_key(&v->w, S("account"));
        if (channel == CHANNEL_MAIL && mailbox->type == V_INT) view_reference(v, layout_of(resource_of("mailbox")), mailbox->i);
        else jw_null(&v->w);
    }
    jw_key(&v->w, S("resource_type"));
    view_type(v, "channel");
    jw_end(&v->w);
}

void render_channel(struct view *v, const struct row *row, const struct value *own) {
    int64_t channel;
    if (own->type == V_TEXT && str_to_int(own->s, &channel)) channel_write(v, row, (int)channel);
    else jw_null(&v->w);
}

static bool channel_replies(const struct actor *a, enum channel channel, bool has_mail) {
    if (channel == CHANNEL_NOTE) return true;
    return permitted(a, "cases.public_reply") && (channel != CHANNEL_MAIL || has_mail);
}

void render_reply_channels(struct view *v, const struct row *row, const struct value *own) {
    bool has_mail = own->type == V_TEXT && str_eq(own->s, S("1"));
    jw_array(&v->w);
    for (int i = 0; i < CONNECTED; i++)
        if (channel_replies(&v->c->work.actor, connected[i], has_mail)) channel_write(v, row, connected[i]);
    jw_end(&v->w);
}

/* ---- lists ------------------------------------------------------------------------------------------------------------------- */

QUERY(channel_requester, "SELECT requester_id FROM cases WHERE id = :id");

/* Channels of one case: MAIL only if the requester has an address. */
static int requester_has_mail(struct call *c) {
    int64_t requester;
    struct str address;
    if (c->var_count == 0) return 1;
    int rc = db_int(c->work.conn, &channel_requester, BINDS(B_INT("id", c->vars[0].id)), &requester);
    return rc <= 0 ? rc : message_mail_address(&c->work, requester, &address);
}

QUERY(channel_account, "SELECT COALESCE((SELECT k.mailbox_id FROM cases k WHERE k.id = :id), " DEFAULT_MAILBOX ")");

static int channel_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    bool replies = strstr(c->route->path, "/reply/") != NULL;
    int64_t mailbox = 0;
    int has_mail = requester_has_mail(c);
    (void)name; /* there is no read of a single channel */
    TRY(has_mail);
    TRY(db_int(c->work.conn, &channel_account, BINDS(B_INT("id", c->var_count ? c->vars[0].id : 0)), &mailbox));
    for (int i = 0; i < CONNECTED; i++) {
        bool listed = replies ? channel_replies(&c->work.actor, connected[i], has_mail) : connected[i] != CHANNEL_NOTE;
        if (!listed) continue;
        struct row *row = row_new(v, layout_of(c->resource), 0);
        *row_cell(row, "uuid") = value_text(channel_uuid(c->work.arena, connected[i]));
        *row_cell(row, "type") = value_text(str_of(word_of(post_channels, connected[i])));
        if (connected[i] == CHANNEL_MAIL && mailbox) *row_cell(row, "account") = (struct value){V_INT, .i = mailbox};
        *out = row;
        out = &row->next;
    }
    return 0;
}

static int get_reply_channels(struct call *c) {
    TRY(api_of(c));
    return api_list(c);
}

static const struct field channel_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the channel."},
    {"type", F_TEXT, READONLY, .doc = "MAIL, HELPCENTER, MESSENGER, NOTE, TWITTER or FACEBOOK.", .example = "\"MAIL\""},
    {"character_limit", F_INT, READONLY, .doc = "Maximum number of characters of a message. Null: no limit of its own."},
    {"account", F_REF, READONLY, .ref = "mailbox", .doc = "Mailbox of the channel MAIL. Null for the other channels."},
    {0},
};

static const struct route channel_routes[] = {
    {GET, "/cases/channels", COL_PLUS, "conversations", LIST_COUNT, api_list, .summary = "List the channels of new conversations"},
    {GET, "/cases/reply/channels", COL_PLUS, "conversations", LIST_COUNT, api_list, .summary = "List the channels of replies",
     .doc = "Without the permission cases.public_reply, NOTE is the only one."},
    {GET, "/cases/:id/reply/channels", COL_PLUS, "conversations", LIST_COUNT, get_reply_channels, .of = "case",
     .summary = "List the channels for a reply to a conversation", .doc = "MAIL is listed if the requester has an e-mail address."},
    {0},
};

const struct resource channel_resource = {.type = "channel",
                                          .scope = "conversations",
                                          .title = "Channels",
                                          .doc = "Ways by which messages come and go. A channel has a UUID and no id.",
                                          .fields = channel_fields,
                                          .routes = channel_routes,
                                          .rows = channel_rows};
