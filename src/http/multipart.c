/* A parser of our own, because the library's PostProcessor (1) accepts a body without its last boundary as
 * complete,
 * (2) gives no access to a part's Content-Length and Content-MD5, (3) does not support filename*, and (4)
 * splits header and data depending on where the input was cut.
 *
 * The delimiter is CR LF -- boundary (RFC 2046 section 5.1.1). It has a carriage return only at its start.
 * So after a candidate has failed, a new one can only begin at the byte that failed, and no backtracking
 * is needed. Between two writes only one number must be kept: how many bytes of the delimiter the last
 * bytes match. */
#include "http/multipart.h"

#include "base/error.h"
#include "base/limits.h"

#include <string.h>

#define BOUNDARY_MAX 70 /* RFC 2046 section 5.1.1 */
#define TAIL_MAX 64     /* blanks allowed behind a boundary */

/*   SCAN --delimiter--> TAIL --CR LF--> HEAD --empty line--> SCAN
 *                        | --> SCAN, if it was data
 *                        '--"--"--> DONE */
enum state { SCAN, TAIL, HEAD, DONE };

struct multipart {
    struct arena *arena;
    const struct multipart_sink *sink;
    void *ctx;
    const char *reason;
    enum state state;
    bool in_part; /* behind the first boundary, in a part that is passed to the sink */
    size_t parts;
    char delimiter[4 + BOUNDARY_MAX];
    size_t delimiter_n;
    size_t matched; /* bytes of the delimiter that the last bytes read match */
    /* Number of these bytes that are not data: the line end before the part or the body began. */
    size_t unread;
    char tail[TAIL_MAX];
    size_t tail_n;
    char *head; /* LIMIT_PART_HEAD bytes */
    size_t head_n;
    struct multipart_part part;
    int64_t got; /* bytes of the part's data so far */
};

static int multipart_invalid(struct multipart *m, const char *reason) {
    m->reason = reason;
    return -ERR_BODY_INVALID;
}

static bool is_boundary_character(char c) { return c > ' ' && c < 127; }

static bool boundary_ok(struct str b) {
    if (b.p == NULL || b.n == 0 || b.n > BOUNDARY_MAX || b.p[b.n - 1] == ' ') return false;
    for (size_t i = 0; i < b.n; i++)
        if (!is_boundary_character(b.p[i]) && b.p[i] != ' ') return false;
    return true;
}

struct multipart *multipart_new(struct arena *a, struct str content_type, const struct multipart_sink *sink,
                                void *ctx) {
    struct str boundary;
    if (!header_parameter(a, content_type, S("boundary"), &boundary) || !boundary_ok(boundary)) return NULL;
    struct multipart *m = ARENA_NEW(a, struct multipart);
    m->arena = a;
    m->sink = sink;
    m->ctx = ctx;
    m->reason = "";
    memcpy(m->delimiter, "\r\n--", 4);
    memcpy(m->delimiter + 4, boundary.p, boundary.n);
    m->delimiter_n = 4 + boundary.n;
    m->matched = m->unread = 2; /* the first boundary may be at the start of the body */
    return m;
}

const char *multipart_reason(const struct multipart *m) { return m->reason; }

/* ---- the head of a part ---------------------------------------------------------------------- */

static bool is_boundary_token(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c <= ' ' || c >= 127 || in_set(c, "()<>@,;:\\\"/[]?={}")) return false;
    }
    return s.n > 0;
}

static bool has_control(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (((unsigned char)s.p[i] < ' ' && s.p[i] != '\t') || s.p[i] == 127) return true;
    return false;
}

/* Takes one line off a head, whose lines all end in CR LF. Joins folded lines (RFC 5322 section 2.2.3) in
 * place. Returns false at the end. */
static bool head_next_line(struct str *head, struct str *line) {
    if (head->n == 0) return false;
    char *begin = (char *)(uintptr_t)head->p, *end = begin + head->n, *cr = begin;
    for (;; cr++) {
        cr = memchr(cr, '\r', (size_t)(end - cr));
        if (cr == NULL || cr + 1 == end) cr = end - 2; /* every head ends in CR LF */
        if (cr[1] != '\n') continue;
        if (cr + 2 == end || (cr[2] != ' ' && cr[2] != '\t')) break;
        cr[0] = cr[1] = ' ';
    }
    *line = (struct str){begin, (size_t)(cr - begin)};
    *head = (struct str){cr + 2, (size_t)(end - cr - 2)};
    return true;
}

static bool encoding_is_plain(struct str s) {
    return s.n == 0 || str_eqi(s, S("binary")) || str_eqi(s, S("8bit")) || str_eqi(s, S("7bit"));
}

static int read_header(struct multipart *m, struct str line, struct str *disposition) {
    struct str value = line, name = str_cut(&value, ':');
    if (value.p == NULL || !is_boundary_token(name))
        return multipart_invalid(m, "A header line of a part is malformed.");
    value = str_trim(value);
    if (has_control(value)) return multipart_invalid(m, "A header of a part has a control character.");
    if (str_eqi(name, S("Content-Disposition"))) {
        if (disposition->p) return multipart_invalid(m, "A part has two Content-Disposition headers.");
        *disposition = value;
    } else if (str_eqi(name, S("Content-Type"))) {
        if (value.n) m->part.type = str_dup(m->arena, value);
    } else if (str_eqi(name, S("Content-MD5"))) {
        m->part.md5 = str_dup(m->arena, value);
    } else if (str_eqi(name, S("Content-Length"))) {
        if (!str_to_int(value, &m->part.length) || m->part.length < 0)
            return multipart_invalid(m, "The Content-Length of a part is not a number.");
    } else if (str_eqi(name, S("Content-Transfer-Encoding")) && !encoding_is_plain(value)) {
        return multipart_invalid(m, "The Content-Transfer-Encoding of a part is not supported: send it as "
                                    "binary.");
    }
    return 0;
}

/* Skips parts whose disposition is not form-data, as busboy does. */
static int read_head(struct multipart *m, struct str head) {
    struct str line, disposition = {0}, kind, name, rest;
    m->part = (struct multipart_part){.length = -1};
    m->got = 0;
    while (head_next_line(&head, &line)) {
        int err = read_header(m, line, &disposition);
        if (err) return err;
    }
    rest = disposition;
    kind = disposition.n ? str_trim(str_cut(&rest, ';')) : S("");
    m->in_part = str_eqi(kind, S("form-data"));
    if (!m->in_part) return 0;
    if (!header_parameter(m->arena, disposition, S("name"), &name))
        return multipart_invalid(m, "The Content-Disposition of a part is malformed.");
    struct str filename = filename_of(m->arena, disposition);
    struct str type = m->part.type;
    if (filename.p == NULL && type.p && str_eqi(str_trim(str_cut(&type, ';')), S("application/octet-stream")))
        filename = S("");
    if (!utf8_valid(name) || !utf8_valid(filename))
        return multipart_invalid(m, "The name of a part is not UTF-8.");
    m->part.name = str_dup(m->arena, name.p ? name : S(""));
    if (filename.p) m->part.filename = str_dup(m->arena, filename);
    return m->sink->begin(m->ctx, &m->part);
}

/* ---- the stream ------------------------------------------------------------------------------ */

static int emit(struct multipart *m, const char *p, size_t n) {
    if (!m->in_part || n == 0) return 0;
    m->got += (int64_t)n;
    return m->sink->data(m->ctx, (struct str){p, n});
}

static int end_part(struct multipart *m) {
    if (!m->in_part) return 0;
    m->in_part = false;
    if (m->part.length >= 0 && m->part.length != m->got)
        return multipart_invalid(m, "A part is not as long as its Content-Length says.");
    return m->sink->end(m->ctx);
}

static void expect_delimiter(struct multipart *m) {
    m->state = SCAN;
    m->matched = m->unread = 0;
}

static void tail_hold(struct multipart *m, size_t matched) {
    m->matched = matched;
    m->tail_n = 0;
    if (matched == m->delimiter_n) m->state = TAIL;
}

/* Finds the delimiter, or the part of it that ends the piece. The bytes before it are data. Writes how
 * many bytes it used. */
static int scan(struct multipart *m, struct str s, size_t *used) {
    const char *p = s.p, *d = m->delimiter;
    size_t i = 0, k = m->matched;
    if (k) { /* a candidate that began in an earlier piece */
        while (i < s.n && k < m->delimiter_n && p[i] == d[k]) i++, k++;
        *used = i;
        if (k == m->delimiter_n || i == s.n) return tail_hold(m, k), 0;
        int err = emit(m, d + m->unread, k - m->unread);
        if (err) return err;
        expect_delimiter(m);
    }
    size_t start = i;
    for (k = 0; i < s.n; i += k) {
        const char *cr = memchr(p + i, '\r', s.n - i);
        i = cr ? (size_t)(cr - p) : s.n;
        for (k = 0; i + k < s.n && k < m->delimiter_n && p[i + k] == d[k];) k++;
        if (k == m->delimiter_n || i + k == s.n) break;
    }
    *used = i + k;
    tail_hold(m, k);
    return emit(m, p + start, i - start);
}

/* Reads the bytes behind a delimiter: "--" closes the form, blanks and a line end begin a part. Anything
 * else shows that the delimiter was data that begins like the boundary (RFC 2046 allows "abc" within
 * "abcd"). */
static int tail(struct multipart *m, char c, bool *used) {
    struct str t = {m->tail, m->tail_n};
    bool cr = t.n && t.p[t.n - 1] == '\r', dash = t.n == 1 && t.p[0] == '-';
    *used = true;
    if (dash && c == '-') {
        m->state = DONE;
        return end_part(m);
    }
    if (cr && c == '\n') {
        m->state = HEAD;
        m->head_n = 0;
        return end_part(m);
    }
    bool blank = c == ' ' || c == '\t', first_dash = c == '-' && t.n == 0;
    if (!cr && !dash && (blank || c == '\r' || first_dash) && t.n < TAIL_MAX) {
        m->tail[m->tail_n++] = c;
        return 0;
    }
    *used = false;
    int err = emit(m, m->delimiter + m->unread, m->delimiter_n - m->unread);
    if (err == 0) err = emit(m, m->tail, m->tail_n);
    expect_delimiter(m);
    return err;
}

static int head(struct multipart *m, char c) {
    if (m->head == NULL) m->head = arena_alloc(m->arena, LIMIT_PART_HEAD);
    if (m->head_n == LIMIT_PART_HEAD) return multipart_invalid(m, "The header lines of a part are too long.");
    m->head[m->head_n++] = c;
    const char *end = m->head + m->head_n;
    if (c != '\n' || m->head_n < 2 || end[-2] != '\r') return 0;
    if (m->head_n > 2 && (m->head_n < 4 || memcmp(end - 4, "\r\n\r\n", 4) != 0)) return 0;
    if (++m->parts > LIMIT_PARTS) {
        m->reason = "The form has too many parts.";
        return -ERR_PAYLOAD_TOO_LARGE;
    }
    m->state = SCAN;
    /* a part without data may share the line end of its head (RFC 2046, body-part) */
    m->matched = m->unread = 2;
    return read_head(m, (struct str){m->head, m->head_n - 2});
}

int multipart_feed(struct multipart *m, struct str piece) {
    int err = 0;
    while (piece.n && err == 0 && m->state != DONE) {
        size_t used = 1;
        bool took = true;
        if (m->state == SCAN) err = scan(m, piece, &used);
        else if (m->state == HEAD) err = head(m, *piece.p);
        else if (err = tail(m, *piece.p, &took), !took) used = 0;
        piece = (struct str){piece.p + used, piece.n - used};
    }
    return err;
}

/* Two forms without a last boundary line are complete, because the request has all the bytes that it
 * announced:
 *   1. The form ends behind the line of a boundary that opens a part. A boundary line ended each part
 *      before it.
 *   2. The last part has a Content-Length and that many bytes. Its last bytes may be a line end that
 *      looked like the start of a delimiter. */
int multipart_end(struct multipart *m) {
    if (m->state == DONE || (m->state == HEAD && m->head_n == 0)) return 0;
    int64_t missing = m->part.length - m->got, held = (int64_t)(m->matched - m->unread);
    if (m->state == HEAD || !m->in_part || m->part.length < 0 || missing < 0 || missing > held)
        return multipart_invalid(m, "The body ends before the last boundary line of the form.");
    int err = emit(m, m->delimiter + m->unread, (size_t)missing);
    return err ? err : end_part(m);
}
