#include "base/str.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char lower(char c) { return (c >= 'A' && c <= 'Z') ? (char)(c + ('a' - 'A')) : c; }

bool str_eqi(struct str a, struct str b) {
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i])) return false;
    return true;
}

bool str_starts(struct str s, struct str prefix) {
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

struct str str_trim(struct str s) {
    while (s.n && is_space(s.p[0])) s.p++, s.n--;
    while (s.n && is_space(s.p[s.n - 1])) s.n--;
    return s;
}

struct str str_leaf(struct str path) {
    for (size_t i = path.n; i-- > 0;)
        if (path.p[i] == '/' || path.p[i] == '\\') return (struct str){path.p + i + 1, path.n - i - 1};
    return path;
}

struct str str_cut(struct str *rest, char sep) {
    struct str head = *rest;
    const char *at = rest->p && rest->n ? memchr(rest->p, sep, rest->n) : NULL;
    if (at == NULL) {
        *rest = (struct str){0};
        return head;
    }
    head.n = (size_t)(at - rest->p);
    *rest = (struct str){at + 1, rest->n - head.n - 1};
    return head;
}

bool name_eq(struct str a, struct str b) {
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.n && a.p[i] == '_') i++;
        while (j < b.n && b.p[j] == '_') j++;
        if (i == a.n || j == b.n) return i == a.n && j == b.n;
        if (lower(a.p[i++]) != lower(b.p[j++])) return false;
    }
}

bool str_to_int(struct str s, int64_t *out) {
    bool minus = s.n && s.p[0] == '-';
    if (minus) s.p++, s.n--;
    if (s.n == 0) return false;
    uint64_t v = 0, most = (uint64_t)INT64_MAX + minus;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') return false;
        uint64_t digit = (uint64_t)(s.p[i] - '0');
        if (v > (most - digit) / 10) return false;
        v = v * 10 + digit;
    }
    *out = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* RFC 3629 section 4. */
size_t utf8_sequence(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
    size_t len = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (n < len) return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (p[0] == 0xE0 && p[1] < 0xA0) return 0;
    if (p[0] == 0xED && p[1] > 0x9F) return 0;
    if (p[0] == 0xF0 && p[1] < 0x90) return 0;
    if (p[0] == 0xF4 && p[1] > 0x8F) return 0;
    return len;
}

bool utf8_valid(struct str s) {
    for (size_t i = 0, len; i < s.n; i += len)
        if ((len = utf8_sequence(s.p + i, s.n - i)) == 0) return false;
    return true;
}

bool utf8_turns_direction(const char *p, size_t n) {
    const unsigned char *u = (const unsigned char *)p;
    if (n < 3 || u[0] != 0xE2) return false;
    return (u[1] == 0x80 && (u[2] == 0x8E || u[2] == 0x8F || (u[2] >= 0xAA && u[2] <= 0xAE))) ||
           (u[1] == 0x81 && u[2] >= 0xA6 && u[2] <= 0xA9);
}

struct str utf8_repaired(struct arena *a, struct str s) {
    if (utf8_valid(s)) return s;
    char *out = arena_bytes(a, 3 * s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n;) {
        size_t len = utf8_sequence(s.p + i, s.n - i);
        memcpy(out + n, len ? s.p + i : UTF8_REPLACEMENT, len ? len : 3);
        n += len ? len : 3;
        i += len ? len : 1;
    }
    out[n] = 0;
    return (struct str){out, n};
}

struct str utf8_without_cut_end(struct str s) {
    size_t back = 1;
    while (back < 4 && back < s.n && ((unsigned char)s.p[s.n - back] & 0xC0) == 0x80) back++;
    if (s.n >= back && (unsigned char)s.p[s.n - back] >= 0xC2 && utf8_sequence(s.p + s.n - back, back) == 0)
        s.n -= back;
    return s;
}

size_t utf8_count(struct str s) {
    size_t count = 0;
    for (size_t i = 0; i < s.n; i++) count += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return count;
}

struct str str_dup(struct arena *a, struct str s) {
    if (s.p == NULL) return s;
    char *copy = arena_bytes(a, s.n + 1);
    if (s.n) memcpy(copy, s.p, s.n);
    copy[s.n] = 0;
    return (struct str){copy, s.n};
}

struct str str_cat(struct arena *a, const struct str *parts, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) n += parts[i].n;
    char *text = arena_bytes(a, n + 1), *at = text;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].n) memcpy(at, parts[i].p, parts[i].n);
        at += parts[i].n;
    }
    *at = 0;
    return (struct str){text, n};
}

const char str_two_digits[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

struct str str_int(char room[INT_TEXT], int64_t v) {
    char *end = room + INT_TEXT, *at = end;
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    for (; rest >= 100; rest /= 100) at = put_two_digits(at - 2, (unsigned)(rest % 100)) - 2;
    if (rest >= 10) at = put_two_digits(at - 2, (unsigned)rest) - 2;
    else *--at = (char)('0' + rest);
    if (v < 0) *--at = '-';
    return (struct str){at, (size_t)(end - at)};
}

char *int_put(char *at, int64_t v) {
    char room[INT_TEXT];
    if (v < 0 || v > 9999) return str_put(at, str_int(room, v));
    unsigned small = (unsigned)v, high = small / 100;
    if (high >= 10) at = put_two_digits(at, high);
    else if (high) *at++ = (char)('0' + high);
    if (small >= 10) return put_two_digits(at, small % 100);
    *at = (char)('0' + small);
    return at + 1;
}

struct str str_vfmt(struct arena *a, const char *fmt, va_list args) {
    char small[256];
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, fmt, args);
    if (n < 0) abort();
    char *text = arena_bytes(a, (size_t)n + 1);
    if ((size_t)n < sizeof small) memcpy(text, small, (size_t)n + 1);
    else vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return (struct str){text, (size_t)n};
}

struct str str_fmt(struct arena *a, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    struct str text = str_vfmt(a, fmt, args);
    va_end(args);
    return text;
}

bool str_is_hex(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!in_set(s.p[i], "0123456789abcdef")) return false;
    return s.n > 0;
}

struct str str_hex(struct arena *a, const void *bytes, size_t n) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *b = bytes;
    char *text = arena_bytes(a, 2 * n + 1);
    for (size_t i = 0; i < n; i++) text[2 * i] = digits[b[i] >> 4], text[2 * i + 1] = digits[b[i] & 15];
    text[2 * n] = 0;
    return (struct str){text, 2 * n};
}

const char *text_wrong(struct arena *a, struct str s, int64_t most, bool line) {
    if ((int64_t)utf8_count(s) > most)
        return str_fmt(a, "At most %lld characters are allowed.", (long long)most).p;
    for (size_t i = 0; line && i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F) return "Control characters are not allowed here.";
    return memchr(s.p, 0, s.n) ? "The character U+0000 is not allowed." : NULL;
}
