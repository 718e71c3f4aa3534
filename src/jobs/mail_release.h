/* The job that processes a released mail: it reads the raw mail again, outside of the write. */
#ifndef JOBS_MAIL_RELEASE_H
#define JOBS_MAIL_RELEASE_H

#include "core/desk/job.h"

#include <stdatomic.h>

void *mail_release_read(struct work *w, const struct job *j, const atomic_bool *stopping);
int mail_release_run(struct work *w, const struct job *j);

#endif
