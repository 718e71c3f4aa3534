#include "http/scan.h"

#include "base/error.h"
#include "base/limits.h"

enum state {
    START, /* before a request line; empty lines are allowed here (RFC 9112 section 2.2) */
    START_LF,
    METHOD,
    TARGET,
    VERSION,
    VERSION_LF,
    FIELD, /* at the beginning of a field line */
    NAME,
    VALUE,
    VALUE_LF,
    END_LF, /* in the empty line that ends a head or trailers */
    BODY,
    CHUNK, /* in the size of a chunk */
    CHUNK_EXTENSION,
    CHUNK_LF,
    CHUNK_DATA,
    DATA_CR,
    DATA_LF,
};

enum field { OTHER, HOST, LENGTH, ENCODING, COOKIE };

#define CHUNK_DIGITS 15    /* digits of a chunk size: it fits into 63 bits */
#define EXTENSION_MOST 256 /* bytes of a chunk's extensions; rarely used */
#define RECORD 64          /* memory that the library takes for each field and each cookie */
#define GROWTH \
    1536 /* memory that the library takes to read a head: one step of its buffer more than the head */
#define LIBRARY_SPARE 512 /* memory of a connection that the library uses for other purposes */

/* Keeps the state, which identifies the request of the byte. */
static void scan_refuse(struct scan *s, int err, const char *reason) {
    s->err = err;
    s->reason = reason;
}

static void malformed(struct scan *s, const char *reason) { scan_refuse(s, ERR_BODY_INVALID, reason); }

/* The bytes of a token (RFC 9110 section 5.6.2), letters in lower case; 0: not one of them. */
static const unsigned char token_chars[256] =
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\0!\0#$%&'\0\0*+\0-.\0"
    "0123456789\0\0\0\0\0\0"
    "\0abcdefghijklmnopqrstuvwxyz\0\0\0^_"
    "`abcdefghijklmnopqrstuvwxyz\0|\0~";

static bool is_token_char(unsigned char c) { return token_chars[c] != 0; }

static bool is_text(unsigned char c) { return (c >= ' ' && c != 127) || c == '\t'; }

/* Returns true if none of eight bytes is a control character. */
static bool are_text(const char *p) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t x, del;
    memcpy(&x, p, sizeof x);
    del = x ^ 0x7f * ones;
    return ((((x - 0x20 * ones) & ~x) | ((del - ones) & ~del)) & 0x80 * ones) == 0;
}

/* Loosely host [ ":" port ] of RFC 9110 section 7.2: refuses bytes that no host has. */
static bool is_host(unsigned char c) { return c > ' ' && c < 127 && !in_set(c, "/\\@,?#\"<>{}|^`"); }

static struct str scan_word(const struct scan *s) { return (struct str){s->word, s->word_n}; }

/* Returns false if there is no room: the word is longer than those that are compared. */
static bool word_add(struct scan *s, int c) {
    if (s->word_n == sizeof s->word) return false;
    s->word[s->word_n++] = (char)c;
    return true;
}

/* ---- the request line ------------------------------------------------------------------------ */

static void scan_begin_head(struct scan *s) {
    int64_t heads = s->heads;
    uint32_t size = s->size;
    *s = (struct scan){.heads = heads, .size = size, .state = METHOD};
}

static void on_method(struct scan *s, unsigned char c) {
    if (c == ' ' && s->method_n) s->state = TARGET;
    else if (!is_token_char(c)) malformed(s, "The method is malformed.");
    else if (s->method_n < sizeof s->method) s->method[s->method_n++] = (char)c;
}

static void end_target(struct scan *s) {
    struct str t = {s->start, s->start_n}, method = {s->method, s->method_n};
    bool origin = t.n && *t.p == '/', absolute = str_starts(t, S("http://")) || str_starts(t, S("https://"));
    bool asterisk = s->target == 1 && *t.p == '*' && str_eq(method, S("OPTIONS"));
    if (origin || absolute || asterisk) s->state = VERSION;
    else malformed(s, "The request target is not a path.");
}

static void on_target(struct scan *s, unsigned char c) {
    if (c == ' ') end_target(s);
    else if (c < ' ' || c == 127) malformed(s, "The request target has a control character.");
    else if (++s->target > LIMIT_URI) scan_refuse(s, ERR_URI_TOO_LONG, "The request target is too long.");
    else if (s->start_n < sizeof s->start) s->start[s->start_n++] = (char)c;
}

/* Accepts HTTP/1.0 and later minor versions of HTTP/1. */
static void on_version(struct scan *s, unsigned char c) {
    static const char wanted[] = "HTTP/1.";
    size_t at = s->version_n++;
    bool digit = at == sizeof wanted - 1 && c >= '0' && c <= '9';
    if (digit) s->is_1_0 = c == '0';
    else if (at == sizeof wanted && c == '\r') s->state = VERSION_LF;
    else if (at >= sizeof wanted - 1 || c != (unsigned char)wanted[at])
        malformed(s, "The request line is not METHOD target HTTP/1.1.");
}

/* ---- fields ---------------------------------------------------------------------------------- */

static enum field field_of_name(struct str name) {
    if (str_eq(name, S("host"))) return HOST;
    if (str_eq(name, S("content-length"))) return LENGTH;
    if (str_eq(name, S("transfer-encoding"))) return ENCODING;
    return str_eq(name, S("cookie")) ? COOKIE : OTHER;
}

static void begin_value(struct scan *s) {
    /* trailers have no effect (RFC 9110 section 6.5.1) */
    enum field field = s->trailers ? OTHER : field_of_name(scan_word(s));
    s->field = (unsigned char)field;
    s->word_n = 0;
    s->ended = false;
    s->cookies += s->field == COOKIE;
    s->state = VALUE;
}

static void on_name(struct scan *s, unsigned char c) {
    if (c == ':' && s->word_n) begin_value(s);
    else if (is_token_char(c)) word_add(s, token_chars[c]);
    else malformed(s, "The name of a header field is malformed.");
}

static void on_field(struct scan *s, unsigned char c) {
    s->word_n = 0;
    if (c == '\r') {
        s->state = END_LF;
    } else if (c == ' ' || c == '\t') {
        malformed(s, "A header field is folded.");
    } else if (++s->fields > LIMIT_HEADERS) {
        scan_refuse(s, ERR_HEADERS_TOO_LARGE, "The request has too many header fields.");
    } else {
        s->state = NAME;
        on_name(s, c);
    }
}

/* Blanks are allowed before and behind the host, not within it. Only one byte of it is counted. */
static void on_host(struct scan *s, unsigned char c) {
    bool blank = c == ' ' || c == '\t';
    if (blank && s->word_n) s->ended = true;
    else if (!blank && (s->ended || !is_host(c))) malformed(s, "The Host field is malformed.");
    else if (!blank) s->word_n = 1;
}

static void on_value(struct scan *s, unsigned char c) {
    bool leads = s->word_n == 0 && (c == ' ' || c == '\t');
    if (c == '\r') {
        s->state = VALUE_LF;
    } else if (!is_text(c)) {
        malformed(s, "A header field has a control character.");
    } else if (s->field == HOST) {
        on_host(s, c);
    } else if (s->field == COOKIE) {
        s->cookie_size++;
        s->cookies += c == ';' || c == ',';
    } else if (s->field != OTHER && !leads && !word_add(s, c)) {
        malformed(s, "The length of the body is malformed.");
    }
}

static void end_length(struct scan *s, struct str value) {
    bool digits = value.n > 0;
    for (size_t i = 0; i < value.n; i++) digits = digits && value.p[i] >= '0' && value.p[i] <= '9';
    if (s->lengths++ || s->encodings) malformed(s, "The length of the body is given twice.");
    else if (!digits) malformed(s, "The Content-Length is not a number.");
    else if (!str_to_int(value, &s->left)) scan_refuse(s, ERR_PAYLOAD_TOO_LARGE, "The body is too large.");
}

static void end_encoding(struct scan *s, struct str value) {
    if (s->encodings++ || s->lengths) malformed(s, "The length of the body is given twice.");
    else if (s->is_1_0 || !str_eqi(value, S("chunked")))
        malformed(s, "The Transfer-Encoding is not supported.");
}

/* The library reads heads into the memory of their connection. A head that would not fit is refused here,
 * because the library would refuse it in its own way. */
static bool fits(const struct scan *s) {
    size_t used = s->size + GROWTH + (s->fields + s->cookies) * RECORD + s->cookie_size;
    return used + LIBRARY_SPARE <= LIMIT_CONNECTION_MEMORY;
}

static void end_value(struct scan *s) {
    struct str value = str_trim(scan_word(s));
    s->state = FIELD;
    if (s->field == HOST && s->hosts++) malformed(s, "The request must have one Host field.");
    else if (s->field == LENGTH) end_length(s, value);
    else if (s->field == ENCODING) end_encoding(s, value);
    if (!s->err && !fits(s)) scan_refuse(s, ERR_HEADERS_TOO_LARGE, "The header fields are too large.");
}

static void next_request(struct scan *s) {
    s->state = START;
    s->size = 0;
    s->trailers = false;
}

static void end_head(struct scan *s) {
    if (s->trailers) {
        next_request(s);
    } else if (s->hosts == 0 && !s->is_1_0) {
        malformed(s, "The request must have one Host field.");
    } else {
        s->heads++;
        if (s->encodings) s->state = CHUNK, s->digits = 0, s->left = 0;
        else if (s->left) s->state = BODY;
        else next_request(s);
    }
}

/* ---- chunks (RFC 9112 section 7.1) ----------------------------------------------------------- */

static int hex_of(unsigned char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void on_chunk(struct scan *s, unsigned char c) {
    int digit = hex_of(c);
    if (digit >= 0 && s->digits < CHUNK_DIGITS) {
        s->left = s->left * 16 + digit;
        s->digits++;
    } else if (s->digits && c == ';') {
        s->state = CHUNK_EXTENSION;
        s->extension = 0;
    } else if (s->digits && c == '\r') {
        s->state = CHUNK_LF;
    } else {
        malformed(s, "The size of a chunk is malformed.");
    }
}

static void on_extension(struct scan *s, unsigned char c) {
    if (c == '\r') s->state = CHUNK_LF;
    else if (!is_text(c) || ++s->extension > EXTENSION_MOST)
        malformed(s, "The extension of a chunk is malformed.");
}

static void end_chunk_size(struct scan *s) {
    s->trailers = s->left == 0;
    s->state = s->left ? CHUNK_DATA : FIELD;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void expect(struct scan *s, unsigned char c, unsigned char wanted, enum state next) {
    if (c == wanted) s->state = (unsigned char)next;
    else malformed(s, "A line does not end with CR LF.");
}

static void on_start(struct scan *s, unsigned char c) {
    if (c == '\r') {
        s->state = START_LF;
    } else {
        scan_begin_head(s);
        on_method(s, c);
    }
}

static void on_byte(struct scan *s, unsigned char c) {
    switch ((enum state)s->state) {
    case START: on_start(s, c); break;
    case START_LF: expect(s, c, '\n', START); break;
    case METHOD: on_method(s, c); break;
    case TARGET: on_target(s, c); break;
    case VERSION: on_version(s, c); break;
    case VERSION_LF: expect(s, c, '\n', FIELD); break;
    case FIELD: on_field(s, c); break;
    case NAME: on_name(s, c); break;
    case VALUE: on_value(s, c); break;
    case VALUE_LF:
        expect(s, c, '\n', FIELD);
        if (!s->err) end_value(s);
        break;
    case END_LF:
        expect(s, c, '\n', FIELD);
        if (!s->err) end_head(s);
        break;
    case CHUNK: on_chunk(s, c); break;
    case CHUNK_EXTENSION: on_extension(s, c); break;
    case CHUNK_LF:
        expect(s, c, '\n', CHUNK_DATA);
        if (!s->err) end_chunk_size(s);
        break;
    case DATA_CR: expect(s, c, '\r', DATA_LF); break;
    case DATA_LF:
        expect(s, c, '\n', CHUNK);
        s->digits = 0;
        break;
    case BODY:
    case CHUNK_DATA: break;
    }
}

/* Counts bytes of a body without scanning them. */
static size_t skip_body(struct scan *s, size_t n) {
    size_t some = (uint64_t)s->left < n ? (size_t)s->left : n;
    s->left -= (int64_t)some;
    if (s->left) return some;
    if (s->state == BODY) next_request(s);
    else s->state = DATA_CR;
    return some;
}

static bool state_counts(enum state state) { return state <= END_LF; }

/* Skips bytes that change no state: names of fields, values that are not scanned, and the target. A byte
 * that would exceed a limit is not skipped. */
static size_t skip_plain(struct scan *s, const char *p, size_t n) {
    size_t k = 0, room = LIMIT_HEAD - s->size;
    n = n < room ? n : room;
    if (s->state == NAME)
        for (; k < n && is_token_char((unsigned char)p[k]); k++)
            word_add(s, token_chars[(unsigned char)p[k]]);
    if (s->state == VALUE && s->field == OTHER) {
        while (k + 8 <= n && are_text(p + k)) k += 8;
        while (k < n && is_text((unsigned char)p[k])) k++;
    }
    if (s->state == TARGET && s->start_n == sizeof s->start) {
        n = n < LIMIT_URI - s->target ? n : LIMIT_URI - s->target;
        while (k < n && (unsigned char)p[k] > ' ' && p[k] != 127) k++;
        s->target += (uint32_t)k;
    }
    s->size += (uint32_t)k;
    return k;
}

/* Scans one byte, or several that change no state. Returns how many of them are well-formed. */
static size_t scan_some(struct scan *s, const char *p, size_t n) {
    if (s->state == BODY || s->state == CHUNK_DATA) return skip_body(s, n);
    size_t k = skip_plain(s, p, n);
    if (k == n) return n;
    if (state_counts(s->state) && ++s->size > LIMIT_HEAD)
        scan_refuse(s, ERR_HEADERS_TOO_LARGE, "The header fields are too large.");
    else on_byte(s, (unsigned char)p[k]);
    return s->err ? k : k + 1;
}

size_t scan_feed(struct scan *s, char *p, size_t n, size_t *kept) {
    size_t at = 0, out = 0;
    while (at < n && !s->err) {
        size_t some = scan_some(s, p + at, n - at);
        if (s->state != CHUNK_EXTENSION) {
            if (out != at) memmove(p + out, p + at, some);
            out += some;
        }
        at += some;
    }
    *kept = out;
    return at;
}

bool scan_in_head(const struct scan *s) {
    return state_counts(s->state) && !s->trailers && s->state != START;
}

int64_t scan_request(const struct scan *s) {
    return s->heads + (state_counts(s->state) && !s->trailers ? 1 : 0);
}
