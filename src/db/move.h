/* What a move needs of an engine: what its tables are, rows out, rows in, indexes and references out of the way. Nothing
 * here knows a table by name but schema_version; all is asked from the catalogue.
 *
 * A failing function has written why. One reading and one writing of a connection at a time. */
#ifndef DB_MOVE_H
#define DB_MOVE_H

#include "db/engine.h"

enum value_kind {
    VALUE_NULL,
    VALUE_INT,
    VALUE_REAL,
    VALUE_TEXT,
    VALUE_BYTES,
    VALUE_OWN /* of a column alone: what it holds means nothing in another store, which fills in its default */
};

struct value {
    enum value_kind kind;
    int64_t i;
    double r;
    struct str s;
};

struct move_column {
    const char *name;
    enum value_kind kind; /* of its values that are not NULL */
    int key;              /* from 1: its place in the primary key; 0: not in it */
    unsigned type;        /* the engine's own number */
};

struct move_table {
    const char *name;
    int count;
    struct move_column *columns;
    const char *identity; /* PostgreSQL: the column whose ids the store gives; NULL: none */
    int64_t last_id;      /* the highest that was ever given */
    struct move_table *next;
};

struct mover {
    /* In the order of their names, generated columns left out. */
    int (*tables)(struct conn *c, struct arena *a, struct move_table **out, struct why why);

    /* Rows in the order of the primary key, or of all columns. `row` has room for one; what it points to holds until
     * the next. next: 1, 0 at the end. close at any time. */
    int (*read)(struct conn *c, const struct move_table *t, void **handle, struct why why);
    int (*next)(void *handle, struct value *row, struct why why);
    void (*close)(void *handle);

    /* Begins with no rows in the table. write_end: with keep, the rows are in the table; without, none of them may be. */
    int (*write)(struct conn *c, const struct move_table *t, void **handle, struct why why);
    int (*put)(void *handle, const struct value *row, struct why why);
    int (*write_end)(void *handle, bool keep, struct why why);

    /* Takes indexes and references away, and nobody else writes from then on; `plan` is what puts them back. */
    int (*strip)(struct conn *c, struct arena *a, void **plan, struct why why);
    int (*restore)(struct conn *c, void *plan, const struct db_move *m, struct why why);
    int (*settle)(struct conn *c, const struct move_table *t, int64_t last_id, struct why why); /* the next id is above */
    int (*alone)(struct conn *c, struct why why);   /* the source: nobody else has come to use it */
    int (*durable)(struct conn *c, struct why why); /* the COMMIT of this transaction waits for the disk */
};

/* One column after the other through `column`, for texts: "a", "b". */
struct str move_columns(struct arena *a, const struct move_table *t);
/* " ORDER BY ..." of the primary key. */
struct str move_order(struct arena *a, const struct move_table *t);
/* Refuses a value: "posts.subject of the row with id 5 holds ...". */
int move_refuse(struct why why, const struct move_table *t, const struct value *row, int column, const char *what);

#endif
