#include "mail/imap_text.h"

#include "base/error.h"

#include <sodium.h>
#include <string.h>

/* ---- reading a response ---------------------------------------------------------------------- */

static int source_fill(struct imap_source *s) {
    if (s->left == 0) return IMAP_SENSELESS;
    int n = s->more(s->arg, s->bytes, s->left < sizeof s->bytes ? s->left : sizeof s->bytes);
    if (n <= 0) return n < 0 ? n : IMAP_SENSELESS;
    s->at = 0, s->end = (size_t)n;
    s->left -= (size_t)n;
    return 0;
}

/* Adds bytes up to a line feed, without CRLF. Returns 0 or a negative fault. */
static int source_line(struct imap_source *s, size_t *n) {
    for (;;) {
        if (s->at == s->end) TRY(source_fill(s));
        const char *from = s->bytes + s->at, *lf = memchr(from, '\n', s->end - s->at);
        size_t more = lf ? (size_t)(lf - from) : s->end - s->at;
        if (*n + more > IMAP_LINE) return IMAP_SENSELESS;
        memcpy(s->line + *n, from, more);
        *n += more;
        s->at += more + (lf != NULL);
        if (lf == NULL) continue;
        if (*n && s->line[*n - 1] == '\r') --*n;
        return 0;
    }
}

/* Returns the size that a marker {123} at the end of the line announces, or -1. */
static int64_t literal_size(const char *line, size_t n) {
    int64_t size;
    const char *open = n ? memrchr(line, '{', n) : NULL;
    if (open == NULL || line[n - 1] != '}' || open[1] == '-') return -1;
    return str_to_int((struct str){open + 1, (size_t)(line + n - 1 - open - 1)}, &size) ? size : -1;
}

static int source_literal(struct imap_source *s, struct arena *a, int64_t size, struct str *out) {
    size_t n = 0, wanted = (size_t)size;
    if (size > (int64_t)(s->left + s->end - s->at)) return IMAP_SENSELESS;
    char *bytes = arena_bytes(a, wanted + 1);
    while (n < wanted) {
        if (s->at == s->end) TRY(source_fill(s));
        size_t part = s->end - s->at < wanted - n ? s->end - s->at : wanted - n;
        memcpy(bytes + n, s->bytes + s->at, part);
        n += part;
        s->at += part;
    }
    *out = (struct str){bytes, wanted};
    return 0;
}

int imap_response_read(struct imap_source *s, struct arena *a, struct imap_response *out) {
    size_t n = 0;
    out->literal_count = 0;
    for (;;) {
        TRY(source_line(s, &n));
        int64_t size = literal_size(s->line, n);
        if (size < 0) break;
        if (out->literal_count == IMAP_LITERALS) return IMAP_SENSELESS;
        TRY(source_literal(s, a, size, &out->literals[out->literal_count++]));
    }
    out->text = str_dup(a, (struct str){s->line, n});
    return 0;
}

/* ---- the values of a response ---------------------------------------------------------------- */

/* The place in a response while it is read. `literal` counts the markers that were passed. */
struct imap_place {
    const struct imap_response *response;
    struct str rest;
    int literal;
};

static bool place_skip(struct imap_place *p, char c) {
    if (p->rest.n == 0 || *p->rest.p != c) return false;
    p->rest.p++, p->rest.n--;
    return true;
}

static struct str place_word(struct imap_place *p) {
    size_t n = 0;
    while (n < p->rest.n && p->rest.p[n] != ' ' && p->rest.p[n] != '(' && p->rest.p[n] != ')' &&
           p->rest.p[n] != '"')
        n++;
    struct str word = {p->rest.p, n};
    p->rest = (struct str){p->rest.p + n, p->rest.n - n};
    return word;
}

/* A quoted string. It stays as written: a body in this form has no backslash and no quote in practice,
 * because servers send literals. */
static bool place_quoted(struct imap_place *p, struct str *out) {
    if (!place_skip(p, '"')) return false;
    size_t n = 0;
    while (n < p->rest.n && p->rest.p[n] != '"') n += p->rest.p[n] == '\\' ? 2 : 1;
    if (n >= p->rest.n) return false;
    *out = (struct str){p->rest.p, n};
    p->rest = (struct str){p->rest.p + n + 1, p->rest.n - n - 1};
    return true;
}

/* Passes a value in parentheses, with what is nested in it. Strings in it may have parentheses. */
static bool place_list(struct imap_place *p, struct str *out) {
    struct str quoted;
    const char *from = p->rest.p;
    int depth = 0;
    do {
        if (p->rest.n == 0) return false;
        if (*p->rest.p == '"') {
            if (!place_quoted(p, &quoted)) return false;
            continue;
        }
        depth += *p->rest.p == '(' ? 1 : *p->rest.p == ')' ? -1 : 0;
        p->literal += *p->rest.p == '{';
        place_skip(p, *p->rest.p);
    } while (depth > 0);
    *out = (struct str){from, (size_t)(p->rest.p - from)};
    return true;
}

/* One value: a list, a quoted string, a literal, or a word. */
static bool place_value(struct imap_place *p, struct str *out) {
    if (p->rest.n == 0) return false;
    if (*p->rest.p == '(') return place_list(p, out);
    if (*p->rest.p == '"') return place_quoted(p, out);
    bool literal = *p->rest.p == '{';
    *out = place_word(p);
    if (!literal) return out->n > 0;
    if (p->literal >= p->response->literal_count) return false;
    *out = p->response->literals[p->literal++];
    return true;
}

/* The name of a number in a response: "* 5 NAME". */
static bool place_numbered(struct imap_place *p, struct str name, int64_t *number) {
    if (!place_skip(p, '*') || !place_skip(p, ' ') || !str_to_int(place_word(p), number) || *number < 0 ||
        !place_skip(p, ' '))
        return false;
    return str_eqi(place_word(p), name);
}

static bool flags_have_deleted(struct str flags) {
    struct str deleted = S("\\Deleted");
    for (size_t i = 0; i + deleted.n <= flags.n; i++)
        if (str_eqi((struct str){flags.p + i, deleted.n}, deleted)) return true;
    return false;
}

static void mail_note(struct imap_mail *m, struct str name, struct str value) {
    int64_t number;
    bool counts = str_to_int(value, &number) && number >= 0;
    if (str_eqi(name, S("UID")) && counts) m->uid = number;
    else if (str_eqi(name, S("RFC822.SIZE")) && counts) m->size = number;
    else if (str_eqi(name, S("FLAGS"))) m->is_deleted = flags_have_deleted(value);
    else if (str_eqi(name, S("BODY[]")) && !str_eqi(value, S("NIL"))) m->body = value, m->has_body = true;
}

bool imap_mail_read(const struct imap_response *r, struct imap_mail *out) {
    struct imap_place p = {.response = r, .rest = r->text};
    int64_t number;
    *out = (struct imap_mail){.size = -1};
    if (!place_numbered(&p, S("FETCH"), &number) || !place_skip(&p, ' ') || !place_skip(&p, '('))
        return false;
    while (!place_skip(&p, ')')) {
        struct str name = place_word(&p), value;
        if (name.n == 0 || !place_skip(&p, ' ') || !place_value(&p, &value)) return false;
        mail_note(out, name, value);
        place_skip(&p, ' ');
    }
    return true;
}

bool imap_number_read(struct str text, struct str name, int64_t *number) {
    struct imap_place p = {.rest = text};
    return place_numbered(&p, name, number);
}

bool imap_code_read(struct str text, struct str name, int64_t *number) {
    const char *open = text.n ? memchr(text.p, '[', text.n) : NULL;
    if (open == NULL) return false;
    struct imap_place p = {.rest = {open + 1, text.n - (size_t)(open + 1 - text.p)}};
    if (!str_eqi(place_word(&p), name) || !place_skip(&p, ' ')) return false;
    struct str digits = {p.rest.p, 0};
    while (digits.n < p.rest.n && digits.p[digits.n] >= '0' && digits.p[digits.n] <= '9') digits.n++;
    return str_to_int(digits, number);
}

bool imap_has_word(struct str text, struct str word) {
    for (struct str rest = text; rest.p;)
        if (str_eqi(str_cut(&rest, ' '), word)) return true;
    return false;
}

/* ---- names of folders ------------------------------------------------------------------------ */

#define FOLDER_MAX 255

static uint32_t next_character(struct str *rest) {
    unsigned char lead = (unsigned char)*rest->p;
    size_t n = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t c = n == 1 ? lead : lead & (0xFFU >> (n + 1));
    for (size_t i = 1; i < n; i++) c = c << 6 | ((unsigned char)rest->p[i] & 0x3FU);
    *rest = (struct str){rest->p + n, rest->n - n};
    return c;
}

static size_t utf16_add(unsigned char *to, uint32_t c) {
    if (c >= 0x10000) {
        size_t n = utf16_add(to, 0xD800 + ((c - 0x10000) >> 10));
        return n + utf16_add(to + n, 0xDC00 + ((c - 0x10000) & 0x3FF));
    }
    to[0] = (unsigned char)(c >> 8);
    to[1] = (unsigned char)c;
    return 2;
}

/* Adds the letters outside of printable ASCII that `rest` begins with. */
static void shifted_add(struct arena *a, struct str *rest, struct str *out) {
    unsigned char wide[FOLDER_MAX * 4];
    size_t n = 0;
    while (rest->n && (unsigned char)*rest->p >= 0x80) n += utf16_add(wide + n, next_character(rest));
    size_t room = sodium_base64_encoded_len(n, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    char *text = arena_alloc(a, room);
    sodium_bin2base64(text, room, wide, n, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    for (char *c = text; *c; c++)
        if (*c == '/') *c = ',';
    *out = STR_CAT(a, *out, S("&"), str_of(text), S("-"));
}

struct str imap_folder(struct arena *a, struct str name) {
    struct str out = S("\"");
    if (!utf8_valid(name) || text_wrong(a, name, FOLDER_MAX, true) != NULL) return (struct str){0};
    while (name.n) {
        char c = *name.p;
        if ((unsigned char)c >= 0x80) {
            shifted_add(a, &name, &out);
            continue;
        }
        out = STR_CAT(a, out,
                      c == '&'                ? S("&-")
                      : c == '"' || c == '\\' ? str_fmt(a, "\\%c", c)
                                              : (struct str){name.p, 1});
        name.p++, name.n--;
    }
    return STR_CAT(a, out, S("\""));
}
