#include "core/letters/token.h"

#include "base/buf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAC_CHARACTERS \
    16 /* 80 bits: a forger who sends 1,000 mails a second needs ten million years for an even chance */
#define DIGITS_MAX 19

static const char kind_letters[] = {
    [TOKEN_REPLY] = 'c',          [TOKEN_RETURN] = 'b',        [TOKEN_MESSAGE_ID] = 'm',
    [TOKEN_SUBJECT] = 's',        [TOKEN_FORWARD_REPLY] = 'f', [TOKEN_FORWARD_ID] = 'g',
    [TOKEN_FORWARD_SUBJECT] = 'h'};

static void mac_characters(const struct desk *d, enum token_kind kind, int64_t id, char out[MAC_CHARACTERS]) {
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char tag[MAC_SIZE];
    char text[2 + DIGITS_MAX + 1];
    int n = snprintf(text, sizeof text, "%c%" PRId64, kind_letters[kind], id);
    mac(tag, &d->token_key, (struct str){text, (size_t)n});
    for (int i = 0; i < MAC_CHARACTERS; i++) {
        int at = i * 5;
        unsigned pair = (unsigned)tag[at / 8] << 8 | tag[at / 8 + 1];
        out[i] = digits[pair >> (11 - at % 8) & 31];
    }
}

struct str mail_token(const struct desk *d, struct arena *a, enum token_kind kind, int64_t id) {
    char characters[MAC_CHARACTERS];
    mac_characters(d, kind, id, characters);
    return str_fmt(a, "%c%" PRId64 "-%.*s", kind_letters[kind], id, MAC_CHARACTERS, characters);
}

static char token_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c; }

/* Reads the number. *mac_text: the MAC_CHARACTERS behind the dash. Returns false if the text does not have
 * the form of a token of the kind. */
static bool token_form(enum token_kind kind, struct str text, int64_t *number, const char **mac_text) {
    if (text.n < 1 + 1 + 1 + MAC_CHARACTERS || text.n > 1 + DIGITS_MAX + 1 + MAC_CHARACTERS ||
        token_lower(*text.p) != kind_letters[kind])
        return false;
    size_t dash = text.n - MAC_CHARACTERS - 1;
    struct str decimal = {text.p + 1, dash - 1};
    *mac_text = text.p + dash + 1;
    return text.p[dash] == '-' && decimal.p[0] != '0' && strspn(decimal.p, "0123456789") >= decimal.n &&
           str_to_int(decimal, number);
}

bool mail_token_has_form(enum token_kind kind, struct str text) {
    int64_t number;
    const char *mac_text;
    return token_form(kind, text, &number, &mac_text);
}

enum token_verdict mail_token_read(const struct desk *d, enum token_kind kind, struct str text, int64_t *id) {
    char given[MAC_CHARACTERS], right[MAC_CHARACTERS];
    const char *mac_text;
    int64_t number;
    if (!token_form(kind, text, &number, &mac_text)) return TOKEN_ABSENT;
    for (int i = 0; i < MAC_CHARACTERS; i++) given[i] = token_lower(mac_text[i]);
    mac_characters(d, kind, number, right);
    if (!secret_eq((struct str){given, MAC_CHARACTERS}, (struct str){right, MAC_CHARACTERS}))
        return TOKEN_FORGED;
    *id = number;
    return TOKEN_GOOD;
}

/* ---- texts that contain tokens --------------------------------------------------------------- */

/* The token that ends MAC_CHARACTERS behind the dash at `at`; p NULL: there is no good one. */
static struct str token_around(const struct desk *d, struct str text, size_t at) {
    size_t from = at;
    int64_t id;
    if (text.n - at - 1 < MAC_CHARACTERS) return (struct str){0};
    while (from && at - from < DIGITS_MAX && text.p[from - 1] >= '0' && text.p[from - 1] <= '9') from--;
    if (from == at || from == 0) return (struct str){0};
    struct str token = {text.p + from - 1, at - from + 2 + MAC_CHARACTERS};
    for (enum token_kind k = TOKEN_REPLY; k <= TOKEN_FORWARD_SUBJECT; k++)
        if (mail_token_read(d, k, token, &id) == TOKEN_GOOD) return token;
    return (struct str){0};
}

/* Keeps the text up to the token. Returns what follows it. */
static struct str token_cut_out(struct buf *out, struct str text, struct str token) {
    const char *end = text.p + text.n, *behind = token.p + token.n;
    size_t before = (size_t)(token.p - text.p);
    bool bracketed = before && token.p[-1] == '[' && behind < end && *behind == ']';
    if (bracketed || (before && token.p[-1] == '+')) before--;
    buf_str(out, (struct str){text.p, before});
    if (bracketed) behind++;
    return (struct str){behind, (size_t)(end - behind)};
}

struct str mail_tokens_removed(const struct desk *d, struct arena *a, struct str text) {
    struct buf out = {0};
    for (size_t i = 0; i < text.n;) {
        const char *dash = memchr(text.p + i, '-', text.n - i);
        if (dash == NULL) break;
        struct str token = token_around(d, text, (size_t)(dash - text.p));
        i = (size_t)(dash - text.p) + 1;
        if (token.p == NULL) continue;
        text = token_cut_out(&out, text, token);
        i = 0;
    }
    buf_str(&out, text);
    return buf_take(&out, a);
}

struct str loop_mark(const struct desk *d, struct arena *a) {
    unsigned char tag[MAC_SIZE];
    mac(tag, &d->token_key, S("loop")); /* no token has this text */
    return str_hex(a, tag, 16);
}

struct str address_with_plus(struct arena *a, struct str full, struct str token) {
    struct str former, address = address_without_plus(a, full, &former);
    const char *at = address.n ? memrchr(address.p, '@', address.n) : NULL;
    if (at == NULL) return address;
    struct str local = {address.p, (size_t)(at - address.p)}, domain = {at, address.n - local.n};
    return STR_CAT(a, local, S("+"), token, domain);
}

struct str address_without_plus(struct arena *a, struct str address, struct str *token) {
    const char *at = address.n ? memrchr(address.p, '@', address.n) : NULL;
    const char *plus = at ? memchr(address.p, '+', (size_t)(at - address.p)) : NULL;
    *token = (struct str){0};
    if (plus == NULL || plus == address.p) return address;
    *token = (struct str){plus + 1, (size_t)(at - plus - 1)};
    return STR_CAT(a, (struct str){address.p, (size_t)(plus - address.p)},
                   (struct str){at, (size_t)(address.p + address.n - at)});
}
