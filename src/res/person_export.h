/* The data of a person as a ZIP: GET /users/:id/export. */
#ifndef RES_PERSON_EXPORT_H
#define RES_PERSON_EXPORT_H

#include "api/rows/generic.h"

int get_user_export(struct call *c);
int note_user_export(struct call *c); /* .outside: the entry in the audit log, in a write of its own */

#endif
