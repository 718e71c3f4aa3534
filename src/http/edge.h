/* Declarations shared by the files of the HTTP edge. Only these include it. Each calls only files below it.
 *
 *   server.c    start, stop, connections, the limit of connections of an address
 *   accept.c    the listening socket, the choice of a loop
 *   intake.c    scans what is read from sockets before the library sees it
 *   request.c   from the head to handle(), bodies in between; refusals of malformed requests
 *   response.c  from http_reply to the socket
 *   body.c, multipart.c, parameter.c, spool.c   bodies; independent of the HTTP library
 *   framing.c   the head of a request, as the library has split it
 *   deadline.c  the sweeper: deadlines, disconnected peers, drain
 *   ledger.c    bytes that are held for callers: bodies under way, replies that wait for slow readers
 *   scan.c      checks that requests are well-formed; independent of the HTTP library */
#ifndef HTTP_EDGE_H
#define HTTP_EDGE_H

#include "base/address.h"
#include "base/error.h"
#include "base/limits.h"
#include "http/body.h"
#include "http/http.h"
#include "http/scan.h"
#include "http/spool.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

struct edge;

enum phase {
    PHASE_IDLE, /* no request: new, or between two requests */
    PHASE_HEAD, /* the first byte of a head was read */
    PHASE_BODY,
    PHASE_WORK, /* the app works: no deadline here, because the app has its own budgets */
    PHASE_SEND,
};

/* One socket. Its event loop owns all members but the atomics and the links. */
struct conn {
    struct http_server *server;
    struct conn *next, *before;            /* list server->conns, under server->lock */
    struct conn *bucket_next, **bucket_at; /* list in server->by_address; bucket_at NULL: not limited */
    int fd;
    struct address address;
    struct address counted; /* the network by which limits count it */
    char remote[ADDRESS_TEXT];
    _Atomic int phase;
    _Atomic int64_t deadline; /* clock_monotonic at which the sweeper shuts the socket down; 0: never */
    /* clock_monotonic from which an idle peer that closed its half is disconnected; 0: never */
    _Atomic int64_t quiet_at;
    struct edge *edge; /* the current request */
    struct scan scan;  /* state of the scanner for this connection */
    int64_t completed; /* number of completed requests */
    char *target;      /* the raw request target, in the library's buffer: see read_target */
    size_t target_n;
    char *question, behind_question;
    int64_t started;
    bool surplus;   /* over a limit: not linked, never answered */
    bool refused;   /* a malformed request was refused: nothing more is read */
    bool read_shut; /* its reading half was shut down, so that the library reads an end of file */
    bool unread;    /* closes while bytes of the peer are unread: see linger() */
    /* rest of a reply of our own that the socket did not take at once; linger() sends it */
    struct buf pending;
    size_t pending_sent;
};

struct header {
    struct str name, value;
    struct header *next;
};

struct framing {
    bool has_body;
    int64_t length; /* Content-Length; 0 for a chunked body */
};

#define BODY_SLOTS 16 /* slots of the window in which the rate of a body is measured */

/* One request. http_request is the first member, so that each is found from the other. */
struct edge {
    struct http_request r;
    struct http_server *server;
    struct conn *conn;
    struct MHD_Connection *library;
    struct header *head; /* header fields of the request; an array of head_n */
    size_t head_n;
    size_t reply_room; /* bytes of reply head that fit into the library's memory */
    struct body *body;
    int64_t body_began;
    int64_t arrived[BODY_SLOTS], slot; /* bytes of the body in each slot of time; number of the newest slot */
    struct framing framing;
    struct http_plan plan;
    bool undecided;       /* begin() has deferred the request: the plan for its body is not known yet */
    _Atomic bool decided; /* set: the plan is known */
    bool handled, deferred, close;
    bool last;          /* the client asked to close the connection after this request */
    _Atomic bool ready; /* set: the reply below is complete */
    int status;
    struct buf reply;
    struct shared *shared; /* shared bytes of the reply, in place of `reply`; NULL: none */
    struct sender holder;  /* sender for whom `held` bytes of the reply are counted; 0 bytes: not counted */
    int64_t held;
    int file; /* file whose bytes are the reply, in place of `reply`; -1: none */
    int64_t file_at, file_n;
    struct http_stream stream; /* stream that makes the reply, in place of `reply`; read NULL: none */
    struct http_taking taking; /* whom the connection is given to, in place of a reply; take NULL: nobody */
    struct header *reply_head, **reply_last;
    struct edge *wait_next, *wait_before; /* list server->waiting, under wait_lock */
    int64_t waits_since;                  /* number of the sweep */
    bool gone_called;
};

/* One event loop: a thread of the library, and its connections. */
struct loop {
    struct http_server *server;
    struct MHD_Daemon *daemon;
    _Atomic int connections; /* connections that it was given and has not closed */
    struct conn **by_fd;     /* its connections by descriptor; only the loop uses this */
    size_t by_fd_n;
};

/* Replies of at most HELD_FREE bytes are not counted: they cost no more than their connection, and
 * LIMIT_CONNECTIONS bounds these. */
#define HELD_FREE (16 * 1024)

struct lingering {
    int fd;
    int64_t until;
    struct buf pending;
    size_t sent;
    /* its reading half was shut down here, so an end of file does not mean that the peer has closed */
    bool read_shut;
};
#define LINGER_MAX 256
#define BUCKETS 1024

struct http_server {
    struct http_app app;
    void *ctx;
    struct loop *loops;
    int loop_count;
    int listener, port;
    pthread_t acceptor;
    int accept_stop; /* an eventfd: readable when the acceptor must end */
    struct spool_folder folder;
    struct ledger memory;  /* bytes of request bodies */
    struct ledger replies; /* bytes of replies that wait for their readers */
    struct network *proxies;
    size_t proxy_count;
    int max_connections, max_per_address;
    bool cap_loopback;
    int64_t head_ms, body_ms, idle_ms;

    pthread_mutex_t lock; /* guards conns, by_address, count, lingering and stopping */
    struct conn *conns;
    struct conn *by_address[BUCKETS];
    int count, highest; /* highest: count since memory was last given back */
    struct lingering lingering[LINGER_MAX];
    size_t lingering_n;

    pthread_mutex_t wait_lock; /* guards waiting; held while the app's gone() runs */
    struct edge *waiting;

    pthread_t sweeper;
    /* used with `lock`; wake: a sweep is due; emptied: the last connection was closed */
    pthread_cond_t wake, emptied;
    _Atomic int64_t sweeps;
    bool stopping; /* under lock: the sweeper must end */
    /* numbers of requests at the last sweep, and when freed memory was last returned; sweeps since the last
     * request; of the sweeper */
    int64_t swept, returned, quiet;
    _Atomic bool draining, hurry;
    _Atomic int64_t requests, refused, timed_out;
};

/* accept.c */
/* returns a descriptor, or -1 with err */
int listener_open(const char *address, int port, int *bound, char *err, size_t err_size);
bool acceptor_start(struct http_server *s);
void acceptor_stop(struct http_server *s); /* also closes the listening socket */

/* deadline.c */
bool sweeper_start(struct http_server *s);
void sweeper_stop(struct http_server *s);
/* sets the phase, with a deadline in ms from now; 0: none */
void conn_phase(struct conn *c, enum phase phase, int64_t ms);
void wait_begin(struct edge *e);
void wait_end(struct edge *e);
void linger(struct conn *c); /* call it under server->lock, when the library is about to close c->fd */

/* intake.c */
bool intake_works(void);                          /* true: the library's calls of recv arrive here */
void intake_open(struct loop *l, struct conn *c); /* call it on the loop, before anything is read */
void intake_close(struct loop *l, struct conn *c);

/* framing.c */
struct framing framing_read(struct edge *e, const char *version); /* also fills e->head */

/* request.c */
bool is_proxy(const struct http_server *s, const struct address *a);
struct edge *edge_new(struct conn *c);
/* true: the byte that the scanner reached belongs to the request that the library reads now */
bool is_current(const struct conn *c);
/* true: the request after the completed ones is malformed, and was not refused yet */
bool refusal_is_due(const struct conn *c);
/* writes the refusal; the connection must then close */
void refusal_write(struct conn *c, int err, const char *reason);
void *on_request_line(void *cls, const char *uri, struct MHD_Connection *library);
enum MHD_Result on_request(void *cls, struct MHD_Connection *library, const char *url, const char *method,
                           const char *version, const char *upload, size_t *upload_n, void **context);
void on_completed(void *cls, struct MHD_Connection *library, void **context,
                  enum MHD_RequestTerminationCode why);

/* response.c */
void stream_close(struct http_stream *s);
void taking_drop(struct http_taking *t);
enum MHD_Result response_queue(struct edge *e); /* passes the completed reply to the library */
void response_refuse(struct edge *e, int err,
                     /* makes the app's refusal the reply; reason NULL: the error's own message */
                     const char *reason);
/* writes the reply to the socket by itself and closes: see response.c */
enum MHD_Result response_write(struct edge *e);

void reply_unhold(struct edge *e); /* response.c: the bytes of its reply are no longer held */

#endif
