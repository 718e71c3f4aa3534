/* Files that nothing refers to go when they have expired; contents that no row names, after them. */
#ifndef JOBS_SWEEP_FILES_H
#define JOBS_SWEEP_FILES_H

#include "work/work.h"

void sweep_files(struct desk *d); /* a thousand rows, and one folder of contents: each call the next */

#endif
