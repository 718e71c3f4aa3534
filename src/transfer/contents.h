/* The contents of an export: files/ab/ab12..., as in the folder of a desk (files/content.h). */
#ifndef TRANSFER_CONTENTS_H
#define TRANSFER_CONTENTS_H

#include "base/arena.h"
#include "db/rows.h"

/* Counts the contents of a folder and their bytes. */
int contents_counted(struct arena *a, const char *folder, int64_t *count, int64_t *bytes, struct why why);
/* The same, and refuses a content that does not match the SHA-256 that is its name. */
int contents_verified(struct arena *a, const char *folder, int64_t *count, int64_t *bytes, struct why why);

#endif
