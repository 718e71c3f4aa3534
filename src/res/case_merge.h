/* POST /cases/:id/merge */
#ifndef RES_CASE_MERGE_H
#define RES_CASE_MERGE_H

#include "api/call/call.h"

extern const struct field merge_input[];
int post_case_merge(struct call *c);

#endif
