/* Facts: the events of conversations that reports count. They follow from the rows of a conversation alone,
 * so that each can be computed again. docs/REPORTS.md has the definitions. */
#ifndef CORE_REPORTS_FACT_H
#define CORE_REPORTS_FACT_H

#include "work/work.h"

/* Stored: append only. */
enum fact_kind {
    FACT_CREATED = 1,
    FACT_REOPENED,
    FACT_BACKLOG, /* part: BACKLOG_ENTERS, _LEAVES or _GROWS + age */
    FACT_FIRST_RESPONSE,
    FACT_NEXT_RESPONSE,
    FACT_RESOLVED, /* part: replies of staff, at most FACT_PARTS - 1 */
    FACT_COMPLETED,
    FACT_REPLY,
    FACT_REQUEST,
    FACT_RATED, /* part: 0 good, 1 bad */
    FACT_SLA,   /* part: (enum sla_target_type - 1) * 3 + enum sla_outcome */
    FACT_KINDS
};
#define FACT_PARTS 16
static inline bool fact_has_duration(enum fact_kind k) {
    return k == FACT_FIRST_RESPONSE || k == FACT_NEXT_RESPONSE || k == FACT_RESOLVED;
}

/* Such a fact has the author of a reply as its agent, others that of the conversation. */
static inline bool fact_has_author(enum fact_kind k) {
    return k == FACT_REPLY || k == FACT_FIRST_RESPONSE || k == FACT_NEXT_RESPONSE;
}

#define BACKLOG_AGES 4 /* under a day, a week, 30 days, and older */
/* A conversation enters the backlog or leaves it at an age, or passes from an age to the next one. */
enum { BACKLOG_ENTERS = 0, BACKLOG_LEAVES = BACKLOG_AGES, BACKLOG_GROWS = 2 * BACKLOG_AGES };
enum sla_outcome { SLA_KEPT, SLA_BROKEN, SLA_RUNNING, SLA_OUTCOMES };

/* Stored: a schema file that changes a number empties report_days (schema 106). */
enum report_dimension {
    BY_ALL,
    BY_CHANNEL,
    BY_TEAM_NOW,
    BY_AGENT_NOW,
    BY_PRIORITY,
    BY_SLA,
    BY_ORGANIZATION_NOW,
    KEYED_DIMENSIONS, /* those before have one key */
    BY_EACH_TAG = KEYED_DIMENSIONS,
    REPORT_DIMENSIONS,
    /* Of rollups alone (core/reports/record.h): */
    BY_TEAM_WHOLE = REPORT_DIMENSIONS, /* teams, with the other keys in the records */
    BY_ASSIGNED_WHOLE,                 /* the agents of conversations, likewise; none without an agent */
    BY_TEAM_TAG,                       /* teams, with a record for each tag */
    BY_ASSIGNED_TAG,                   /* the agents of conversations, likewise */
    BY_TAG_SHORT,                      /* tags, without other keys */
    ROLLUP_DIMENSIONS
};

struct fact {
    int64_t case_id, at;
    enum fact_kind kind;
    int n, part;
    int64_t from;                   /* of a duration that is computed, in milliseconds; 0: none */
    int64_t took, took_open;        /* seconds */
    int64_t keys[KEYED_DIMENSIONS]; /* keys[BY_ALL] is 0 */
    struct str tags;                /* as stored */
    int64_t assigned_agent_id;      /* that of the conversation; keys[BY_AGENT_NOW] may be an author */
};
/* Calls `tell` for each tag of the text. */
void fact_tags(struct str tags, void (*tell)(void *arg, int64_t tag_id), void *arg);

struct facts {
    struct fact *list;
    int count, room;
};
/* The order of lists of facts: by conversation, then kind, time and n. */
int fact_compare(const void *x, const void *y);

/* Computes the facts of the active conversations among these ids, sorted. */
int facts_compute(struct work *w, struct str ids, struct facts *out);
/* Reads the stored facts of these conversations, or of those with first <= id <= last. Sorted. */
int facts_stored(struct work *w, struct str ids, struct facts *out);
int facts_stored_between(struct work *w, int64_t first, int64_t last, struct facts *out);
/* Reads the stored facts of one kind with from <= at < to. Sorted. */
int facts_stored_on(struct work *w, int64_t kind, int64_t from, int64_t to, struct facts *out);
int facts_put(struct work *w, const struct facts *facts);
int facts_drop(struct work *w, struct str case_ids);

#endif
