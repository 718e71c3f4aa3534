/* The columns of CSV files of people and organizations, by the names in the first line. */
#ifndef RES_CSV_COLUMNS_H
#define RES_CSV_COLUMNS_H

#include "api/call/call.h"
#include "files/csv_file.h"

enum csv_kind { CSV_USERS = 1, CSV_ORGANIZATIONS };

/* The meanings of columns. csv_targets has a row for each. */
enum csv_target {
    CSV_IGNORED,
    CSV_FULL_NAME,
    CSV_NAME,
    CSV_EMAILS,
    CSV_PHONES,
    CSV_DOMAINS,
    CSV_LEGACY_ID,
    CSV_EXTERNAL_IDENTIFIERS,
    CSV_DESIGNATION,
    CSV_ROLE,
    CSV_ORGANIZATION,
    CSV_LOCALE,
    CSV_TIME_ZONE,
    CSV_IS_SHARED,
    CSV_IS_VALIDATED,
    CSV_TAGS,
    CSV_FIELD_VALUE,
    CSV_TARGETS
};

struct csv_column {
    struct str header;
    enum csv_target target;
    struct str key; /* CSV_FIELD_VALUE: the key of the custom field */
};

struct csv_columns {
    enum csv_kind kind;
    struct csv_column list[CSV_COLUMNS];
    int count;
};

bool csv_target_is_list(
    enum csv_target target); /* a cell may have several values, with commas between them */

/* The names of all columns of a kind, "a, b, c", for messages. */
struct str csv_target_names(struct arena *a, enum csv_kind kind);
/* The name of a column as ours: "full_name", "field_values.size". p NULL: it is ignored. */
struct str csv_column_name(struct arena *a, const struct csv_column *column);

/* Reads the names of the first line. mapping: an object of names of the file to ours, or to null and "",
 * which ignore a column; NULL: none. Fails with a problem of `file` or of `mapping`. Returns 0 or a negative
 * error. */
int csv_columns_read(struct work *w, enum csv_kind kind, const struct csv_row *head,
                     const struct json *mapping, struct csv_columns *out);

/* The same columns as stored text, and back. */
struct str csv_columns_text(struct arena *a, const struct csv_columns *columns);
int csv_columns_of_text(struct arena *a, enum csv_kind kind, struct str text, struct csv_columns *out);

/* The name in the file of the first column with this meaning, else ours. key: of the custom field. */
struct str csv_header_of(struct arena *a, const struct csv_columns *columns, enum csv_target target,
                         struct str key);
/* The meaning of a parameter of POST /users or /organizations: "organization_id". CSV_IGNORED: none. */
enum csv_target csv_target_of_parameter(struct str name);

#endif
