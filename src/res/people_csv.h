/* Lists of people and organizations as CSV, a line for each. */
#ifndef RES_PEOPLE_CSV_H
#define RES_PEOPLE_CSV_H

#include "api/call/call.h"

/* The handlers of both lists: JSON, or CSV if the request asks for it. */
int get_users(struct call *c);
int get_organizations(struct call *c);

#endif
