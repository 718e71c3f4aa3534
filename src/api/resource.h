/* The API is data. A resource is a const table of fields and a const table of routes; the machine in src/api reads them to
 * route, to check role, scope and permission, to validate input, to write JSON, to make ETags, to publish OpenAPI and the
 * reference, and to test itself. A plain resource needs nothing but its tables: the handlers api_list, api_get, api_create,
 * api_update and api_delete (api/generic.h) serve it. One that needs more has handlers of its own, which may call those. */
#ifndef API_RESOURCE_H
#define API_RESOURCE_H

#include "base/words.h"
#include "core/access/access.h"
#include "core/change/watch.h"

struct call;
struct subject;
struct row;
struct value;
struct view;
struct in;

/* ---- fields ----------------------------------------------------------------------------------------- */

enum field_type {
    F_TEXT, /* one line: at most max characters (255), no control characters */
    F_LONG, /* several lines: at most max characters (65535) */
    F_INT,  /* 64 bits, min..max */
    F_BOOL,
    F_TIME,     /* milliseconds in the store, ISO 8601 outside */
    F_WORD,     /* one of .words */
    F_REF,      /* one resource of type .ref; column and parameter are called <name>_id; shown {id, resource_type} */
    F_MANY,     /* many resources of type .ref, found by .many or .owned_by */
    F_ROWS,     /* rows of .ref that .owned_by owns, shown in place; they hold values and references, no lists */
    F_JSON,     /* JSON text in the column, shown inline, input by .check */
    F_COMPUTED, /* written by .render from the column's value (NULL without column) */
    /* parameters and arguments only */
    F_IDS,      /* ids: a list, or text with commas */
    F_TEXTS,    /* texts: a list, or text with commas */
    F_WORDS,    /* some of .words: a list, or text with commas */
    F_OBJECT,   /* an object, keys untouched */
    F_LIST,     /* a list of anything */
    F_EMAIL,    /* one address */
    F_PASSWORD, /* LIMIT_PASSWORD bytes, any characters, never shown, logged or trimmed */
    F_FILE,     /* a file part of a multipart body; the route says .body = FILES_TAKEN */
};

enum field_flag {
    REQUIRED = 1,     /* mandatory on POST; never empty */
    NULLABLE = 2,     /* null or an empty text clears it */
    READONLY = 4,     /* shown, never taken */
    CREATE_ONLY = 8,  /* taken by POST, ignored with a notice by PUT */
    UPDATE_ONLY = 16, /* taken by PUT alone */
    INPUT_ONLY = 32,  /* taken, never shown */
    HIDDEN = 64,      /* neither: read for resource_url, access or a handler */
    UNIQUE = 128,     /* no other row may hold the value: FIELD_DUPLICATE */
    ON_DEMAND = 256,  /* shown when asked for with fields=+name */
    BY_HANDLER = 512, /* taken and validated, stored by the handler: generic create and update leave it */
    LOGGED_IN = 1024, /* null for callers who are nobody */
    PRESENT = 2048,   /* must be given and not empty, on PUT too */
    REFUSED = 8192,   /* must not be ignored: sent, it is FIELD_INVALID, and .doc is the message */
    SECRET = 4096,    /* shown once: the replay of an Idempotency-Key shows null */
};

/* Who sees a member (completions.md section 5: of other people; of teams customers see the title). One's own person is seen whole,
 * but for what staff alone may know of it. */
enum audience { TO_ALL, TO_CUSTOMERS, TO_STAFF, TO_STAFF_ALONE };

struct field {
    const char *name;
    enum field_type type;
    unsigned flags;
    const char *column; /* SQL over the table's alias t; NULL: t.<name>, of F_REF t.<name>_id; "" : no column */
    const char *ref;    /* F_REF, F_MANY, F_ROWS: type of the resource referred to */
    const char *many;   /* F_MANY: a query of (owner id, target id) WHERE owner IN @LIST(:ids), in order */
    int (*made)(struct call *c, int64_t owner_id,
                int64_t **ids); /* F_MANY in place of .many: no query finds them. Returns how many, or error */
    const char *owned_by;       /* F_MANY, F_ROWS: column of .ref's table that holds the owner's id. A list of such rows may be given
                             (api/owned.h) unless READONLY; it replaces those there are */
    const char *shows;          /* F_REF: members that the reference carries beside its address, in place: "title,key" */
    const struct word *words;
    int64_t min, max;     /* F_INT: both 0: any; texts: max characters, 0: the type's */
    const char *initial;  /* a POST without it: this text, parsed as if given */
    const char *fold;     /* texts: column that keeps fold_key of the value */
    const char *filter;   /* arguments: condition that is added when given; binds its value as :<name> */
    const char *shown_if; /* name of a boolean setting; else null */
    enum audience to;
    void (*render)(struct view *v, const struct row *row, const struct value *own); /* F_COMPUTED; may replace any other type's form */
    /* Validates what was given beyond its type and may replace in->value; problems through fail_at. */
    int (*check)(struct call *c, struct in *in);
    /* Keeps what was given where that is no column of the row: called for each row made or changed. With it an F_MANY is taken too. */
    int (*store)(struct call *c, const struct in *in, int64_t id);
    /* Generic create sets the column to this: ":me" is the caller (null without login), ":id" and its like a variable of the path. READONLY or HIDDEN. */
    const char *bound;
    const char *doc, *example; /* example: JSON, for OpenAPI and the reference */
};

/* ---- routes ----------------------------------------------------------------------------------------- */

enum method { GET, POST, PUT, DELETE, METHODS };

/* Role sets of api.md; bits of 1 << enum role_type. */
enum {
    CUSTOMERS = 1 << 1,
    COLLABORATORS = 1 << 2,
    AGENTS = 1 << 3,
    ADMINS = 1 << 4,
    OWNERS = 1 << 5,
    AD = ADMINS | OWNERS,
    AG_PLUS = AGENTS | AD,
    COL_PLUS = COLLABORATORS | AG_PLUS,
    ALL = CUSTOMERS | COL_PLUS,
    PUBLIC = ALL | 1 << 0,
    FINGERPRINT = 1 << 6,  /* callers without login who send a fingerprint, too */
    TOKEN = 1 << 7,        /* ?token= of a conversation, too */
    NEW_PASSWORD = 1 << 8, /* X-Token of a login whose password has expired, too */
};

enum shape {
    ONE = 1,
    LIST,
    LIST_COUNT,
    LIST_CURSOR,
    COUNT,
    NONE
};                                            /* LIST_CURSOR: pages by an opaque cursor, without offset and total_count */
enum executor { AUTO, INLINE, WRITER, POOL }; /* AUTO: GET inline, others on the writer */
/* Where in the pool something runs (api/pool.c). No lane waits for another. */
enum lane {
    LANE_WORK,    /* what is short: the way to the writer; every call of a database that blocks */
    LANE_READ,    /* reads that are long, or are expected to be */
    LANE_HASH,    /* passwords, one at a time: 19 MiB and a core each */
    LANE_PICTURE, /* pictures to decode */
    LANE_SYNC,    /* uploads to sync */
    LANES
};
enum body_kind { PARAMETERS, FILES_IGNORED, FILES_TAKEN, RAW_FILE };

struct order {
    const char *key;  /* SQL over t; NULL: t.id */
    bool descending;  /* what follows, the id last, does so in the same direction */
    const char *then; /* a second key; NULL: none. Such a list has no keyset */
};

/* Rows nested in another resource. */
struct within {
    const char *parent; /* its type; it has a table and is itself in nothing. NULL: not nested */
    const char *column; /* of the nested rows' table: the parent's id */
};

struct route {
    enum method method;
    const char *path; /* under /api/v1; :name takes one segment, bound as an id when its name says so (variable_is_id), else as text */
    unsigned roles;
    /* The scope that credentials must grant (core/access/scope.h): its read bit on a route that reads, else its write bit. "": any credentials will do; a
     * missing or unknown one stops the start. Bearer tokens are yet to come. They will be refused on routes with "" that are not PUBLIC,
     * unless the row names the scope it counts as in a member of its own (.bearer = "conversations"): so a new row is closed to them. */
    const char *scope;
    enum shape shape;
    int (*handler)(struct call *c);
    const char *permission; /* of core/access/permission.h; NULL: the role is enough */
    int status;             /* of success; 0: 200, POST of shape ONE 201 */
    enum executor executor;
    int (*prepare)(struct call *c); /* in the pool, before the writer: what blocks or burns; read-only */
    enum lane lane;                 /* of .prepare */
    const char
        *lane_for; /* parameters and file parts, with commas: without any of them .prepare runs in LANE_WORK. NULL: always in .lane */
    const struct field *input; /* parameters; NULL: the resource's writable fields (POST and PUT) */
    const struct field *args;  /* query arguments of its own */
    enum shape also;           /* another shape the reply may take, by what was asked; 0: none */
    const char *reply;         /* type of the resource answered; NULL: the one this table belongs to */
    const char *label;         /* value of `resource` where it differs from the type; "-" : none */
    /* The path's first variable names a row of this parent: 404 unless the caller sees it. Only rows with this id in their column are found,
     * and api_create stores it there. A nested route without it takes the resource's own .within. */
    struct within within;
    const char *of;     /* the parent's type, for rows that no column of theirs ties to it: .where does, or the handler */
    bool of_gone;       /* it need not be alive */
    const char *where;  /* a further condition on rows; path variables and :me are bound by name */
    struct order order; /* lists: NULL key and ascending: by id */
    bool always_keys;   /* lists: keys make all pages, from the first */
    bool chosen;        /* lists: the handler chooses the rows, so ids, legacy_ids, after_id and before_id are refused */
    int (*count)(struct call *c, int64_t *total); /* lists: 1 when it knows, 0 to count rows */
    const struct resource *records;               /* bulk imports: what the parameter named by .record_list is a list of */
    const char *record_list;
    enum body_kind body;
    bool reads;       /* a POST that changes nothing: runs as a GET does */
    bool any_names;   /* the body's members are the parameters, whatever their names */
    bool remembers;   /* remember-me tokens are given and taken here */
    bool is_download; /* answers no JSON: Accept does not count */
    bool has_ranges;  /* a download that serves parts: 206 */
    const char *summary, *doc;
    const char *errors;  /* codes beyond those every such route has, blank-separated */
    const char *headers; /* of its success, beyond those every such route has, blank-separated: api/docs/reply_header.c */
};

/* Whether the route changes nothing: HEAD is a GET here. */
static inline bool route_reads(const struct route *r) { return r->method == GET || r->reads; }

/* ---- resources -------------------------------------------------------------------------------------- */

struct resource {
    const char *type;  /* resource_type */
    const char *title; /* chapter of the reference */
    const char *doc;
    const char *url;   /* "teams/:id" under /api/v1; :x is the member or hidden field x; NULL: has no address */
    const char *table; /* its alias in every text is t; NULL: no rows of its own */
    const char *from;  /* what follows FROM when it is not "<table> t" */
    const char *where; /* which rows exist */
    const char *alive; /* which of them are found, listed and taken as a value; references show the others, too. NULL: all */
    const struct field *fields;
    const struct route *routes;
    /* Who sees its rows, everywhere: lists, single reads, writes, references. A resource with rows in the store must say so: with a function
     * of core/access/access.h or its own, or with .within alone: those who see the parent. Rows that .rows makes are chosen by .rows. */
    void (*visible)(struct work *w, struct branches *out);
    struct within within;          /* of all its nested routes, too, unless a route says otherwise */
    unsigned expanded_for;         /* roles that `include` expands it for; 0: all */
    const char *owned_order;       /* order of the rows that one owner has; NULL: t.id */
    const char *reference_also;    /* a member that references carry beside id and resource_type */
    const char *unique_among;      /* which rows a UNIQUE value must not be in; NULL: all */
    bool keyset;                   /* every list of its rows takes after_id and before_id, whatever its order */
    const char *brief_of;          /* type that this one shows in brief: include of this type expands references to that one */
    bool is_item;                  /* an item of a list, no resource: shown without id and resource_type */
    const struct subject *subject; /* what rules may ask of its rows: core/rules/definition.h; NULL: nothing */
    bool is_person;                /* rows are people: one's own is seen whole, whatever .to says; callers without login see pseudonyms */
    const char *conversation; /* member that holds the id of the conversation a row belongs to: whose pseudonyms it shows. NULL: none */
    enum watch_kind watched;  /* changes of its rows are found by comparing them before and after (core/change/watch.h) */
    const char *unlogged;     /* why changes of its rows are not in the change log; NULL: they are */
    bool changes_unseen;      /* members change without updated_at: no Last-Modified, but for .changed */
    const char *changed;      /* query of the time at which what the row :id shows last changed, deletions included */
    bool has_default;         /* exactly one row is_default, and enabled where rows can be: api/default_row.h */
    /* Rows that are made, no table's: all those of the path, in their order; name.p: at most the one so called, which the path's
     * last variable names. api_list, api_get, api_target and replies serve them as they serve others. */
    int (*rows)(struct call *c, struct view *v, struct str name, struct row **out);
    bool made_ids; /* such rows have ids and are all made without a path: they can be referred to and included */
};

/* Whether its rows are shown with an id. */
static inline bool resource_has_ids(const struct resource *r) { return (r->table || r->made_ids) && !r->is_item; }

extern const struct resource *const resources[];      /* res/all.c; ends with NULL */
const struct resource *resource_of(const char *type); /* NULL: none */

#endif
