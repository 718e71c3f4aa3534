/* Addresses people are known by. */
#ifndef CORE_IDENTITY_H
#define CORE_IDENTITY_H

#include "work/work.h"

/* Marks it validated, and takes the address from others who hold it unverified. */
int email_validate(struct work *w, int64_t email_id);

#endif
