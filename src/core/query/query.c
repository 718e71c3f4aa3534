#include "core/query/query.h"

#include "core/query/token.h"

#include <glib.h>

static const char *const search_keys[SEARCH_KEYS] = {[KEY_IN] = "in",
                                                     [KEY_STATUS] = "status",
                                                     [KEY_PRIORITY] = "priority",
                                                     [KEY_TYPE] = "type",
                                                     [KEY_AGENT] = "agent",
                                                     [KEY_TEAM] = "team",
                                                     [KEY_REQUESTER] = "requester",
                                                     [KEY_ORGANIZATION] = "organization",
                                                     [KEY_TAG] = "tag",
                                                     [KEY_IS] = "is",
                                                     [KEY_HAS] = "has",
                                                     [KEY_CREATED] = "created",
                                                     [KEY_UPDATED] = "updated"};

const char *search_key_name(enum search_key key) { return search_keys[key]; }

/* ---- characters ------------------------------------------------------------------------------ */

struct cursor {
    struct arena *arena;
    struct str language, text;
    size_t at;
    int most;   /* terms */
    bool plain; /* operators are words */
};

/* Returns the bytes of the quotation mark here, also of a typographic one, or 0. */
static size_t quote_here(const struct cursor *c) {
    const char *p = c->text.p + c->at;
    size_t left = c->text.n - c->at;
    if (left && *p == '"') return 1;
    return left >= 3 &&
                   (memcmp(p, "\u201C", 3) == 0 || memcmp(p, "\u201D", 3) == 0 || memcmp(p, "\u201E", 3) == 0)
               ? 3
               : 0;
}

/* Returns the bytes of the blank here, or 0. */
static size_t blank_here(const struct cursor *c) {
    if (c->at >= c->text.n) return 0;
    const char *p = c->text.p + c->at;
    return g_unichar_isspace(g_utf8_get_char(p)) ? (size_t)(g_utf8_next_char(p) - p) : 0;
}

static void advance(struct cursor *c) {
    c->at += (size_t)(g_utf8_next_char(c->text.p + c->at) - (c->text.p + c->at));
}

/* The text up to the closing quotation mark. Without one, the rest. */
static struct str quoted_text(struct cursor *c) {
    size_t from = c->at += quote_here(c), end, mark;
    while (c->at < c->text.n && !quote_here(c)) advance(c);
    end = c->at;
    mark = c->at < c->text.n ? quote_here(c) : 0;
    c->at += mark;
    return (struct str){c->text.p + from, end - from};
}

static struct str plain_text(struct cursor *c) {
    size_t from = c->at;
    while (c->at < c->text.n && !blank_here(c) && !quote_here(c)) advance(c);
    return (struct str){c->text.p + from, c->at - from};
}

/* ---- units ----------------------------------------------------------------------------------- */

static bool add_term(const struct cursor *c, struct search_query *q, const struct token *t, bool literal) {
    if (q->count == c->most) return false;
    struct search_term *term = &q->terms[q->count++];
    *term = (struct search_term){
        .exact = str_dup(c->arena, t->exact), .literal = literal, .prefix = t->form == TOKEN_SINGLE};
    if (!literal && t->stem.p) term->stem = str_dup(c->arena, t->stem);
    return true;
}

static bool add_address_term(const struct cursor *c, struct search_query *q, struct str address) {
    if (q->count == c->most) return false;
    q->terms[q->count++] = (struct search_term){.exact = str_dup(c->arena, address)};
    return true;
}

/* Adds the words of a text as one unit. An address is one word. The last character of a run of pairs is in
 * the pair before it. */
static int add_unit(const struct cursor *c, struct search_query *q, struct str text, bool literal,
                    bool prefix, bool excluded) {
    struct token_reader r;
    struct token t;
    int first = q->count;
    size_t skip = 0;
    bool room = true, after_pair = false;
    token_begin(&r, c->arena, c->language, text);
    while (room && token_next(&r, &t)) {
        bool tail = t.form == TOKEN_SINGLE && t.glued && after_pair;
        after_pair = t.form == TOKEN_PAIR;
        if (tail || t.at < skip) continue;
        if (t.address.p && !prefix) {
            skip = t.at + t.address.n;
            room = add_address_term(c, q, t.address);
        } else {
            room = add_term(c, q, &t, literal);
        }
    }
    token_end(&r);
    if (!room) return -1;
    if (q->count == first) return 0;
    if (prefix) q->terms[q->count - 1].prefix = true, q->terms[q->count - 1].literal = false;
    q->unit[q->count - 1] = (unsigned char)(q->count - 1);
    q->starts |= UINT64_C(1) << first;
    q->stops |= UINT64_C(1) << (q->count - 1);
    q->ends |= UINT64_C(1) << (q->count - 1);
    if (excluded) q->excluded |= UINT64_C(1) << (q->count - 1);
    return 0;
}

/* ---- what looks like an operator ------------------------------------------------------------- */

static void add_remark(const struct cursor *c, struct search_query *q, const char *text) {
    struct search_remark **last = &q->remarks;
    int n = 0;
    for (; *last; last = &(*last)->next, n++)
        if (strcmp((*last)->text, text) == 0) return;
    if (n == SEARCH_REMARKS) return;
    *last = ARENA_NEW(c->arena, struct search_remark);
    (*last)->text = text;
}

/* Returns the length of letters and underscores. */
static size_t name_length(struct str s) {
    size_t n = 0;
    while (n < s.n && (g_ascii_isalpha(s.p[n]) || s.p[n] == '_')) n++;
    return n;
}

static bool is_operator_key(struct str name) {
    for (int key = 0; key < SEARCH_KEYS; key++)
        if (str_eqi(name, str_of(search_keys[key]))) return true;
    return false;
}

/* "name:value", but no address ("https://") and no single letter ("C:"). "key<value" if the key is one of
 * an operator. */
static void remark_operator(const struct cursor *c, struct search_query *q) {
    struct str rest = {c->text.p + c->at, c->text.n - c->at};
    size_t n = name_length(rest);
    bool signed_key =
        n < rest.n && (rest.p[n] == '<' || rest.p[n] == '>') && is_operator_key((struct str){rest.p, n});
    bool called = n > 1 && n + 1 < rest.n && rest.p[n] == ':' && rest.p[n + 1] != '/' &&
                  (unsigned char)rest.p[n + 1] > ' ';
    if (!signed_key && !called) return;
    const char *text = c->plain     ? "This search has no operators: `%.*s` is searched as text."
                       : signed_key ? "`%.*s` is searched as text, because only `created` and `updated` are "
                                      "compared."
                                    : "There is no operator `%.*s`: it is searched as text.";
    add_remark(c, q, str_fmt(c->arena, text, (int)n + 1, rest.p).p);
}

/* OR between words. */
static void remark_word(const struct cursor *c, struct search_query *q, struct str text) {
    bool between = text.p > c->text.p && c->at < c->text.n;
    if (!between || !(str_eq(text, S("OR")) || str_eq(text, S("AND")) || str_eq(text, S("NOT")))) return;
    add_remark(c, q,
               str_fmt(c->arena,
                       "There is no operator `%.*s`: it is searched as a word, and a result has all "
                       "words.",
                       (int)text.n, text.p)
                   .p);
}

/* ---- operators ------------------------------------------------------------------------------- */

/* Reads "key:", "key>" and similar. Returns the length, or 0 if this is not an operator. */
static size_t operator_head(struct str s, struct search_operator *o) {
    for (int key = 0; key < SEARCH_KEYS; key++) {
        size_t n = strlen(search_keys[key]);
        if (s.n <= n || !str_eqi((struct str){s.p, n}, str_of(search_keys[key])) || !in_set(s.p[n], ":<>"))
            continue;
        bool dated = key == KEY_CREATED || key == KEY_UPDATED;
        if (s.p[n] != ':' && !dated) return 0;
        o->key = (enum search_key)key;
        o->sign = s.p[n++];
        /* created:>2026-01-01 */
        if (o->sign == ':' && dated && n < s.n && in_set(s.p[n], "<>")) o->sign = s.p[n++];
        o->or_equal = o->sign != ':' && n < s.n && s.p[n] == '=';
        return n + o->or_equal;
    }
    return 0;
}

static void add_query_operator(const struct cursor *c, struct search_query *q,
                               const struct search_operator *o) {
    struct search_operator **last = &q->operators;
    while (*last) last = &(*last)->next;
    *last = ARENA_NEW(c->arena, struct search_operator);
    **last = *o;
}

/* Reads an operator with its value. Returns false if there is none here. Without a value it has no effect. */
static bool read_operator(struct cursor *c, struct search_query *q, bool excluded) {
    struct search_operator o = {.negated = excluded};
    size_t from = c->at, head = operator_head((struct str){c->text.p + from, c->text.n - from}, &o);
    if (head == 0) return false;
    c->at += head;
    o.value = quote_here(c) ? quoted_text(c) : plain_text(c);
    o.value = str_trim(o.value);
    if (o.value.n) add_query_operator(c, q, &o);
    else
        add_remark(c, q,
                   str_fmt(c->arena, "`%.*s` has no value: write it directly behind the sign.", (int)head,
                           c->text.p + from)
                       .p);
    return true;
}

/* ---- the whole text -------------------------------------------------------------------------- */

static int read_query_item(struct cursor *c, struct search_query *q) {
    bool excluded = c->text.p[c->at] == '-' && c->at + 1 < c->text.n;
    if (excluded) c->at++;
    if (!c->plain && read_operator(c, q, excluded)) return 0;
    if (quote_here(c)) return add_unit(c, q, quoted_text(c), true, false, excluded);
    remark_operator(c, q);
    struct str text = plain_text(c);
    remark_word(c, q, text);
    if (text.n == 0) return c->at += c->at < c->text.n, 0; /* a lone hyphen before a blank */
    return add_unit(c, q, text, false, text.n > 1 && text.p[text.n - 1] == '*', excluded);
}

int search_query_read(struct arena *a, struct str language, struct str text, bool plain,
                      struct search_query *q) {
    struct cursor c = {
        .arena = a, .language = language, .text = text, .most = LIMIT_SEARCH_WORDS, .plain = plain};
    *q = (struct search_query){.count = 0};
    while (c.at < text.n) {
        size_t blank = blank_here(&c);
        c.at += blank;
        if (blank == 0 && read_query_item(&c, q) < 0) return -1;
    }
    q->words = q->count;
    return 0;
}

int search_unit_start(const struct search_query *q, int end) {
    while (!(q->starts >> end & 1)) end--;
    return end;
}

void search_query_alternative(struct arena *a, struct str language, struct search_query *q, int unit,
                              struct str text) {
    struct cursor c = {.arena = a, .language = language, .text = text, .most = SEARCH_TERMS, .plain = true};
    struct search_query *made = ARENA_NEW(a, struct search_query);
    *made = *q;
    if (add_unit(&c, made, text, false, false, false) < 0 || made->count == q->count) return;
    made->ends = q->ends;
    made->unit[made->count - 1] = (unsigned char)unit;
    *q = *made;
}

#define OPEN_LEAST 3 /* letters of a word that may be a beginning */

/* A word with digits is a number or a code, which is searched whole. So is an address. */
static bool is_beginning(const struct search_term *t) {
    int letters = 0;
    if (t->prefix || t->literal) return false;
    for (const char *p = t->exact.p; p < t->exact.p + t->exact.n; p = g_utf8_next_char(p), letters++)
        if (g_unichar_isdigit(g_utf8_get_char(p)) || *p == '@') return false;
    return letters >= OPEN_LEAST;
}

void search_query_open(struct search_query *q) {
    int end = q->ends ? 63 - __builtin_clzll(q->ends) : -1;
    if (end < 0 || (q->excluded >> end & 1) || q->terms[end].literal || !is_beginning(&q->terms[end])) return;
    int first = search_unit_start(q, end), length = end - first + 1;
    if (q->count + length > SEARCH_TERMS) return;
    for (int i = 0; i < length; i++) q->terms[q->count + i] = q->terms[first + i];
    q->starts |= UINT64_C(1) << q->count;
    q->count += length;
    q->terms[q->count - 1].prefix = true;
    q->open = UINT64_C(1) << (q->count - 1);
    q->stops |= q->open;
    q->unit[q->count - 1] = (unsigned char)end;
}

int search_open_unit(const struct search_query *q) {
    return q->open ? q->unit[__builtin_ctzll(q->open)] : -1;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool term_meets(const struct search_term *t, const struct str *forms, int count) {
    if (t->literal) count = 1;
    for (int i = 0; i < count; i++) {
        struct str form = forms[i];
        if (t->prefix ? str_starts(form, t->exact)
                      : str_eq(form, t->exact) || (t->stem.p && str_eq(form, t->stem)))
            return true;
    }
    return false;
}

uint64_t search_position(const struct search_query *q, const struct str *forms, int count) {
    uint64_t met = 0;
    for (int i = 0; i < q->count; i++)
        if (term_meets(&q->terms[i], forms, count)) met |= UINT64_C(1) << i;
    return met;
}

#define FORMS 3

void search_tally(const struct search_query *q, struct str terms, struct search_tally *out) {
    uint64_t state = 0;
    *out = (struct search_tally){.units = 0};
    for (size_t at = 0; at < terms.n; at++, out->length++) {
        struct str forms[FORMS] = {{terms.p + at, 0}, {NULL, 0}, {NULL, 0}};
        int count = 1;
        for (; at < terms.n && terms.p[at] != ' '; at++) {
            if (terms.p[at] == '/' && count < FORMS) forms[count++] = (struct str){terms.p + at + 1, 0};
            else forms[count - 1].n++;
        }
        uint64_t ended = search_step(q, &state, search_position(q, forms, count));
        for (; ended; ended &= ended - 1) {
            int unit = q->unit[__builtin_ctzll(ended)];
            out->units |= UINT64_C(1) << unit;
            out->counts[unit]++;
        }
    }
}
