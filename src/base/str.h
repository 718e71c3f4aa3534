/* Slices of bytes. A slice owns nothing; what it points to lives in an arena, a constant or the request. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

struct str {
    const char *p; /* NULL for "not given"; an empty text has a pointer */
    size_t n;
};

#define S(literal) ((struct str){"" literal, sizeof(literal) - 1})

static inline struct str str_of(const char *s) { return (struct str){s, s ? strlen(s) : 0}; }
static inline bool str_eq(struct str a, struct str b) { return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0); }

bool str_eqi(struct str a, struct str b); /* ASCII letter case ignored (header values, RFC 9110) */
bool str_starts(struct str s, struct str prefix);
struct str str_trim(struct str s);              /* without blanks, tabs, CR and LF at both ends */
struct str str_leaf(struct str path);           /* a file's name: what stands behind the last slash or backslash */
struct str str_cut(struct str *rest, char sep); /* the part before sep; rest moves behind it; rest->p is NULL at the end */

/* Names of parameters, members and resources are compared without underscores and letter case
 * (completions.md section 1): full_name = fullName = FullName. */
bool name_eq(struct str a, struct str b);

/* Strict decimal, an optional minus, no blanks, no overflow. */
bool str_to_int(struct str s, int64_t *out);
#define INT_TEXT 24
struct str str_int(char room[INT_TEXT], int64_t v); /* back again: it lies in room, without a NUL */
bool utf8_valid(struct str s);                      /* RFC 3629: no overlong forms, no surrogates */
size_t utf8_count(struct str s);                    /* code points of valid UTF-8 */

/* Why a valid UTF-8 text is none of at most `most` characters, without U+0000 and, on one line, control characters: a sentence, in the
 * arena; NULL: nothing is wrong. */
const char *text_wrong(struct arena *a, struct str s, int64_t most, bool line);

struct str str_dup(struct arena *a, struct str s);                          /* a copy, NUL-terminated behind its end */
struct str str_cat(struct arena *a, const struct str *parts, size_t count); /* one behind the other, NUL-terminated */
#define STR_CAT(a, ...) str_cat((a), (const struct str[]){__VA_ARGS__}, sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str))
struct str str_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct str str_hex(struct arena *a, const void *bytes, size_t n);

#endif
