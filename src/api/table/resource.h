/* The API is data. A resource is a const table of fields and a const table of routes. The machine in
 * src/api reads them to route, to check role, scope and permission, to validate input, to write JSON, to
 * make ETags, to publish OpenAPI and the reference, and to test itself. A plain resource needs only its
 * tables: the handlers api_list, api_get, api_create, api_update and api_delete (api/rows/generic.h)
 * serve it. A resource that needs more has its own handlers, which may call those. */
#ifndef API_TABLE_RESOURCE_H
#define API_TABLE_RESOURCE_H

#include "base/words.h"
#include "core/access/access.h"
#include "core/change/object_diff.h"
#include "core/erasure/erase.h"

struct call;
struct subject;
struct row;
struct value;
struct view;
struct owners;
struct layout;
struct in;

/* ---- fields ---------------------------------------------------------------------------------- */

enum field_type {
    F_TEXT, /* one line: at most max characters (255), no control characters */
    F_LONG, /* several lines: at most max characters (65535) */
    F_INT,  /* 64 bits, min..max */
    F_BOOL,
    F_TIME, /* milliseconds in the store, ISO 8601 in the API */
    F_WORD, /* one of .words */
    /* a resource of type .ref; column and parameter are named <name>_id; shown as {id, resource_type} */
    F_REF,
    F_MANY, /* resources of type .ref, found by .many or .owned_by */
    /* rows of .ref that .owned_by owns, shown in place; they have values and references, no lists */
    F_ROWS,
    F_JSON,     /* JSON text in the column, shown inline; .check validates input */
    F_COMPUTED, /* written by .render from the column's value (NULL if there is no column) */
    /* for parameters and arguments only */
    F_IDS,      /* ids: an array, or text with commas */
    F_TEXTS,    /* texts: an array, or text with commas */
    F_WORDS,    /* some of .words: an array, or text with commas */
    F_OBJECT,   /* an object; its keys are kept as sent */
    F_LIST,     /* an array of any values */
    F_EMAIL,    /* one e-mail address */
    F_PASSWORD, /* at most LIMIT_PASSWORD bytes, any characters, never shown, logged or trimmed */
    F_FILE,     /* a file part of a multipart body; the route has .body = FILES_TAKEN */
};

enum field_flag {
    REQUIRED = 1,     /* mandatory on POST; can't be empty */
    NULLABLE = 2,     /* null or an empty text clears the value */
    READONLY = 4,     /* shown, not accepted */
    CREATE_ONLY = 8,  /* accepted by POST; ignored with a notice by PUT */
    UPDATE_ONLY = 16, /* accepted only by PUT */
    INPUT_ONLY = 32,  /* accepted, not shown */
    HIDDEN = 64,      /* neither shown nor accepted: read for resource_url, access or a handler */
    UNIQUE = 128,     /* the value must be unique among rows: FIELD_DUPLICATE */
    ON_DEMAND = 256,  /* shown only with fields=+name */
    BY_HANDLER = 512, /* accepted and validated; the handler stores it, generic create and update do not */
    LOGGED_IN = 1024, /* null for callers without login */
    PRESENT = 2048,   /* mandatory and not empty, on PUT too */
    REFUSED = 8192,   /* FIELD_INVALID if sent; .doc is the message */
    /* opens something: a replay by Idempotency-Key shows null, and it is never compressed
     * (api/call/compress.h) */
    SECRET = 4096,
    RECORDS = 16384, /* .store records the change by itself */
    EITHER = 65536,  /* arguments: the .filter of those that are given are joined by OR */
    /* F_LONG with .render, which may be given null: it counts as a long text as one without .render does */
    LENGTHY = 131072,
    /* F_MANY: an item in place of the list is accepted, and in->single is set. Commas of a text do not
     * separate */
    SINGLE_TOO = 32768,
};

/* The callers who see a member. For people, the audience applies to other people; one's own person is
 * shown in full, except members for TO_STAFF_ALONE. */
enum audience { TO_ALL, TO_CUSTOMERS, TO_STAFF, TO_STAFF_ALONE };

struct field {
    const char *name;
    enum field_type type;
    unsigned flags;
    const char *column; /* SQL over the alias t; NULL: t.<name>, for F_REF t.<name>_id; "": no column */
    /* the same while no team, agent or organization is being deleted (core/desk/cascade.h); NULL: .column */
    const char *column_if_whole;
    const char *ref;  /* F_REF, F_MANY, F_ROWS: type of the target resource */
    const char *many; /* F_MANY: query of (owner id, target id) WHERE owner IN @LIST(:ids), ordered */
    /* F_MANY without a query: returns the number of ids, or a negative error. */
    int (*made)(struct call *c, int64_t owner_id, int64_t **ids);
    /* the same, from other cells of the row */
    int (*found)(struct view *v, const struct row *row, const struct field *f, int64_t **ids);
    /* F_MANY, F_ROWS: column of .ref's table with the owner's id. Unless READONLY, a request may send the
     * list (api/input/owned_rows.h); it replaces the existing rows. */
    const char *owned_by;
    const char *shows; /* F_REF: members of the target that the reference contains: "title,key" */
    const struct word *words;
    int64_t min, max;     /* F_INT: range (both 0: any); texts: max characters (0: the type's limit) */
    const char *initial;  /* value on POST if absent: a text, parsed as if sent */
    const char *fold;     /* texts: column that stores fold_key of the value */
    const char *filter;   /* arguments: SQL condition added if given; binds the value as :<name> */
    const char *shown_if; /* boolean setting that must be on; otherwise null is shown */
    /* scopes beside that of the resource, of which a bearer token needs one to see the member; NULL: none */
    const char *scope;
    enum audience to;
    /* F_COMPUTED; may replace the form of any other type */
    void (*render)(struct view *v, const struct row *row, const struct value *own);
    /* Validates a given value beyond its type, and may replace in->value. Reports problems by fail_at. */
    int (*check)(struct call *c, struct in *in);
    /* Stores a given value that is not a column of the row. Called for each created or changed row. Makes
     * an F_MANY accepted as input. */
    int (*store)(struct call *c, const struct in *in, int64_t id);
    /* Generic create sets the column to this: ":me" is the caller (null without login), ":id" and similar
     * a path variable. READONLY or HIDDEN. */
    const char *bound;
    /* F_LIST: the members of an item in a request. A row ITEM_TEXT: an item may be a plain text. Lists of
     * other types have those of their resource (field_items). */
    const struct field *items;
    const struct field *
        group; /* the rows of this table stand here; the name is "*", and no other member is set (api/table/fields.h) */
    const char *doc, *example; /* example: JSON, for OpenAPI and the reference */
};

#define ITEM_TEXT "" /* name of a row of .items */

/* ---- routes ---------------------------------------------------------------------------------- */

enum method { GET, POST, PUT, DELETE, METHODS };

/* Role sets; bits of 1 << enum role_type. */
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
    FINGERPRINT = 1 << 6,  /* also callers without login who send a fingerprint */
    TOKEN = 1 << 7,        /* also ?token= of a conversation */
    NEW_PASSWORD = 1 << 8, /* also X-Token of a login with an expired password */
    WIDGET = 1 << 9,       /* pages of the origins of a widget get CORS (api/caller/cross_site.h) */
};

/* LIST_CURSOR: pages by an opaque cursor, without offset and total_count. */
enum shape { ONE = 1, LIST, LIST_COUNT, LIST_CURSOR, COUNT, NONE };
enum executor { AUTO, INLINE, WRITER, POOL }; /* AUTO: GET inline, others on the writer */
/* The lanes of the pool (api/call/pool.c). No lane waits for another. */
enum lane {
    LANE_WORK,    /* short work: the way to the writer; every call if the store blocks */
    LANE_READ,    /* long reads, known or expected */
    LANE_HASH,    /* passwords, one at a time: a hash needs 19 MiB and a core */
    LANE_PICTURE, /* decoding of pictures */
    LANE_SYNC,    /* fsync of uploads */
    LANE_OUTSIDE, /* requests to other machines, while a person waits: logins by a provider */
    LANE_STORE,   /* contents that are fetched from the object store */
    LANES
};
/* FILES_ATTACHED: file parts under any name; the handler takes all of them. */
enum body_kind { PARAMETERS, FILES_TAKEN, FILES_ATTACHED, RAW_FILE };
/* True if the names of file parts are not those of parameters. */
static inline bool files_have_any_name(enum body_kind k) { return k == FILES_ATTACHED || k == RAW_FILE; }

struct order {
    const char *key;  /* SQL over t; NULL: t.id */
    bool descending;  /* applies to all keys; the id comes last */
    const char *then; /* a second key; NULL: none. Such a list has no keyset */
    bool is_text;     /* the key is a text, not a number */
};

/* Nesting of rows in another resource. */
struct within {
    const char *parent; /* type of the parent, which has a table and is not nested. NULL: not nested */
    const char *column; /* column of the nested table: the parent's id */
};

/* Replaces rules by which the reference makes the command of a route (api/docs/story.c). A test runs all
 * commands on a new demo desk. */
struct command_sample {
    /* values of the path variables, or the ids of a bulk call, separated by commas; an empty one follows the
     * rules */
    const char *path;
    const char *query;   /* "agent_id=2" */
    const char *body;    /* JSON */
    const char *made_by; /* path of the POST that makes the object of the command */
    /* shell lines before the command; {api} is the address of the API, {owner} the login */
    const char *setup;
    const char *refused; /* code of the error that the command gets; NULL: it succeeds */
};

/* Derived rows that a read shows, such as those of a search index. */
struct follower {
    /* 1: changes that this snapshot sees are missing; 0; or a negative error */
    int (*is_behind)(struct work *w);
    /* Brings the rows up to date, in writes of its own. Returns 1 if changes are still missing, 0, or a
     * negative error. */
    int (*catch_up)(struct desk *d);
};
/* a segment of the path of a route */
static inline bool segment_is_variable(struct str s) { return s.n && s.p[0] == ':'; }

struct route {
    enum method method;
    /* below /api/v1; :name matches one segment, bound as an id if the name says so (variable_is_id),
     * otherwise as text */
    const char *path;
    unsigned roles;
    /* The scope that credentials must grant (core/access/scope.h): its read bit if the route reads,
     * otherwise its write bit. "": none. A missing or unknown scope stops the start. */
    const char *scope;
    enum shape shape;
    int (*handler)(struct call *c);
    const char *permission; /* a permission of core/access/permission.h; NULL: the role suffices */
    /* For bearer tokens, if .scope is "": the scope that they must grant, BEARER_ANY or BEARER_WRITES.
     * NULL: PUBLIC routes are open to every token, others to none. So a new row is closed to them. */
    const char *bearer;
    /* The scopes that its items need, in place of those of the resource (`struct resource`). NULL: those
     * of the resource. */
    const char *content;
    int status; /* HTTP status of success; 0: 200, or 201 for POST of shape ONE */
    enum executor executor;
    /* The path is the credential: after other credentials were read, sets work.actor if the path names a
     * caller. Runs in a snapshot. Returns 0 or a negative error. */
    int (*caller)(struct call *c);
    int (*prepare)(struct call *c); /* runs in the pool before the writer: blocking or long work; read-only */
    /* False: .prepare would do nothing for this body, so the request goes straight to the writer. NULL:
     * .prepare always runs. */
    bool (*needs_prepare)(const struct call *c);
    /* For a read: answers after the handler, without a snapshot, because it waits for other machines. Needs
     * POOL. */
    int (*outside)(struct call *c);
    /* For a read that shows what follows the changes later. Needs POOL. */
    const struct follower *follows;
    enum lane lane; /* lane of .prepare, or of a read whose .executor is POOL */
    /* Parameters and file parts, separated by commas. Without any of them .prepare runs in LANE_WORK.
     * NULL: always in .lane. */
    const char *lane_for;
    const struct field *input; /* parameters; NULL: the resource's writable fields (POST and PUT) */
    const struct field *args;  /* the route's own query arguments */
    enum shape also;           /* another possible shape of the reply, depending on the request; 0: none */
    int also_status;           /* its status; 0: that of the other shape */
    const char *also_reply;    /* its type, with .also_status; NULL: that of the other shape */
    const char *reply;         /* type of the resource in the reply; NULL: the resource of this table */
    const char *label;         /* value of `resource` if it differs from the type; "-": none */
    /* The first path variable is the id of this parent: 404 unless the caller sees it. Only rows with this
     * id in their column are found, and api_create stores it there. A nested route without it uses the
     * resource's .within. */
    struct within within;
    /* type of the parent, for rows without a column for it: .where or the handler selects them */
    const char *of;
    bool of_gone;       /* the parent may be deleted */
    const char *where;  /* a further condition on rows; path variables and :me are bound by name */
    struct order order; /* lists: NULL key and ascending: by id */
    bool always_keys;   /* lists: pages by keyset only, from the first */
    /* lists: the handler selects the rows, so ids, legacy_ids, after_id and before_id are refused */
    bool chosen;
    /* lists: sets *total and returns 1, or returns 0 to count rows */
    int (*count)(struct call *c, int64_t *total);
    /* bulk imports: resource of the records in the parameter .record_list */
    const struct resource *records;
    const char *record_list;
    enum body_kind body;
    bool reads; /* a POST that changes nothing: runs like a GET */
    /* costs much more than others of its method: limited as a class of its own (api/caller/limits.h) */
    bool is_heavy;
    bool ends_state;  /* a DELETE that ends a state of objects, which stay: results say which have changed */
    bool any_names;   /* all members of the body are parameters, with any name */
    bool remembers;   /* issues and accepts remember-me tokens */
    bool is_download; /* the reply is not JSON: Accept is ignored */
    bool has_csv;     /* also answers as CSV: api/rows/csv.h */
    bool has_ranges;  /* a download with ranges: 206 */
    const char *summary, *doc;
    struct command_sample sample;
    const char *errors;  /* additional error codes, separated by blanks */
    const char *headers; /* additional headers of a success, separated by blanks: api/rows/reply_header.c */
};

/* True if the route changes nothing. HEAD counts as GET. */
static inline bool route_reads(const struct route *r) { return r->method == GET || r->reads; }
static inline bool route_writes(const struct route *r) { return !route_reads(r); }
/* True if results of several ids say what has changed in the objects. */
static inline bool route_changes_objects(const struct route *r) { return r->method == PUT || r->ends_state; }
static inline bool route_is_heavy(const struct route *r) { return r->is_heavy || r->records; }

#define BEARER_ANY "any"          /* every token */
#define BEARER_WRITES "any write" /* every token with at least one :write scope */
/* The scope that a bearer token needs, BEARER_ANY, BEARER_WRITES, or NULL: no token reaches the route. */
static inline const char *route_bearer(const struct route *r) {
    if (r->scope[0]) return r->scope;
    return r->bearer == NULL && (r->roles & PUBLIC) == PUBLIC ? BEARER_ANY : r->bearer;
}

/* True if `bearer` is the name of a scope. */
static inline bool bearer_is_scope(const char *bearer) {
    return bearer && !str_eq(str_of(bearer), S(BEARER_ANY)) && !str_eq(str_of(bearer), S(BEARER_WRITES));
}

/* ---- resources ------------------------------------------------------------------------------- */

struct resource {
    const char *type; /* unique name in the tables; resource_type, unless .shown_as is set */
    /* The scopes that show its rows to a bearer token, separated by blanks; one of them suffices, at any
     * level. "": every token. Without one, a reference to a row stays a reference, and a route with such
     * items is refused (docs/PROGRAMS.md "Scopes of contents"). */
    const char *scope;
    const char *title; /* chapter title in the reference */
    const char *doc;
    const char *url;   /* "teams/:id" below /api/v1; :x is the member or hidden field x; NULL: no URL */
    const char *table; /* alias t in all SQL; NULL: no rows in the store */
    const char *from;  /* the text after FROM, if it is not "<table> t" */
    const char *where; /* condition on existing rows */
    /* condition on rows that are found, listed and accepted as references; references show all rows. NULL:
     * all */
    const char *alive;
    const struct field *fields;
    const struct route *routes;
    /* The visible rows, for lists, single reads, writes and references. A resource with rows in the store
     * must set it (to a function of core/access/access.h or its own), or set .within: rows of visible
     * parents. Computed rows are selected by .rows. */
    void (*visible)(struct work *w, struct branches *out);
    struct within within;    /* for all its nested routes, unless a route has its own */
    unsigned expanded_for;   /* roles for which `include` expands it; 0: all */
    const char *owned_order; /* order of the rows of one owner; NULL: t.id */
    /* F_ROWS: reads the rows of these owners into the cells, instead of a query of the table. It decides
     * which rows the caller sees. Returns 0 or a negative error. */
    int (*load_owned)(struct view *v, const struct layout *layout, const struct owners *owners);
    const char *reference_also; /* a member that references contain beside id and resource_type */
    /* everybody sees each row, and that member depends on this set of tables only (core/desk/kept_value.h);
     * 0: not so */
    int reference_kept;
    /* condition on the rows among which a UNIQUE value must be unique; NULL: all */
    const char *unique_among;
    /* Every list of its rows accepts after_id and before_id, in any order. */
    bool keyset;
    /* type that this is the brief form of: include of this type expands references to that type */
    const char *brief_of;
    /* resource_type in replies, if another resource has it as its .type; NULL: .type */
    const char *shown_as;
    /* an item of a list, not a resource: shown without id and resource_type */
    bool is_item;
    /* F_ROWS: with _flat its rows stand under `resources`, and their owners show references */
    bool is_flattened;
    /* shown with an id, but without resource_type; no reference leads to it */
    bool is_untyped;
    const struct subject *subject; /* definitions for rules: core/predicates/definition.h; NULL: none */
    /* rows are people: one's own is shown in full; callers without login see pseudonyms */
    bool is_person;
    /* member with the id of the row's conversation, whose pseudonyms it shows. NULL: none */
    const char *conversation;
    /* changes are found by comparing rows before and after (core/change/object_diff.h) */
    enum diffed_kind diffed;
    /* reason why an erasure of a person keeps all texts of .table; NULL: see erase_table */
    const char *texts_kept;
    const char *unlogged; /* reason why changes are not logged; NULL: they are */
    /* members change without updated_at: no Last-Modified, except by .changed */
    bool changes_unseen;
    /* columns: times of the last changes, beside updated_at, of anything that the row t shows, deletions
     * included. The greatest counts. Read with a single row. */
    const char *changed;
    bool shows_fields; /* with .changed: the changes of custom fields count, too */
    /* as those of a field: an item of a list that refers to it, as requests write it */
    const struct field *items;
    const struct field *record_fields; /* bulk imports: the members of a record; NULL: those of a POST */
    int (*insert)(
        /* bulk imports: inserts a validated record and sets c->id; it fails before it writes. NULL:
         * api_insert */
        struct call *c);
    const char *ordered; /* the column of the positions of all rows, which api_reorder numbers; NULL: none */
    /* api_delete: deletes the rows with these ids, a JSON array. NULL: their rows are deleted (api_remove) */
    int (*remove)(struct work *w, struct str ids);
    bool has_default; /* exactly one row is_default, and enabled if rows can be: api/rows/default_row.h */
    /* Computed rows, which are not stored in a table. Returns all rows of the path in their order. If
     * name.p is set, only the row with this name, which is the last path variable. api_list, api_get,
     * api_target and replies treat them like stored rows. */
    int (*rows)(struct call *c, struct view *v, struct str name, struct row **out);
    const char *
        sample; /* id of a row of the demo desk for commands of the reference; "": they make their own; NULL: 1 */
    /* computed rows have ids and do not depend on the path: references and include work */
    bool made_ids;
};

/* Its resource_type in replies. */
static inline const char *resource_shown_type(const struct resource *r) {
    return r->shown_as ? r->shown_as : r->type;
}

/* The members of a record of a bulk import. */
static inline const struct field *resource_record_fields(const struct resource *r) {
    return r->record_fields ? r->record_fields : r->fields;
}

/* True if its rows are shown with resource_type. */
static inline bool resource_has_type(const struct resource *r) { return !r->is_item && !r->is_untyped; }

/* True if its rows are shown with an id. */
static inline bool resource_has_ids(const struct resource *r) {
    return (r->table || r->made_ids) && !r->is_item;
}

/* True if every caller reaches the route without login, and every token: a token that lacks the scope of
 * the items is answered as nobody. */
static inline bool route_is_open(const struct route *r) {
    return r->scope[0] == 0 && r->bearer == NULL && (r->roles & PUBLIC) == PUBLIC;
}

/* The scopes that the items of a reply need, as in `struct resource`. A download needs that of its route
 * only. */
static inline const char *route_content(const struct route *r, const struct resource *reply) {
    if (r->shape == COUNT || r->shape == NONE || r->is_download) return "";
    return r->content ? r->content : reply->scope;
}

extern const struct resource
    *const resources[]; /* those of src/res, found by tools/resources.sh; ends with NULL */
const struct resource *resource_of(const char *type); /* NULL: none */

#endif
