/* Fills an empty store from a folder that an export wrote (docs/TRANSFER.md). */
#ifndef TRANSFER_IMPORT_H
#define TRANSFER_IMPORT_H

#include "transfer/manifest.h"

struct desk_import {
    const char *from;                /* the folder of the export */
    struct db *to;                   /* opened with bulk and filling */
    const struct contents *contents; /* receives the contents of files */
    struct str key_proof;            /* proof of the server key that will serve the desk; p NULL: unknown */
    bool without_secrets;            /* delete what only the exported desk's key can read */
    void (*progress)(const char *what, int64_t done, int64_t total);
    void (*dropped)(const char *what, int64_t rows); /* without_secrets: a line for each kind of values */
};

struct import_summary {
    int64_t rows, contents;
    int64_t people[6]; /* by enum role_type; people who are not deleted */
};

/* Reads desk.json and refuses a folder that can't be imported: another format or schema, another server
 * key. */
int desk_import_open(const struct desk_import *x, struct arena *a, struct manifest *out, struct why why);
/* Verifies and copies the contents of files, then fills the store in one transaction. Refusals name the
 * file and the line. */
int desk_import_run(const struct desk_import *x, struct arena *a, struct manifest *m,
                    struct import_summary *out, struct why why);

#endif
