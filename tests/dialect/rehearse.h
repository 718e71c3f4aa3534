/* Every request that the tables allow, as every kind of caller, up to the statements: see pretend.h. */
#ifndef TESTS_DIALECT_REHEARSE_H
#define TESTS_DIALECT_REHEARSE_H

/* Makes a desk in a temporary folder, and there calls each route as each kind of caller: without
 * arguments, with each argument, with everything included, with each field of its body. pretend.list has
 * then what was composed. SQLite prepares each and binds the values that the request has. Returns how many
 * it refused, each with a line that names the resource, the route, the caller and the member; or -1 after
 * a complaint. */
int rehearse_all(void);

#endif
