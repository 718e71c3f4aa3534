/* The tables in words and examples: what the OpenAPI document, the reference and `deskd routes` are made of. */
#ifndef API_DESCRIBE_H
#define API_DESCRIBE_H

#include "api/resource.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "json/json.h"

struct operation {
    const struct resource *home;  /* in whose table the route stands */
    const struct resource *reply; /* what `data` is, or a list of; NULL: the reply has no data */
    const struct route *route;
    const struct field *args; /* of the route, and those that every list takes; NULL: none */
    const char *id;           /* "list_teams"; no two operations have the same */
    const char *anchor;       /* "get-teams-id" */
};

/* All operations, in the order of the tables. */
struct manual {
    struct arena *arena;
    struct str base_url;
    struct str root; /* the path of base_url, before the paths of links: empty, or "/desk" */
    struct operation *operations;
    int count;
};

void manual_open(struct manual *m, struct str base_url);
void manual_close(struct manual *m);

struct str url_path(struct str base_url); /* "/desk" of "https://example.com/desk"; empty: it has none */

/* ---- operations ----------------------------------------------------------------------------------------- */

const char *method_name(enum method method);
int operation_status(const struct operation *op);                  /* of success */
const char *operation_label(const struct operation *op);           /* value of `resource` in the reply; NULL: none */
bool operation_bulk(const struct operation *op);                   /* takes `ids` */
bool operation_writes(const struct operation *op);                 /* POST, PUT, DELETE */
bool operation_errors(const struct operation *op, int err);        /* whether it can answer ERR_x */
bool error_common(int err);                                        /* whether any operation can */
void operation_scope(struct buf *out, const struct operation *op); /* "users:read"; nothing when it has none */

/* The fields of its body, of which input_sent says what it takes; NULL: it has no body. */
const struct field *operation_input(const struct operation *op);
bool input_sent(const struct operation *op, const struct field *f);
bool file_sent(const struct operation *op, const struct field *f);       /* a part of a multipart body: input_sent is false for it */
bool input_mandatory(const struct operation *op, const struct field *f); /* of a body */
bool argument_mandatory(const struct field *f);
const char *sent_name(const struct manual *m, const struct field *f); /* "businesshour_id" */
bool takes_anything(const struct operation *op);

/* Names of role bits, ends with bit 0; the roles and other ways in that a route admits are those it has bits of. */
struct role_name {
    unsigned bit;
    const char *name, *means;
};
extern const struct role_name role_names[];
bool role_listed(const struct role_name *role, unsigned roles);

/* Walks the segments of a path: "/teams/:id" is "teams", then "id" as a variable. False at the end. */
struct segment {
    struct str text;
    bool variable;
    int place; /* among the variables, from 1 */
};
bool path_next(struct str *rest, struct segment *s);
bool path_has_variable(const char *path);
bool path_same(const char *a, const char *b); /* one address, whatever its variables are called */
/* Unique in its path: the second :id of one is id_2. */
const char *variable_name(const struct manual *m, const char *path, const struct segment *s);
bool variable_is_id(const char *name);

/* Arguments and headers that are no operation's own. */
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
    const char *doc;
};
extern const struct reply_header reply_headers[];
bool reply_header_sent(const struct reply_header *h, const struct operation *op, int status);

/* ---- fields and examples -------------------------------------------------------------------------------- */

bool field_shown(const struct field *f);
bool field_is_text(const struct field *f);
bool field_is_list(const struct field *f);                                       /* as input */
const char *initial_text(const struct field *f);                                 /* .initial, which may say true as 1 */
const struct json *field_example(const struct manual *m, const struct field *f); /* .example parsed; NULL: none */

void example_shown(struct json_writer *w, const struct manual *m, const struct field *f);
void example_sent(struct json_writer *w, const struct manual *m, const struct operation *op, const struct field *f);
void example_resource(struct json_writer *w, const struct manual *m, const struct resource *r);
void example_request(struct json_writer *w, const struct manual *m, const struct operation *op);
void example_reply(struct json_writer *w, const struct manual *m, const struct operation *op);

/* ---- writing -------------------------------------------------------------------------------------------- */

void put_key(struct json_writer *w, const char *name);
void put_text(struct json_writer *w, const char *name, const char *text);   /* a member that is a text */
void put_json(struct json_writer *w, const char *json);                     /* JSON of our own, with ' for its quotes */
void put_member(struct json_writer *w, const char *name, const char *json); /* the same, as a member */

void routes_write(struct buf *out); /* TSV: method, path, roles, scope, status, resource, permission */

#endif
