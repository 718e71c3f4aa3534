#include "base/fold.h"

#include "base/arena.h"

#include <glib.h>
#include <idn2.h>

static struct str taken(struct arena *a, char *s) {
    struct str copy = str_dup(a, str_of(s));
    g_free(s);
    return copy;
}

static bool ascii(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80) return false;
    return true;
}

static struct str ascii_lower(struct arena *a, struct str s) {
    char *out = arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++) out[i] = g_ascii_tolower(s.p[i]);
    return (struct str){out, s.n};
}

struct str fold_key(struct arena *a, struct str s) {
    if (s.p == NULL || ascii(s)) return s.p ? ascii_lower(a, s) : s;
    char *plain = g_utf8_normalize(s.p, (gssize)s.n, G_NORMALIZE_ALL);
    if (plain == NULL) return s;
    char *out = plain;
    for (const char *at = plain, *next; *at; at = next) {
        gunichar c = g_utf8_get_char(at);
        GUnicodeType t = g_unichar_type(c);
        /* read before the write below, which may overwrite the start of this character */
        next = g_utf8_next_char(at);
        if (t == G_UNICODE_NON_SPACING_MARK || t == G_UNICODE_ENCLOSING_MARK) continue;
        out += g_unichar_to_utf8(c, out); /* NFKD is done, so c needs no more bytes than were read */
    }
    struct str key = taken(a, g_utf8_casefold(plain, out - plain));
    g_free(plain);
    return key;
}

/* Casefolds and composes (NFC), because an accent may be sent as a part of its letter or as a mark behind
 * it. */
static struct str fold_case(struct arena *a, struct str s) {
    if (ascii(s)) return ascii_lower(a, s);
    char *folded = g_utf8_casefold(s.p, (gssize)s.n),
         *composed = g_utf8_normalize(folded, -1, G_NORMALIZE_NFC);
    g_free(folded);
    return composed ? taken(a, composed) : s;
}

static bool labels_valid(struct str domain) {
    for (struct str rest = domain; rest.p;) {
        struct str label = str_cut(&rest, '.');
        if (label.n == 0 || label.n > 63 || label.p[0] == '-' || label.p[label.n - 1] == '-') return false;
    }
    return true;
}

/* Returns true if the ASCII characters of s are letters, digits, hyphens and dots. */
static bool host_characters(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x80 && !g_ascii_isalnum(c) && c != '-' && c != '.') return false;
    }
    return true;
}

/* Returns the A-labels of a domain that has non-ASCII letters, by IDNA 2008 (RFC 5891, UTS 46), or NULL if
 * it is not valid. The caller frees them with idn2_free. Characters are checked here, because the
 * library's own rule for ASCII (STD3) drops invalid ones silently. */
static char *domain_ascii(struct str s) {
    char *text = g_strndup(s.p, s.n);
    uint8_t *out = NULL;
    if (idn2_lookup_u8((const uint8_t *)text, &out, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) != IDN2_OK)
        out = NULL;
    g_free(text);
    if (out && labels_valid(str_of((char *)out)) && host_characters(s) &&
        host_characters(str_of((char *)out)))
        return (char *)out;
    idn2_free(out); /* the mapping may have dropped all characters of a label */
    return NULL;
}

struct str domain_key(struct arena *a, struct str s) {
    s = str_trim(s);
    if (s.p == NULL || ascii(s)) return s.p ? ascii_lower(a, s) : s;
    char *labels = domain_ascii(s);
    struct str key = labels ? ascii_lower(a, str_of(labels)) : (struct str){0};
    idn2_free(labels);
    return key;
}

struct str email_key(struct arena *a, struct str s) {
    s = str_trim(s);
    size_t at = s.n;
    while (at > 0 && s.p[at - 1] != '@') at--;
    if (at == 0 || ascii(s)) return fold_case(a, s);
    struct str written = {s.p + at, s.n - at}, local = fold_case(a, (struct str){s.p, at - 1}),
               domain = domain_key(a, written);
    /* not a valid address: a key that no stored address has */
    if (domain.p == NULL) domain = fold_case(a, written);
    return str_fmt(a, "%.*s@%.*s", (int)local.n, local.p, (int)domain.n, domain.p);
}

static bool domain_possible(struct str s) {
    char *labels = ascii(s) ? NULL : domain_ascii(s);
    bool possible = ascii(s) || labels;
    idn2_free(labels);
    return possible;
}

struct str domain_read(struct arena *a, struct str s) {
    s = str_trim(s);
    if (s.n && s.p[s.n - 1] == '.') s.n--; /* a final dot means "from the root", which is implied here */
    if (s.n == 0 || s.n > 1024 || !utf8_valid(s) || !host_characters(s)) return (struct str){0};
    struct str key = domain_key(a, s);
    bool number = true; /* the last label is all digits, as in 127.0.0.1: not a domain */
    if (key.p == NULL || key.n > 253 || !memchr(key.p, '.', key.n) || !labels_valid(key))
        return (struct str){0};
    for (size_t i = key.n; i > 0 && key.p[i - 1] != '.'; i--)
        number = number && g_ascii_isdigit(key.p[i - 1]);
    /* given as A-labels, which may be invalid */
    if (strncmp(key.p, "xn--", 4) == 0 || strstr(str_dup(a, key).p, ".xn--")) {
        char *labels = domain_ascii(key);
        if (labels == NULL) return (struct str){0};
        idn2_free(labels);
    }
    return number ? (struct str){0} : key;
}

struct str domain_text(struct arena *a, struct str key) {
    char *out = NULL;
    int rc = idn2_to_unicode_8z8z(str_dup(a, key).p, &out, 0);
    struct str text = rc == IDN2_OK ? str_dup(a, str_of(out)) : key;
    idn2_free(out);
    return text;
}

/* The key of 0 is "5". The key of a positive number is "6", three digits of the exponent and the digits.
 * The key of a negative number is "4", the nines' complements of both, and "~", which sorts behind every
 * digit. The exponent is the position of the decimal point, counted from the first digit that is not 0,
 * plus 500. */
struct str decimal_key(struct arena *a, struct str s) {
    bool below = s.n && s.p[0] == '-', point = false;
    size_t digits = 0, n = 0, given = 0;
    int whole = 0;
    char *out = arena_alloc(a, s.n + 8);
    for (size_t i = below; i < s.n; i++) {
        char c = s.p[i];
        if (c == '.' && !point && i > below && i + 1 < s.n) {
            point = true;
            continue;
        }
        if (!g_ascii_isdigit(c)) return (struct str){0};
        given++;
        if (digits == 0 && c == '0') {
            if (point) whole--; /* 0.05: the first digit that counts is behind the point */
            continue;
        }
        out[4 + digits++] = c;
        if (!point) whole++;
    }
    if (given == 0 || given > 400) return (struct str){0};
    while (digits && out[3 + digits] == '0') digits--;
    if (digits == 0) return S("5");
    int exponent = whole + 500;
    out[n++] = below ? '4' : '6';
    for (int power = 100; power; power /= 10) out[n++] = (char)('0' + exponent / power % 10);
    n += digits;
    if (!below) return (struct str){out, n};
    for (size_t i = 1; i < n; i++) out[i] = (char)('9' - out[i] + '0');
    out[n++] = '~';
    return (struct str){out, n};
}

bool email_valid(struct str s) {
    size_t at = 0, ats = 0;
    if (s.n < 3 || s.n > 254) return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c <= ' ' || c == 0x7F || in_set(c, "<>(),;:\\\"[]")) return false;
        if (c == '@') at = i, ats++;
    }
    if (ats != 1 || at == 0 || at > 64 || at + 1 == s.n) return false;
    struct str domain = {s.p + at + 1, s.n - at - 1}, local = {s.p, at};
    if (!labels_valid(domain)) return false;
    for (struct str rest = local; rest.p;)
        if (str_cut(&rest, '.').n == 0) return false;
    return utf8_valid(s) && domain_possible(domain);
}
