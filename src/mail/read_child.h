/* The process that reads a mail. Only it and fuzz targets parse one. */
#ifndef MAIL_READ_CHILD_H
#define MAIL_READ_CHILD_H

#include "core/mail/incoming.h"
#include "files/confined.h"

extern const struct confined_limits mail_limits;

/* Reads the mail in this process. Everything of `out` is in the arena or a slice of the mail. The date is not compared with a clock. */
void mail_read_here(struct arena *a, struct str raw, struct incoming *out);

/* The confined process: `deskd --mail read`, a mail on standard input. */
#define MAIL_ARGUMENT "--mail"
int mail_child(void);
void mail_child_prepare(void); /* loads what a confined process can't load: charsets, GMime */
int mail_child_run(void);      /* the rest of mail_child, in a prepared process */

#endif
