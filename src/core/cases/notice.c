#include "core/cases/notice.h"

static const enum notification_type ranking[] = {NOTIFY_REFUSED, NOTIFY_MENTION, NOTIFY_BREACH,
                                                 NOTIFY_AGENT,   NOTIFY_TEAM,    NOTIFY_REPLY,
                                                 NOTIFY_WARNING, NOTIFY_CREATED, 0};

enum notification_type notice_event(const struct notification_preferences *p, unsigned events,
                                    enum notification_channel channel) {
    for (const enum notification_type *e = ranking; *e; e++)
        if (events & 1u << *e && notification_enabled(p, *e, channel)) return *e;
    return 0;
}
