/* The end of every work: the finishers see all its changes before COMMIT. */
#ifndef CORE_ALL_FINISH_H
#define CORE_ALL_FINISH_H

#include "work/work.h"

/* Runs the finishers in order. Each entry point that writes (requests, jobs, mail, pages, commands) calls
 * it once, at the end of the write. It costs nothing if nothing changed. Returns 0 or a negative error,
 * which rolls the work back. */
int work_finish(struct work *w);

/* Runs `run` with `w` in one write: rewinds w, calls run, finishes w, and calls the after-commit list behind
 * the COMMIT. Returns the result of run, or a negative error: then nothing is stored, nothing is called, and
 * w->problems has the reasons. The store may undo a run and call it again, so run sets again what it left in
 * arg. Never call it on a writer thread. */
int work_write(struct work *w, int (*run)(struct work *w, void *arg), void *arg);
/* The same with a new work of this actor. Its arena, and so its problems, end with the call. */
int desk_write(struct desk *d, struct actor actor, int (*run)(struct work *w, void *arg), void *arg);

/* Runs `run` with `w` in one snapshot of this thread's reader. budget_ms: see db_read_begin. Returns the
 * result of run, or a negative error if the store can't be read. */
int work_read(struct work *w, int budget_ms, int (*run)(struct work *w, void *arg), void *arg);

#endif
