/* The dry run of a trigger. */
#ifndef RES_TRIGGER_DRY_RUN_H
#define RES_TRIGGER_DRY_RUN_H

#include "api/call/call.h"

extern const struct field dry_run_input[];
int post_trigger_dry_run(struct call *c);

#endif
