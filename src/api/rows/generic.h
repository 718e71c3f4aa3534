/* Handlers for plain resources, and the steps of which other handlers are made. */
#ifndef API_ROWS_GENERIC_H
#define API_ROWS_GENERIC_H

#include "api/call/call.h"
#include "api/rows/visible.h"
#include "core/change/record.h"

int api_list(struct call *c);
/* the rows of the page, for a reply of another form, such as CSV */
int api_list_rows(struct call *c, struct row **rows);
int api_get(struct call *c);
int api_create(struct call *c);
/* the row :id, or the rows `ids` */
int api_update(struct call *c);
/* the row :id, or the rows `ids`, by .remove of the resource */
int api_delete(struct call *c);
/* Numbers .ordered of all rows: the ids of the parameter come first, the others follow in their old order. */
int api_reorder(struct call *c);
int api_import(struct call *c); /* bulk import: adds a job; 202 */
/* a list filtered by a predicate over the resource's subject; .input = filter_input */
int api_filter(struct call *c);
/* .rows of the definitions for such a predicate, or of the `struct definitions` in c->prepared */
int definition_rows(struct call *c, struct view *v, struct str name, struct row **out);
extern const struct field filter_input[], definition_fields[];

/* ---- steps ----------------------------------------------------------------------------------- */

int api_bulk_ids(
    /* reads the ids of a bulk call into c->ids, before api_target: for locks that come before those of the
     * rows */
    struct call *c);
/* finds the row :id or the rows `ids` (404), checks preconditions (412); sets id or ids */
int api_target(struct call *c);
int api_insert(struct call *c); /* INSERT of the validated input; sets id */
/* The columns of given values, for a function of core that changes the row: at most RECORD_COLUMNS.
 * Returns their number. */
int api_columns(struct call *c, struct column *out);
/* the same for a function of core that makes a row: with initial values */
int api_new_columns(struct call *c, struct column *out);
bool api_given(const struct call *c); /* false: nothing was given, so nothing changes */
/* UPDATE of the targets with the given values; no-op if none was given */
int api_store(struct call *c);
/* runs .store of given values for the rows created or changed; insert and store call it */
int api_keep(struct call *c);
/* For handlers that write rows themselves: record the creation of the row, or the deletion of the targets
 * while their rows exist. */
int api_record_created(struct call *c);
int api_record_deleted(struct call *c);
/* The object of a row of the resource, for a change of it. The row exists. Returns 0 or a negative error. */
int api_object(struct call *c, int64_t id, struct changed *out);
int api_remove(struct call *c); /* DELETE of the targets */
/* Reports each id of the list that the actor may not see. why NULL: by api_absent. Returns 0 or a negative
 * error. */
int api_visible_ids(struct call *c, const struct resource *r, const struct in *in, const char *why);
/* Refuses targets that meet a condition over t. `why` says why their state forbids the action, and what to
 * do instead. In a bulk call each is named as ids/<n>. */
int api_refuse(struct call *c, const char *condition, const char *why);
int api_refuse_target(struct call *c, int64_t id, const char *why); /* the same for one target */
struct str api_ids(struct call *c); /* the targets as a JSON array, for @LIST(:ids) */

/* Reply by the route's shape: the resource c->id, the number of targets, or only the status. */
int api_reply(struct call *c);
int api_reply_one(struct call *c, int64_t id);
/* The same for a row that this work has made. The list `empty` of it is not read, because it has no rows. */
int api_reply_made(struct call *c, const char *empty);
int api_reply_count(struct call *c, int64_t count);
int api_reply_none(struct call *c);
/* LIST_COUNT of these ids, in this order */
int api_reply_list_of(struct call *c, const int64_t *ids, int count);
/* some of `total` */
int api_reply_some_of(struct call *c, const int64_t *ids, int count, int64_t total);
/* more: further pages exist */
int api_reply_page_of(struct call *c, const int64_t *ids, int count, int64_t total, bool more);

/* The page of these people of c->conversation, for a caller without login. Ordered by pseudonym, because
 * the order of ids would reveal who was known before. */
int api_reply_people(struct call *c, const int64_t *ids, int count);

#endif
