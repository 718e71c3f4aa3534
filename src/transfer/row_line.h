/* A row as a line of an export: a JSON object whose members are the columns, in the order of desk.json
 * (docs/TRANSFER.md). Integers are numbers, reals are numbers with 17 digits, texts are strings, bytes are
 * strings in Base64, NULL is null. So a row that is read from its line equals the row that was written. */
#ifndef TRANSFER_ROW_LINE_H
#define TRANSFER_ROW_LINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "db/rows.h"

/* The types of columns in desk.json. */
const char *column_type(enum value_kind kind);
bool column_kind(struct str type, enum value_kind *out); /* false: no such type */

/* Appends the line with its line feed. Refuses a real that is not finite and a text with U+0000, which
 * JSON can't express. */
int row_write(struct buf *out, const struct move_table *t, const struct value *row, struct why why);
/* Reads a line without its line feed. The values are in the arena. Refuses a line that is not such an
 * object. */
int row_read(struct arena *a, struct str line, const struct move_table *t, struct value *row, struct why why);

#endif
