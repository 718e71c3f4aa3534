/* The prepared process: it has loaded the program and its libraries, and forks a confined process for each
 * text to be parsed. A fork costs a tenth of a start of the program, which mostly is the work of the
 * loader.
 *
 *     caller --(kind, descriptors of input, answer and a pipe)--> prepared process --fork--> confined process: limits, filter, work
 *     caller <------------- status, through the pipe ------------- prepared process <------------- its end
 *
 * The prepared process is `deskd --nursery`, so it has nothing of the memory of its parent. It has an
 * empty environment, and no descriptors but its end of a socket. A confined process has neither that
 * socket nor the pipes. The prepared process parses nothing itself. It ends with its parent, because the
 * socket then ends. If it ends earlier, the next caller starts another one. All confined processes of one
 * prepared process have the same addresses, which a start of the program would change. */
#ifndef FILES_NURSERY_H
#define FILES_NURSERY_H

struct nursery_kind {
    const char *argument;  /* as of confined_run: "--html"; NULL ends the list */
    void (*prepare)(void); /* loads what the work needs; NULL: nothing */
    int (*run)(void);      /* does the work in a process forked for it, with confined_enter */
};

/* Lets confined_run of this process use a prepared process for these kinds. Without this call each work
 * starts the program. */
void nursery_allow(const struct nursery_kind *kinds);

/* Runs the kind in a fork of the prepared process, which is started if there is none. Returns 1 and the
 * status as of waitpid, or 0: the kind is not allowed, or no process can be forked. Then the input was not
 * read, or was put back to its start. When `cancel` becomes readable (-1: never), the caller waits no
 * longer, and the status is that of confined_end_by_budget. The fork ends with the prepared process. */
int nursery_run(const char *kind, int in, int out, int cancel, int *status);

/* The prepared process. */
#define NURSERY_ARGUMENT "--nursery"
int nursery_child(const struct nursery_kind *kinds);

#endif
