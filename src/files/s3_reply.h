/* Reads replies of an object store: the few elements that are needed, without a parser of XML. Names of
 * objects are those that this program writes, so they have no entities. */
#ifndef FILES_S3_REPLY_H
#define FILES_S3_REPLY_H

#include "base/arena.h"
#include "base/str.h"

struct s3_object {
    struct str name;
    int64_t size, age; /* age: milliseconds since it was written, by the clock of the store */
};

/* The text of the first element of this name; p NULL: there is none. */
struct str s3_member(struct arena *a, struct str xml, const char *name);
/* The code of a refusal, such as NoSuchKey, in the text; n 0: none. */
struct str s3_code(struct str xml);

struct s3_found {
    struct arena *arena;
    size_t skipped; /* bytes of the prefix, which the names lose */
    struct s3_object *list;
    int count, room;
};
/* Adds the objects of a page of a list. date: the header of the reply. Returns whether more follow. */
bool s3_found_add(struct s3_found *f, struct str xml, struct str date);
/* The number of uploads in a list of them that were begun at least this long ago. */
int s3_uploads_older(struct str xml, struct str date, int64_t age);

#endif
