/* Another server that speaks this API, as the source of an import. Its replies are hostile input: each has
 * a limit of bytes, and paths are made from numbers of rows, never from addresses that a reply names. A
 * request that fails for a while (no reply, a reply that is cut, 429, 5xx) is sent again, after the time of
 * Retry-After or a pause that doubles. */
#ifndef TRANSFER_SOURCE_H
#define TRANSFER_SOURCE_H

#include "db/why.h"
#include "json/json.h"
#include "outgoing/readers.h"

#include <stdatomic.h>

struct api_source {
    const char *base; /* such as "https://desk.example.com/api/v1" */
    struct readers *readers;
    struct why why;
    bool answered;                       /* it has once */
    int64_t requests, repeated, limited; /* repeated: after a failure; limited: those of status 429 */
    const atomic_bool *unwanted;         /* set by another thread: no request is sent any more; may be NULL */
    bool ended;                          /* for this reason */
};

/* Opens the source. url: https, or http to this machine; `any_http` allows http to all. credentials: an
 * e-mail address, a colon and a password, or "Bearer" and a token. Returns 0 or a refusal. */
int source_open(struct api_source *s, struct arena *a, struct str url, struct str credentials, bool any_http);
void source_close(struct api_source *s);

/* One page of JSON. */
struct source_page {
    struct str path; /* behind the base, with its query */
    int status;      /* 200, or the status of a refusal that stays: 403, 404; 413: the reply is too long */
    struct json *reply;
};
/* Reads pages, several at a time. The replies are in the arena. Returns 0 or a refusal. */
int source_pages(struct api_source *s, struct arena *a, struct source_page *list, int count);
/* Reads one page that must be there. */
int source_page(struct api_source *s, struct arena *a, struct str path, struct json **out);

/* One content of a file, of `size` bytes; -1: not known. */
struct source_file {
    struct str path;
    const char *to; /* a file with this name has the content already */
    int64_t size;
    bool missing; /* the source has no such content, or one of another size */
};
int source_files(struct api_source *s, struct arena *a, struct source_file *list, int count);

#endif
