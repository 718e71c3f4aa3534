/* Uploads in parts. */
#ifndef FILES_S3_PARTS_H
#define FILES_S3_PARTS_H

#include "files/s3_request.h"

/* A file of more than S3_PART bytes goes up in parts of that size. Stores take parts of 5 MiB and more. */
#define S3_PART (8 * 1024 * 1024)
enum s3_outcome s3_put_parts(struct s3 *s, struct arena *a, struct str name, struct str sha256, int from,
                             int64_t size, struct why why);

#endif
