/* The list of notifications of a person of staff (table notifications). core/cases/staff_notice.c decides what
 * is in it. */
#ifndef CORE_NOTIFICATION_ROWS_H
#define CORE_NOTIFICATION_ROWS_H

#include "core/cases/notice.h"
#include "json/json.h"

struct notification_rows {
    struct work *w;
    struct buf text; /* JSON */
    struct json_writer json;
    int count;
};

/* Adds the rows of one person, if the person has enabled notifications on desktops. notices: those of the person,
 * in the order of the changes. */
void notification_rows_add(struct notification_rows *rows, const struct notification_preferences *p,
                           const struct staff_notice *notices, int count);
/* Writes the rows of those who see their conversations, and records them for the change log. */
int notification_rows_write(struct notification_rows *rows);

/* Marks a notification as read, at the time of the work. The caller has checked whose it is. */
int notification_read(struct work *w, int64_t id);
/* The same for those of these that are unread. ids: of the actor. Returns their number, or a negative error. */
int notifications_read(struct work *w, struct str ids);

#endif
