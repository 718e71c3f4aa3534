/* The job runner: a thread that claims due jobs and writes what reads left behind, threads for jobs that
 * wait for other systems, and a thread that takes mail from the inbox. */
#ifndef JOBS_RUNNER_H
#define JOBS_RUNNER_H

#include "api/call/api.h"

struct runner;
/* NULL: no thread can be started; sets wake_jobs of the desk */
struct runner *jobs_start(struct desk *d, struct api *api);
void jobs_stop(struct runner *r); /* ends the running jobs and the threads */
void jobs_free(struct runner *r); /* call it when no thread commits a job any more */

#endif
