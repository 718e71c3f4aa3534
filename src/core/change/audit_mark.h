/* The end of the audit log, outside of the store. Somebody who deletes the newest entries with their
 * values, or puts an older store in place, leaves a correct, shorter chain. So the desk writes the last
 * place and its chain once a minute to a file beside the server key, to the log and to the metrics. The
 * file is a lower bound: the store must still have this place with this chain. A file that the store
 * contradicts is kept, so that the finding remains until an operator removes the file. */
#ifndef CORE_CHANGE_AUDIT_MARK_H
#define CORE_CHANGE_AUDIT_MARK_H

#include "db/db.h"

#define AUDIT_MARK_FILE "audit.chain"

struct audit_mark {
    int64_t seq;      /* 0: the log is empty */
    struct str chain; /* hex digits */
};

/* The first 52 bits of the chain: a number that a metric shows exactly. */
int64_t audit_mark_bits(const struct audit_mark *m);
/* the end of the store's chain; 0 or a negative error */
int audit_mark_of(struct conn *c, struct arena *a, struct audit_mark *out);
int audit_mark_of_anchor(struct conn *c, struct arena *a,
                         /* the newest anchor: 1, 0 if there is none, or a negative error */
                         struct audit_mark *out);

/* Returns 1, 0 if there is no file, or -1: *why says what is wrong with it. */
int audit_mark_read(struct arena *a, const char *path, struct audit_mark *out, const char **why);
int audit_mark_write(struct arena *a, const char *path, const struct audit_mark *m); /* 0, or -1 with errno */

/* Compares a mark that was read before the snapshot of `c` began. Returns 0 if the store has it, or 1 with
 * a sentence, or a negative error. */
int audit_mark_missing(struct conn *c, struct arena *a, const struct audit_mark *m, const char *path,
                       struct str *finding);

#endif
