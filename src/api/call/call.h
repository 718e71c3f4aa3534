/* An API request: its work, parameters and reply. */
#ifndef API_CALL_CALL_H
#define API_CALL_CALL_H

#include "api/caller/bucket.h"
#include "api/table/resource.h"
#include "base/buf.h"
#include "http/http.h"
#include "json/json.h"

struct condition;
struct subcall;
struct api; /* the machine (api/call/machine.h) */

enum value_type { V_NULL, V_INT, V_TEXT, V_IDS, V_ROWS };
struct value {
    enum value_type type;
    int64_t i; /* V_INT: the value; V_IDS, V_ROWS: the count */
    struct str s;
    union {
        const int64_t *ids;
        struct row *rows;
    };
    int64_t version; /* V_IDS: grows with each change of the listed rows, as far as ETags need it; else 0 */
};

/* A validated parameter or argument. */
struct in {
    const struct field *field;
    bool given;                   /* false: absent, or set by .initial */
    bool single;                  /* SINGLE_TOO: json has the one item that was sent in place of a list */
    struct value value;           /* V_NULL: cleared, or absent without .initial */
    const struct http_file *file; /* F_FILE */
    /* as sent, for F_OBJECT, F_LIST, F_JSON; for F_TEXTS, F_MANY and F_ROWS always a list */
    const struct json *json;
    /* result of .check, for .store; in the arena; NULL if the list was cleared */
    void *made;
    struct str name;    /* name in the request: "title", "businesshour_id" */
    struct str pointer; /* place in the request, for problems: "title", "teams/3/title" */
};

/* The arguments that every operation takes, read once (arguments.c). */
struct options {
    enum json_case name_case;
    bool no_empty, flat, pretty, ajax;
    struct str *includes; /* names of types */
    int include_count;
    bool include_all;                  /* *, or _flat without include */
    const struct selection *selection; /* the chosen fields (view.h) */
    int selection_count;
    /* on-demand members that the route shows beside the defaults, as `fields`; NULL: none */
    const char *also;
    int64_t offset, limit;
    int64_t after_id, before_id;
    bool keyset;
    bool backwards;        /* keyset: the page ends at its place, and is read from there */
    struct findings found; /* problems of these arguments; api_input reports them */
};

struct header {
    const char *name;
    struct str value;
    struct header *next;
};

struct ignored {
    const char *name, *why;
    struct ignored *next;
};

/* The place of a secret in the reply. */
struct span {
    size_t at, n;
    struct span *next; /* the previous one */
};

/* Bytes of a file, sent as the body of the reply. */
struct download {
    int fd;
    int64_t at, n;
};

/* A content that a read needs and that is in the object store. */
struct needed {
    struct str sha256;
    int64_t size;
    struct needed *next;
};

/* The rate limit that a request counted for (api/caller/limits.h). quota 0: none. */
struct limited {
    const char *name; /* name of the class of requests */
    uint64_t caller;  /* hash of caller and class */
    int64_t quota;
    int64_t now; /* microseconds */
    struct bucket_state state;
};

#define PATH_VARS 4
struct path_var {
    const char *bind; /* ":id" */
    struct str text;  /* percent-decoded */
    int64_t id;       /* 0 if the text is no id */
    bool textual;     /* the variable's name is not that of an id: bound as text */
};

struct warned {
    struct str message;
    struct warned *next;
};

struct call {
    struct work work;
    struct api *api;
    struct http_request *http;
    struct subcall *subcall;         /* a page made this call (api/call/subcall.h); NULL: a client did */
    const struct resource *resource; /* resource in the reply */
    const struct resource *home;     /* resource whose table has the route */
    const struct route *route;
    const struct within *within; /* the nesting of the route or of its resource; NULL: not nested */
    const char *where;           /* the route's condition on rows, with that of .within; NULL: none */
    enum method method;
    bool head;
    bool raw;       /* the reply is not JSON: preflight, pages, downloads */
    bool compared;  /* a precondition was compared with a tag */
    bool behind;    /* rows that the read shows do not follow the newest changes (route.follows) */
    bool by_cookie; /* the session came as a cookie */
    /* A page of a widget's origin calls, whose origin is not trusted otherwise: the call has no credentials
     * but a fingerprint. */
    bool by_widget;
    bool ambient;    /* browsers add these credentials to any request: Basic, or the cookie */
    bool by_session; /* authenticated by a session, so CSRF is checked */
    struct path_var vars[PATH_VARS];
    int var_count;
    struct str request_id;

    struct str bad_query;           /* why the query is invalid; p NULL: it is valid */
    const struct json *query;       /* arguments, an object */
    const struct json *credentials; /* arguments that replace headers, such as _session_id; an object */
    const struct json *body;        /* parameters, an object; never NULL after the body stage */
    struct options options;
    const struct field *takes; /* fields of the arguments: api/table/list_arguments.h */
    struct in *args, *input;   /* parallel to `takes` and to the input fields */
    int arg_count, input_count;

    /* conversation whose pseudonyms the reply shows if its rows have none; 0: none. For callers without
     * login */
    int64_t conversation;

    struct ignored *ignored; /* parameters that are ignored for this caller */
    int64_t id;              /* target of the call: :id, or the created row */
    int64_t *ids;            /* targets of a bulk call */
    int id_count;
    bool by_ids; /* they are the `ids` of the request, so the reply has `results` */
    /* the reply shows the row that the call wrote, even if the caller may not read it */
    bool sees_written;
    /* condition on the targets, instead of the resource's .alive; NULL: .alive */
    const char *alive;
    /* lists: the visible rows, instead of the resource's .visible; NULL: .visible */
    struct branches *branches;
    const struct order *order; /* lists: instead of the route's; NULL: that of the route */
    /* lists: the branches have the rows of this page only, and further rows with the same key. `skipped`
     * rows of the list stand before them */
    bool is_page;
    int64_t skipped;
    const struct list_cursor *cursor; /* lists: the place of the page (api/rows/list_cursor.h); NULL: none */
    /* lists: a further condition on rows (core/predicates/predicate.h); NULL: none */
    const struct condition *condition;
    const void *counting; /* lists: what the handler leaves for .count, in the arena */
    void *prepared;       /* result of .prepare, in the arena */
    /* Pictures in the file parts that .prepare has stored, parallel to them; NULL: none. */
    const struct picture *pictures;

    int status; /* HTTP status */
    struct buf out;
    const struct http_stream *stream; /* in place of out: made while it is sent; NULL: none */
    const struct download *download;  /* instead of `out`; NULL: none */
    const struct http_taking *taking; /* whom the connection is given to, in place of a body; NULL: nobody */
    struct needed *needed;            /* contents to fetch before the handler runs again; NULL: none */
    bool fetched;                     /* they were fetched: those that are still not here are not there */
    struct span *secrets;             /* secrets in `out`; the last first */
    /* further texts in `out` that must not be compressed (api/call/compress.h); the last first */
    struct span *plain;
    struct header *headers;
    struct str session_id; /* member of the envelope after a Basic login */
    /* attributes of WWW-Authenticate: Bearer; p NULL: the credentials were no bearer token */
    struct str challenge;
    struct str auth_token; /* member of an error: continues the login */
    bool code_taken;       /* the login included a valid one-time password */
    /* member of an error: JSON of the posts that a reply has not seen; p NULL: none */
    struct str posts;
    int64_t auth_token_id;    /* auth token that admitted the caller to a new password; 0: none */
    struct str password_link; /* mailed link that did; p NULL: none */
    /* Text for the person. Its type is INFO, or ERROR in an error reply. p NULL: none. */
    struct str notification;
    struct warned *warnings; /* further notifications, of type WARNING, in order */
    struct str etag;         /* 32 hex digits, without quotes */
    int64_t modified;        /* Last-Modified, 0: unknown */
    struct limited limited;  /* the rate limit that this call counted for */
    int64_t retry_after;     /* seconds, of an error 429; 0: the header is among `headers` */
};

/* ---- for handlers ---------------------------------------------------------------------------- */

void call_header(struct call *c, const char *name, struct str value);
int call_wait(struct call *c, int64_t seconds); /* fails with RATE_LIMIT_REACHED; Retry-After: seconds */
/* adds a notification of type WARNING to the reply; the text is not copied */
void call_warn(struct call *c, struct str message);

/* In a read or in .prepare, before a content is opened. Returns 0 if its file is here. Else notes it and
 * fails: the call fetches it from the object store, where nothing else waits, and the handler runs again. A
 * handler that needs several notes all of them before it returns. size -1: not known. */
int call_needs_content(struct call *c, struct str sha256, int64_t size);

/* The notification about a mail that the call has queued: that it was sent, or that it waits because the
 * desk has no relay. sent: NULL: nothing is said of a mail that leaves. what: the mail, as the beginning
 * of a sentence. */
void call_mailed(struct call *c, const char *sent, const char *what);

/* True if the header Accept admits a media type (RFC 9110 section 12.5.1). An absent one admits all. */
bool accepts(struct str accept, struct str type);

/* Parses and validates arguments and parameters, and reports all problems. Generic handlers call it
 * themselves. */
int api_input(struct call *c);
struct in *in(struct call *c, const char *name);  /* a parameter of the route's input table */
struct in *arg(struct call *c, const char *name); /* an argument of the route's table */
static inline bool given(struct call *c, const char *name) { return in(c, name)->given; }
static inline struct str in_text(struct call *c, const char *name) { return in(c, name)->value.s; }
static inline int64_t in_int(struct call *c, const char *name) { return in(c, name)->value.i; }
/* Returns the file part with this name, or NULL. May be called in .prepare. */
const struct http_file *call_file(const struct call *c, const char *name);
/* Call before api_input: ignores a parameter. If it is sent, it is not validated, and a notice names it.
 * why: completes "<name> was ignored:". */
void in_ignore(struct call *c, const char *name, const char *why);
/* In the pool: compares a typed password with a hash. *right: they match. Wrong guesses are counted and
 * locked like logins. */
int auth_guess(struct call *c, struct str hash, struct str password, bool *right);
/* In the pool: uses a one-time password of the caller. Returns 0, or fails with AUTHENTICATION_FAILED or
 * AUTHENTICATION_LOCKED. */
int auth_code(struct call *c, struct str code);
/* In the pool: hashes a password. Hashes are computed one at a time, under the lock of logins. Returns 0
 * or a negative error. */
int auth_hash(struct call *c, struct str password, struct str *hash);
/* The pointer of a value inside a list: "tags/3", after the pointer of its record. */
struct str in_place(struct call *c, const struct in *in, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports each id of the list that is not one of `ids`. Returns 0 or a negative error. */
int in_among(struct call *c, const struct in *in, const int64_t *ids, int n, const char *why);
int in_fail(struct call *c, const char *name, enum error code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
