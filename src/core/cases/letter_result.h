/* The results of letters: their states (drawn in core/letters/letter.c), and what depends on them. A message
 * is rejected if its letter to the requester does not arrive. */
#ifndef CORE_LETTER_RESULT_H
#define CORE_LETTER_RESULT_H

#include "core/words.h"
#include "work/work.h"

/* Stores the result of an attempt. Returns 1, or 0 if the state does not allow it. Deletes the values
 * unless the letter stays queued. error: p NULL, or the reason in printable ASCII. REFUSED and BOUNCED add
 * an activity to the person's trail. */
int letter_set(struct work *w, int64_t id, enum mail_status status, struct str error);
/* Stores that a letter did not arrive, as letter_set does with MAIL_BOUNCED. type: why, for its message. */
int letter_bounced(struct work *w, int64_t id, enum reject_type type, struct str reason);

#endif
