/* The HTTP edge: the only user of libmicrohttpd. Strict framing, limits before memory, absolute deadlines,
 * drain.
 *
 * The edge calls three functions of the app for each request, all on one of the event loops, possibly
 * before http_start has returned:
 *
 *   begin()   after the header section, which is well-formed. It plans the body, at once or, after http_defer, by http_begun.
 *   handle()  after the body is complete: in memory, or as a multipart form with its files in temporary files.
 *             It calls http_reply before it returns, or http_defer, and later http_reply from any thread, exactly once.
 *   end()     after the reply was sent or the peer has disconnected.
 *
 * A peer that disconnects during its body causes end() without handle(). A malformed head causes none of
 * these calls: refuse() makes the reply, and the connection closes. */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/shared.h"
#include "base/str.h"

struct json;
struct http_server;
struct http_file {
    struct str field, filename, type; /* as sent; filename without folders */
    struct str path;                  /* temporary file; removed after end() unless the app has renamed it */
    int64_t size;
    unsigned char sha256[32], md5[16];
    struct http_file *next;
};

/* Returns true if `sent`, a Content-MD5 in Base64 (RFC 1864) or hex, is this hash. */
bool md5_matches(struct str sent, const unsigned char md5[16]);

struct http_request {
    struct arena *arena;
    struct str method;
    struct str path;  /* raw request target without its query, not percent-decoded */
    struct str query; /* raw, without the question mark; p NULL: none */
    /* address of the client as text; from X-Forwarded-For if the peer is a trusted proxy */
    struct str remote;
    struct str body;         /* complete; empty if there is none, it was multipart, or it went to a file */
    struct json *form;       /* multipart: the tree of its fields (json.h form_put) */
    struct http_file *files; /* multipart file parts, or the one raw body for HTTP_BODY_FILE */
    /* 0, or why the body was not taken: ERR_BODY_INVALID, PAYLOAD_TOO_LARGE, CHECKSUM_MISMATCH (Content-MD5
     * of a part or of the whole), UNSUPPORTED_MEDIA_TYPE (Content-Encoding), SERVICE_UNAVAILABLE (no room for
     * files) */
    int body_error;
    const char *body_reason; /* a sentence for it */
    bool has_body;           /* a body follows; known in begin() */
    int64_t started;         /* clock_monotonic at about the first byte of the header */
    void *app;               /* data of the app */
};

enum http_body {
    /* read into request->body, at most limit bytes; multipart fields are parsed; file parts are discarded and
     * listed with path NULL */
    HTTP_BODY_MEMORY,
    /* like MEMORY, but multipart file parts go to temporary files, each at most file_limit */
    HTTP_BODY_UPLOAD,
    /* like UPLOAD, but a body that is not multipart goes to one temporary file, an empty one too */
    HTTP_BODY_FILE,
    HTTP_BODY_NONE, /* not read: reply at once and close */
};
struct http_plan {
    enum http_body body;
    /* the person who sends it, for the limit of bytes held for one person; 0: not known */
    int64_t person;
    /* bytes; a whole form with files may have LIMIT_UPLOAD, or file_limit + limit if that is more */
    int64_t limit, file_limit;
};

struct http_app {
    void (*begin)(void *ctx, struct http_request *r, struct http_plan *plan);
    void (*handle)(void *ctx, struct http_request *r);
    void (*end)(void *ctx, struct http_request *r); /* the last call: free what `app` holds */
    /* Makes the reply to a malformed head or chunk, or to one over a limit. It must call http_reply before
     * it returns. There is no begin() and no end(). In r only arena and remote are set; method and path
     * are empty. A reply that can't be sent (a file behind a head that is too large) is refused in the
     * same way, with its own r. */
    void (*refuse)(void *ctx, struct http_request *r, int err, const char *reason);
    /* The peer of a deferred request has disconnected, or the server stops and can't wait. A reply is
     * still due. Called by a thread of the edge, at most once for a request. It must only set a flag or
     * interrupt, never reply itself. May be NULL. */
    void (*gone)(void *ctx, struct http_request *r);
    /* Many requests have ended, and none has come for a moment: let go of memory that only makes requests
     * faster. Freed memory goes back to the kernel soon after. Called by a thread of the edge. May be
     * NULL. */
    void (*rest)(void *ctx);
};

/* Returns the header field of the request with this name, letter case ignored; p NULL: absent. */
struct str http_header(const struct http_request *r, const char *name);
/* Replaces the value of a header field, or adds the field. The value lives as long as the request. */
void http_header_set(struct http_request *r, const char *name, struct str value);
struct str http_cookie(const struct http_request *r, const char *name);

/* Makes a request of the same client inside a request that is being handled, in its memory. It has no
 * header fields but those that are added, and no body: the caller sets `form` and `files`. It is never
 * deferred or replied to. */
struct http_request *http_inner(struct http_request *outer, struct str method, struct str path,
                                struct str query);
#define HTTP_INNER_HEADERS 16
/* The same without a client: for reads that the server makes for itself. */
struct http_request *http_alone(struct arena *a, struct str method, struct str path, struct str query,
                                struct str remote);
/* not copied; p NULL: none */
void http_inner_header(struct http_request *inner, const char *name, struct str value);

/* Call it in begin() or handle(), before another thread gets the request. A second call does nothing. */
void http_defer(struct http_request *r);
/* true: another thread than the event loop has the request */
bool http_is_deferred(const struct http_request *r);
/* For a request that begin() has deferred: sets its plan. From any thread, exactly once. handle() follows. */
void http_begun(struct http_request *r, const struct http_plan *plan);
/* Call it before http_reply. The value is copied, the name must stay. A value that is empty or has CR, LF
 * or NUL is dropped. */
void http_add_header(struct http_request *r, const char *name, struct str value);
/* Sends status and body. Takes over the buffer's memory (body->p becomes NULL). Content-Length is set.
 * HEAD sends no body. After it, nothing of a deferred request may be used. */
void http_reply(struct http_request *r, int status, struct buf *body);
/* The same with bytes that replies share without copying them. The edge takes a reference of its own. The
 * caller keeps theirs. */
void http_reply_shared(struct http_request *r, int status, struct shared *bytes);
/* The same with n bytes of a file from offset `at` as the body. The edge takes over the descriptor. */
void http_reply_file(struct http_request *r, int status, int fd, int64_t at, int64_t n);
/* A body that is made while it is sent. Its length is not known, so the reply is chunked. An HTTP/1.0
 * client can't distinguish its end from a break. */
struct http_stream {
    /* Runs on an event loop. Returns 1 to n bytes, 0 at the end, or -1: the connection is cut. */
    int64_t (*read)(void *ctx, char *room, size_t n);
    void (*close)(void *ctx); /* is called exactly once, also after an error */
    void *ctx;
    int64_t about; /* its approximate length in bytes: the deadline of the reply depends on it */
};
void http_reply_stream(struct http_request *r, int status, const struct http_stream *s);
/* Gives the connection away. The edge writes nothing and forgets it; its descriptor goes to take(), which owns
 * it, with the head of the reply, which is still to be sent: the status, the headers of http_add_header, no
 * length. The head is in the memory of the request. take() runs on an event loop and must not wait. If the
 * connection can't be given away, drop() is called in its place. Exactly one of both is called. */
struct http_taking {
    void (*take)(void *ctx, int fd, struct str head);
    void (*drop)(void *ctx);
    void *ctx;
};
void http_give(struct http_request *r, int status, const struct http_taking *t);
/* Call it before http_reply: counts n bytes of the reply until they are sent, for a person; 0: for the
 * address of the client. Returns false, and counts nothing, if all replies or those of this caller would
 * be too many: then answer 503. With `always` it returns true. */
bool http_hold(struct http_request *r, int64_t person, size_t n, bool always);
void http_close_after(struct http_request *r); /* adds Connection: close to the reply */

struct http_config {
    const char *address; /* numeric, IPv4 or [IPv6] */
    int port;            /* 0: any free port */
    /* called when the port is known and before a loop runs; may be NULL */
    void (*bound)(void *arg, int port);
    void *bound_arg;
    int loops;
    const char *tmp_dir;
    int64_t spool_bytes;  /* limit of files of bodies in progress in tmp_dir; 0: limits.h */
    int64_t memory_bytes; /* limit of memory of other bodies in progress; 0: limits.h */
    /* addresses or networks of trusted proxies, whose X-Forwarded-For is used; ended by p NULL */
    struct str *proxies;
    int max_connections; /* 0: limits.h */
    /* 0: limits.h, not applied to loopback; otherwise applied to loopback, too */
    int max_per_address;
    int64_t held_bytes, held_bytes_each;            /* see http_hold; 0: limits.h */
    int head_deadline_ms, body_deadline_ms, idle_s; /* 0: limits.h */
};

struct http_server *http_start(const struct http_config *cfg, const struct http_app *app, void *ctx,
                               char *err, size_t err_size);
int http_port(const struct http_server *s);
/* Stops the server. No new connections are accepted, requests in progress may end. After drain_ms slow
 * connections are shut down, and gone() is called for deferred requests. Returns, with all memory freed,
 * when the last deferred request has its reply, however long that takes. */
void http_stop(struct http_server *s, int drain_ms);

struct http_stats {
    int64_t connections, requests, refused, timed_out, held;
    int64_t spooled, bodies; /* bytes of bodies in progress: on the disk, in memory */
};
void http_stats(const struct http_server *s, struct http_stats *out);

#endif
