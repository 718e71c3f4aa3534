#ifndef JOBS_INDEX_NAMES_H
#define JOBS_INDEX_NAMES_H

#include "core/desk/job.h"

int index_names(struct work *w, const struct job *j);

#endif
