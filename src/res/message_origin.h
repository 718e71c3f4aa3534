/* Origin of a message: the program that it is written with, and the metadata of its client. */
#ifndef RES_MESSAGE_ORIGIN_H
#define RES_MESSAGE_ORIGIN_H

#include "api/table/fields.h"
#include "api/input/input.h"

extern const struct field message_source_input[]; /* the parameter `source` */
extern const struct field metadata_input[];       /* the parameter `metadata` */
extern const struct field metadata_shown[];       /* the member `metadata`, from the column t.metadata */

/* Returns the given metadata as the column stores them; p NULL: none. Reports problems by fail_at. */
struct str metadata_given(struct call *c);

#endif
