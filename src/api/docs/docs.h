/* Parts of the reference. */
#ifndef API_DOCS_H
#define API_DOCS_H

#include "api/table/describe.h"
#include "base/html.h"

/* The commands of a chapter, which run in their order on a new demo desk (api/docs/story.c). */
struct story {
    const struct manual *m;
    /* For each operation: true if its command made an object that a later command can use. */
    bool *made;
};
void story_begin(struct story *s, const struct manual *m);
/* Writes the command of the operation, after those that make the objects it needs. */
void story_commands(struct buf *out, struct story *s, const struct operation *op);
/* Writes the lines that prepare a shell for all commands. */
void story_prepare(struct buf *out);

void docs_operation(struct buf *out, struct story *s, const struct operation *op); /* an <article> */
/* <table>s of its input */
void docs_input(struct buf *out, const struct manual *m, const struct operation *op);
/* links to guides and operations, by what people want to do */
void docs_tasks(struct buf *out, const struct manual *m);
/* a <table> of its members */
void docs_members(struct buf *out, const struct manual *m, const struct resource *r);

/* A table that may be wider than a phone. Rows are written between begin and end. columns: titles,
 * separated by commas. */
void docs_table_begin(struct buf *out, const char *caption, const char *columns);
void docs_table_end(struct buf *out);

#endif
