/* The functions that an engine provides for a move: list tables, read rows, write rows, drop and restore indexes and
 * references. They read all tables from the catalogue and depend on no table but schema_version.
 *
 * A function that fails has written the reason. A connection does one reading or one writing at a time. */
#ifndef DB_MOVE_H
#define DB_MOVE_H

#include "db/engine.h"

enum value_kind {
    VALUE_NULL,
    VALUE_INT,
    VALUE_REAL,
    VALUE_TEXT,
    VALUE_BYTES,
    VALUE_OWN /* for columns only: the value has no meaning in another store, which fills in its default */
};

struct value {
    enum value_kind kind;
    int64_t i;
    double r;
    struct str s;
};

struct move_column {
    const char *name;
    enum value_kind kind;  /* kind of its values that are not NULL */
    int key;               /* position in the primary key, from 1; 0: not in it */
    const char *type_name; /* for refusals */
    unsigned type;         /* the engine's number of the type */
};

struct move_table {
    const char *name;
    bool is_virtual; /* SQLite: a module keeps the rows */
    int count;
    struct move_column *columns;
    const char *identity; /* PostgreSQL: the column whose ids the store assigns; NULL: none */
    const char *sequence; /* assigns these ids; tables may share one */
    int64_t last_id;      /* the highest id that was ever assigned */
    struct move_table *next;
};

struct mover {
    /* Lists the tables in the order of their names, without generated columns. */
    int (*tables)(struct conn *c, struct arena *a, struct move_table **out, struct why why);

    /* Read rows in the order of the primary key, or of all columns if there is none. `row` has room for one row. Its
     * values are valid until the next call. next returns 1, or 0 at the end. close may be called at any time. */
    int (*read)(struct conn *c, const struct move_table *t, void **handle, struct why why);
    int (*next)(void *handle, struct value *row, struct why why);
    void (*close)(void *handle);

    /* Write rows. write deletes all rows of the table first. write_end keeps the new rows if `keep` is set, else
     * discards them. */
    int (*write)(struct conn *c, const struct move_table *t, void **handle, struct why why);
    int (*put)(void *handle, const struct value *row, struct why why);
    int (*write_end)(void *handle, bool keep, struct why why);

    /* strip removes indexes and references and keeps other writers out. restore makes again what `plan` lists. */
    int (*strip)(struct conn *c, struct arena *a, void **plan, struct why why);
    int (*restore)(struct conn *c, void *plan, const struct db_move *m, struct why why);
    int (*settle)(struct conn *c, const struct move_table *t, int64_t last_id, struct why why); /* the next assigned id is above last_id */
    int (*alone)(struct conn *c, struct why why);   /* the source: fails if another deskd has started to use it */
    int (*durable)(struct conn *c, struct why why); /* the COMMIT of this transaction waits for the disk */
};

/* Returns the quoted names of all columns: "a", "b". */
struct str move_columns(struct arena *a, const struct move_table *t);
/* Returns " ORDER BY ..." with the primary key. */
struct str move_order(struct arena *a, const struct move_table *t);
/* Refuses a value: "posts.subject of the row with id 5 is not UTF-8: correct that row first". */
int move_refuse(struct why why, const struct move_table *t, const struct value *row, int column, const char *what);

#endif
