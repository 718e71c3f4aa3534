/* Chooses and cleans the texts of a mail, and separates quotes and signatures from what the sender wrote. */
#ifndef MAIL_READ_TEXT_H
#define MAIL_READ_TEXT_H

#include "mail/body.h"

/* Sets text, quoted and html of b->out. */
void read_text(struct body *b);

#endif
