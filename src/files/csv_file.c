#include "files/csv_file.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK 65536

/* Results of a read of one character, beside its code point. */
enum { END = -1, BROKEN = -2 };
enum state { AT_CELL, PLAIN, QUOTED, BEHIND_QUOTE };

struct csv_reader {
    int fd;
    enum csv_encoding encoding;
    bool big_endian, at_end;
    char delimiter;
    unsigned char block[BLOCK];
    size_t at, filled;
    int64_t before; /* bytes of the file before those of `block` */
    int64_t line, rows, quote_line;
    bool behind_cr; /* the last character was a CR: a LF belongs to it */
    const char *why;
    /* the row */
    struct buf text;
    size_t ends[CSV_COLUMNS];
    int count;
    const char *refused;
};

/* ---- characters ------------------------------------------------------------------------------ */

/* The characters of Windows-1252 from 0x80 to 0x9F. 0: no character. */
static const unsigned short windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static int broken(struct csv_reader *r, const char *why) {
    if (r->why == NULL) r->why = why;
    return BROKEN;
}

/* Makes at least `n` bytes available, unless the file ends before or can't be read. Returns how many there
 * are. */
static size_t available(struct csv_reader *r, size_t n) {
    while (r->filled - r->at < n && !r->at_end) {
        memmove(r->block, r->block + r->at, r->filled - r->at);
        r->before += (int64_t)r->at;
        r->filled -= r->at;
        r->at = 0;
        ssize_t got = read(r->fd, r->block + r->filled, BLOCK - r->filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            broken(r, CSV_WHY_UNREADABLE); /* the next call tries again */
            break;
        }
        r->filled += (size_t)got;
        r->at_end = got == 0;
    }
    return r->filled - r->at;
}

static int utf16_unit(const struct csv_reader *r, size_t at) {
    const unsigned char *p = r->block + r->at + at;
    return r->big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
}

static int next_utf16(struct csv_reader *r) {
    size_t n = available(r, 4);
    if (n == 0) return END;
    if (n < 2) return broken(r, CSV_WHY_CUT);
    int unit = utf16_unit(r, 0);
    r->at += 2;
    if (unit < 0xD800 || unit > 0xDFFF) return unit;
    int low = unit < 0xDC00 && n >= 4 ? utf16_unit(r, 0) : 0;
    if (low < 0xDC00 || low > 0xDFFF) return broken(r, CSV_WHY_NOT_UTF_16);
    r->at += 2;
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

static int next_utf8(struct csv_reader *r) {
    size_t n = available(r, 4);
    if (n == 0) return END;
    const unsigned char *p = r->block + r->at;
    if (p[0] < 0x80) return r->at++, p[0];
    size_t len = utf8_sequence((const char *)p, n);
    if (len == 0) return broken(r, CSV_WHY_NOT_UTF_8);
    int c = p[0] & (0xFF >> (len + 1));
    for (size_t i = 1; i < len; i++) c = c << 6 | (p[i] & 0x3F);
    r->at += len;
    return c;
}

static int next_windows(struct csv_reader *r) {
    if (available(r, 1) == 0) return END;
    int c = r->block[r->at++];
    if (c < 0x80 || c > 0x9F) return c;
    if (windows_1252[c - 0x80]) return windows_1252[c - 0x80];
    return broken(r, CSV_WHY_NOT_WINDOWS_1252);
}

static int csv_character(struct csv_reader *r) {
    int c = r->encoding == CSV_UTF16  ? next_utf16(r)
            : r->encoding == CSV_UTF8 ? next_utf8(r)
                                      : next_windows(r);
    return c == 0 ? broken(r, CSV_WHY_NUL) : c;
}

static void put(struct buf *b, int c) {
    if (c >= 0x10000) buf_char(b, (char)(0xF0 | c >> 18)), buf_char(b, (char)(0x80 | (c >> 12 & 0x3F)));
    else if (c >= 0x800) buf_char(b, (char)(0xE0 | c >> 12));
    if (c >= 0x800) buf_char(b, (char)(0x80 | (c >> 6 & 0x3F)));
    else if (c >= 0x80) buf_char(b, (char)(0xC0 | c >> 6));
    buf_char(b, (char)(c >= 0x80 ? 0x80 | (c & 0x3F) : c));
}

/* ---- the beginning of a file ----------------------------------------------------------------- */

/* Reads the byte order mark. Without one, a NUL beside the first character shows UTF-16. */
static void begin_encoding(struct csv_reader *r, enum csv_encoding stated) {
    size_t n = available(r, 3);
    const unsigned char *p = r->block;
    bool little = n >= 2 && p[0] == 0xFF && p[1] == 0xFE, big = n >= 2 && p[0] == 0xFE && p[1] == 0xFF;
    bool utf8 = n >= 3 && p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF;
    enum csv_encoding marked = little || big ? CSV_UTF16 : utf8 ? CSV_UTF8 : CSV_ENCODING_NONE;
    bool little_text = n >= 2 && p[0] && p[1] == 0, big_text = n >= 2 && p[0] == 0 && p[1];
    bool wide = !marked && (little_text || big_text) && (!stated || stated == CSV_UTF16);
    r->encoding = stated ? stated : marked ? marked : wide ? CSV_UTF16 : CSV_UTF8;
    r->big_endian = big || (wide && big_text);
    r->at = little || big ? 2 : utf8 ? 3 : 0;
    if (marked && marked != r->encoding) broken(r, CSV_WHY_WRONG_MARK);
    else if (r->encoding == CSV_UTF16 && !marked && !wide && n) broken(r, CSV_WHY_NO_MARK);
}

/* Counts what the first line has, within the first block. */
static char begin_delimiter(struct csv_reader *r) {
    static const char delimiters[] = ",;\t";
    size_t at = r->at, counts[3] = {0}, best = 0;
    bool quoted = false;
    while (r->filled - r->at >= 4 || r->at_end) {
        int c = csv_character(r);
        if (c < 0 || (!quoted && (c == '\r' || c == '\n'))) break;
        if (c == '"') quoted = !quoted;
        for (size_t i = 0; i < 3 && !quoted; i++) counts[i] += c == delimiters[i];
    }
    for (size_t i = 1; i < 3; i++)
        if (counts[i] > counts[best]) best = i;
    r->at = at;
    r->why = NULL; /* found again where the row is read */
    return delimiters[best];
}

struct csv_reader *csv_open(const char *path, enum csv_encoding encoding, char delimiter) {
    struct csv_reader *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    r->line = 1;
    r->delimiter = delimiter;
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) {
        int kept = errno;
        free(r);
        errno = kept;
        return NULL;
    }
    begin_encoding(r, encoding);
    available(r, BLOCK - 8);
    if (r->delimiter == 0) r->delimiter = r->why ? ',' : begin_delimiter(r);
    return r;
}

void csv_close(struct csv_reader *r) {
    if (r == NULL) return;
    close(r->fd);
    buf_free(&r->text);
    free(r);
}

const char *csv_why(const struct csv_reader *r) { return r->why; }
int64_t csv_line(const struct csv_reader *r) { return r->line; }
char csv_delimiter(const struct csv_reader *r) { return r->delimiter; }
enum csv_encoding csv_encoding(const struct csv_reader *r) { return r->encoding; }

/* ---- rows ------------------------------------------------------------------------------------ */

static void csv_row_refuse(struct csv_reader *r, const char *why) {
    if (r->refused == NULL) r->refused = why;
}

static void cell_put(struct csv_reader *r, int c) {
    if (r->text.n + 4 > CSV_ROW_BYTES) csv_row_refuse(r, "The row is longer than 1 MiB.");
    else if (r->refused == NULL) put(&r->text, c);
}

static void cell_end(struct csv_reader *r) {
    if (r->count == CSV_COLUMNS) csv_row_refuse(r, "The row has more than 256 cells.");
    else r->ends[r->count++] = r->text.n;
}

static bool is_break(int c) { return c == '\r' || c == '\n'; }

/* Takes the next character in this state. Sets *over at the end of the row. Returns the next state. */
static enum state row_step(struct csv_reader *r, enum state s, int c, bool *over) {
    bool ends = c == END || (s != QUOTED && (c == r->delimiter || is_break(c)));
    if (c == END && s == QUOTED) {
        r->line = r->quote_line;
        broken(r, CSV_WHY_QUOTE_NOT_CLOSED);
    }
    if (ends) {
        cell_end(r);
        *over = c != r->delimiter;
        return AT_CELL;
    }
    if (s == QUOTED && c == '"') return BEHIND_QUOTE;
    if (s == AT_CELL && c == '"') {
        r->quote_line = r->line;
        return QUOTED;
    }
    if (s == BEHIND_QUOTE && c != '"') csv_row_refuse(r, "Text follows the closing quote of a cell.");
    if (s == PLAIN && c == '"')
        csv_row_refuse(r, "A quote stands within a cell that does not begin with one.");
    cell_put(r, c);
    return s == BEHIND_QUOTE ? (c == '"' ? QUOTED : PLAIN) : s == AT_CELL ? PLAIN : s;
}

/* Counts lines: CRLF is one break. */
static void count_line(struct csv_reader *r, int c) {
    if (c == '\r' || (c == '\n' && !r->behind_cr)) r->line++;
    r->behind_cr = c == '\r';
}

/* Takes the LF of a CRLF, so that the next row begins at the place of csv_mark. */
static void take_line_feed(struct csv_reader *r) {
    available(r, 4);
    size_t at = r->at;
    int c = csv_character(r);
    if (c == '\n') {
        count_line(r, c);
        return;
    }
    r->at = at;
    r->why = NULL; /* found again where the next row is read */
}

/* The caller of csv_next may hold back others, so no row takes it long. */
static bool is_endless(const struct csv_reader *r, int64_t begin) {
    return r->before + (int64_t)r->at - begin > CSV_READ_BYTES;
}

static int row_endless(struct csv_reader *r, enum state s) {
    if (s != QUOTED) return broken(r, CSV_WHY_ENDLESS);
    r->line = r->quote_line;
    return broken(r, CSV_WHY_QUOTE_TOO_LONG);
}

/* Skips empty lines. Returns the first character of the row, END or BROKEN. */
static int row_begin(struct csv_reader *r) {
    int64_t begin = r->before + (int64_t)r->at;
    int c;
    while (is_break(c = csv_character(r))) {
        count_line(r, c);
        if (is_endless(r, begin)) return row_endless(r, AT_CELL);
    }
    return c;
}

static void csv_row_copy(struct csv_reader *r, struct arena *a, struct csv_row *out) {
    struct str all = str_dup(a, buf_view(&r->text));
    out->cells = arena_array(a, (size_t)r->count + 1, sizeof *out->cells);
    out->count = r->count;
    out->refused = r->refused;
    for (int i = 0; i < r->count; i++) {
        size_t from = i ? r->ends[i - 1] : 0;
        out->cells[i] = (struct str){all.p + from, r->ends[i] - from};
    }
}

int csv_next(struct csv_reader *r, struct arena *a, struct csv_row *out) {
    enum state s = AT_CELL;
    bool over = false;
    if (r->why) return -1;
    int c = row_begin(r);
    if (c == END) return r->why ? -1 : 0;
    r->text.n = 0;
    r->count = 0;
    r->refused = NULL;
    *out = (struct csv_row){.line = r->line, .number = ++r->rows};
    int64_t begin = r->before + (int64_t)r->at;
    for (; c != BROKEN; c = csv_character(r)) {
        s = row_step(r, s, c, &over);
        if (over) break;
        count_line(r, c);
        if (is_endless(r, begin) && (c = row_endless(r, s)) == BROKEN) break;
    }
    if (is_break(c)) count_line(r, c);
    if (r->why) return -1;
    if (c == '\r') take_line_feed(r);
    csv_row_copy(r, a, out);
    return 1;
}

void csv_mark(const struct csv_reader *r, struct csv_place *out) {
    *out = (struct csv_place){r->before + (int64_t)r->at, r->line, r->rows};
}

int csv_return(struct csv_reader *r, const struct csv_place *place) {
    if (lseek(r->fd, place->offset, SEEK_SET) != place->offset) return broken(r, CSV_WHY_UNREADABLE);
    r->before = place->offset;
    r->at = r->filled = 0;
    r->at_end = r->behind_cr = false;
    r->line = place->line;
    r->rows = place->rows;
    r->why = NULL;
    return 0;
}
