/* Rows of another server of this API as bodies of requests: what a GET shows, in the form that POST takes.
 * The table of the parameters says which members these are. References become ids of this desk. */
#ifndef TRANSFER_API_BODY_H
#define TRANSFER_API_BODY_H

#include "api/table/resource.h"
#include "transfer/foreign.h"

/* The id here of a row of the source; 0: it has none. In a store that was empty, people, teams and
 * organizations keep their ids. Returns 0 or a negative error. */
int api_found(struct foreign *f, const char *type, int64_t id, int64_t *here);
/* The same. A row that is not here is reported. */
int64_t api_here(struct foreign *f, const char *type, int64_t id);

/* The body, in the arena of the item. table: the parameters. left: names of parameters, with spaces between
 * them, that the caller gives itself, or that are not taken; NULL: none. */
struct json *api_body(struct foreign *f, const struct field *table, const struct json *item,
                      const char *left);

/* ---- parts ----------------------------------------------------------------------------------- */

int64_t api_reference(const struct json *item, const char *name); /* the id of a member {id}; 0: none */
/* {locale, translation} of each translation of a list, without ids */
struct json *api_translations(struct foreign *f, const struct json *list);
/* The ids here of the objects {id} of a list, as texts. */
struct json *api_list_here(struct foreign *f, const char *type, const struct json *list);
void api_put(struct json *object, const char *name, struct json *value);
void api_take(struct json *object, const char *name); /* removes the member */
void api_put_id(struct foreign *f, struct json *object, const char *name, int64_t id); /* 0: nothing */
void api_put_text(struct foreign *f, struct json *object, const char *name,
                  struct str text); /* p NULL: nothing */
/* A copy without the ids and types of its objects. */
struct json *api_bare(struct foreign *f, const struct json *value);

#endif
