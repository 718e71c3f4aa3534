/* The handlers that serve plain resources, and the steps of which handlers of one's own are made. */
#ifndef API_GENERIC_H
#define API_GENERIC_H

#include "api/call.h"
#include "core/change/record.h"

int api_list(struct call *c);
int api_get(struct call *c);
int api_create(struct call *c);
int api_update(struct call *c);                                             /* one, or with ids many */
int api_delete(struct call *c);                                             /* one, or with ids many */
int api_reorder(struct call *c, const char *parameter, const char *column); /* ids given come first, the others follow in their old order */
int api_import(struct call *c);                                             /* bulk: makes a job; 202 */
int api_filter(struct call *c); /* a list by a predicate over the resource's subject; .input = filter_input */
/* .rows of what such a predicate may ask */
int definition_rows(struct call *c, struct view *v, struct str name, struct row **out);
extern const struct field filter_input[], definition_fields[];

/* ---- steps ------------------------------------------------------------------------------------------- */

int api_of(struct call *c);     /* what route->of names: 404 unless the actor sees it */
int api_target(struct call *c); /* the row :id names, or the rows ids name: 404, then preconditions 412; sets id or ids */
int api_insert(struct call *c); /* INSERT of what api_input took; sets id */
/* The columns of what was given, for a function of core that changes the row: at most RECORD_COLUMNS. Returns how many. */
int api_columns(struct call *c, struct column *out);
bool api_given(const struct call *c); /* whether anything was: else nothing changes */
int api_store(struct call *c);        /* UPDATE of the targets with what was given; nothing given: nothing changes */
int api_keep(struct call *c);         /* .store of what was given, for the rows made or changed; insert and store do it by themselves */
/* A handler that wrote the row by itself: records that it was created, or the targets deleted. */
void api_record_created(struct call *c);
void api_record_deleted(struct call *c);
int api_remove(struct call *c); /* DELETE of the targets */
/* Refuses targets that meet a condition over t: their state forbids it, which `why` says with what to do instead. In a bulk call each is
 * named as ids/<n>. */
int api_refuse(struct call *c, const char *condition, const char *why);
struct str api_ids(struct call *c); /* the targets as a JSON array, for @LIST(:ids) */

/* Replies, by the route's shape: the resource with c->id, the count of targets, or the status alone. */
int api_reply(struct call *c);
int api_reply_one(struct call *c, int64_t id);
int api_reply_count(struct call *c, int64_t count);
int api_reply_none(struct call *c);
int api_reply_list_of(struct call *c, const int64_t *ids, int count);                           /* LIST_COUNT of these ids, in this order */
int api_reply_some_of(struct call *c, const int64_t *ids, int count, int64_t total);            /* of so many */
int api_reply_page_of(struct call *c, const int64_t *ids, int count, int64_t total, bool more); /* more: others follow this page */

/* The page of these people of c->conversation for a caller without login: in the order of their pseudonyms, as the order of ids tells
 * who was there before. */
int api_reply_people(struct call *c, const int64_t *ids, int count);

#endif
