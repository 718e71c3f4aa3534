/* Rows that only their age makes useless are removed by the clock, not by those who write. */
#ifndef JOBS_SWEEP_H
#define JOBS_SWEEP_H

#include "work/work.h"

void sweep(struct desk *d);

#endif
