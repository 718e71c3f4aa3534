/* Reads the tables of an export: the rows that db_fill takes. Each line is checked when it is read: its
 * form, its columns, their types, and the order of the primary key, which finds a duplicate without
 * memory. The end of a table is checked, too: the number of lines, their bytes and the SHA-256. */
#ifndef TRANSFER_PART_READ_H
#define TRANSFER_PART_READ_H

#include "transfer/manifest.h"

struct parts {
    const char *from; /* the folder of the export */
    struct manifest *m;
};

struct row_source parts_source(struct parts *p);

/* Returns the number of the first line of a table whose column has this value, or 0. */
int64_t part_line(const struct parts *p, const char *table, const char *column, int64_t value);

#endif
