/* The HTTP edge: the only user of libmicrohttpd. Strict framing, limits before memory, absolute deadlines, drain.
 *
 * The edge calls begin() when the header section is complete and was found well-formed (it plans what to do with the body, at once or, after http_defer, by http_begun), then, when the body is complete
 * (in memory, or a multipart form with its files in temporary files), handle(), then, once the reply is sent or the
 * peer is gone, end(). All three run on one of the event loops, and may before http_start has returned. handle() either
 * calls http_reply before it returns, or http_defer and later, from any thread and exactly once, http_reply. A peer
 * that leaves in the middle of its body gets end() without handle(). A head that is not well-formed becomes no request:
 * refuse() makes the reply, and the connection closes. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/shared.h"
#include "base/str.h"

struct json;
struct http_server;
struct http_file {
    struct str field, filename, type; /* as sent; filename without any directory part */
    struct str path;                  /* temporary file; removed after end() unless the app renamed it away */
    int64_t size;
    unsigned char sha256[32], md5[16];
    struct http_file *next;
};

/* True when `sent`, a Content-MD5 in Base64 (RFC 1864) or hex, names this hash. */
bool md5_matches(struct str sent, const unsigned char md5[16]);

struct http_request {
    struct arena *arena;
    struct str method;
    struct str path;         /* raw request target without its query, percent-encoding untouched */
    struct str query;        /* raw, without the question mark; p NULL when there is none */
    struct str remote;       /* address text of the client; X-Forwarded-For's when the peer is a trusted proxy */
    struct str body;         /* complete; empty when there is none or it was multipart or went to a file */
    struct json *form;       /* multipart: the tree of its fields (json.h form_put) */
    struct http_file *files; /* multipart file parts, or the one raw body when the app asked for HTTP_BODY_FILE */
    int body_error;          /* 0, or why the body was not taken: ERR_BODY_INVALID, PAYLOAD_TOO_LARGE, CHECKSUM_MISMATCH
                                (Content-MD5 of a part or of the whole), UNSUPPORTED_MEDIA_TYPE (Content-Encoding),
                                SERVICE_UNAVAILABLE (no room for files) */
    const char *body_reason; /* a sentence for it */
    bool has_body;           /* one is to come; known in begin() */
    int64_t started;         /* clock_monotonic of the first header byte or as near as the library tells */
    void *app;               /* the app's own */
};

enum http_body {
    HTTP_BODY_MEMORY, /* read into request->body, at most limit bytes; multipart fields are parsed, file parts are
                         drained and listed with path NULL */
    HTTP_BODY_UPLOAD, /* as MEMORY, but multipart file parts go to temporary files, each at most file_limit */
    HTTP_BODY_FILE,   /* as UPLOAD, and a body that is no multipart goes to one temporary file */
    HTTP_BODY_NONE,   /* not read: reply at once and close */
};
struct http_plan {
    enum http_body body;
    int64_t person;            /* who sends it, for the limit of bytes that are held for one person; 0: not known */
    int64_t limit, file_limit; /* a whole form with files: LIMIT_UPLOAD, or a file of file_limit and fields of limit */
};

struct http_app {
    void (*begin)(void *ctx, struct http_request *r, struct http_plan *plan);
    void (*handle)(void *ctx, struct http_request *r);
    void (*end)(void *ctx, struct http_request *r); /* the last word: free what `app` holds */
    /* Makes the reply to what is no request: a malformed head or chunk, or one over a limit. It must call http_reply before it
     * returns. There is no begin and no end; of r only arena and remote are known, method and path are empty. A reply that can't be
     * sent as it is (a file behind a head that is too large) is refused in the same way, with its own r. */
    void (*refuse)(void *ctx, struct http_request *r, int err, const char *reason);
    /* A deferred request's peer hung up, or the server stops and can't wait; a reply is still due. Called from a thread
     * of the edge at most once a request; it must only set a flag or interrupt, never reply itself. May be NULL. */
    void (*gone)(void *ctx, struct http_request *r);
};

/* Header field of the request by name, letter case ignored; p NULL when absent. */
struct str http_header(const struct http_request *r, const char *name);
struct str http_cookie(const struct http_request *r, const char *name);

void http_defer(struct http_request *r); /* within begin() or handle(), before another thread learns of the request */
/* Of a request that begin() has deferred: from any thread, exactly once. handle() follows, as if begin() had made this plan. */
void http_begun(struct http_request *r, const struct http_plan *plan);
/* Before http_reply. The value is copied, the name must stay. A value with CR, LF or NUL, or an empty one, is dropped. */
void http_add_header(struct http_request *r, const char *name, struct str value);
/* Sends status and body; takes the buffer's memory (body->p becomes NULL). Content-Length is set; HEAD sends no body.
 * Of a deferred request nothing may be touched behind it. */
void http_reply(struct http_request *r, int status, struct buf *body);
/* The same with bytes that other replies share. No reply copies them. The edge takes a reference of its own: the caller keeps theirs. */
void http_reply_shared(struct http_request *r, int status, struct shared *bytes);
/* The same with n bytes of a file from `at` on as the body. The descriptor is the edge's from now on. */
void http_reply_file(struct http_request *r, int status, int fd, int64_t at, int64_t n);
/* Before http_reply: counts the n bytes of the reply for an owner, until the reader has taken them. Returns false, and counts nothing, if
 * all replies together or those of this owner would be too many: then answer 503. With `always` it returns true. */
bool http_hold(struct http_request *r, uint64_t owner, size_t n, bool always);
void http_close_after(struct http_request *r); /* Connection: close with the reply */

struct http_config {
    const char *address;                /* numeric, IPv4 or [IPv6] */
    int port;                           /* 0: a free one */
    void (*bound)(void *arg, int port); /* the port is known and no loop runs yet; may be NULL */
    void *bound_arg;
    int loops;
    const char *tmp_dir;
    int64_t spool_bytes;                            /* that files of bodies under way may take there; 0: limits.h */
    int64_t memory_bytes;                           /* that other bodies under way may take; 0: limits.h */
    struct str *proxies;                            /* addresses whose X-Forwarded-For is believed; ends with p NULL */
    int max_connections;                            /* 0: limits.h */
    int max_per_address;                            /* 0: limits.h, and loopback has no cap; else loopback has it too */
    int64_t held_bytes, held_bytes_each;            /* see http_hold; 0: limits.h */
    int head_deadline_ms, body_deadline_ms, idle_s; /* 0: limits.h */
};

struct http_server *http_start(const struct http_config *cfg, const struct http_app *app, void *ctx, char *err, size_t err_size);
int http_port(const struct http_server *s);
/* No new connections; requests under way end; after drain_ms what is slow is cut off and deferred requests hear gone().
 * Comes back, with all freed, when the last deferred one has been replied to, however long that takes. */
void http_stop(struct http_server *s, int drain_ms);

struct http_stats {
    int64_t connections, requests, refused, timed_out, held;
    int64_t spooled, bodies; /* bytes of bodies under way: on the disk, in memory */
};
void http_stats(const struct http_server *s, struct http_stats *out);

#endif
