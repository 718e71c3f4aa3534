#include "db/derived.h"

/* A full-text index is a row here: the table, and the function that fills it. */
const struct db_derived derived_tables[] = {{0}};
