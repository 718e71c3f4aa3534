/* Channels: the ways by which messages come and go. */
#ifndef RES_CHANNEL_H
#define RES_CHANNEL_H

#include "api/view.h"
#include "core/words.h"

/* Writes the channel whose number is the value. The row has a member `channel_mailbox`. */
void render_channel(struct view *v, const struct row *row, const struct value *own);
/* Writes the list of channels for replies to a case. The value is 1 if its requester has an e-mail address. The row has `channel_mailbox`. */
void render_reply_channels(struct view *v, const struct row *row, const struct value *own);
struct str channel_uuid(struct arena *a, int channel);

/* SQL over the alias t of cases, for render_reply_channels. */
#define REQUESTER_HAS_MAIL \
    "CASE WHEN EXISTS (SELECT 1 FROM identity_emails e WHERE e.user_id = t.requester_id AND e.is_primary = 1) THEN 1 ELSE 0 END"

/* A hidden member that loads the mailbox of the channel MAIL: that of the conversation, else the default. The subquery runs once for a statement. */
#define CHANNEL_MAILBOX(of_case)                                                                                    \
    {                                                                                                               \
        "channel_mailbox", F_REF, HIDDEN, .ref = "mailbox", .column = "COALESCE(" of_case ", " DEFAULT_MAILBOX ")", \
                                          .doc = "Mailbox of the conversation, or the default one.",                \
    }
#define DEFAULT_MAILBOX "(SELECT b.id FROM mailboxes b WHERE b.is_default = 1)"

#define CHANNEL_EXAMPLE "{\"uuid\": \"c0000000-0000-4000-8000-000000000002\", \"resource_type\": \"channel\"}"

#endif
