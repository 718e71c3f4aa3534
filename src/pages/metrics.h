/* The metrics of this process for Prometheus: text format 0.0.4, names by its rules (base units, `_total` for
 * counters, labels for what can be added up). docs/OPERATIONS.md "Monitoring" says what they mean, and
 * docs/monitoring has alerts and a dashboard of them. */
#ifndef PAGES_METRICS_H
#define PAGES_METRICS_H

#include "api/call/api.h"

void metrics_text(struct api *api, struct buf *out);

#endif
