#include "core/helpcenter/diff.h"

#include "base/buf.h"

/* ---- units ----------------------------------------------------------------------------------- */

struct units {
    struct str *list;
    int count;
};

static bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Bytes above ASCII count as letters, so that no character is cut. */
static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80 || c == '_';
}

static size_t word_length(struct str s) {
    size_t n = 1;
    if (s.p[0] == '<') {
        const char *end = memchr(s.p, '>', s.n);
        return end ? (size_t)(end - s.p) + 1 : 1;
    }
    if (is_gap(s.p[0]))
        while (n < s.n && is_gap(s.p[n])) n++;
    else if (is_word_byte(s.p[0]))
        while (n < s.n && is_word_byte(s.p[n])) n++;
    return n;
}

/* Up to the end of a line or of a paragraph. */
static size_t paragraph_length(struct str s) {
    for (size_t i = 1; i < s.n; i++)
        if (s.p[i - 1] == '\n' || (s.p[i - 1] == '>' && s.p[i] == '<')) return i;
    return s.n;
}

/* The list uses scratch memory, freed after the comparison. */
static struct units units_of(struct buf *room, struct str s, size_t (*length)(struct str)) {
    while (s.n) {
        struct str unit = {s.p, length(s)};
        buf_add(room, (const char *)&unit, sizeof unit);
        s = (struct str){s.p + unit.n, s.n - unit.n};
    }
    return (struct units){(struct str *)(void *)room->p, (int)(room->n / sizeof(struct str))};
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct parts {
    struct arena *a;
    struct diff_part *first, *last;
};

/* Appends text. Texts of one operation that follow each other in their text become one part. */
static void parts_add(struct parts *p, enum diff_operation operation, struct str text) {
    if (text.n == 0) return;
    if (p->last && p->last->operation == operation) {
        p->last->text.n += text.n;
        return;
    }
    struct diff_part *part = ARENA_NEW(p->a, struct diff_part);
    *part = (struct diff_part){operation, text, NULL};
    if (p->last) p->last->next = part;
    else p->first = part;
    p->last = part;
}

static struct str span_of(const struct units *u, int from, int to) {
    if (from >= to) return (struct str){0};
    const struct str *last = &u->list[to - 1];
    return (struct str){u->list[from].p, (size_t)(last->p + last->n - u->list[from].p)};
}

/* ---- the shortest edits ---------------------------------------------------------------------- */

/* V of the paper: in the row of d edits, the furthest x on diagonal k = x - y is at[d * (d + 1) / 2 + (k +
 * d) / 2]. */
struct trace {
    struct buf at;
    int edits;
};

static int *trace_cell(const struct trace *t, int d, int k) {
    return (int *)(void *)t->at.p + d * (d + 1) / 2 + (k + d) / 2;
}

/* True if the last of d edits on diagonal k is an insertion. */
static bool comes_down(const struct trace *t, int d, int k) {
    return k == -d || (k != d && *trace_cell(t, d - 1, k - 1) < *trace_cell(t, d - 1, k + 1));
}

static int edit_begins(const struct trace *t, int d, int k) {
    if (d == 0) return 0;
    return comes_down(t, d, k) ? *trace_cell(t, d - 1, k + 1) : *trace_cell(t, d - 1, k - 1) + 1;
}

/* Returns true if t->edits edits lead from a to b; false above the limits. */
static bool edits_found(struct trace *t, const struct units *a, const struct units *b, int most,
                        int64_t *work) {
    for (int d = 0; d <= most; d++) {
        t->edits = d;
        for (int k = -d; k <= d; k += 2) {
            int x = edit_begins(t, d, k);
            while (x < a->count && x - k<b->count && * work> 0 && str_eq(a->list[x], b->list[x - k]))
                x++, --*work;
            if (--*work < 0) return false;
            buf_add(&t->at, (const char *)&x, sizeof x);
            if (x >= a->count && x - k >= b->count) return true;
        }
    }
    return false;
}

struct edit {
    int x, y;     /* positions in a and b where the edit begins */
    bool inserts; /* a unit of b, else deletes one of a */
};

static void edits_written(const struct trace *t, struct parts *p, const struct units *a,
                          const struct units *b) {
    struct edit *list = arena_array(p->a, (size_t)t->edits + 1, sizeof *list);
    int k = a->count - b->count, done = 0;
    for (int d = t->edits; d > 0; d--) {
        bool down = comes_down(t, d, k);
        int x = *trace_cell(t, d - 1, down ? k + 1 : k - 1);
        k = down ? k + 1 : k - 1;
        list[d - 1] = (struct edit){x, x - k, down};
    }
    for (int i = 0; i < t->edits; i++) {
        parts_add(p, DIFF_EQUAL, span_of(a, done, list[i].x));
        if (list[i].inserts) parts_add(p, DIFF_INSERTED, b->list[list[i].y]);
        else parts_add(p, DIFF_DELETED, a->list[list[i].x]);
        done = list[i].x + !list[i].inserts;
    }
    parts_add(p, DIFF_EQUAL, span_of(a, done, a->count));
}

/* Returns false if the texts differ too much for this kind of units. */
static bool diff_units(struct parts *p, const struct units *a, const struct units *b, int64_t *work) {
    int most = a->count + b->count < DIFF_EDITS ? a->count + b->count : DIFF_EDITS;
    struct trace t = {0};
    bool found = edits_found(&t, a, b, most, work);
    if (found) edits_written(&t, p, a, b);
    buf_free(&t.at);
    return found;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static struct units middle(const struct units *u, int begin, int end) {
    return (struct units){u->list + begin, u->count - begin - end};
}

/* Returns false if the texts differ too much for these units, and `last` is false. */
static bool diff_by(struct parts *p, const struct units *x, const struct units *y, bool last, int64_t *work) {
    int begin = 0, end = 0, less = x->count < y->count ? x->count : y->count;
    while (begin < less && str_eq(x->list[begin], y->list[begin])) begin++;
    while (end < less - begin && str_eq(x->list[x->count - 1 - end], y->list[y->count - 1 - end])) end++;
    struct units rest = middle(x, begin, end), other = middle(y, begin, end);
    parts_add(p, DIFF_EQUAL, span_of(x, 0, begin));
    bool found = diff_units(p, &rest, &other, work);
    if (!found && !last) return false;
    if (!found) {
        parts_add(p, DIFF_DELETED, span_of(&rest, 0, rest.count));
        parts_add(p, DIFF_INSERTED, span_of(&other, 0, other.count));
    }
    parts_add(p, DIFF_EQUAL, span_of(x, x->count - end, x->count));
    return true;
}

static bool diff_with(struct parts *p, struct str from, struct str to, size_t (*length)(struct str),
                      bool last, int64_t *work) {
    struct buf rooms[2] = {{0}, {0}};
    struct units x = units_of(&rooms[0], from, length), y = units_of(&rooms[1], to, length);
    bool done = diff_by(p, &x, &y, last, work);
    buf_free(&rooms[0]);
    buf_free(&rooms[1]);
    return done;
}

struct diff_part *diff_texts(struct arena *a, struct str from, struct str to, int64_t *work) {
    struct parts p = {.a = a}, again = {.a = a};
    if (diff_with(&p, from, to, word_length, false, work)) return p.first;
    diff_with(&again, from, to, paragraph_length, true, work);
    return again.first;
}
