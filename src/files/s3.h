/* A bucket of an object store that speaks the S3 protocol. All functions wait for the network, so none may
 * run on an event loop or in a write. They may run on any number of threads.
 *
 * A request that fails for a reason that may pass is sent again, S3_TRIES times in all: no connection, a
 * connection that breaks, less than 4 KB a second for 10 s, a status 5xx or 429, a body that is shorter
 * than it should be or that does not match its SHA-256. A refusal (403, 400) is final. */
#ifndef FILES_S3_H
#define FILES_S3_H

#include "files/s3_reply.h"
#include "files/s3_types.h"

struct s3;
/* Copies the place. Opens no connection. */
struct s3 *s3_new(const struct s3_place *p);
void s3_stop(struct s3 *s); /* ends requests under way and refuses others; from any thread */
void s3_free(struct s3 *s);
struct str s3_name(struct arena *a, const struct s3 *s); /* s3://bucket/prefix, for messages */

/* bucket and prefix of s3://BUCKET or s3://BUCKET/PREFIX. Returns false if the text is not one. */
bool s3_url_read(struct str text, struct str *bucket, struct str *prefix);

/* Returns 0 if the bucket can be listed with the key. Otherwise an error, and the reason with what to do. */
int s3_look(struct s3 *s, struct why why);

/* The names of objects are below the prefix. Those that fail write the reason, a clause. */
enum s3_outcome s3_put(struct s3 *s, struct str name, struct str sha256, const char *path, int64_t size,
                       struct why why);
enum s3_outcome s3_put_text(struct s3 *s, struct str name, struct str text, struct why why);
/* Writes the object to this file (from offset 0), and verifies size and SHA-256 on the way. to -1: verifies
 * only. */
enum s3_outcome s3_get(struct s3 *s, struct str name, struct str sha256, int64_t size, int to,
                       struct why why);
/* A small text that ends with a new line, by which half of it is found out. */
enum s3_outcome s3_get_text(struct s3 *s, struct str name, struct arena *a, struct str *text, struct why why);
enum s3_outcome s3_head(struct s3 *s, struct str name, int64_t *size, struct why why);
struct s3_shown { /* headers of a download, as the store shall send them */
    struct str type, disposition, caching;
};
/* An address by which anyone gets the object for so many seconds. Asks no network. */
struct str s3_address(struct s3 *s, struct arena *a, struct str name, const struct s3_shown *as,
                      int64_t seconds);
/* An object that is not there is deleted, too. */
enum s3_outcome s3_delete(struct s3 *s, struct str name, struct why why);

/* Up to 1,000 objects whose names begin with this, in their order, behind `after` (n 0: from the first).
 * Returns their number, or -1. *more: others follow. */
int s3_page(struct s3 *s, struct arena *a, struct str beginning, struct str after, struct s3_object **objects,
            bool *more, struct why why);

/* Counts the uploads in parts that were begun this long ago (in milliseconds) and neither completed nor
 * aborted, of the first 1,000. Returns -1 if the store can't say it. */
int s3_uploads_left(struct s3 *s, int64_t age);

const struct s3_counts *s3_counts(const struct s3 *s);

#endif
