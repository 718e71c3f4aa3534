/* Deletes rows that have become useless by age, once a minute, so that writes need not do it. */
#ifndef JOBS_SWEEP_H
#define JOBS_SWEEP_H

#include "work/work.h"

void sweep(struct desk *d);

#endif
