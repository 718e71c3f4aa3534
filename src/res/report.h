/* Functions that the resources of reports share. */
#ifndef RES_REPORT_H
#define RES_REPORT_H

#include "api/call/call.h"
#include "core/all/catch_up.h"
#include "core/reports/follow.h"
#include "core/reports/rollup.h"
#include "core/reports/series.h"
#include "core/time/hours.h"

extern const struct field report_period_args[]; /* start_at, end_at */
extern const struct follower report_follower;   /* for .follows of a route */

/* Reads the period. Fails with FIELD_INVALID if it has no length. */
int report_period(struct call *c, int64_t *start, int64_t *end);
/* The series of the whole period of the same length that ends where this one begins: out->all. */
int report_previous(struct work *w, const struct series_ask *ask, struct series *out);
/* Writes at most four decimals, or null. */
void report_number(struct json_writer *w, bool known, double value);

#endif
