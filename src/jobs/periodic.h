/* The work that the runner does beside jobs, on its thread: no row asks for it. */
#ifndef JOBS_PERIODIC_H
#define JOBS_PERIODIC_H

#include "work/work.h"

#include <stdatomic.h>

/* ---- the audit log: core/change/audit.h ------------------------------------------------------ */

/* every second: makes entries of failed logins and of what commands left, and chains open entries */
void audit_run(struct desk *d);
/* every minute, and at the end: writes the end of the chain outside of the store */
void audit_keep_end(struct desk *d);
void audit_sweep(struct desk *d); /* deletes entries by age */

/* ---- useless rows, expired files ------------------------------------------------------------- */

/* Every minute, so that writes need not do it: deletes rows that have become useless by age, entries of the
 * audit log, and files. */
void sweep(struct desk *d);
/* Removes up to 100,000 expired files that nothing refers to, and checks one subfolder of contents, at each
 * call the next one: contents that no row refers to go. */
void sweep_files(struct desk *d);
/* The same while no process serves the desk: also waits for a bucket, and removes at once. */
void sweep_files_alone(struct desk *d);

/* The thread that does the part of a bucket. Sets *out to NULL if there is none. Returns 0, or -1. */
struct content_sweeper;
int content_sweeper_start(struct desk *d, struct content_sweeper **out);
void content_sweeper_stop(struct content_sweeper *s); /* ends what waits for the network; NULL is allowed */

/* ---- what waits: core/desk/lags.h ------------------------------------------------------------ */

struct lags;
void lags_measure(struct desk *d, struct lags *l);

/* ---- monitors that are due: core/rules/monitor.h --------------------------------------------- */

/* Measured by the desk's clock, so that monitors run as soon as tests move it. */
#define MONITORS_LOOK (5 * TIME_SECOND)
#define MONITORS_TURN 500 /* the runner has other jobs */

/* The state that the runner keeps between two turns. All members are 0 at first. */
struct monitors_state {
    int64_t last;        /* time of the last look for monitors that are due; 0: none */
    struct arena *arena; /* the arena of the ids; NULL: no run is under way */
    int64_t *ids;        /* ids of the monitors that were due */
    int count, at;
    bool claimed;  /* ids[at] is this process's */
    bool parts;    /* one statement took too long */
    int64_t after; /* the last conversation that was examined or chosen */
};

/* Runs the monitors that are due, for about MONITORS_TURN milliseconds. The next call goes on. Returns true
 * if there is more to do. It looks for due monitors again MONITORS_LOOK after the last look. Ends soon after
 * *stopping is true. */
bool monitors_run(struct desk *d, struct monitors_state *s, const atomic_bool *stopping);

/* Gives up the run that is under way. */
void monitors_end(struct monitors_state *s);

#endif
