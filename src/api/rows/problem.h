/* Problems as JSON: members of errors[], and their parts. */
#ifndef API_ROWS_PROBLEM_H
#define API_ROWS_PROBLEM_H

#include "api/call/call.h"

/* the members with its place */
void write_place(struct json_writer *w, struct arena *a, const struct problem *p);
/* the members with its code and its message */
void write_reason(struct json_writer *w, const struct problem *p);
/* one member of errors[] */
void write_problem(struct json_writer *w, const struct call *c, const struct problem *p);

#endif
