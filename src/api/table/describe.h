/* Descriptions and examples from the tables, for the OpenAPI document, the reference and `deskd routes`. */
#ifndef API_TABLE_DESCRIBE_H
#define API_TABLE_DESCRIBE_H

#include "api/table/resource.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "json/json.h"

struct operation {
    const struct resource *home;  /* resource whose table has the route */
    const struct resource *reply; /* resource of `data`; NULL: the reply has no data */
    const struct route *route;
    const struct field *args; /* arguments of the route, with those that every list has; NULL: none */
    const char *id;           /* "list_teams"; unique */
    const char *anchor;       /* "get-teams-id" */
};

/* All operations, in the order of the tables. */
struct manual {
    struct arena *arena;
    struct str base_url;
    struct str root; /* path of base_url, the prefix of links: empty, or "/desk" */
    struct operation *operations;
    int count;
};

void manual_open(struct manual *m, struct str base_url);
void manual_close(struct manual *m);

struct str url_path(struct str base_url); /* "/desk" of "https://example.com/desk"; empty: none */

/* ---- operations ------------------------------------------------------------------------------ */

const char *method_name(enum method method);
int operation_status(const struct operation *op); /* the HTTP status of success */
/* The same operation with its other reply, if that has a status of its own; `route` is room for it.
 * Returns false if there is none. */
bool operation_other(const struct operation *op, struct operation *out, struct route *route);
const char *operation_label(const struct operation *op);    /* value of `resource` in the reply; NULL: none */
bool operation_bulk(const struct operation *op);            /* accepts `ids` */
bool operation_writes(const struct operation *op);          /* POST, PUT, DELETE */
bool operation_errors(const struct operation *op, int err); /* true if it can answer ERR_x */
bool error_common(int err);                                 /* true if every operation can */
const char *operation_bearer(const struct operation *op);   /* result of route_bearer for its route */
/* The scopes of which the items of the reply need one beside that of the route, separated by blanks; NULL:
 * none. */
const char *operation_items(const struct operation *op);
/* The scopes of a bearer token: "users:read", "users:read and conversations:read", "any token", "any
 * :write scope" or "no token reaches it". */
void operation_scope(struct buf *out, const struct operation *op);

/* The fields of its body; NULL: no body. input_sent says which of them it accepts. */
const struct field *operation_input(const struct operation *op);
bool input_sent(const struct operation *op, const struct field *f);
/* a part of a multipart body: input_sent is false */
bool file_sent(const struct operation *op, const struct field *f);
bool input_mandatory(const struct operation *op, const struct field *f); /* for a body */
bool argument_mandatory(const struct field *f);
const char *sent_name(const struct manual *m, const struct field *f); /* "businesshour_id" */
bool takes_anything(const struct operation *op);

/* Names of role bits, and of other ways of access that a route may admit. Ends with bit 0. */
struct role_name {
    unsigned bit;
    const char *name, *means;
};
extern const struct role_name role_names[];
bool role_listed(const struct role_name *role, unsigned roles);

/* Walks the segments of a path: "/teams/:id" is "teams", then "id" as a variable. Returns false at the
 * end. */
struct segment {
    struct str text;
    bool variable;
    int place; /* index among the variables, from 1 */
};
bool path_next(struct str *rest, struct segment *s);
bool path_has_variable(const char *path);
bool path_same(const char *a, const char *b); /* equal, apart from the names of variables */
/* A name that is unique in its path: the second :id becomes id_2. */
const char *variable_name(const struct manual *m, const char *path, const struct segment *s);
bool variable_is_id(const char *name);

/* Arguments and headers that many operations share. */
struct common {
    const char *name, *in; /* "query", "header" */
    const char *schema;    /* for put_json */
    bool (*taken)(const struct operation *op);
    const char *doc;
};
extern const struct common commons[]; /* ends with name NULL */

/* Headers of replies; ends with name NULL. */
struct reply_header {
    const char *name;
    const char *schema; /* for put_json */
    bool (*sent)(const struct operation *op, int status);
    bool exposed; /* scripts of other sites (CORS) may read the header */
    const char *doc;
};
extern const struct reply_header reply_headers[];
bool reply_header_sent(const struct reply_header *h, const struct operation *op, int status);

/* ---- fields and examples --------------------------------------------------------------------- */

bool field_shown(const struct field *f);
bool field_is_text(const struct field *f);
bool field_is_list(const struct field *f); /* in input */
/* .initial, with true for 1 */
const char *initial_text(const struct field *f);
/* parsed .example; NULL: none */
const struct json *field_example(const struct manual *m, const struct field *f);

void example_shown(struct json_writer *w, const struct manual *m, const struct field *f);
void example_sent(struct json_writer *w, const struct manual *m, const struct operation *op,
                  const struct field *f);
void example_resource(struct json_writer *w, const struct manual *m, const struct resource *r);
void example_request(struct json_writer *w, const struct manual *m, const struct operation *op);
void example_reply(struct json_writer *w, const struct manual *m, const struct operation *op);

/* ---- writing --------------------------------------------------------------------------------- */

void put_key(struct json_writer *w, const char *name);
void put_text(struct json_writer *w, const char *name, const char *text); /* a text member */
/* constant JSON, with ' for its quotes */
void put_json(struct json_writer *w, const char *json);
void put_member(struct json_writer *w, const char *name, const char *json); /* put_json as a member */

void routes_write(struct buf *out); /* TSV: method, path, roles, scope, status, resource, permission */

#endif
