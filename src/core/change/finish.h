/* The end of every work, before its COMMIT: the finishers see all that it changed. */
#ifndef CORE_CHANGE_FINISH_H
#define CORE_CHANGE_FINISH_H

#include "work/work.h"

/* Runs the finishers in order. Every entry point that writes (requests, jobs, mail, pages, commands) calls it once, last, within the write.
 * A work that changed nothing costs nothing. 0 or a negative error, which undoes the work. */
int work_finish(struct work *w);

#endif
