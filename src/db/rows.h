/* Rows of a store that leave it (db_dump) or come into an empty one (db_fill). Both process the rows one
 * by one, so memory does not grow with the store. A function that fails has written the reason. */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include "db/db.h"
#include "db/why.h"

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
    bool needed;           /* NOT NULL */
};

struct move_table {
    const char *name;
    bool is_virtual; /* SQLite: a module keeps the rows */
    int count;
    struct move_column *columns;
    const char *identity; /* PostgreSQL: the column whose ids the store assigns; NULL: none */
    const char *sequence; /* assigns these ids; tables may share one */
    int64_t last_id;      /* at least the highest id that was assigned and is no row any more */
    int64_t rows;         /* number of rows, if the source counts them: for progress reports */
    struct move_table *next;
};

/* A dump: begin, row for each row in the order of the primary key, end; for each table in the order of the
 * names. Derived tables and columns with a meaning in one store only are left out. */
struct db_dump {
    const struct db_derived *derived;
    int (*begin)(void *arg, const struct move_table *t, struct why why);
    int (*row)(void *arg, const struct move_table *t, const struct value *row, struct why why);
    int (*end)(void *arg, const struct move_table *t, struct why why);
    void *arg;
    void (*progress)(const char *what, int64_t done, int64_t total); /* may be NULL */
};
/* in the snapshot that the caller has opened */
int db_dump(struct conn *c, const struct db_dump *d, struct why why);

/* The place that rows come from: another store, or files. */
struct row_source {
    void *self;
    int (*tables)(void *self, struct arena *a, struct move_table **out, struct why why);
    /* Read rows in the order of the primary key, or of all columns if there is none. `row` has room for
     * one row. Its values are valid until the next call. next returns 1, or 0 at the end. close may be
     * called at any time. */
    int (*read)(void *self, const struct move_table *t, void **handle, struct why why);
    int (*next)(void *handle, struct value *row, struct why why);
    void (*close)(void *handle);
    /* Refuses a row that refers to a missing one. NULL: the engine does. */
    int (*dangling)(void *self, const char *table, const char *column, int64_t value, const char *parent,
                    struct why why);
    /* The place of the row that next returned last, for refusals: "users.ndjson:7: ". NULL: the row is
     * named by its key. */
    const char *(*place)(void *handle);
};

/* Fills an empty store in one transaction, reads the rows back and compares them. Until it commits, only
 * another fill can open the store. A fill that fails or is killed leaves the store without rows. */
struct db_fill {
    const struct db_derived *derived;
    struct row_source from;
    struct db *to; /* opened with bulk and filling */
    /* 1: the target holds no desk; 0; or error */
    int (*vacant)(struct conn *c);
    /* the last step before the COMMIT; may be NULL */
    int (*finish)(void *arg, struct conn *target, struct why why);
    void *arg;
    void (*progress)(const char *what, int64_t done, int64_t total); /* may be NULL */
    void (*report)(const struct db_moved *table);                    /* may be NULL */
};
int db_fill(const struct db_fill *f, char *err, size_t err_size);

#endif
