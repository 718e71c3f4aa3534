/* One API request under way: the work, what was asked, what is answered. */
#ifndef API_CALL_H
#define API_CALL_H

#include "api/resource.h"
#include "base/buf.h"
#include "http/http.h"
#include "json/json.h"

struct condition;
struct api; /* the machine: compiled tables, pool, credential cache (api/api.h) */

enum value_type { V_NULL, V_INT, V_TEXT, V_IDS, V_ROWS };
struct value {
    enum value_type type;
    int64_t i; /* V_INT; of V_IDS and V_ROWS the count */
    struct str s;
    union {
        const int64_t *ids;
        struct row *rows;
    };
};

/* One parameter or argument, validated. */
struct in {
    const struct field *field;
    bool given;                   /* false: absent, or only by .initial */
    struct value value;           /* V_NULL: cleared, or absent without .initial */
    const struct http_file *file; /* F_FILE */
    const struct json *json;      /* as sent; F_OBJECT, F_LIST, F_JSON; of F_TEXTS, F_MANY and F_ROWS always a list */
    void *made;                   /* what .check made of it, for .store; in the arena, NULL after a list was cleared */
    struct str name;              /* as it is sent: "title", "businesshour_id" */
    struct str pointer;           /* where it stands, for problems: "title", "teams/3/title" */
};

struct options {
    enum json_case name_case;
    bool no_empty, flat, pretty, ajax;
    struct str include, fields; /* as sent; p NULL: none */
    struct str also;            /* on-demand members that the route shows beside the defaults */
    int64_t offset, limit;
    int64_t after_id, before_id;
    bool keyset;
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

/* Where a secret stands in the reply. */
struct span {
    size_t at, n;
    struct span *next; /* before it */
};

/* Bytes of a file as the body of a reply. */
struct download {
    int fd;
    int64_t at, n;
};

#define PATH_VARS 4
struct path_var {
    const char *bind; /* ":id" */
    struct str text;  /* percent-decoded */
    int64_t id;       /* 0 when it is not an id */
    bool textual;     /* called other than an id: bound as text */
};

struct call {
    struct work work;
    struct api *api;
    struct http_request *http;
    const struct resource *resource; /* that the route answers with */
    const struct resource *home;     /* whose table the route stands in */
    const struct route *route;
    const struct within *within; /* of the route, or of its resource; NULL: not nested */
    const char *where;           /* the route's condition on rows, with that of .within; NULL: none */
    enum method method;
    bool head;
    bool raw;        /* no JSON reply: preflight, pages, downloads */
    bool compared;   /* a precondition was held against a tag */
    bool by_cookie;  /* the session came as the cookie */
    bool ambient;    /* a browser sends these credentials by itself: Basic, or the cookie */
    bool by_session; /* the credentials were a session: CSRF counts */
    struct path_var vars[PATH_VARS];
    int var_count;
    struct str request_id;

    struct str bad_query;           /* why the query could not be read; p NULL */
    const struct json *query;       /* arguments, an object */
    const struct json *credentials; /* arguments that stand for headers: _session_id and its like, an object */
    const struct json *body;        /* parameters, an object; never NULL once the body stage is done */
    struct options options;
    const struct field *takes; /* arguments of this call: api/narrowing.h */
    struct in *args, *input;   /* parallel to takes and the input fields */
    int arg_count, input_count;

    int64_t conversation; /* whose people the reply shows, where its rows don't say so; 0: none. Counts for callers without login */

    struct ignored *ignored; /* parameters that this caller's request does not count */
    int64_t id;              /* target of the call: :id, or what create made */
    int64_t *ids;            /* targets of a bulk call */
    int id_count;
    const char *alive;                 /* condition on the targets in place of the resource's .alive; NULL: that */
    struct branches *branches;         /* lists: which rows, where it is not what the resource's `visible` says */
    const struct condition *condition; /* lists: that they must meet, too (core/rules/predicate.h) */
    void *prepared;                    /* what .prepare found; in the arena */

    int status; /* of the reply */
    struct buf out;
    const struct download *download; /* in place of out; NULL: none */
    struct span *secrets;            /* in it; last first */
    struct header *headers;
    struct str session_id;    /* member of the envelope after Basic */
    struct str auth_token;    /* member of a refusal: continues the login */
    bool code_taken;          /* a one-time password came with the login, and was right */
    int64_t auth_token_id;    /* that admitted the caller to a new password; 0: none */
    struct str password_link; /* the mailed link that did; p NULL: none */
    struct str notification;  /* for the person: INFO, of a refusal ERROR; p NULL: none */
    struct str etag;          /* bare, 32 hex */
    int64_t modified;         /* Last-Modified, 0: unknown */
};

/* ---- what handlers use ------------------------------------------------------------------------------- */

void call_header(struct call *c, const char *name, struct str value);

/* Parses and validates arguments and parameters: all problems at once. Generic handlers call it by themselves. */
int api_input(struct call *c);
struct in *in(struct call *c, const char *name);  /* a parameter of the route's table */
struct in *arg(struct call *c, const char *name); /* an argument of the route's table */
static inline bool given(struct call *c, const char *name) { return in(c, name)->given; }
static inline struct str in_text(struct call *c, const char *name) { return in(c, name)->value.s; }
static inline int64_t in_int(struct call *c, const char *name) { return in(c, name)->value.i; }
/* In .prepare, too: the file part of this name, NULL when none was sent. */
const struct http_file *call_file(const struct call *c, const char *name);
/* Before api_input: a parameter that does not count here. Sent all the same, it is not validated, and named in a notice. */
void in_ignore(struct call *c, const char *name, const char *why);
/* In the pool: whether a password the caller typed is that of the hash; guesses are counted, and locked, like logins. */
int auth_guess(struct call *c, struct str hash, struct str password, bool *right);
/* In the pool: takes a one-time password of the caller. 0, or fails with AUTHENTICATION_FAILED or AUTHENTICATION_LOCKED. */
int auth_code(struct call *c, struct str code);
/* In the pool: hashes a password under the lock that logins share, so that one is hashed at a time. 0, or error. */
int auth_hash(struct call *c, struct str password, struct str *hash);
/* Where a value inside one stands: "tags/3", with the pointer of a record before it. */
struct str in_place(struct call *c, const struct in *in, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int in_fail(struct call *c, const char *name, enum error code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
