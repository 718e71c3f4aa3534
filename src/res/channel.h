/* Channels: the ways by which messages come and go. */
#ifndef RES_CHANNEL_H
#define RES_CHANNEL_H

#include "api/view.h"
#include "core/words.h"

/* Writes the channel whose number is the value. */
void render_channel(struct view *v, const struct row *row, const struct value *own);
/* Writes the list of channels for replies to a case. The value is 1 if its requester has an e-mail address. */
void render_reply_channels(struct view *v, const struct row *row, const struct value *own);
struct str channel_uuid(struct arena *a, int channel);

/* SQL over the alias t of cases, for render_reply_channels. */
#define REQUESTER_HAS_MAIL \
    "CASE WHEN EXISTS (SELECT 1 FROM identity_emails e WHERE e.user_id = t.requester_id AND e.is_primary = 1) THEN 1 ELSE 0 END"

#define CHANNEL_EXAMPLE "{\"uuid\": \"c0000000-0000-4000-8000-000000000002\", \"resource_type\": \"channel\"}"

#endif
