#include "core/search/rarest.h"

#include "core/search/vocabulary.h"

int texts_examined(const struct desk *d, int kind) {
    int texts = search_texts_at_most(d);
    return kind == SEARCH_ARTICLES ? (texts * 2 + 4) / 5 : texts;
}

#define PREFIX_WORDS 24 /* words that begin with a prefix; each of them is a read of the index */
/* times the texts that a search examines. FTS5 merges those of all words that begin with a prefix in 4 ms */
#define SMALL_DESK 50

/* The highest ids, because the numbers of rows are not higher. */
QUERY(search_desk_size, "SELECT (SELECT COALESCE(MAX(id), 0) FROM cases) + (SELECT COALESCE(MAX(id), 0) "
                        "FROM posts) + (SELECT COALESCE(MAX(id), 0) FROM users)");

static int words_of_prefix(struct work *w, int kind, struct str prefix, struct indexed_words *out) {
    struct arena *a = w->arena;
    struct str list[PREFIX_WORDS + 1];
    int64_t texts = 0;
    int n = vocabulary_words(w->conn, a, kind == SEARCH_ARTICLES, prefix, list, PREFIX_WORDS + 1);
    TRY(n);
    *out = (struct indexed_words){.made = true};
    if (n > PREFIX_WORDS) TRY(db_int(w->conn, &search_desk_size, NULL, &texts));
    out->broad = texts > (int64_t)texts_examined(w->desk, SEARCH_CASES) * SMALL_DESK;
    if (n > PREFIX_WORDS || (n == 1 && str_eq(list[0], S(WORDS_UNKNOWN)))) {
        if (!out->broad) out->words = str_fmt(a, "\"%s\" *", prefix.p);
        return 0;
    }
    for (int i = 0; i < n; i++)
        out->words = STR_CAT(a, i ? out->words : S(""), i ? S(" OR ") : S(""), S("\""), list[i], S("\""));
    return 0;
}

int words_of_term(struct work *w, int kind, const struct search_term *t, struct indexed_words *out) {
    struct arena *a = w->arena;
    if (t->prefix) return words_of_prefix(w, kind, t->exact, out);
    *out = (struct indexed_words){.made = true};
    out->words =
        t->stem.p ? str_fmt(a, "\"%s\" OR \"%s\"", t->exact.p, t->stem.p) : str_fmt(a, "\"%s\"", t->exact.p);
    return 0;
}

/* Each term is looked up once. */
static int indexed_words(const struct word_search *s, int term, const struct indexed_words **out) {
    struct indexed_words *i = &s->terms[term];
    *out = i;
    return i->made ? 0 : words_of_term(s->work, s->kind, &s->query->terms[term], i);
}

QUERY(search_word_count, "SELECT COUNT(*) FROM (SELECT f.id FROM @FOUND(:words) f WHERE f.id >= :from "
                         "AND f.id < :to LIMIT :most) n @BY_VALUES@");

int texts_count(struct work *w, struct str words, int first, int last, int64_t most, int64_t *n) {
    return db_int(w->conn, &search_word_count,
                  BINDS(B_TEXT("words", words), B_INT("from", search_range(first)),
                        B_INT("to", search_range(last + 1)), B_INT("most", most)),
                  n);
}

#define RARE 20 /* texts; a rarer word saves nothing */

/* Counts no further than the rarest word so far. Broad words are taken last. */
static int weigh_words(const struct word_search *s, const struct indexed_words *i, struct rarest *r) {
    int64_t n = 0, most = r->count < s->texts ? r->count : s->texts + 1;
    if (r->count <= RARE && r->count <= s->texts) return 0;
    if (i->broad) n = s->texts + 2;
    else if (i->words.p) TRY(texts_count(s->work, i->words, s->kind, s->kind, most, &n));
    if (n < r->count) *r = (struct rarest){*i, n};
    return 0;
}

int weigh_word(const struct word_search *s, int term, struct rarest *r) {
    const struct indexed_words *words;
    TRY(indexed_words(s, term, &words));
    return weigh_words(s, words, r);
}

/* The longest word of each alternative of the unit. Returns the number of alternatives, or a negative
 * error. */
static int words_of_alternatives(const struct word_search *s, int unit, struct indexed_words *out) {
    const struct search_query *q = s->query;
    struct arena *a = s->work->arena;
    const struct indexed_words *one;
    int alternatives = 0;
    *out = (struct indexed_words){.made = true};
    for (uint64_t stops = q->stops; stops; stops &= stops - 1) {
        int last = __builtin_ctzll(stops), longest = last;
        if (q->unit[last] != unit) continue;
        alternatives += last != unit;
        for (int i = search_unit_start(q, last); i < last; i++)
            if (q->terms[i].exact.n > q->terms[longest].exact.n) longest = i;
        TRY(indexed_words(s, longest, &one));
        out->broad = out->broad || one->broad;
        if (one->words.p)
            out->words = out->words.p ? STR_CAT(a, out->words, S(" OR "), one->words) : one->words;
    }
    return alternatives;
}

int weigh_unit(const struct word_search *s, int unit, struct rarest *r) {
    struct indexed_words all;
    int alternatives = words_of_alternatives(s, unit, &all);
    TRY(alternatives);
    if (alternatives) return weigh_words(s, &all, r);
    for (int i = unit, first = search_unit_start(s->query, unit); i >= first; i--) TRY(weigh_word(s, i, r));
    return 0;
}

/* Words that begin with the last word are not rarer than that word, which is cheaper to count. */
static int weigh_open_unit(const struct word_search *s, int unit, struct rarest *r) {
    struct rarest whole = NO_WORD;
    TRY(weigh_word(s, unit, &whole));
    return whole.count >= r->count ? 0 : weigh_unit(s, unit, r);
}

int rarest_word(const struct word_search *s, struct rarest *r) {
    int open = search_open_unit(s->query);
    *r = NO_WORD;
    for (int i = s->query->count - 1; i >= 0; i--)
        if (i != open && ((s->query->ends & ~s->query->excluded) >> i & 1)) TRY(weigh_unit(s, i, r));
    return open < 0 ? 0 : weigh_open_unit(s, open, r);
}

int search_word_texts(struct work *w, int kind, const struct search_term *t, int64_t most) {
    struct indexed_words words;
    int64_t n = 0;
    TRY(words_of_term(w, kind, t, &words));
    TRY(texts_count(w, words.words, kind, kind, most, &n));
    return (int)n;
}
