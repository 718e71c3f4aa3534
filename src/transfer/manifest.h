/* desk.json, which describes an export (docs/TRANSFER.md). */
#ifndef TRANSFER_MANIFEST_H
#define TRANSFER_MANIFEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "db/rows.h"

#define TRANSFER_FORMAT 1
#define MANIFEST_FILE "desk.json"
#define TABLES_FOLDER "tables"
#define FILES_FOLDER "files"

/* A table of an export: the file tables/NAME.ndjson. */
struct part {
    struct move_table table; /* .next leads to the next part's table */
    int64_t bytes;
    char sha256[65];
};

struct manifest {
    int64_t format, schema, exported_at;
    struct str program, base_url, key_proof; /* base_url: p NULL: unknown */
    int64_t contents, content_bytes;         /* number and bytes of the contents of files */
    struct part *parts;                      /* in the order of their names */
    int count;
};

void manifest_write(struct buf *out, const struct manifest *m);
/* Refuses a text that is not a manifest, and a newer format. */
int manifest_read(struct arena *a, struct str text, struct manifest *out, struct why why);

#endif
