/* Participants of conversations, and people who are known by an e-mail address alone. */
#ifndef CORE_PARTICIPANT_H
#define CORE_PARTICIPANT_H

#include "work/work.h"

/* Does nothing if the person takes part. */
int participant_add(struct work *w, int64_t case_id, int64_t user_id);

/* Finds the owner of an e-mail address, or creates a customer with this name. Concurrent writes with one new address create one person. Returns 1
 * if there was an owner, 0 if the person is new, or a negative error. */
int customer_of_address(struct work *w, struct str name, struct str address, int64_t *user_id);

#endif
