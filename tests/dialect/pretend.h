/* Between the API and the store, while requests are rehearsed: a statement that the program composed from
 * its tables is prepared and bound, but not run. It answers one row of ones and nulls, so that the code
 * behind it goes on and composes its next statement. Statements with a name (QUERY) run as they are. The
 * linker puts these functions in place of those of db.h (--wrap). */
#ifndef TESTS_DIALECT_PRETEND_H
#define TESTS_DIALECT_PRETEND_H

#include <stdbool.h>

struct composed {
    char *name; /* the resource, the route and the caller that composed it first */
    char *sql, *for_sqlite;
    bool refused; /* by SQLite, as it was bound */
};

struct pretend {
    bool on;
    bool blocks;           /* answer of db_blocks: true as on PostgreSQL */
    const char *under_way; /* names what is rehearsed */
    struct composed *list;
    int count, room;
};
extern struct pretend pretend;

#endif
