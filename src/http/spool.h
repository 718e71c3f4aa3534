/* A temporary file that is being received, hashed on the way. */
#ifndef HTTP_SPOOL_H
#define HTTP_SPOOL_H

#include "http/http.h"
#include "http/ledger.h"

/* Where files of bodies under way wait. */
struct spool_folder {
    const char *path;
    struct ledger held;
};

struct spool;

/* NULL: the file can't be made; logged. `least`: see ledger_take. */
struct spool *spool_open(struct arena *a, struct spool_folder *in, const struct sender *who, int64_t least);
const char *spool_write(struct spool *s, struct str piece); /* NULL, or a sentence that says why it can't be kept; logged */
void spool_close(struct spool *s, struct http_file *file);  /* fills path, size and hashes */
void spool_abandon(struct spool *s);                        /* closes and removes; NULL is nothing */
void spool_remove(struct spool_folder *in, const struct sender *who,
                  const struct http_file *file); /* one that was closed; it may have been renamed */

void md5_of(unsigned char out[16], struct str bytes);

#endif
