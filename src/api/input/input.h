/* Parses and validates input. */
#ifndef API_INPUT_INPUT_H
#define API_INPUT_INPUT_H

#include "api/call/call.h"

#include <string.h>

/* Reads the fields that a POST (create) or PUT accepts from an object. Problems get the pointer `prefix`
 * ("teams/3"; p NULL: none). Returns 0 or the first problem. *out is parallel to fields and has *count
 * entries. */
int input_read(struct call *c, const struct field *fields, bool create, const struct json *object,
               struct str prefix, struct in **out, int *count);

/* The name of a field in requests: "title"; for a reference "businesshour_id". */
struct str input_name(struct arena *a, const struct field *f);
struct bind input_bind(struct arena *a, const struct in *in); /* the value, bound by its name in requests */
bool input_taken(const struct field *f, bool create);

/* Reads the arguments that every operation takes into c->options, once for each call. Without a route, it
 * reads only the arguments of the format. It keeps problems in c->options.found until api_input. */
void arguments_read(struct call *c);

/* Finds a member by name, in any spelling; *out is NULL if there is none. A member in two spellings is an
 * error, because one value would be lost. */
int input_find(struct call *c, const struct json *object, struct str name, struct str pointer,
               const struct json **out);

/* Returns an error if an object inside the value has a member in two spellings. Keys that are data are not
 * checked. */
int input_spelled_once(struct call *c, const struct in *in);

/* Joins a list of words without commas (an array, text, or a repeated name) into text with commas. Returns
 * false if it is no list. */
bool input_joined(struct arena *a, const struct json *j, struct str *out);
/* splits text with commas into an array of texts */
const struct json *input_split(struct arena *a, struct str text);

/* Reads a list of ids: an array, or text with commas. Duplicates fail with PARAMETERS_INCONSISTENT.
 * Returns their number, or a negative error. */
int input_ids(struct call *c, struct str name, const struct json *j, int64_t **out);

/* ---- rows that a resource owns (owned_rows.h) ------------------------------------------------- */

#define OWNED_PRIMARY "is_primary"

struct owned_item {
    int64_t id; /* id of the row that the item keeps; 0: a new row */
    struct in *input;
    int count;
    bool primary;
};
struct owned { /* stored in in->made */
    struct owned_item *items;
    int count;
};

static inline struct in *owned_in(const struct owned_item *item, const char *name) {
    for (int i = 0; i < item->count; i++)
        if (strcmp(item->input[i].field->name, name) == 0) return &item->input[i];
    return NULL;
}

#endif
