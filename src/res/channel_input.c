
#include "api/rows/generic.h"
#include "base/fold.h"
#include "base/limits.h"
#include "base/link.h"
#include "core/cases/message_mail.h"
#include "core/words.h"
#include "res/channel.h"

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
