/* Finds parts of the tables that the rehearsal did not reach. */
#ifndef TESTS_DIALECT_COVERAGE_H
#define TESTS_DIALECT_COVERAGE_H

/* Returns how many parts of the tables are in no statement of pretend.list, each with a line that names
 * it. */
int parts_missed(void);

#endif
