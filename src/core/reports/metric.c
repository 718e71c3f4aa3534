#include "core/reports/metric.h"

const struct word report_metric_names[] = {{METRIC_CREATED, "CREATED"},
                                           {METRIC_REOPENED, "REOPENED"},
                                           {METRIC_COMPLETED, "COMPLETED"},
                                           {METRIC_OPEN, "BACKLOG"},
                                           {METRIC_FIRST_RESPONSE, "FIRST_RESPONSE"},
                                           {METRIC_NEXT_RESPONSE, "NEXT_RESPONSE"},
                                           {METRIC_RESOLUTION, "RESOLUTION"},
                                           {METRIC_REPLIES, "REPLIES"},
                                           {METRIC_REQUESTS, "REQUESTS"},
                                           {METRIC_SATISFACTION, "SATISFACTION"},
                                           {METRIC_SLA, "SLA"},
                                           {METRIC_SLA_FIRST_REPLY, "SLA_FIRST_REPLY"},
                                           {METRIC_SLA_NEXT_REPLY, "SLA_NEXT_REPLY"},
                                           {METRIC_SLA_RESOLUTION, "SLA_RESOLUTION"},
                                           {0}};

#define ENTERS(age) (1U << (BACKLOG_ENTERS + (age)))
#define LEAVES(age) (1U << (BACKLOG_LEAVES + (age)))
#define GROWS(age) (1U << (BACKLOG_GROWS + (age)))
static const struct metric_part ages[] = {{"under_a_day", ENTERS(0), LEAVES(0) | GROWS(0)},
                                          {"under_a_week", ENTERS(1) | GROWS(0), LEAVES(1) | GROWS(1)},
                                          {"under_30_days", ENTERS(2) | GROWS(1), LEAVES(2) | GROWS(2)},
                                          {"older", ENTERS(3) | GROWS(2), LEAVES(3)},
                                          {0}};
static const struct metric_part scores[] = {{"good", 1, 0}, {"bad", 2, 0}, {0}};
/* Parts of SLA facts: three outcomes of each type. */
#define OF_TYPES(outcome) (1U << (outcome) | 1U << (3 + (outcome)) | 1U << (6 + (outcome)))
static const struct metric_part outcomes[] = {{"kept", OF_TYPES(SLA_KEPT), 0},
                                              {"broken", OF_TYPES(SLA_BROKEN), 0},
                                              {"running", OF_TYPES(SLA_RUNNING), 0},
                                              {0}};
#define SLA_RULE                                                                                            \
    "each counts at its start, for the policy and the target that it had. Kept: it ended before its goal "  \
    "was used up. Broken: its goal was used up. Running: neither yet. The value is the percentage of kept " \
    "ones among kept and broken ones"

const struct report_metric report_metrics[METRICS] = {
    [METRIC_CREATED] = {"Created", "conversations", FACT_CREATED, METRIC_COUNT, 0, NULL,
                        "Conversations by the time of their creation."},
    [METRIC_REOPENED] = {"Reopened", "conversations", FACT_REOPENED, METRIC_COUNT, 0, NULL,
                         "Changes of the status from COMPLETED or CLOSED to another type, by their time. A "
                         "conversation that is reopened twice counts twice."},
    [METRIC_COMPLETED] = {"Completed", "conversations", FACT_COMPLETED, METRIC_COUNT, 0, NULL,
                          "Changes of the status to COMPLETED or CLOSED from another type, by their time. A "
                          "conversation that is completed twice counts twice."},
    [METRIC_OPEN] = {"Backlog", "conversations", FACT_BACKLOG, METRIC_BACKLOG, 0, ages,
                     "Conversations whose status was neither COMPLETED nor CLOSED at the end of the bucket, "
                     "also by the age that they had then."},
    [METRIC_FIRST_RESPONSE] = {"First response", "seconds", FACT_FIRST_RESPONSE, METRIC_DURATION, 0, NULL,
                               "Time from the first message of the requester to the first reply of staff "
                               "after it, by the time of the reply. Agent: the author of the reply."},
    [METRIC_NEXT_RESPONSE] = {"Next response", "seconds", FACT_NEXT_RESPONSE, METRIC_DURATION, 0, NULL,
                              "Each later wait that was answered: time from the oldest message of the "
                              "requester without a reply to the reply of staff, by the time of the reply. "
                              "Agent: the author of the reply."},
    [METRIC_RESOLUTION] = {"Resolution", "seconds", FACT_RESOLVED, METRIC_DURATION, 0, NULL,
                           "Conversations that are COMPLETED or CLOSED now: time from their creation to "
                           "the last change to that, by the time of this change."},
    [METRIC_REPLIES] = {"Replies", "messages", FACT_REPLY, METRIC_COUNT, 0, NULL,
                        "Messages of staff who are not the requester, without the first message of a "
                        "conversation, by their time. Agent: the author."},
    [METRIC_REQUESTS] = {"Requests", "messages", FACT_REQUEST, METRIC_COUNT, 0, NULL,
                         "Messages of the requester, by their time."},
    [METRIC_SATISFACTION] = {"Satisfaction", "percent", FACT_RATED, METRIC_GOOD, 0, scores,
                             "Percentage of good ones among the newest ratings of conversations, by the "
                             "time of the rating."},
    [METRIC_SLA] = {"SLA", "percent", FACT_SLA, METRIC_KEPT, 0, outcomes, "All SLA clocks: " SLA_RULE "."},
    [METRIC_SLA_FIRST_REPLY] = {"SLA, first reply", "percent", FACT_SLA, METRIC_KEPT, 7U, outcomes,
                                "SLA clocks of the first reply: " SLA_RULE "."},
    [METRIC_SLA_NEXT_REPLY] = {"SLA, next reply", "percent", FACT_SLA, METRIC_KEPT, 7U << 3, outcomes,
                               "SLA clocks of the next reply, each run: " SLA_RULE "."},
    [METRIC_SLA_RESOLUTION] = {"SLA, resolution", "percent", FACT_SLA, METRIC_KEPT, 7U << 6, outcomes,
                               "SLA clocks of the resolution: " SLA_RULE "."},
};
