/* Rules of all kinds: their generation, and the channels and events of changes. */
#ifndef CORE_RULE_H
#define CORE_RULE_H

#include "base/words.h"
#include "work/work.h"

/* The store has the numbers, so append only. 0: any. */
enum rule_channel {
    RULE_API = 1,
    RULE_MAIL,
    RULE_TWITTER,
    RULE_FACEBOOK,
    RULE_VOICE,
    RULE_MESSENGER,
    RULE_SYSTEM,
    RULE_HELPCENTER
};
enum rule_event {
    RULE_SLA_BREACHED = 1,
    RULE_TRIGGERED,
    RULE_MONITORED,
    RULE_INCOMING_MAIL,
    RULE_MENTION,
    RULE_DIRECT_MESSAGE,
    RULE_SAVED_SEARCH,
    RULE_WALL_POST,
    RULE_MESSAGE
};
extern const struct word rule_channels[], rule_events[];

/* The events of a channel, in order; ends with 0. */
const enum rule_event *rule_events_of(enum rule_channel channel);

/* The channel of a request with this source (enum source). */
enum rule_channel rule_channel_of(int source);

struct rule_cache *rule_cache_new(void);
void rule_cache_free(struct rule_cache *c);

/* Call it in each write that changes an SLA, a trigger or anything else that compiled rules contain
 * (core/rules/rule_cache.h). */
int rules_changed(struct work *w);

#endif
