/* The time of the last change of things that many rows show. updated_at of a row covers its own changes,
 * but not the deletion of something that it shows. Last-Modified needs both. */
#ifndef CORE_LAST_CHANGE_H
#define CORE_LAST_CHANGE_H

#include "work/work.h"

#define CHANGE_OF_FIELDS "custom_fields"

int last_change_note(struct work *w, struct str what); /* stores w->now as the time of the last change */
/* Reads the time. Returns 1, 0 if no change is known, or a negative error. */
int last_change_time(struct work *w, struct str what, int64_t *at);

struct str last_change_of_template(struct arena *a, int64_t brand_id, const char *name);

#endif
