/* Imports of CSV files: the row of csv_imports, and the job that reads the file. */
#ifndef RES_CSV_IMPORT_H
#define RES_CSV_IMPORT_H

#include "base/arena.h"
#include "base/words.h"

#define LIMIT_CSV_ROWS 1000000 /* rows of one file */
#define LIMIT_CSV_ERRORS 10000 /* errors of one import that are kept; all are counted */

enum csv_existing { CSV_UPDATE = 1, CSV_SKIP };
enum csv_delimiter { CSV_COMMA = 1, CSV_SEMICOLON, CSV_TAB };
#define CSV_DELIMITERS ",;\t" /* in this order */

extern const struct word csv_encodings[];

/* The input of the job of an import. scans: the first one of a dry run. */
struct str csv_import_input(struct arena *a, int64_t id, bool scans);

#endif
