/* One mail of the inbox: it is read, stored, and then removed from there. */
#ifndef JOBS_ARRIVAL_H
#define JOBS_ARRIVAL_H

#include "mail/inbox.h"
#include "mail/read.h"
#include "work/work.h"

enum arrival_end {
    ARRIVAL_TAKEN,      /* it is in the store, in the folder failed, or was gone before */
    ARRIVAL_WAITS,      /* the store or the folder can't be written now. Logged */
    ARRIVAL_TAKES_LONG, /* longer than the effort. Nothing was stored */
};
/* Takes the mail. With a brief effort, it must also have few attachments. *failed: it can't be read, and is
 * FAILED. */
enum arrival_end arrival_take(struct desk *d, struct inbox_file file, const struct mail_effort *e,
                              bool *failed);

#endif
