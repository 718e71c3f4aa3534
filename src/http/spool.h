/* A temporary file that receives an upload and hashes it. */
#ifndef HTTP_SPOOL_H
#define HTTP_SPOOL_H

#include "http/http.h"
#include "http/ledger.h"

/* The folder for files of bodies in progress. */
struct spool_folder {
    const char *path;
    struct ledger held;
};

struct spool;

/* Returns NULL, and logs, if the file can't be made. `least`: see ledger_take. */
struct spool *spool_open(struct arena *a, struct spool_folder *in, const struct sender *who, int64_t least);
/* Returns a sentence for the limit that is reached, or NULL if there is room. */
const char *upload_refusal(enum ledger_full full);

/* returns NULL, or a sentence that says why it can't be stored; logged */
const char *spool_write(struct spool *s, struct str piece);
void spool_close(struct spool *s, struct http_file *file); /* fills in path, size and hashes */
void spool_abandon(struct spool *s);                       /* closes and removes the file; NULL is allowed */
void spool_remove(struct spool_folder *in, const struct sender *who,
                  const struct http_file *file); /* removes a closed file; it may have been renamed */

void md5_of(unsigned char out[16], struct str bytes);

#endif
