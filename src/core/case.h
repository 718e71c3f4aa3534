/* Conversations: their life, their counters. */
#ifndef CORE_CASE_H
#define CORE_CASE_H

#include "core/words.h"
#include "work/work.h"

struct case_new {
    struct str subject, contents, client_id, metadata; /* metadata: JSON; p NULL: none */
    struct str requester_name; /* as given by a caller without login; p NULL: the requester's own */
    bool requester_is_new;     /* made for this conversation */
    int64_t requester_id, creator_id, priority_id;
    int source; /* 0: not given */
};

/* Makes the conversation, remembered with the caller's fingerprint, and its first message, NEW and unassigned. */
int case_create(struct work *w, const struct case_new *n, int64_t *id);

/* What decides about replies and changes. */
struct case_now {
    int64_t id, requester_id, status_id, assigned_team_id, assigned_agent_id, message_seq, last_message_id, creator_id;
    struct str requester_name; /* as given by a caller without login; p NULL: the requester's own */
    int status_type, channel;
};
int case_load(struct work *w, int64_t id, struct case_now *out); /* 1, 0 absent, or error; locks the row */

int case_not_closed(struct work *w, const struct case_now *c); /* RESOURCE_ACTION_NOT_AVAILABLE if it is closed */

/* Writes the status and what follows from it (counters, reopening). The one place that does. */
int case_set_status(struct work *w, struct case_now *c, int64_t status_id);
int status_id_of_type(struct work *w, enum status_type type, int64_t *id); /* the first system status of a type */

/* total_count of the list without filters or with kinds of status alone, from the counters. status_types: JSON array or p NULL. */
int case_count(struct work *w, struct str status_types, int64_t *total);

#endif
