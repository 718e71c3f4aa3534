/* The relay that the settings name. */
#ifndef MAIL_RELAY_H
#define MAIL_RELAY_H

#include "mail/smtp.h"
#include "work/work.h"

/* host.n 0: none is set */
struct relay relay_of(const struct desk *d, struct arena *a);

#endif
