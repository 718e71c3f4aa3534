/* Rows of clocks: conversations as clocks see them, their metrics (sla_metrics), and former runs of the
 * next reply (sla_runs). */
#ifndef CORE_SLA_CLOCK_ROWS_H
#define CORE_SLA_CLOCK_ROWS_H

#include "core/sla/clock.h"
#include "work/work.h"

#define CLOCK_TYPES 3

/* A row of sla_metrics. Times: 0: none. */
struct metric {
    int64_t id, case_id; /* id 0: not stored */
    enum sla_target_type type;
    int64_t target_id;
    struct clock_state state;
    bool is_breached;
    int64_t breached_at, updated_at;
    int64_t epoch; /* core/sla/clock_settings.h */
};

/* A row of cases, with what clock_history_read adds. */
struct clocked_case {
    int64_t id, created_at, version_id /* 0: none */, priority_id, team_id, status_id, state;
    int64_t status_changed_at;          /* the last change of the status or state; 0: there was none */
    int64_t replies;                    /* messages by staff that are replies */
    struct metric metrics[CLOCK_TYPES]; /* as stored, by type */
    int metric_count;

    /* The history; period_count 0: not read. */
    struct clock_period *periods;
    int period_count, period_room;
    int64_t replied_from; /* start of the conversation that the first reply was written in */
    int64_t replied_at;   /* the first reply; CLOCK_OPEN: none */
    /* the last run of the next reply; asked_at 0: none, answered_at CLOCK_OPEN: not yet */
    int64_t asked_at, answered_at;
};

/* Conversations of one write, and the settings that they were read with. */
struct clocked_cases {
    struct clocked_case *list; /* by id */
    int count, room;
    int64_t generation, epoch; /* of the settings in the store; 0: there are no conversations */
};

/* Reads the conversations with these ids that are not being deleted, in one statement. */
int clocked_cases_read(struct work *w, const int64_t *ids, int n, struct clocked_cases *out);
struct clocked_case *clocked_case_find(const struct clocked_cases *cases, int64_t id); /* NULL: absent */
/* The stored metric of this type; NULL: none. */
const struct metric *clocked_metric(const struct clocked_case *c, enum sla_target_type type);

/* Replaces the metrics of a conversation; computed: what they are now, by type. Rows are collected and
 * written by metrics_write: what differs, what is over, and what is gone. */
struct metric_writes;
struct metric_writes *metric_writes_new(struct work *w);
int metrics_replace(struct metric_writes *m, const struct clocked_case *c, struct metric *computed,
                    int count);
int metrics_write(struct metric_writes *m);

#endif
