/* Rows of settings and of the help center, made by the requests that a client would send, with the times and
 * authors of the source. What can't be kept is reported with the reason. */
#ifndef TRANSFER_API_ROW_H
#define TRANSFER_API_ROW_H

#include "transfer/api_body.h"

struct api_kind_here {
    const char *type;  /* of the resource */
    const char *path;  /* of its POST; that of its PUT has "/:id" behind it */
    const char *label; /* in the summary: "triggers" */
    /* Names of lists whose wrong items are left out, with blanks between them. The row is then disabled. */
    const char *shrinks;
};

/* The parameters of its POST. */
const struct field *api_parameters(const struct api_kind_here *k);
/* Makes a row with the id of the item, if no row here has one as high. author_id 0: the owner. *here gets its
 * id, which api_here finds then. A row that an earlier run has made, and that the source has changed since,
 * gets the new values. Returns 1 if the row is new, 0 if it can't be made or was made, or an error. */
int api_row_make(struct foreign *f, const struct api_kind_here *k, const struct json *item, struct json *body,
                 int64_t author_id, int64_t *here);
/* Gives a row of this desk these values. Returns 1, 0 with a report if they are not valid, or an
 * error. */
int api_row_write(struct foreign *f, const struct api_kind_here *k, const struct json *item,
                  struct json *body, int64_t here);
/* The same of a row of an earlier run. The summary counts it among those with changes. */
int api_row_change(struct foreign *f, const struct api_kind_here *k, const struct json *item,
                   struct json *body, int64_t here);
/* A row of this desk stands for one of the source, which api_here finds then. */
int api_row_same(struct foreign *f, const struct api_kind_here *k, const struct json *item, int64_t here);
/* Gives a row that each desk has the values of the item. A desk with rows of its own keeps its values. */
int api_row_give(struct foreign *f, const struct api_kind_here *k, const struct json *item, struct json *body,
                 int64_t here);

int64_t api_time(struct foreign *f, const struct json *item, const char *name); /* not in the future */
/* A time in the future would let later changes seem older, so it becomes the time of the import. */
int64_t time_past(struct foreign *f, int64_t at, int64_t id);
int api_word(const struct word *words, struct str text); /* 0: the text is none of them */

#endif
