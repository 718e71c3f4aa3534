/* The body of a request on its way in: to memory, to a multipart form, or to a file. Knows no HTTP library. */
#ifndef HTTP_BODY_H
#define HTTP_BODY_H

#include "http/http.h"

struct body;
struct spool_folder;
struct ledger;

/* Where the bytes of bodies are held. */
struct stores {
    struct spool_folder *folder;
    struct ledger *memory;
};

/* Chooses by the plan and the Content-Type. NULL: such a body can't be taken, and r->body_error says why. */
struct body *body_new(struct http_request *r, const struct http_plan *plan, struct str content_type, struct stores stores);
int64_t body_limit(const struct body *b);                /* more bytes than this are too many */
bool body_take(struct body *b, const char *p, size_t n); /* false: r->body_error is set, take no more */
void body_finish(struct body *b, struct str md5);        /* the body is complete; md5: the request's Content-MD5 or p NULL */
void body_free(struct body *b);                          /* memory, and files that nobody renamed; NULL is nothing */

#endif
