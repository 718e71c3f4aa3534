/* The cells of a row of a CSV file, and the body of the request that is made of them. */
#ifndef RES_CSV_CELLS_H
#define RES_CSV_CELLS_H

#include "res/csv_columns.h"
#include "res/csv_reason.h"

struct csv_rows {
    struct call call; /* its work has the changes, and the problems of the last row */
    struct route create, update;
    const struct csv_columns *columns;
    bool skips; /* rows of people and organizations that are there */
    int64_t id; /* of the person or organization of the last row, unless it was rejected */
};

struct csv_cells {
    struct str texts[CSV_TARGETS];   /* n 0: the cell is empty */
    struct json *lists[CSV_TARGETS]; /* the items of cells with several values; NULL: none */
    struct json *values;             /* of custom fields, an object */
};

/* Takes a hash of a key: of an address, a number, a name, or an id in another system. */
typedef void csv_key_fn(void *to, int64_t key);
int64_t csv_key(char kind, struct str text); /* kind: a letter for each kind of key */

void csv_cells_read(struct csv_rows *x, const struct csv_row *row, struct csv_cells *out);
/* Refuses the row because of a cell. most: the number in the text; 0: none. parameter NULL: the whole row. */
int csv_refuse(struct csv_rows *x, const char *parameter, enum csv_reason reason, int64_t most);
void csv_give(struct csv_rows *x, struct json *body, const char *name,
              struct str text); /* unless it is empty */
void csv_give_id(struct csv_rows *x, struct json *body, const char *name, int64_t id);
void csv_give_list(struct json *body, const char *name, struct json *list);
/* *found becomes the id that a key has found, if rc is 1. Refuses a second id. Returns rc, or a negative
 * error. */
int csv_found(struct csv_rows *x, int64_t *found, const char *parameter, int rc, int64_t id);
/* The organization with this name. Returns 1, 0, 2 if several have it, or a negative error. */
int csv_organization_named(struct work *w, struct str name, int64_t *id);

/* Tags are added to the present ones. csv_tags_check fails with problems. */
struct tagging;
int csv_tags_check(struct csv_rows *x, const struct tagging *t, const struct json *tags, int64_t id);
int csv_tags_add(struct csv_rows *x, const struct tagging *t, const struct json *tags, int64_t id);

#endif
