/* The checks of the tables of jobs and topics, at the start of the server. The checks of the other tables
 * are in api/table/check.h. */
#ifndef JOBS_CHECK_H
#define JOBS_CHECK_H

#include "jobs/listener.h"
#include "jobs/runner.h"

/* Each returns true, or false with one line in err that names the kind or the topic. names: a name for
 * each number from 1 to count - 1. A table is sound if (1) each number has a name and (2) exactly one row,
 * and (3) the row has its functions. */
bool job_kinds_check(const struct job_kind *kinds, const char *const *names, int count, char *err,
                     size_t size);
bool topics_check(const struct topic *list, const char *const *names, int count, char *err, size_t size);

/* The same for the tables of the program. */
bool jobs_check(char *err, size_t size);

#endif
