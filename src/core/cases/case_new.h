/* A new conversation and its first message. */
#ifndef CORE_CASE_NEW_H
#define CORE_CASE_NEW_H

#include "work/work.h"

struct case_new {
    struct str subject, contents, client_id, metadata; /* metadata: JSON; p NULL: none */
    struct str requester_name;                         /* as given by a caller without login; p NULL: the requester's name */
    bool requester_is_new;                             /* the requester was created with this conversation */
    int64_t requester_id, creator_id, priority_id;
    int source; /* 0: not given */
};

/* Creates a conversation of status NEW, unassigned, with its first message and the caller's fingerprint. */
int case_create(struct work *w, const struct case_new *n, int64_t *id);

#endif
