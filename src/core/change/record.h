/* Writes rows of plain tables and records their changes: the one place that builds INSERT, UPDATE and DELETE of a resource's own columns.
 *
 * Table and column names come from the tables of resources, values are bound. The caller has locked the rows and checked who may write. */
#ifndef CORE_CHANGE_RECORD_H
#define CORE_CHANGE_RECORD_H

#include "base/words.h"
#include "work/work.h"

enum column_form { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_BOOL, COLUMN_TIME, COLUMN_REFERENCE, COLUMN_WORD };

struct column {
    const char *name; /* in the table */
    struct bind value;
    const char *property; /* as the API calls it; NULL: not recorded, as a folded copy */
    enum column_form form;
    const struct word *words; /* COLUMN_WORD */
    bool secret;
};

struct record {
    const char *kind;  /* resource_type; NULL: changes are not recorded here (the resource says why, or is watched) */
    const char *table; /* with columns id, created_at, updated_at */
};

#define RECORD_COLUMNS 96

int record_insert(struct work *w, struct record r, const struct column *columns, int count, int64_t *id);
int record_update(struct work *w, struct record r, const int64_t *ids, int id_count, const struct column *columns, int count);
/* -ERR_FIELD_INVALID: something refers to a row. */
int record_delete(struct work *w, struct record r, const int64_t *ids, int id_count);

#endif
