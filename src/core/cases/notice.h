/* What a person of staff may be told of after a write. core/cases/staff_notice.c gathers it. */
#ifndef CORE_NOTICE_H
#define CORE_NOTICE_H

#include "core/people/notification.h"

/* A person, and a conversation of which the person may be told. */
struct staff_notice {
    int64_t user_id, case_id;
    int64_t said;    /* the message or note; 0: none */
    unsigned events; /* bits of 1u << enum notification_type */
    int order;       /* of its first event in the work */
};

/* The most important of the events that the person has enabled for the channel; 0: none. */
enum notification_type notice_event(const struct notification_preferences *p, unsigned events,
                                    enum notification_channel channel);

#endif
