/* Contents in a bucket of an object store. The essay is in remote.c. */
#ifndef FILES_REMOTE_H
#define FILES_REMOTE_H

#include "files/place.h"
#include "files/s3.h"
#include "work/work.h"

/* copies: bytes of the copies in the folder that are kept when nobody has used them for REMOTE_STAYS. The
 * clock is that of the desk. */
struct remote *remote_new(const struct s3_place *p, int64_t copies, const struct clock *clock);
void remote_stop(struct remote *r); /* ends what waits for the network */
void remote_free(struct remote *r);
struct s3 *remote_s3(const struct remote *r);
struct str remote_object(struct arena *a, struct str sha256); /* the name of a content in the bucket */

/* Opens the folder of copies, and looks at the bucket. Returns as contents_open. */
int remote_open(const struct contents *k, struct why why);
/* A bucket (with its prefix) belongs to one desk, because a sweep removes what its desk has no row of. The
 * first process of a desk writes the desk's name into the bucket. Returns 0, or an error with the reason if
 * another desk's name is there. */
int remote_claim(struct desk *d, struct why why);
/* Returns 0 if the bucket is there and no other desk has it. Writes the name of the desk if it has one.
 * Otherwise an error and the reason. */
int remote_may_take(struct conn *c, const struct contents *k, struct why why);
bool folder_has_copies(const struct contents *k); /* true: it is a folder of copies */

/* The same as those of content.h, for a bucket. */
/* A copy that was fetched stays for this long at least. */
#define REMOTE_STAYS (15 * TIME_MINUTE)
bool remote_is_here(struct arena *a, const struct contents *k, struct str sha256, int64_t size);
int remote_fetch(struct arena *a, const struct contents *k, struct str sha256, int64_t size);
const char *remote_fault(struct arena *a, const struct contents *k, struct str sha256, int64_t size);
int remote_keep(struct arena *a, const struct contents *k, struct str sha256, const char *from, int64_t size);
int remote_hold(struct work *w, struct str sha256);
int remote_drop(struct desk *d, const struct str *contents, int n);
int remote_listed(struct arena *a, const struct contents *k, int nth, struct str **contents);
void remote_tidy(const struct contents *k);

struct remote_content {
    struct str sha256;
    int64_t size, age; /* size: -1 unknown; age as in struct s3_object */
};
int remote_content_compare(const void *x, const void *y); /* for qsort: by sha256 */
/* The contents of a subfolder. Returns their number, or -1 with the reason. */
int remote_contents(struct arena *a, const struct contents *k, int nth, struct remote_content **contents,
                    struct why why);
/* The same for all subfolders, one after the other from 0 on, with a request for each 1,000 contents. */
struct remote_walk *remote_walk_new(const struct contents *k);
int remote_walk_next(struct remote_walk *w, struct arena *a, int nth, struct remote_content **contents,
                     struct why why);
void remote_walk_free(struct remote_walk *w); /* NULL is allowed */
/* Sets *size to the size of a content. Returns 1, 0 if it is not there, or -1 with the reason. */
int remote_size(const struct contents *k, struct str sha256, int64_t *size, struct why why);

/* s3_address of a content, for k->presigned seconds. */
struct str remote_address(struct arena *a, const struct contents *k, struct str sha256,
                          const struct s3_shown *as);
/* Counts uploads in parts that are older than a day and not completed; -1: the store can't say it. */
int remote_uploads_left(const struct contents *k);

/* Reads a content into an open file, verified; stores a file. Return 0, or -1 with the reason. */
int remote_read(const struct contents *k, struct str sha256, int64_t size, int to, struct why why);
int remote_write(const struct contents *k, struct str sha256, const char *from, int64_t size, struct why why);

#define REMOTE_LINGERS TIME_HOUR /* how long a content stays in the bucket after its last row */
#define REMOTE_GONE TIME_DAY     /* how long the row of a removal stays after the deletion */
/* Deletes from the bucket what remote_drop has noted REMOTE_LINGERS ago; at_once: all of it, while no
 * process serves the desk. Waits for the network. Returns 0, or an error: the rest is tried again later. */
int remote_remove(struct desk *d, bool at_once);
/* Deletes the row of a removal, because a row of files refers to the content. Returns the number of rows, or
 * a negative error. */
int removal_ended(struct conn *c, struct str sha256);

/* The thread that sweeps waits for the runner: false if the process ends. */
bool remote_await_sweep(struct remote *r);
void remote_sweep_now(struct remote *r);

#endif
