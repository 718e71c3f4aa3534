/* Conversations that staff put aside for a time, or until the customer replies (docs/CONVERSATIONS.md,
 * "Snooze"). */
#ifndef CORE_SNOOZE_H
#define CORE_SNOOZE_H

#include "core/cases/case.h"

/* The reason why the conversation can't be snoozed, and what to do instead; NULL: it can. */
const char *case_why_not_snoozed(struct work *w, const struct case_now *c);

/* Wakes conversations whose time has come, a part in each write. Returns 1 if more may be due, 0, or a
 * negative error. */
int snooze_sweep(struct work *w);

/* *n: the snoozed active conversations that meet `where`, a condition over t. Unused binds are ignored. */
int snoozed_count(struct work *w, const char *where, const struct bind *binds, int count, int64_t *n);

#endif
