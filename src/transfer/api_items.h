/* Rows of another server with their posts, as lines of the folder of api_fetch.c. */
#ifndef TRANSFER_API_ITEMS_H
#define TRANSFER_API_ITEMS_H

#include "transfer/foreign.h"
#include "transfer/growing.h"
#include "transfer/source.h"

#include <inttypes.h>

#define API_LINE_BEGINS "{\"_id\":%" SCNd64 ",\"_updated\":%" SCNd64 ",\"_fetched\":%" SCNd64 ","
#define API_ID_MOST (INT64_C(1) << 53)

struct api_fetch {
    struct api_source source;
    const char *folder;   /* made if it is missing */
    struct arena *memory; /* lives until the end */
    int64_t now;
    /* Gets what the source has and the folder does not get: counts and examples. */
    struct foreign *report;
    void (*progress)(const char *what, int64_t done, int64_t total); /* may be NULL */
    int64_t fetched, kept;                                           /* rows */
    struct growing *growing; /* another thread reads the file that is written; NULL: none does */
};

enum api_parts { API_PLAIN, API_NOTES, API_POSTS, API_COMMENTS };

struct api_kind {
    const char *name;  /* of the file */
    const char *path;  /* of the list */
    const char *query; /* of the rows; begins with & */
    const char *owner; /* begins the paths of posts and notes of a row; NULL: it has none */
    enum api_parts parts;
    const char *filter; /* of the list and the rows, with & behind it; NULL: none */
    /* The source may refuse the list (403, 404). Its rows are few, so each run reads all of them again: parts
     * of them may change without their updated_at. */
    bool is_small;
    /* A list of each row, which the line has as _extra. Its path has the id between these two. NULL: none. */
    const char *extra_of, *extra;
    bool has_pictures;    /* rows with avatar_updated_at have a picture */
    const char *extra_if; /* only of rows in which this member has a value; NULL: of all */
};

/* The file of a picture of a person, which changes with its time. */
#define API_PICTURE "%s/pictures/%" PRId64 "-%" PRId64

struct api_item {
    int64_t id;
    struct str line; /* the result; p NULL: the row is gone */
};

/* Fetches the rows with these ids, their posts, and the contents of the files of these. The lines are in the
 * arena. Returns 0 or a refusal. */
int api_items(struct api_fetch *x, struct arena *a, const struct api_kind *k, struct api_item *items,
              int count);

#endif
