/* Removes expired files that nothing refers to, then contents that no row refers to. */
#ifndef JOBS_SWEEP_FILES_H
#define JOBS_SWEEP_FILES_H

#include "work/work.h"

/* removes up to 100,000 expired files, and checks one subfolder of contents, at each call the next one */
void sweep_files(struct desk *d);

#endif
