/* Writes rows of plain tables and records their changes. This is the only place that builds INSERT, UPDATE and DELETE for a resource's
 * columns.
 *
 * Names of tables and columns come from the tables of resources. Values are bound. The caller has locked the rows and checked
 * permissions. */
#ifndef CORE_CHANGE_RECORD_H
#define CORE_CHANGE_RECORD_H

#include "base/words.h"
#include "work/work.h"

enum column_form { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_BOOL, COLUMN_TIME, COLUMN_REFERENCE, COLUMN_WORD };

struct column {
    const char *name; /* in the table */
    struct bind value;
    const char *property; /* name in the API; NULL: not recorded, such as a folded copy */
    enum column_form form;
    const struct word *words; /* COLUMN_WORD */
    bool secret;
};

struct record {
    const char *kind;  /* resource_type; NULL: not recorded here (the resource says why, or the object is watched) */
    const char *table; /* with columns id, created_at, updated_at */
};

#define RECORD_COLUMNS 96

int record_insert(struct work *w, struct record r, const struct column *columns, int count, int64_t *id);
int record_update(struct work *w, struct record r, const int64_t *ids, int id_count, const struct column *columns, int count);
/* Returns -ERR_FIELD_INVALID if something refers to a row. */
int record_delete(struct work *w, struct record r, const int64_t *ids, int id_count);

#endif
