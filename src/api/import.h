/* Bulk imports: POST /bulk/<resource> makes a job, the job makes the records by the resource's own table. */
#ifndef API_IMPORT_H
#define API_IMPORT_H

#include "core/desk/job.h"

/* Runs an import job in the work's transaction and writes what became of it to the job's row. */
int import_run(struct work *w, const struct job *j);

#endif
