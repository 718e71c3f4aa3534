/* People who are known by an e-mail address alone. */
#ifndef CORE_CUSTOMER_H
#define CORE_CUSTOMER_H

#include "core/people/authority.h"
#include "work/work.h"

/* Finds the owner of an e-mail address, or creates a customer with this name. Concurrent writes with one
 * new address create one person. Returns 1 if there was an owner, 0 if the person is new, or a negative
 * error. */
int customer_of_address(struct work *w, struct str name, struct str address, int64_t *user_id);

/* In a write: until it ends, no other write that calls this creates a person with this address. key:
 * email_key. */
int customer_lock(struct work *w, struct str key);

#endif
