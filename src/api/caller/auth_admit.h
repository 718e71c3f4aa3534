#ifndef API_CALLER_AUTH_ADMIT_H
#define API_CALLER_AUTH_ADMIT_H

#include "api/call/call.h"

int auth_csrf(struct call *c);
int auth_admit(struct call *c); /* checks role, permission and scope */

#endif
