/* The functions that an engine provides for a move, an export and an import: list tables, read rows, write
 * rows, drop and restore indexes and references. They read all tables from the catalogue and depend on no
 * table but schema_version.
 *
 * A function that fails has written the reason. A connection does one reading or one writing at a time. */
#ifndef DB_MOVE_H
#define DB_MOVE_H

#include "db/engine.h"
#include "db/rows.h"

struct mover {
    /* Lists the tables in the order of their names, without generated columns. */
    int (*tables)(struct conn *c, struct arena *a, struct move_table **out, struct why why);

    /* Read rows in the order of the primary key, or of all columns if there is none. `row` has room for
     * one row. Its values are valid until the next call. next returns 1, or 0 at the end. close may be
     * called at any time. */
    int (*read)(struct conn *c, const struct move_table *t, void **handle, struct why why);
    int (*next)(void *handle, struct value *row, struct why why);
    void (*close)(void *handle);

    /* Write rows. write deletes all rows of the table first. write_end keeps the new rows if `keep` is
     * set, else discards them. */
    int (*write)(struct conn *c, const struct move_table *t, void **handle, struct why why);
    int (*put)(void *handle, const struct value *row, struct why why);
    int (*write_end)(void *handle, bool keep, struct why why);

    /* strip removes indexes and references and keeps other writers out. restore makes again what `plan`
     * lists. */
    int (*strip)(struct conn *c, struct arena *a, void **plan, struct why why);
    int (*restore)(struct conn *c, void *plan, const struct db_fill *f, struct why why);
    /* the next assigned id is above last_id */
    int (*settle)(struct conn *c, const struct move_table *t, int64_t last_id, struct why why);
    /* the source: fails if another deskd has started to use it */
    int (*alone)(struct conn *c, struct why why);
    int (*durable)(struct conn *c, struct why why); /* the COMMIT of this transaction waits for the disk */
};

/* Lists the tables that are copied: without derived tables, and only with columns that can be copied. */
int move_tables(struct conn *c, struct arena *a, const struct db_derived *derived, struct move_table **out,
                struct why why);
/* Checks the types of a row. */
int move_check_row(const struct move_table *t, const struct value *row, struct why why);
/* VALUE_OWN for a column with ids of transactions */
enum value_kind move_kind(const char *column, enum value_kind of_type);

/* Returns the quoted names of all columns: "a", "b". */
struct str move_columns(struct arena *a, const struct move_table *t);
/* Returns " ORDER BY ..." with the primary key. */
struct str move_order(struct arena *a, const struct move_table *t);
/* Refuses a value: "posts.subject of the row with id 5 is not UTF-8: correct that row first". */
int move_refuse(struct why why, const struct move_table *t, const struct value *row, int column,
                const char *what);

#endif
