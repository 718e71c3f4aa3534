/* Processing of hostile bytes: pictures to be decoded, HTML to be cleaned. No parser is safe by itself, so
 * a process of its own does the work. The caller starts it and waits for it: `deskd KIND PARAMETER`, with
 * the bytes on standard input and the result on standard output. Even if the bytes take control of the
 * parser, it can do no harm, because the process has little memory and time, and a seccomp filter that
 * allows only standard input, standard output and memory. The result is still hostile. Its reader must
 * check it. */
#ifndef FILES_CONFINED_H
#define FILES_CONFINED_H

#include "base/arena.h"
#include "base/str.h"

struct confined_limits {
    int64_t memory, answer; /* bytes */
    int seconds;            /* CPU time; ten times as many of wall time, since other work may come first */
    int milliseconds;       /* CPU time, if less than a second; 0: `seconds` alone counts */
    bool gives_way;         /* other processes come first */
    /* a library may print. The result is written to CONFINED_ANSWER, and what is printed gets lost */
    bool prints;
};

/* ---- the parent ------------------------------------------------------------------------------ */

/* Runs such a process with these descriptors. Returns 1 if it succeeded, 0 if it failed or was killed, or
 * -ERR_SERVICE_UNAVAILABLE, logged. `what` is its input in the log: "a picture". Waits for the process, so
 * call it only in the pool. */
int confined_run(const char *kind, const char *parameter, int in, int out, const char *what);
/* Does the same, but returns a negative error only if no process can be started. After 0, `status` is how
 * the process ended, as waitpid gives it. cancel: as of nursery_run. A process that was started without a
 * prepared one is waited for. */
int confined_run_status(const char *kind, const char *parameter, int in, int out, int cancel,
                        const char *what, int *status);
/* Returns the reason of such an end, in words: "was stopped after 100 seconds", "crashed (signal 11)". */
const char *confined_end(struct arena *a, int status, const struct confined_limits *l);
/* Returns true if the machine may be the cause of such an end: the process was killed, or reports that it
 * was not confined. Input that has taken control of the process can end it in the same way. */
bool confined_end_by_chance(int status);
/* Returns true if the process was stopped after `milliseconds`, or if nobody waits for it any more. */
bool confined_end_by_budget(int status);
/* Reads the result from a descriptor into the arena. Returns false if it has no bytes, or more than
 * `most`. */
bool confined_answer(int fd, int64_t most, struct arena *a, struct str *out);

/* ---- the process ----------------------------------------------------------------------------- */

/* Confines this process and sets these limits. It may read standard input, write standard output, allocate
 * memory and end. Any other system call kills it with SIGSYS. Ends the process if the kernel refuses the
 * filter. */
void confined_enter(const struct confined_limits *l);
/* Sets the filter only. Returns false if the kernel refuses it. */
bool confine(void);
#define CONFINED_ANSWER 3     /* descriptor of the result of a process whose library may print */
#define CONFINED_FAILED 3     /* exit status: no filter, so nothing was read */
#define CONFINED_NO_LIBRARY 4 /* exit status: a library of the process can't be loaded, so nothing was read */

#endif
