/* Functions that the resources of reports share. */
#ifndef RES_REPORT_H
#define RES_REPORT_H

#include "api/rows/view.h"
#include "core/all/catch_up.h"
#include "core/reports/follow.h"
#include "core/reports/rollup.h"
#include "core/reports/series.h"
#include "core/time/hours.h"

extern const struct field report_metric_args[]; /* metric and report_only_args */
extern const struct field report_only_args[];   /* the conditions */
extern const struct field report_period_args[]; /* start_at, end_at */
extern const struct field report_time_args[];   /* time_zone, hours */
extern const struct field report_exactness[];   /* is_exact, error_percent, is_complete */
extern const struct follower report_follower;   /* for .follows of a route */

/* Reads the period. Fails with FIELD_INVALID if it has no length. */
int report_period(struct call *c, int64_t *start, int64_t *end);
/* Reads the metric, the hours, the conditions and the time zone. */
int report_ask_read(struct call *c, struct series_ask *ask, struct str *zone);
int report_only_read(struct call *c, int metric, struct report_only *only);
int report_zone_read(struct call *c, struct str *zone);        /* time_zone, or that of the desk */
int report_group_read(struct call *c, struct series_ask *ask); /* the argument `group` */
/* Fills the members that say what was asked, and how exact the answer is. */
void report_describe(struct call *c, struct row *row, const struct series_ask *ask, int64_t start,
                     int64_t end, bool exact);
/* Fills those of the previous period, which has the same length. */
void report_describe_previous(struct row *row, int64_t start, int64_t end);
/* The series of the whole period of the same length that ends where this one begins: out->all. */
int report_previous(struct work *w, const struct series_ask *ask, struct series *out);
/* Writes at most four decimals, or null. */
void report_number(struct json_writer *w, bool known, double value);
void report_number_csv(struct call *c, bool known, double value);
/* The key of a group: the word of a channel, an id, or null. */
void report_key(struct json_writer *w, enum report_dimension group, int64_t key);
void report_key_csv(struct call *c, enum report_dimension group, int64_t key);
/* The number of a part. before: parts before the cell, of a backlog. */
int64_t report_part(const struct report_metric *m, const struct series_cell *cell, const int64_t *before,
                    const struct metric_part *part);
/* Writes all numbers of a cell as an object. */
void report_total(struct json_writer *w, const struct report_metric *m, const struct series_cell *cell,
                  const int64_t *before);

#endif
