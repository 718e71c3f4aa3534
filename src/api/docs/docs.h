/* Parts of the reference. */
#ifndef API_DOCS_H
#define API_DOCS_H

#include "api/describe.h"
#include "base/html.h"

void docs_operation(struct buf *out, const struct manual *m, const struct operation *op); /* an <article> */
void docs_input(struct buf *out, const struct manual *m, const struct operation *op);     /* <table>s of its input */
void docs_members(struct buf *out, const struct manual *m, const struct resource *r);     /* a <table> of its members */

/* A table that may be wider than a phone. Rows are written between begin and end. columns: titles, separated by commas. */
void docs_table_begin(struct buf *out, const char *caption, const char *columns);
void docs_table_end(struct buf *out);

#endif
