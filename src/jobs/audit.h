/* The upkeep of the audit log (core/change/audit.h). */
#ifndef JOBS_AUDIT_H
#define JOBS_AUDIT_H

#include "work/work.h"

/* every second: makes entries of failed logins and of what commands left, and chains open entries */
void audit_run(struct desk *d);
/* every minute, and at the end: writes the end of the chain outside of the store */
void audit_keep_end(struct desk *d);
void audit_sweep(struct desk *d); /* deletes entries by age */

#endif
