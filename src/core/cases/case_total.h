/* Counters of active conversations: the totals of lists. */
#ifndef CORE_CASE_TOTAL_H
#define CORE_CASE_TOTAL_H

#include "core/words.h"
#include "work/work.h"

/* The properties that a conversation is counted by; 0: none. */
struct counted {
    int64_t team_id, agent_id, requester_id, organization_id, priority_id;
    int status_type;
};

/* Adds `n` to the number of active conversations with these properties. Written when the work finishes. */
void case_counted(struct work *w, const struct counted *c, int n);
/* The same for each tag of a conversation. Does nothing if the conversation is not active. Call it with -1
 * before a change of its tags or its state, and with 1 after it. */
int case_tags_counted(struct work *w, int64_t case_id, int n);
/* The same for a change of the properties: they were `before` and are `after`. NULL: the conversation was, or is,
 * not active. */
int case_tags_moved(struct work *w, int64_t case_id, const struct counted *before,
                    const struct counted *after);
int case_totals_finish(struct work *w); /* a finisher: writes the net differences */

enum case_filter_by {
    BY_STATUS = 1,
    BY_LEVEL = 2,
    BY_TEAM = 4,
    BY_AGENT = 8,
    BY_REQUESTER = 16,
    BY_ORGANIZATION = 32,
    BY_TAG = 64,
};

/* The filters of a list. */
struct case_filter {
    unsigned by;    /* the filters that are given */
    unsigned types; /* bits of 1 << enum status_type */
    /* conversations with a priority of this level or less */
    int64_t level;
    int64_t team_id, agent_id, requester_id, organization_id, tag_id; /* tag_id: 0 for several tags */
    struct str tag_ids;                                               /* JSON, of one or several tags */
    /* the list was counted before it was read: `total` */
    bool counted;
    int64_t total;
};

/* *total: the number of conversations that the actor sees and the filters admit. Totals come from
 * counters. Customers see those that they requested, with BY_ORGANIZATION those of that organization.
 * Returns 1, or 0 if counters do not have this total, or a negative error. */
int case_total(struct work *w, const struct case_filter *f, int64_t *total);
/* The same for a caller who sees all conversations: the size of an index range. */
int case_total_of_all(struct work *w, const struct case_filter *f, int64_t *total);

#endif
