/* Writes a desk as a folder of NDJSON files with the contents of files beside them (docs/TRANSFER.md). */
#ifndef TRANSFER_EXPORT_H
#define TRANSFER_EXPORT_H

#include "transfer/manifest.h"

struct desk_export {
    struct conn *conn;               /* a reader; the export reads one snapshot */
    const char *to;                  /* the new folder */
    const struct contents *contents; /* of files: files/content.h */
    struct str base_url, key_proof;  /* base_url: p NULL: unknown */
    int64_t now;
    void (*progress)(const char *what, int64_t done, int64_t total);
    void (*report)(void *arg, const char *line); /* a line for each content that is missing or damaged */
};

/* Writes the folder under another name, syncs it, and renames it. Removes the unfinished folder if it
 * fails. Fills *out with what was written, in the arena. */
int desk_export(const struct desk_export *x, struct arena *a, struct manifest *out, struct why why);

#endif
