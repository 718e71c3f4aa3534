/* The channel of a new message or note, as parameters. */
#ifndef RES_CHANNEL_INPUT_H
#define RES_CHANNEL_INPUT_H

#include "api/table/fields.h"
#include "api/input/input.h"
#include "core/mail/mailbox.h"

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
