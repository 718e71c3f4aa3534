/* Receives the body of a request: into memory, as a multipart form, or into a file. Independent of the
 * HTTP library. */
#ifndef HTTP_BODY_H
#define HTTP_BODY_H

#include "http/http.h"

struct body;
struct spool_folder;
struct ledger;

/* The ledgers of bytes of bodies: files and memory. */
struct stores {
    struct spool_folder *folder;
    struct ledger *memory;
};

/* Makes a body by the plan and the Content-Type. Returns NULL if the body can't be taken, with
 * r->body_error set. */
struct body *body_new(struct http_request *r, const struct http_plan *plan, struct str content_type,
                      struct stores stores);
int64_t body_limit(const struct body *b);                /* largest size of the whole body, in bytes */
bool body_take(struct body *b, const char *p, size_t n); /* false: r->body_error is set, pass no more bytes */
/* call it when the body is complete; md5: the request's Content-MD5, or p NULL */
void body_finish(struct body *b, struct str md5);
/* frees memory and removes files that were not renamed; NULL is allowed */
void body_free(struct body *b);

#endif
