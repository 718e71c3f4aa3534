#include "mail/parts.h"

#define DASHES 1000000 /* lines that may separate parts; a part has two of them, and a text may have many */

/* ---- fields ---------------------------------------------------------------------------------- */

static struct str line_next(struct str *rest) {
    struct str line = str_cut(rest, '\n');
    while (line.n && line.p[line.n - 1] == '\r') line.n--;
    return line;
}

static bool is_field_name(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7F) return false;
    return s.n > 0 && s.n < 200;
}

bool field_next(struct str *rest, struct mail_field *f) {
    while (rest->p) {
        struct str line = line_next(rest), value = line, name = str_trim(str_cut(&value, ':'));
        if (line.n == 0) return false;
        while (rest->p && rest->n && (*rest->p == ' ' || *rest->p == '\t')) {
            struct str more = line_next(rest);
            if (value.p) value.n = (size_t)(more.p + more.n - value.p);
        }
        if (value.p == NULL || !is_field_name(name)) continue;
        *f = (struct mail_field){name, str_trim(value)};
        return true;
    }
    return false;
}

/* ---- parts ----------------------------------------------------------------------------------- */

void lines_find(struct arena *a, struct str raw, struct mail_lines *out) {
    int room = 0;
    *out = (struct mail_lines){.raw = raw};
    for (const char *p = raw.p, *end = raw.p + raw.n; p && p < end && !out->cut;
         p = memchr(p, '\n', (size_t)(end - p)), p = p ? p + 1 : p) {
        if (end - p < 2 || p[0] != '-' || p[1] != '-') continue;
        out->cut = out->count == DASHES;
        if (out->cut) break;
        out->dashes = arena_more(a, out->dashes, out->count, &room, sizeof *out->dashes);
        out->dashes[out->count++] = (uint32_t)(p - raw.p);
    }
}

/* Returns the index of the first of these lines at or behind the offset. */
static int dash_from(const struct mail_lines *l, size_t offset) {
    int low = 0, high = l->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (l->dashes[middle] < offset) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Finds the next delimiter of the boundary between two offsets (RFC 2046 section 5.1.1). Returns its
 * offset, or `end`. Sets the offset of the next line, and `last` if it is the closing delimiter. */
static size_t delimiter_from(const struct mail_lines *l, size_t from, size_t end, struct str boundary,
                             size_t *next, bool *last) {
    *last = true;
    *next = end;
    for (int i = dash_from(l, from); i < l->count && l->dashes[i] < end; i++) {
        struct str rest = {l->raw.p + l->dashes[i], end - l->dashes[i]}, line = line_next(&rest);
        if (line.n < boundary.n + 2 || memcmp(line.p + 2, boundary.p, boundary.n) != 0) continue;
        struct str tail = str_trim((struct str){line.p + 2 + boundary.n, line.n - 2 - boundary.n});
        if (tail.n && !str_eq(tail, S("--"))) continue;
        *last = tail.n > 0;
        *next = rest.p ? (size_t)(rest.p - l->raw.p) : end;
        return l->dashes[i];
    }
    return end;
}

struct str part_next(const struct mail_lines *l, struct str body, struct str boundary, size_t *at) {
    size_t start = (size_t)(body.p - l->raw.p), end = start + body.n, next;
    bool last = false;
    if (*at == 0) { /* skip the text before the first part */
        delimiter_from(l, start, end, boundary, &next, &last);
        *at = last ? SIZE_MAX : next;
    }
    if (*at == SIZE_MAX || *at > end) return (struct str){0};
    size_t from = *at, to = delimiter_from(l, from, end, boundary, &next, &last);
    *at = last ? SIZE_MAX : next;
    struct str part = {l->raw.p + from, to - from};
    /* the line break belongs to the delimiter */
    if (to < end && part.n && part.p[part.n - 1] == '\n') part.n--;
    if (to < end && part.n && part.p[part.n - 1] == '\r') part.n--;
    return part;
}
