/* A temporary file that is being received, hashed on the way. */
#ifndef HTTP_SPOOL_H
#define HTTP_SPOOL_H

#include "http/http.h"

#include <stdatomic.h>

/* Where bodies wait until it is known whose they are: whoever sends them, all together take no more of the disk than `most`. */
struct spool_folder {
    const char *path;
    int64_t most;
    _Atomic int64_t held;
};

struct spool;

struct spool *spool_open(struct arena *a, struct spool_folder *in); /* NULL: the file can't be made; logged */
int spool_write(struct spool *s, struct str piece); /* 0, or -ERR_SERVICE_UNAVAILABLE: the disk refuses, or most are held; logged */
void spool_close(struct spool *s, struct http_file *file); /* fills path, size and hashes */
void spool_abandon(struct spool *s);                       /* closes and removes; NULL is nothing */
void spool_remove(struct spool_folder *in, const struct http_file *file); /* one that was closed; it may have been renamed */

void md5_of(unsigned char out[16], struct str bytes);

#endif
