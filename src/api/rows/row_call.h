/* POST or PUT of a resource in the transaction of another work, for rows that come from elsewhere than a
 * request. The checks are those of the route. There is no reply. */
#ifndef API_ROWS_ROW_CALL_H
#define API_ROWS_ROW_CALL_H

#include "api/call/call.h"

struct row_call {
    struct call call;
    struct route route;
};

/* The call of a route of the resource, which exists. Its work is a copy of w. id: of the row of a PUT, else
 * 0. body: an object. */
void row_call_init(struct row_call *x, const struct work *w, const char *type, const char *path, int64_t id,
                   const struct json *body);
/* Checks the body of a POST and writes nothing. Returns 0 or a negative error. */
int row_call_check(struct row_call *x);
/* Runs the handler. Returns the id of the row or a negative error. The caller undoes the writes after an
 * error, and calls work_finish with x->call.work. */
int64_t row_call_run(struct row_call *x);

#endif
