/* JSON Schemas of the tables: components of the OpenAPI document. */
#ifndef API_SCHEMA_H
#define API_SCHEMA_H

#include "api/table/describe.h"

void schema_components(struct json_writer *w, const struct manual *m); /* members of components.schemas */
void schema_reply(struct json_writer *w, const struct operation *op);  /* the envelope of a success */
/* The schema of a field in requests. If `op` takes it as a list of records, the schema of the records is
 * inside. */
void schema_sent(struct json_writer *w, const struct manual *m, const struct operation *op,
                 const struct field *f);
/* The request of an operation in JSON, with the defaults of a POST. They stand beside the reference,
 * because generators of clients make each member with a default mandatory; and a PUT leaves an absent
 * member as it is. */
void schema_request(struct json_writer *w, const struct manual *m, const struct operation *op);
void request_schema(struct json_writer *w, const struct manual *m,
                    const struct operation *op); /* a component */

/* ---- parts of schemas (schema_part.c) --------------------------------------------------------- */

void schema_ref(struct json_writer *w, const char *kind, const char *name,
                const char *suffix); /* {"$ref": ...} */
void put_type(struct json_writer *w, const char *type, bool nullable);
void put_int(struct json_writer *w, const char *name, int64_t v);
void put_enum(struct json_writer *w, const struct word *words, bool nullable);
/* The type of a field in replies. */
void put_shown(struct json_writer *w, const struct manual *m, const struct field *f, bool nullable);

#endif
