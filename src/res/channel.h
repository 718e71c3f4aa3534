/* Channels: the ways by which messages come and go. MAIL is a channel for each mailbox, its account. */
#ifndef RES_CHANNEL_H
#define RES_CHANNEL_H

#include "api/rows/view.h"
#include "api/table/fields.h"
#include "api/input/input.h"
#include "core/mail/mailbox.h"
#include "core/words.h"

/* Writes the channel whose number is the value. The row has a member `channel_mailbox`. */
void render_channel(struct view *v, const struct row *row, const struct value *own);
/* Writes the list of channels for replies to a case. The value is REPLY_MAILBOXES. The row has
 * `channel_mailbox`, and `identity`: null if the requester has no e-mail address. */
void render_reply_channels(struct view *v, const struct row *row, const struct value *own);

/* SQL for render_reply_channels: the enabled mailboxes. The subquery runs once for a statement. */
#define REPLY_MAILBOXES                                                                                    \
    "(SELECT @JSON_ROWS(m.id) FROM (SELECT x.id FROM mailboxes x WHERE x.is_enabled = 1 AND x.deleted_at " \
    "IS NULL ORDER BY x.id) m)"

/* A hidden member that loads the mailbox of the channel MAIL: that of the conversation, else the default.
 * The subquery runs once for a statement. */
#define CHANNEL_MAILBOX(of_case)                                                                     \
    {                                                                                                \
        "channel_mailbox", F_REF, HIDDEN, .ref = "mailbox",                                          \
                                          .column = "COALESCE(" of_case ", " DEFAULT_MAILBOX ")",    \
                                          .doc = "Mailbox of the conversation, or the default one.", \
    }
#define DEFAULT_MAILBOX "(SELECT b.id FROM mailboxes b WHERE b.is_default = 1)"

#define CHANNEL_EXAMPLE "{\"uuid\": \"c0000000-0000-4000-8000-000000000002\", \"resource_type\": \"channel\"}"

/* ---- input ---------------------------------------------------------------------------------- */

/* channel_id and channel_options. The table also has `channel`, a word of post_channels. */
extern const struct field channel_input[];

struct channel_given {
    int channel;        /* 0: not given */
    int64_t mailbox_id; /* mailbox of channel_id; 0: none */
    const struct str *cc;
    int copies; /* number of addresses in cc */
};

/* After api_input. Fails with PARAMETERS_INCONSISTENT if channel and channel_id differ. */
int channel_given(struct call *c, struct channel_given *out);
/* The mailbox by which the mail of a message leaves. A warning says if it is not the given one. */
int channel_mailbox(struct call *c, const struct channel_given *g, int64_t case_id, struct mailbox *out);
/* Fails with FIELD_INVALID if the channel can't have the copies, or if it is MAIL and the requester has no
 * e-mail address. `channel`: the one that was given, or the default. */
int channel_check(struct call *c, const struct channel_given *g, int channel, int64_t requester_id);

#endif
