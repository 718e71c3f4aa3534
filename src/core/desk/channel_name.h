/* The names of realtime channels, as resources show them and clients join them (live/topic.h). */
#ifndef CORE_DESK_CHANNEL_NAME_H
#define CORE_DESK_CHANNEL_NAME_H

#include "work/work.h"

/* The channel of a person's own notifications. Nobody else is shown it. */
struct str channel_of_own(const struct desk *d, struct arena *a, struct str uuid);
/* The channel that says whether a person is online. Its hash is the encrypted id and a MAC, so that the person
 * of a name is found without a look at all people. */
struct str channel_of_presence(const struct desk *d, struct arena *a, int64_t user_id);
/* The person of such a name; 0: this desk did not make it. */
int64_t channel_presence_person(const struct desk *d, struct arena *a, struct str name);

#endif
