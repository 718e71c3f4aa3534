/* Conversations: their life, their counters. */
#ifndef CORE_CASE_H
#define CORE_CASE_H

#include "core/change/change.h"
#include "core/words.h"
#include "work/work.h"

/* A conversation as its locked row says, and as case_change leaves it. */
struct case_now {
    int64_t id, requester_id, status_id, priority_id, type_id, assigned_team_id, assigned_agent_id, message_seq, last_message_id,
        creator_id;
    struct str subject;
    struct str requester_name; /* as given by a caller without login; p NULL: the requester's own */
    int status_type, channel, state;
};
int case_load(struct work *w, int64_t id, struct case_now *out); /* 1, 0 absent, or error; locks the row */
struct changed case_changed(const struct case_now *c);

int case_not_closed(struct work *w, const struct case_now *c); /* RESOURCE_ACTION_NOT_AVAILABLE if it is closed */

enum case_property { CASE_SUBJECT = 1, CASE_STATUS = 2, CASE_PRIORITY = 4, CASE_TYPE = 8, CASE_TEAM = 16, CASE_AGENT = 32 };

/* The properties named by `set`; an id of 0 clears. */
struct case_change {
    unsigned set;
    struct str subject;
    int64_t status_id, priority_id, type_id, assigned_team_id, assigned_agent_id;
};

/* The one function that changes a conversation. Writes the properties that differ, what follows from them (counters, reopening), and records them.
 * Ids of teams, agents, priorities and types must be valid. FIELD_INVALID: there is no such status. RESOURCE_ACTION_NOT_AVAILABLE: it can't follow the
 * present one. */
int case_change(struct work *w, struct case_now *c, const struct case_change *wanted);
int status_id_of_type(struct work *w, enum status_type type, int64_t *id); /* the first system status of a type */

#endif
