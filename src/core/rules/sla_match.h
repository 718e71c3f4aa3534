/* Attaches SLAs to conversations. The rules are in sla_match.c. */
#ifndef CORE_RULES_SLA_MATCH_H
#define CORE_RULES_SLA_MATCH_H

#include "work/work.h"

/* The finisher: after rules, before the clocks. */
int sla_match_finish(struct work *w);

#endif
