/* Rules of all kinds: their generation, and the channels and events of changes (core/words.h). */
#ifndef CORE_RULE_H
#define CORE_RULE_H

#include "core/words.h"
#include "work/work.h"

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
