/* Slices of bytes. A slice owns nothing: the bytes are in an arena, a constant or the request. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

struct str {
    const char *p; /* NULL: not given. An empty text has a pointer */
    size_t n;
};

#define S(literal) ((struct str){"" literal, sizeof(literal) - 1})

static inline struct str str_of(const char *s) { return (struct str){s, s ? strlen(s) : 0}; }
static inline bool str_eq(struct str a, struct str b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* True if the byte c is one of `set`. False for NUL, which strchr finds at the end of each text. */
static inline bool in_set(int c, const char *set) { return c != 0 && strchr(set, c) != NULL; }

bool str_eqi(struct str a, struct str b); /* ignores ASCII letter case (header values, RFC 9110) */
bool str_starts(struct str s, struct str prefix);
struct str str_trim(struct str s); /* without blanks, tabs, CR and LF at both ends */
/* the name of a file: the part behind the last slash or backslash */
struct str str_leaf(struct str path);
/* returns the part before sep; *rest becomes the part behind it, with p NULL at the end */
struct str str_cut(struct str *rest, char sep);

/* Names of parameters, members and resources are compared without underscores and letter case:
 * full_name = fullName = FullName. */
bool name_eq(struct str a, struct str b);

/* Strict decimal: an optional minus, no blanks. Returns false if it is not a number of 64 bits. */
bool str_to_int(struct str s, int64_t *out);
#define INT_TEXT 24
extern const char str_two_digits[201]; /* "00" to "99" */
/* Writes the two digits of v, which is below 100. Returns the place behind them. */
static inline char *put_two_digits(char *at, unsigned v) {
    return (char *)memcpy(at, str_two_digits + (size_t)2 * v, 2) + 2;
}
/* Writes s at a place that has room for it, and returns the place behind it. s.p is not NULL. */
static inline char *str_put(char *at, struct str s) { return (char *)memcpy(at, s.p, s.n) + s.n; }
char *int_put(char *at, int64_t v);                 /* the same for a number of up to INT_TEXT digits */
struct str str_int(char room[INT_TEXT], int64_t v); /* the reverse; the text lies in `room`, without a NUL */
bool utf8_valid(struct str s);                      /* RFC 3629: no overlong forms, no surrogates */
size_t utf8_count(struct str s);                    /* code points of valid UTF-8 */
#define UTF8_REPLACEMENT "\xEF\xBF\xBD"
/* bytes of the code point at p; 0: they are not UTF-8. n > 0 */
size_t utf8_sequence(const char *p, size_t n);
/* True if the character at p changes the direction in which text is shown: U+200E, U+200F, U+202A to
 * U+202E, U+2066 to U+2069. */
bool utf8_turns_direction(const char *p, size_t n);
/* The text with U+FFFD in place of each byte that is not a part of valid UTF-8. A valid text is returned
 * as it is. */
struct str utf8_repaired(struct arena *a, struct str s);
/* without the begun character at the end of a text that was cut */
struct str utf8_without_cut_end(struct str s);

/* Checks a valid UTF-8 text. Returns NULL if it has at most `most` characters, no U+0000 and, if `line`,
 * no control characters. Else returns the reason: a sentence, constant or in the arena. */
const char *text_wrong(struct arena *a, struct str s, int64_t most, bool line);

struct str str_dup(struct arena *a, struct str s); /* a copy, with a NUL behind it */
/* all parts in a row, with a NUL behind them */
struct str str_cat(struct arena *a, const struct str *parts, size_t count);
#define STR_CAT(a, ...)                             \
    str_cat((a), (const struct str[]){__VA_ARGS__}, \
            sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str))
struct str str_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct str str_vfmt(struct arena *a, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));
bool str_is_hex(struct str s); /* one or more digits, letters in lower case */
struct str str_hex(struct arena *a, const void *bytes, size_t n);

#endif
