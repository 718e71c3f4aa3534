/* The writer. It derives its position from the last byte of the buffer: after an opening bracket comes the
 * first child, after any other byte a comma. So a member is dropped by truncating the buffer, and there is
 * no other state to undo. */
#include "json/json.h"

#include "base/clock.h"

#include <assert.h>

static void line(struct json_writer *w) {
    if (!w->pretty) return;
    size_t n = (size_t)w->depth * 4;
    buf_char(w->out, '\n');
    buf_reserve(w->out, n);
    memset(w->out->p + w->out->n, ' ', n);
    w->out->n += n;
}

void jw_separate(struct json_writer *w) {
    if (!jw_is_empty(w)) buf_char(w->out, ',');
    line(w);
}

/* ---- structure ------------------------------------------------------------------------------- */

void jw_init(struct json_writer *w, struct buf *out) { *w = (struct json_writer){.out = out}; }

static void open(struct json_writer *w, char bracket, char closing) {
    assert(w->depth < LIMIT_JSON_WRITE_DEPTH);
    size_t began = w->keyed ? w->began : JW_STAYS;
    jw_begin(w);
    w->mark[w->depth] = began;
    w->shape[w->depth++] = closing;
    buf_char(w->out, bracket);
}

void jw_object(struct json_writer *w) { open(w, '{', '}'); }

void jw_array(struct json_writer *w) { open(w, '[', ']'); }

void jw_end(struct json_writer *w) {
    assert(w->depth > 0 && !w->keyed);
    bool empty = jw_is_empty(w);
    char closing = w->shape[--w->depth];
    if (empty && closing == ']' && w->mark[w->depth] != JW_STAYS) {
        w->out->n = w->mark[w->depth];
        return;
    }
    if (!empty) line(w);
    buf_char(w->out, closing);
}

/* ---- strings --------------------------------------------------------------------------------- */

static bool is_escaped(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

typedef unsigned char bytes16 __attribute__((vector_size(16)));

/* Returns true if none of these 16 bytes needs an escape. */
static bool plain16(const char *p) {
    bytes16 v;
    uint64_t half[2];
    memcpy(&v, p, sizeof v);
    v = (bytes16)((v < 0x20) | (v == '"') | (v == '\\'));
    memcpy(half, &v, sizeof half);
    return (half[0] | half[1]) == 0;
}

/* The same for eight bytes in one number. */
static bool plain8(uint64_t v) {
    const uint64_t ones = 0x0101010101010101u, quote = v ^ ones * '"', backslash = v ^ ones * '\\';
    uint64_t control = (v - ones * 0x20) & ~v, found = (quote - ones) & ~quote;
    return ((control | found | ((backslash - ones) & ~backslash)) & ones * 0x80) == 0;
}

/* Words and numbers are short: the last eight or four bytes overlap those before them. */
static bool is_plain_short(struct str s) {
    uint64_t first, last;
    uint32_t four[2];
    if (s.n >= 8) {
        memcpy(&first, s.p, 8);
        memcpy(&last, s.p + s.n - 8, 8);
        return plain8(first) && plain8(last);
    }
    if (s.n >= 4) {
        memcpy(&four[0], s.p, 4);
        memcpy(&four[1], s.p + s.n - 4, 4);
        return plain8(four[0] | (uint64_t)four[1] << 32);
    }
    size_t i = 0;
    while (i < s.n && !is_escaped((unsigned char)s.p[i])) i++;
    return i == s.n;
}

/* The last 16 bytes overlap those before them. */
bool jw_needs_no_escape(struct str s) {
    size_t i = 0;
    if (s.n < 16) return is_plain_short(s);
    while (s.n - i > 16 && plain16(s.p + i)) i += 16;
    return s.n - i <= 16 && plain16(s.p + s.n - 16);
}

static size_t jw_plain_run(const char *p, size_t n) {
    size_t i = 0;
    while (n - i >= 16 && plain16(p + i)) i += 16;
    while (i < n && !is_escaped((unsigned char)p[i])) i++;
    return i;
}

static void jw_escape(struct buf *out, unsigned char c) {
    static const char letters[] = "\"\\bfnrt", meaning[] = "\"\\\b\f\n\r\t", hex[] = "0123456789abcdef";
    const char *at = memchr(meaning, c, sizeof meaning - 1);
    if (at) buf_add(out, (char[]){'\\', letters[at - meaning]}, 2);
    else buf_add(out, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
}

static void escaped_text(struct buf *out, struct str s) {
    if (jw_needs_no_escape(s)) {
        buf_str(out, s);
        return;
    }
    while (s.n) {
        size_t n = jw_plain_run(s.p, s.n);
        buf_add(out, s.p, n);
        if (n < s.n) jw_escape(out, (unsigned char)s.p[n++]);
        s.p += n;
        s.n -= n;
    }
}

static void quoted(struct buf *out, struct str s) {
    buf_reserve(out, s.n + 2);
    out->p[out->n++] = '"';
    escaped_text(out, s);
    buf_char(out, '"');
}

void jw_str(struct json_writer *w, struct str s) {
    if (s.p == NULL) {
        jw_null(w);
        return;
    }
    jw_begin(w);
    quoted(w->out, s);
}

void jw_cat(struct json_writer *w, const struct str *parts, size_t n) {
    jw_begin(w);
    buf_char(w->out, '"');
    for (size_t i = 0; i < n; i++) escaped_text(w->out, parts[i]);
    buf_char(w->out, '"');
}

/* ---- names ----------------------------------------------------------------------------------- */

static void begin_key(struct json_writer *w) {
    jw_announce(w);
    jw_separate(w);
}

static void end_key(struct json_writer *w) { buf_text(w->out, w->pretty ? ": " : ":"); }

void jw_key(struct json_writer *w, struct str name) {
    begin_key(w);
    buf_char(w->out, '"');
    name_in_case(w->out, name, w->name_case);
    buf_char(w->out, '"');
    end_key(w);
}

void jw_key_raw(struct json_writer *w, struct str name) {
    begin_key(w);
    quoted(w->out, name);
    end_key(w);
}

void name_in_case(struct buf *out, struct str snake, enum json_case c) {
    if (c == CASE_SNAKE) {
        buf_str(out, snake);
        return;
    }
    bool upper = c == CASE_PASCAL;
    for (size_t i = 0; i < snake.n; i++) {
        char letter = snake.p[i];
        if (letter != '_')
            buf_char(out, upper && letter >= 'a' && letter <= 'z' ? (char)(letter - 0x20) : letter);
        upper = letter == '_';
    }
}

/* ---- other values ---------------------------------------------------------------------------- */

void jw_int(struct json_writer *w, int64_t v) {
    jw_begin(w);
    buf_int(w->out, v);
}

void jw_bool(struct json_writer *w, bool v) { jw_raw(w, v ? S("true") : S("false")); }

void jw_null(struct json_writer *w) { jw_raw(w, S("null")); }

void jw_time(struct json_writer *w, int64_t ms) {
    char text[TIME_ISO_SIZE + 2] = "\"";
    size_t n = time_iso(text + 1, ms);
    text[n + 1] = '"';
    jw_quoted(w, (struct str){text, n + 2});
}

void jw_raw(struct json_writer *w, struct str json) {
    bool drop = w->keyed && w->began != JW_STAYS && (str_eq(json, S("null")) || str_eq(json, S("[]")));
    jw_begin(w);
    if (drop) w->out->n = w->began;
    else buf_str(w->out, json);
}

void jw_json(struct json_writer *w, const struct json *v) {
    switch (v->type) {
    case JSON_NULL: jw_null(w); break;
    case JSON_FALSE: jw_bool(w, false); break;
    case JSON_TRUE: jw_bool(w, true); break;
    case JSON_NUMBER: jw_raw(w, v->text); break;
    case JSON_STRING: jw_str(w, v->text); break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        if (v->type == JSON_ARRAY) jw_array(w);
        else jw_object(w);
        for (const struct json *child = v->first; child; child = child->next) {
            if (v->type == JSON_OBJECT) jw_key_raw(w, child->name);
            jw_json(w, child);
        }
        jw_end(w);
    }
}

struct str json_text(struct arena *a, const struct json *j) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_json(&w, j);
    return buf_take(&b, a);
}

struct str json_texts(struct arena *a, const struct str *texts, size_t n) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (size_t i = 0; i < n; i++) jw_str(&w, texts[i]);
    jw_end(&w);
    return buf_take(&b, a);
}

struct str json_ids(struct arena *a, const int64_t *ids, size_t n) {
    struct buf b = {0};
    buf_char(&b, '[');
    for (size_t i = 0; i < n; i++) {
        if (i) buf_char(&b, ',');
        buf_int(&b, ids[i]);
    }
    buf_char(&b, ']');
    return buf_take(&b, a);
}
