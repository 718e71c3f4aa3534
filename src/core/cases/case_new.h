/* A new conversation and its first message. */
#ifndef CORE_CASE_NEW_H
#define CORE_CASE_NEW_H

#include "core/cases/case.h"

struct case_new {
    struct str subject, contents, client_id, metadata; /* metadata: JSON; p NULL: none */
    /* clean HTML of the first post; p NULL: it was written as plain text */
    struct str html;
    struct str original; /* the HTML before it was cleaned; p NULL: none */
    /* as given by a caller without login; p NULL: the requester's name */
    struct str requester_name;
    bool requester_is_new; /* the requester was created with this conversation */
    struct str legacy_id;  /* p NULL: none */
    int64_t id;            /* of a conversation that keeps the id of another desk; 0: the store chooses it */
    int64_t requester_id, creator_id;
    int64_t priority_id, type_id, assigned_team_id, assigned_agent_id; /* 0: none */
    int64_t brand_id;                                                  /* 0: the default brand */
    int64_t mailbox_id;                                                /* 0: it did not come by mail */
    int64_t form_id;                                                   /* 0: none */
    int64_t status_id;                                                 /* 0: the system status of type NEW */
    /* 0: not given; the channel follows from the source then */
    int source, channel;
    int message_channel; /* of the first message; 0: that of the conversation */
    const struct field_value *values;
    int value_count;
    const int64_t *files; /* on the first message */
    int file_count;
    int64_t *message_id; /* gets the id of the first message or note; NULL: not wanted */
    /* Decides the SLA before the row exists, so that no UPDATE follows: core/rules/sla_match.h. Returns 1 if
     * it is decided, 0 if the row is needed, or a negative error. NULL: the finisher decides. */
    int (*sla)(struct work *w, const struct case_now *c, int64_t *version_id);
};

/* Creates a conversation with its first message and the caller's fingerprint. If the channel is NOTE, the
 * first post is a note of the actor. Fails with FIELD_INVALID for an unknown status, and with
 * FIELD_REQUIRED as case_change does. */
int case_create(struct work *w, const struct case_new *n, int64_t *id);

#endif
