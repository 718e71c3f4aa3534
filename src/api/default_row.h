/* Resources of which exactly one row is the default (.has_default): it is handed on, never unset, disabled or deleted. The generic
 * steps that write call these; a handler that writes by itself does, too. Their input has is_default. */
#ifndef API_DEFAULT_ROW_H
#define API_DEFAULT_ROW_H

#include "api/call.h"

int default_hand_on(struct call *c); /* before the row is written: the former default steps down when this one is to be it */
int default_kept(struct call *c);    /* afterwards: there is one, and it is enabled */
int default_stays(struct call *c);   /* before the targets are removed */

#endif
