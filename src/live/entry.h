/* Entries of the change log, as the hub reads them. */
#ifndef LIVE_ENTRY_H
#define LIVE_ENTRY_H

#include "core/change/log.h"

struct entry {
    int64_t id, object_id, case_id;
    struct str kind, property; /* property p NULL: created or deleted */
    int verb;
    const struct change_cursor *cursor; /* of its page */
    struct entry *next;
};

#endif
