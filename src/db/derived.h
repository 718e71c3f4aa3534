/* Derived tables: full-text indexes and other tables whose rows follow from the rows of other tables.
 * deskd move does not copy them, because an engine keeps them in a form of its own: FTS5 in a virtual
 * table with shadow tables, PostgreSQL in an ordinary table or an index. It rebuilds them in the target.
 *
 * A virtual table that is no derived table is refused. Its shadow tables are never copied. */
#ifndef DB_DERIVED_H
#define DB_DERIVED_H

#include "db/rows.h"

struct db_derived {
    const char *table; /* on one engine or on both */
    /* Replaces the rows of the table, from those of other tables. It runs in the transaction of the move,
     * when all rows and indexes are in the target. It is called on every engine. Returns 0 or a negative
     * error. */
    int (*rebuild)(struct conn *c);
};

/* The derived tables of the schema; ends with table NULL. Defined in core/desk/derived.c. */
extern const struct db_derived derived_tables[];

/* db_fill and db_move for other derived tables than those of the schema. */
int db_fill_with(const struct db_fill *f, const struct db_derived *derived, char *err, size_t err_size);
int db_move_with(const struct db_move *m, const struct db_derived *derived, char *err, size_t err_size);

#endif
