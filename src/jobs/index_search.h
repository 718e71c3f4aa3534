#ifndef JOBS_INDEX_SEARCH_H
#define JOBS_INDEX_SEARCH_H

#include "core/desk/job.h"

int index_search(struct work *w, const struct job *j); /* the job JOB_INDEX_SEARCH */

#endif
