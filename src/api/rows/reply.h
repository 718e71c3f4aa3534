/* Envelopes, errors, conditional requests. */
#ifndef API_ROWS_REPLY_H
#define API_ROWS_REPLY_H

#include "api/rows/view.h"

/* {"status": N, ... The caller then writes `data`, calls envelope_resource, writes the members of its
 * shape, and calls envelope_end. */
void envelope_begin(struct view *v);
void envelope_resource(struct view *v);
void envelope_end(struct view *v);
/* the complete envelope of one resource; returns 0 */
int envelope_row(struct view *v, const struct row *row);

/* Replaces the reply by the error body of work.problems. rc: the handler's result. */
void reply_error(struct call *c, int rc);

/* Writes page links in body and Link header. The page has `served` items; its limit may be larger. */
void reply_links(struct view *v, int64_t total, int64_t served);
/* keyset: the next page has after_id or before_id = id */
void reply_next_key(struct view *v, const char *key, int64_t id);
void reply_next(struct view *v, const char *argument, struct str value); /* the next page has this argument */
/* the former page has `before`, the next one `after`; p NULL: there is none */
void reply_both(struct view *v, struct str before, struct str after);

/* true if the list (quoted, bare or weak tags, or *) contains the tag */
bool tag_listed(struct str list, struct str tag);
/* Evaluates preconditions (RFC 9110 section 13.2.2) with the call's etag and modified. Returns 0 to
 * continue; 1 for 304 (c->status is set); or -ERR_RESOURCE_MODIFIED. */
int conditional(struct call *c);

#endif
