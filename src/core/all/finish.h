/* The end of every work: the finishers see all its changes before COMMIT. */
#ifndef CORE_CHANGE_FINISH_H
#define CORE_CHANGE_FINISH_H

#include "work/work.h"

/* Runs the finishers in order. Each entry point that writes (requests, jobs, mail, pages, commands) calls
 * it once, at the end of the write. It costs nothing if nothing changed. Returns 0 or a negative error,
 * which rolls the work back. */
int work_finish(struct work *w);

#endif
