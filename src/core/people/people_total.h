/* Numbers of people, for the totals of their list. */
#ifndef CORE_PEOPLE_TOTAL_H
#define CORE_PEOPLE_TOTAL_H

#include "core/people/identity.h"
#include "work/work.h"

struct slots *people_totals_new(void); /* the numbers that a process keeps; NULL: no memory */

/* The filters of the list. */
struct people_filter {
    int enabled;    /* 0: any; 1: people who may log in; 2: those who may not */
    unsigned roles; /* bits of 1 << enum role_type; 0: any */
};

/* Returns 1, or a negative error. Call it in a snapshot. */
int people_total(struct work *w, struct people_filter f, int64_t *total);

/* The number of all e-mail addresses or phone numbers. Returns 1, 0 for other kinds, or a negative error. */
int identities_total(struct work *w, enum identity_kind kind, int64_t *total);

#endif
