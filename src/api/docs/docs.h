/* The parts of the reference. */
#ifndef API_DOCS_H
#define API_DOCS_H

#include "api/describe.h"
#include "base/html.h"

void docs_operation(struct buf *out, const struct manual *m, const struct operation *op); /* an <article> */
void docs_input(struct buf *out, const struct manual *m, const struct operation *op);     /* <table>s of what it takes */
void docs_members(struct buf *out, const struct manual *m, const struct resource *r);     /* a <table> of what it shows */

/* A table that can be wider than a phone: between the two, rows. Columns are separated by commas. */
void docs_table_begin(struct buf *out, const char *caption, const char *columns);
void docs_table_end(struct buf *out);

#endif
