/* Groups of fields that several resources show (api/table/fields.h). Groups of people are in res/person.h. */
#ifndef RES_GROUPS_H
#define RES_GROUPS_H

#include "api/table/fields.h"

extern const struct field no_fields[];    /* an empty table: for routes without parameters */
extern const struct field row_times[];    /* created_at, updated_at */
extern const struct field attachments[];  /* files of a post, and the address of all of them */
extern const struct field download_all[]; /* the address of all files of the member `attachments` */
extern const struct field import_args[];  /* arguments of every import */

/* Writes the name of the realtime channel of a row of `rows`: "cases", "users" or "views". */
void write_realtime_channel(struct view *v, struct str rows, int64_t id);

#endif
