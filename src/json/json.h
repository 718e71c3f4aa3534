/* JSON: a strict reader into an arena (RFC 8259), a form reader into the same tree, a writer into a buffer.
 *
 * Why our own: JSONTestSuite's invalid documents are all refused, memory per byte of input is bounded, and
 * a number too large for 64 bits stays text until the field it belongs to refuses it by name. */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    unsigned count;            /* children of an array or object */
    struct str name;           /* the member's name, when inside an object; as sent, decoded */
    struct str text;           /* a string's value, decoded, NUL behind its end; or a number's own characters */
    struct json *first, *next; /* first child; next sibling */
    union {
        struct json *last;    /* of an array or object */
        struct json *earlier; /* of a string in a form: the one given before it under the same name; NULL: none */
    };
};

struct json_error {
    size_t offset;      /* bytes from the start of the text */
    const char *reason; /* a sentence without its full stop */
};

/* Parses one document. The text need not be NUL-terminated; the tree does not point into it.
 * Refused: anything RFC 8259 refuses, invalid UTF-8, lone surrogates, a NUL character, a byte order mark, more than
 * LIMIT_JSON_DEPTH levels or LIMIT_JSON_VALUES values. A member given twice: the later one stays.
 * Returns 0, or -ERR_BODY_INVALID with *err filled; *out is NULL then. */
int json_parse(struct arena *a, struct str text, struct json **out, struct json_error *err);

/* Parses application/x-www-form-urlencoded (URL standard) into an object of strings, objects and arrays:
 *   a=1            {"a": "1"}           a[]=1&a[]=2      {"a": ["1", "2"]}      a=1&a=2  {"a": "2"}, with "1" as its .earlier
 *   a[0]=1&a[1]=2  {"a": ["1", "2"]}    a[x][y]=1        {"a": {"x": {"y": "1"}}}
 * Indexes below LIMIT_FORM_NAMES order an array by number (gaps close; [] comes behind them); beside names, or larger,
 * they are names: a[0]=1&a[x]=2 is {"a": {"0": "1", "x": "2"}}. A name used both as a value and as a list or object, or
 * both with [] and with names inside, and one with unbalanced brackets, is taken literally, whatever the order of the
 * pairs: {"a": "1", "a[x]": "2"}. Invalid UTF-8 or NUL once decoded, more than LIMIT_FORM_NAMES pairs or
 * LIMIT_FORM_DEPTH brackets in a name: -ERR_BODY_INVALID (the URL standard would put U+FFFD for bad UTF-8, and data
 * would be lost in silence). */
int form_parse(struct arena *a, struct str text, struct json **out, struct json_error *err);

struct str form_decode(struct arena *a, struct str s); /* one name or value: percent-encoding and plus signs */

/* What form_parse and multipart do for every pair, already decoded: form_put keeps it in root, an empty object, under a
 * copy of its name; form_end, once and after the last of them, makes the tree. form_end always returns 0. */
int form_put(struct arena *a, struct json *root, struct str name, struct json *value, struct json_error *err);
int form_end(struct arena *a, struct json *root);

struct json *json_new(struct arena *a, enum json_type type);
struct json *json_string(struct arena *a, struct str s);
void json_append(struct json *parent, struct json *child);                  /* to an array or, with child->name, an object */
const struct json *json_member(const struct json *object, struct str name); /* exact name; NULL: absent or no object */
const struct json *json_named(const struct json *object, struct str name);  /* by name_eq; the last such member */

/* ---- writer ---------------------------------------------------------------------------------------- */

enum json_case { CASE_SNAKE, CASE_CAMEL, CASE_PASCAL };

struct json_writer {
    struct buf *out;
    enum json_case name_case; /* how jw_key writes names; jw_key_raw never changes them */
    bool pretty;              /* four spaces */
    bool no_empty;            /* drop members that are null or [] ; jw_keep exempts the next member */
    /* private */
    bool keyed, keep;                    /* a key waits for its value; jw_keep was said */
    unsigned depth;                      /* open containers */
    size_t began;                        /* where the last key's member began in out; SIZE_MAX when it must stay */
    size_t mark[LIMIT_JSON_WRITE_DEPTH]; /* the same of the member that holds each open container */
    char shape[LIMIT_JSON_WRITE_DEPTH];  /* its closing bracket */
};

void jw_init(struct json_writer *w, struct buf *out);
void jw_object(struct json_writer *w);
void jw_array(struct json_writer *w);
void jw_end(struct json_writer *w);                  /* closes the innermost object or array */
void jw_key(struct json_writer *w, struct str name); /* snake_case; written in name_case */
/* The same of a name that is written often: JSON_NAME("id"). */
struct json_name {
    struct str text, key; /* id and "id": */
};
#define JSON_NAME(literal) (&(const struct json_name){S(literal), S("\"" literal "\":")})
void jw_name(struct json_writer *w, const struct json_name *name);
void jw_key_raw(struct json_writer *w, struct str name);
void jw_keep(struct json_writer *w);                                   /* the member whose key comes next stays even when empty */
void jw_str(struct json_writer *w, struct str s);                      /* s.p NULL writes null; slashes stay unescaped; s is valid UTF-8 */
void jw_cat(struct json_writer *w, const struct str *parts, size_t n); /* one string of several texts: */
#define JW_CAT(w, ...) jw_cat((w), (const struct str[]){__VA_ARGS__}, sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str))
void jw_quoted(struct json_writer *w, struct str quoted);                  /* a string that is JSON already, with its quotes */
void jw_pieces(struct json_writer *w, const struct str *pieces, size_t n); /* a value that is JSON already, not pretty nor empty */
static inline bool jw_is_plain(const struct json_writer *w) { return w->name_case == CASE_SNAKE && !w->pretty; }
void jw_int(struct json_writer *w, int64_t v);
void jw_bool(struct json_writer *w, bool v);
void jw_null(struct json_writer *w);
void jw_time(struct json_writer *w, int64_t ms);           /* ISO 8601 */
void jw_raw(struct json_writer *w, struct str json);       /* a value that is JSON already; null and [] count as empty */
void jw_json(struct json_writer *w, const struct json *v); /* a parsed value, names unchanged */

/* Ids as an array, "[1,2,3]": what @LIST of a query takes. */
struct str json_ids(struct arena *a, const int64_t *ids, size_t n);
struct str json_texts(struct arena *a, const struct str *texts, size_t n); /* the same of texts, for @TEXTS */

/* A snake_case word in another case: "full_name" -> "fullName", "FullName". Written behind out. */
void name_in_case(struct buf *out, struct str snake, enum json_case c);

#endif
