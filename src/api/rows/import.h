/* Bulk imports: POST /bulk/<resource> adds a job. The job creates the records by the resource's table. */
#ifndef API_ROWS_IMPORT_H
#define API_ROWS_IMPORT_H

#include "core/desk/job.h"

/* Runs an import job in the work's transaction and writes the result to the job's row. */
int import_run(struct work *w, const struct job *j);

#endif
