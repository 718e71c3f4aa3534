/* Writes rows of plain tables and records their changes. This is the only place that builds INSERT, UPDATE
 * and DELETE for a resource's columns.
 *
 * Names of tables and columns come from the tables of resources. Values are bound. The caller has locked
 * the rows and checked permissions. */
#ifndef CORE_CHANGE_RECORD_H
#define CORE_CHANGE_RECORD_H

#include "base/words.h"
#include "core/change/change.h"

enum column_form { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_BOOL, COLUMN_TIME, COLUMN_REFERENCE, COLUMN_WORD };

struct column {
    const char *name; /* in the table */
    struct bind value;
    const char *property; /* name in the API; NULL: not recorded, such as a folded copy */
    enum column_form form;
    const struct word *words; /* COLUMN_WORD */
    bool secret;
};
/* A column that is not recorded. form: B_INT, B_TEXT or B_ID. */
#define COLUMN_UNRECORDED(form, named, v) ((struct column){.name = named, .value = form(named, v)})

struct record {
    /* resource_type; NULL: not recorded here (the resource says why, or the object is compared) */
    const char *kind;
    const char *table; /* with columns id, created_at, updated_at */
    /* The column with the id of the row's conversation: GET /changes shows the entries to people who see the
     * conversation. NULL: none. */
    const char *case_column;
};

#define RECORD_COLUMNS 96

/* The object of a row, for a change of it. The row still exists. Returns 0 or a negative error. */
int record_object(struct work *w, struct record r, int64_t id, struct changed *out);

int record_insert(struct work *w, struct record r, const struct column *columns, int count, int64_t *id);
int record_update(struct work *w, struct record r, const int64_t *ids, int id_count,
                  const struct column *columns, int count);
/* Returns -ERR_FIELD_INVALID if something refers to a row. */
int record_delete(struct work *w, struct record r, const int64_t *ids, int id_count);

#endif
