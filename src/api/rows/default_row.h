/* Resources with exactly one default row (.has_default). The default moves to another row; it is never
 * unset, disabled or deleted. The generic writing steps call these functions; handlers that write rows
 * themselves must call them too. Their input has is_default. */
#ifndef API_ROWS_DEFAULT_ROW_H
#define API_ROWS_DEFAULT_ROW_H

#include "api/call/call.h"

/* before the write: the previous default is unset if this row becomes it */
int default_hand_on(struct call *c);
int default_kept(struct call *c);  /* after the write: checks that an enabled default exists */
int default_stays(struct call *c); /* before targets are deleted: checks that none is the default */

#endif
