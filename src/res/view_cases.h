#ifndef RES_VIEW_CASES_H
#define RES_VIEW_CASES_H

#include "api/call/call.h"

int check_view_order(struct call *c, struct in *in); /* a column by which conversations may be ordered */
extern const struct field view_cases_args[];
int get_view_cases(struct call *c);
int post_view_preview(struct call *c);
int count_view_cases(struct call *c, int64_t *total); /* for .count of both routes */

#endif
