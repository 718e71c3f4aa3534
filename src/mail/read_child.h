/* The process that reads a mail. Only it and fuzz targets parse one. */
#ifndef MAIL_READ_CHILD_H
#define MAIL_READ_CHILD_H

#include "core/mail/incoming.h"
#include "files/confined.h"

extern const struct confined_limits mail_limits, mail_brief_limits;
#define MAIL_BRIEF_MS 100 /* milliseconds of CPU time of the latter */

/* Reads the mail in this process. Everything of `out` is in the arena or a slice of the mail. The date is
 * not compared with a clock. */
void mail_read_here(struct arena *a, struct str raw, struct incoming *out);

/* The confined process: `deskd --mail read` or `deskd --mail-briefly read`, a mail on standard input. */
#define MAIL_ARGUMENT "--mail"
#define MAIL_BRIEF_ARGUMENT "--mail-briefly"
int mail_child(void);
void mail_child_prepare(void);  /* loads what a confined process can't load: charsets, GMime */
int mail_child_run(void);       /* the rest, with mail_limits */
int mail_child_run_brief(void); /* the same with mail_brief_limits */

#endif
