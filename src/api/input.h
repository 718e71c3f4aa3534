/* From what was sent to validated values. */
#ifndef API_INPUT_H
#define API_INPUT_H

#include "api/call.h"

/* Reads the fields that a POST (create) or PUT takes out of an object. Problems are gathered under pointer prefix ("teams/3"; p NULL:
 * none). Returns 0 or the first problem; *out is parallel to fields, *count long. */
int input_read(struct call *c, const struct field *fields, bool create, const struct json *object, struct str prefix, struct in **out,
               int *count);

/* Says in `logs` which members of the query and body are not known. Returns an error for one that is known in another shape. */
int input_notices(struct call *c);

/* The name a field is sent under: "title"; of a reference "businesshour_id". */
struct str input_name(struct arena *a, const struct field *f);
struct bind input_bind(struct arena *a, const struct in *in); /* the value under the name it is sent by */
bool input_taken(const struct field *f, bool create);

/* Arguments that every operation takes; the problems among them are gathered like any input's. */
int arguments_read(struct call *c);

/* Finds the member of this name, in any spelling; *out is NULL if there is none. A member that is given in two spellings is an
 * error, because one of its values would be lost. */
int input_find(struct call *c, const struct json *object, struct str name, struct str pointer, const struct json **out);

/* Returns an error if an object inside the value has one member in two spellings; keys that are data do not count. */
int input_spelled_once(struct call *c, const struct in *in);

/* A list of words that hold no comma, given as an array, as text, or as a repeated name: as text with commas. False: it is none. */
bool input_joined(struct arena *a, const struct json *j, struct str *out);
const struct json *input_split(struct arena *a, struct str text); /* Text with commas as an array of texts. */

/* A list of ids: array, or text with commas. Duplicates: PARAMETERS_INCONSISTENT. Returns how many, or error. */
int input_ids(struct call *c, struct str name, const struct json *j, int64_t **out);

/* Reads in->json, a list of rows that the resource owns, into in->made: a struct owned (owned.h). Problems are gathered under
 * name/<n>/<member>. */
int input_owned(struct call *c, struct in *in);

#endif
