/* The numbers that columns of the store can have. The schema has types only. Rows that this program did
 * not write are checked by these tables and by the fields of the resources (transfer/value_rules.c). */
#ifndef CORE_COLUMN_H
#define CORE_COLUMN_H

#include "core/words.h"

#define COLUMN_EXACT_MAX (INT64_C(1) << 53) /* whole numbers up to this one are exact in every JSON program */
#define COLUMN_ID_MAX COLUMN_EXACT_MAX
#define COLUMN_LAST_ID_MAX (INT64_C(1) << 52) /* highest id in an imported table: as many ids can follow */
#define COLUMN_TIME_MAX \
    INT64_C(            \
        253402300799999) /* the end of the year 9999, the last one that ISO 8601 writes with four digits */

struct column_number {
    const char *columns; /* pattern of fnmatch with FNM_EXTMATCH over "table.column"; NULL ends the table */
    int64_t min, max;
    const struct word *words; /* NULL: every number from min to max */
};
/* enumerations that no field shows as they are; rows of one column add up */
extern const struct column_number column_numbers[];
extern const struct column_number column_names[]; /* names that mean the same in every table */

/* Words that are stored as texts. A row has one of the two. */
struct column_text {
    const char *columns;
    const struct word *words;
    bool (*known)(struct str text);
};
extern const struct column_text column_texts[];

/* Columns that refer to a row of another table without a foreign key and without an F_REF of a resource.
 * `deskd check` finds values that no row of the table has. parent NULL: the column outlives its row, or
 * the kind of its row is in another column (desk_check compares these). */
struct column_reference {
    const char *columns; /* a pattern, as above; NULL ends the table */
    const char *parent;
};
extern const struct column_reference column_references[];

#endif
