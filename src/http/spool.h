/* A temporary file that is being received, hashed on the way. */
#ifndef HTTP_SPOOL_H
#define HTTP_SPOOL_H

#include "http/http.h"

struct spool;

struct spool *spool_open(struct arena *a, const char *dir); /* NULL: the file can't be made; logged */
int spool_write(struct spool *s, struct str piece); /* 0, or -ERR_SERVICE_UNAVAILABLE when the disk refuses; logged */
void spool_close(struct spool *s, struct http_file *file); /* fills path, size and hashes */
void spool_abandon(struct spool *s);                       /* closes and removes; NULL is nothing */

void md5_of(unsigned char out[16], struct str bytes);

#endif
