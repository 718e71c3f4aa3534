/* JSON: a strict reader into an arena (RFC 8259), a form reader into the same tree, a writer into a
 * buffer.
 *
 * Our own, for three reasons: (1) it refuses all invalid documents of JSONTestSuite, (2) memory per byte
 * of input is bounded, and (3) a number too large for 64 bits stays text until its field refuses it by
 * name. */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

#include <assert.h>

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    unsigned count;  /* number of children of an array or object */
    struct str name; /* the member's name inside an object: as sent, decoded */
    /* a string's decoded value with a NUL behind it, or a number as it was written */
    struct str text;
    struct json *first, *next; /* first child; next sibling */
    union {
        struct json *last;    /* last child of an array or object */
        struct json *earlier; /* for a string in a form: the previous value of the same name; NULL: none */
    };
};

struct json_error {
    size_t offset;      /* bytes from the start of the text */
    const char *reason; /* a sentence without its full stop */
};

/* Parses one document. The text needs no NUL. The tree does not point into it. Refused are all texts that
 * RFC 8259 refuses, invalid UTF-8, lone surrogates, NUL characters, a byte order mark, more than
 * LIMIT_JSON_DEPTH levels and more than LIMIT_JSON_VALUES values. If a member is given twice, the later
 * one stays. Returns 0, or -ERR_BODY_INVALID with *err filled and *out NULL. */
int json_parse(struct arena *a, struct str text, struct json **out, struct json_error *err);

/* Parses application/x-www-form-urlencoded (URL standard) into an object of strings, objects and arrays:
 *   a=1            {"a": "1"}           a[]=1&a[]=2      {"a": ["1", "2"]}      a=1&a=2  {"a": "2"}, with "1" as its .earlier
 *   a[0]=1&a[1]=2  {"a": ["1", "2"]}    a[x][y]=1        {"a": {"x": {"y": "1"}}}
 * Indexes below LIMIT_FORM_NAMES order an array by number. Gaps close; elements given as [] come last.
 * Indexes beside names, and larger ones, are names: a[0]=1&a[x]=2 is {"a": {"0": "1", "x": "2"}}. A name
 * is taken literally, whatever the order of the pairs, if (1) it is used both as a value and as a list or
 * object, (2) it is used both with [] and with names inside, or (3) its brackets are unbalanced: {"a":
 * "1", "a[x]": "2"}. Returns 0, or -ERR_BODY_INVALID for invalid UTF-8 or NUL after decoding, more than
 * LIMIT_FORM_NAMES pairs, or more than LIMIT_FORM_DEPTH brackets in a name. (The URL standard replaces bad
 * UTF-8 by U+FFFD, which would lose data silently.) */
int form_parse(struct arena *a, struct str text, struct json **out, struct json_error *err);

/* decodes percent-encoding and plus signs of one name or value */
struct str form_decode(struct arena *a, struct str s);

/* form_parse and the multipart parser call these with decoded pairs. form_put adds a pair to root, an
 * empty object at first, under a copy of its name. form_end makes the tree. Call it once, after the last
 * pair. It always returns 0. */
int form_put(struct arena *a, struct json *root, struct str name, struct json *value, struct json_error *err);
int form_end(struct arena *a, struct json *root);

struct json *json_new(struct arena *a, enum json_type type);
struct json *json_string(struct arena *a, struct str s);
/* parent: an array, or an object if child->name is set */
void json_append(struct json *parent, struct json *child);
/* A scalar as text: true and false are 1 and 0, null is empty. p NULL: an object or array. */
struct str json_scalar(const struct json *j);
/* Finds the exact name; NULL: absent, or not an object. */
const struct json *json_member(const struct json *object, struct str name);
/* The text of a member that is a string; p NULL: absent, or of another type. */
struct str json_member_text(const struct json *object, const char *name);
bool json_member_true(const struct json *object, const char *name); /* the member is true */
/* Compares by name_eq and returns the last such member; NULL as above. */
const struct json *json_named(const struct json *object, struct str name);

/* ---- writer ---------------------------------------------------------------------------------- */

enum json_case { CASE_SNAKE, CASE_CAMEL, CASE_PASCAL };

struct json_writer {
    struct buf *out;
    enum json_case name_case; /* how jw_key writes names; jw_key_raw never changes them */
    bool pretty;              /* indent by four spaces */
    bool no_empty;            /* leave out members that are null or [] */
    /* private */
    bool keyed;     /* a key waits for its value */
    unsigned depth; /* open containers */
    /* Offset in `out` where the last key's member begins; SIZE_MAX: the member must stay. */
    size_t began;
    size_t mark[LIMIT_JSON_WRITE_DEPTH]; /* the same for the member that holds each open container */
    char shape[LIMIT_JSON_WRITE_DEPTH];  /* the closing bracket of each open container */
};

void jw_init(struct json_writer *w, struct buf *out);
static inline bool jw_is_plain(const struct json_writer *w) {
    return w->name_case == CASE_SNAKE && !w->pretty;
}
void jw_object(struct json_writer *w);
void jw_array(struct json_writer *w);
void jw_end(struct json_writer *w);                  /* closes the innermost object or array */
void jw_key(struct json_writer *w, struct str name); /* snake_case; written in name_case */
void jw_key_raw(struct json_writer *w, struct str name);
/* s.p NULL writes null; s is valid UTF-8; slashes are not escaped */
void jw_str(struct json_writer *w, struct str s);
void jw_cat(struct json_writer *w, const struct str *parts, size_t n); /* one string made of several texts */
#define JW_CAT(w, ...)                             \
    jw_cat((w), (const struct str[]){__VA_ARGS__}, \
           sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str))
void jw_int(struct json_writer *w, int64_t v);
void jw_bool(struct json_writer *w, bool v);
void jw_null(struct json_writer *w);
void jw_time(struct json_writer *w, int64_t ms); /* ISO 8601 */
/* a value that is JSON already; null and [] count as empty */
void jw_raw(struct json_writer *w, struct str json);
void jw_json(struct json_writer *w, const struct json *v); /* a parsed value; names are not changed */

/* ---- inline, because a list of ten items writes 400 members ------------------------------------ */

#define JW_STAYS SIZE_MAX /* the member must not be dropped */

/* Returns true if the innermost container has no child yet. */
static inline bool jw_is_empty(const struct json_writer *w) {
    char last = w->out->p[w->out->n - 1];
    return last == '{' || last == '[';
}

static inline void jw_announce(struct json_writer *w) {
    assert(w->depth > 0 && w->shape[w->depth - 1] == '}' && !w->keyed);
    w->began = w->no_empty && w->depth > 1 ? w->out->n : JW_STAYS;
    w->keyed = true;
}

void jw_separate(struct json_writer *w); /* writes the separator before a new child */

/* Comes before every value: a member's key is written already, an element is separated here. */
static inline void jw_begin(struct json_writer *w) {
    bool in_object = w->depth && w->shape[w->depth - 1] == '}';
    assert(in_object == w->keyed); /* a member has a key, an element and the document have none */
    w->keyed = false;
    if (w->depth && !in_object) jw_separate(w);
}

/* The same as jw_key for a name that is written often: JSON_NAME("id"). */
struct json_name {
    struct str text, key; /* `id` and `"id":` */
};
#define JSON_NAME(literal) (&(const struct json_name){S(literal), S("\"" literal "\":")})
static inline void jw_name(struct json_writer *w, const struct json_name *name) {
    if (!jw_is_plain(w)) {
        jw_key(w, name->text);
        return;
    }
    struct buf *out = w->out;
    size_t comma = jw_is_empty(w) ? 0 : 1;
    jw_announce(w);
    buf_reserve(out, name->key.n + 1);
    char *at = out->p + out->n;
    *at = ','; /* overwritten below if there is no comma */
    memcpy(at + comma, name->key.p, name->key.n);
    out->n += comma + name->key.n;
}

/* A value that is JSON already: never indented, never counts as empty. */
static inline void jw_pieces(struct json_writer *w, const struct str *pieces, size_t n) {
    size_t size = 0;
    for (size_t i = 0; i < n; i++) size += pieces[i].n;
    jw_begin(w);
    buf_reserve(w->out, size);
    char *at = w->out->p + w->out->n;
    for (size_t i = 0; i < n; at += pieces[i++].n)
        if (pieces[i].n) memcpy(at, pieces[i].p, pieces[i].n);
    w->out->n += size;
}

/* A member that is JSON already: `opens` has its name and the beginning of its value. Returns where `room`
 * bytes may be written; jw_member_end gets the place behind them. The writer takes members. */
static inline char *jw_member_begin(struct json_writer *w, struct str opens, size_t room) {
    assert(w->depth && w->shape[w->depth - 1] == '}' && !w->keyed);
    buf_reserve(w->out, opens.n + room + 1);
    char *at = w->out->p + w->out->n;
    if (!jw_is_empty(w)) *at++ = ',';
    return str_put(at, opens);
}
static inline void jw_member_end(struct json_writer *w, char *at) { w->out->n = (size_t)(at - w->out->p); }
static inline void jw_member(struct json_writer *w, struct str opens, struct str value, struct str closes) {
    char *at = jw_member_begin(w, opens, value.n + closes.n);
    jw_member_end(w, str_put(str_put(at, value), closes));
}
/* True if the writer is plain and keeps empty members. */
static inline bool jw_takes_members(const struct json_writer *w) { return jw_is_plain(w) && !w->no_empty; }
bool jw_needs_no_escape(struct str s); /* the text is the same between quotes */

/* A string that is JSON already, with its quotes. */
static inline void jw_quoted(struct json_writer *w, struct str quoted) { jw_pieces(w, &quoted, 1); }

/* Returns ids as an array, "[1,2,3]": the form that @LIST of a query takes. */
struct str json_ids(struct arena *a, const int64_t *ids, size_t n);
struct str json_text(struct arena *a, const struct json *j); /* a parsed value as JSON */
/* the same for texts, for @TEXTS */
struct str json_texts(struct arena *a, const struct str *texts, size_t n);

/* Appends a snake_case word to out in another case: "full_name" -> "fullName", "FullName". */
void name_in_case(struct buf *out, struct str snake, enum json_case c);

#endif
