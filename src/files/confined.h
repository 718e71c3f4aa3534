/* Work on bytes from strangers: pictures that are decoded, HTML that is cleaned. No parser is safe by itself, so the work is done by a
 * process of its own, which the caller starts and waits for: `deskd KIND PARAMETER`, the bytes on standard input, the answer on standard
 * output. A parser that the bytes have taken over can do nothing with the process: it has little memory and time, and a seccomp
 * filter leaves it standard input, standard output and memory. The answer is still hostile, and its reader must check it. */
#ifndef FILES_CONFINED_H
#define FILES_CONFINED_H

#include "base/arena.h"
#include "base/str.h"

struct confined_limits {
    int64_t memory, answer; /* bytes */
    int seconds;            /* of CPU; of wall time twice as many */
};

/* ---- the parent --------------------------------------------------------------------------------------------------- */

/* Runs such a process with these descriptors. Returns 1 if it has answered, 0 if it failed or was killed, or
 * -ERR_SERVICE_UNAVAILABLE, logged. `what` names its input in the log: "a picture". Waits for the process: in the pool alone. */
int confined_run(const char *kind, const char *parameter, int in, int out, const char *what);
/* Reads what was written to a descriptor, 1 to `most` bytes, into the arena. Returns false if it is none of that. */
bool confined_answer(int fd, int64_t most, struct arena *a, struct str *out);

/* ---- the process -------------------------------------------------------------------------------------------------- */

/* From now on this process has these limits. It may read standard input, write standard output, ask for memory and end. All else kills
 * it with SIGSYS. Ends the process if the kernel takes no filter. */
void confined_enter(const struct confined_limits *l);
/* The filter alone. Returns false if the kernel takes none. */
bool confine(void);
#define CONFINED_FAILED 3 /* exit status: there is no filter, so nothing was read */

#endif
