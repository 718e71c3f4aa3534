#include "core/query/synonym.h"

#include "core/query/token.h"

struct expression {
    struct str text;
    struct search_term words[SYNONYM_WORDS];
    int count; /* words; over SYNONYM_WORDS: too many */
};

static void read_expression(struct arena *a, struct str language, struct str text, struct expression *e) {
    struct token_reader r;
    struct token t;
    *e = (struct expression){.text = text};
    token_begin(&r, a, language, text);
    while (e->count <= SYNONYM_WORDS && token_next(&r, &t)) {
        if (e->count++ == SYNONYM_WORDS) break;
        e->words[e->count - 1] = (struct search_term){.exact = str_dup(a, t.exact),
                                                      .stem = t.stem.p ? str_dup(a, t.stem) : t.stem};
    }
    token_end(&r);
}

/* Reads the expressions of a line. Empty ones are left out. Returns their number; SYNONYMS_OF_GROUP + 1:
 * there are more. */
static int read_group(struct arena *a, struct str language, struct str line,
                      struct expression list[SYNONYMS_OF_GROUP]) {
    int n = 0;
    for (struct str rest = line; rest.p;) {
        struct expression e;
        read_expression(a, language, str_trim(str_cut(&rest, ',')), &e);
        if (e.count == 0) continue;
        if (n == SYNONYMS_OF_GROUP) return n + 1;
        list[n++] = e;
    }
    return n;
}

const char *synonyms_wrong(struct arena *a, struct str text) {
    int line = 0, groups = 0;
    for (struct str rest = text; rest.p;) {
        struct expression list[SYNONYMS_OF_GROUP];
        struct str group = str_trim(str_cut(&rest, '\n'));
        line++;
        if (group.n == 0) continue;
        int n = read_group(a, S("en"), group, list);
        if (++groups > SYNONYM_GROUPS)
            return str_fmt(a, "At most %d groups of synonyms are allowed.", SYNONYM_GROUPS).p;
        if (n < 2) return str_fmt(a, "Line %d needs at least two expressions, separated by commas.", line).p;
        if (n > SYNONYMS_OF_GROUP)
            return str_fmt(a, "Line %d has more than %d expressions.", line, SYNONYMS_OF_GROUP).p;
        for (int i = 0; i < n; i++)
            if (list[i].count > SYNONYM_WORDS)
                return str_fmt(a, "Line %d: `%.*s` has more than %d words.", line, (int)list[i].text.n,
                               list[i].text.p, SYNONYM_WORDS)
                    .p;
    }
    return NULL;
}

static bool same_word(const struct search_term *a, const struct search_term *b) {
    struct str x = a->stem.p ? a->stem : a->exact, y = b->stem.p ? b->stem : b->exact;
    return str_eq(a->exact, b->exact) || str_eq(x, y);
}

static bool is_single(const struct search_query *q, int term) {
    uint64_t bit = UINT64_C(1) << term;
    return (q->starts & q->ends & ~q->excluded & bit) && !q->terms[term].prefix && !q->terms[term].literal;
}

static bool has_alternative(const struct search_query *q, int unit) {
    for (int i = 0; i < q->count; i++)
        if (i != unit && (q->stops >> i & 1) && q->unit[i] == unit) return true;
    return false;
}

/* True if the units from this term on are the words of the expression. */
static bool expression_at(const struct search_query *q, int at, int count, const struct expression *e) {
    if (at + e->count > count) return false;
    for (int i = 0; i < e->count; i++)
        if (!is_single(q, at + i) || has_alternative(q, at + i) ||
            !same_word(&q->terms[at + i], &e->words[i]))
            return false;
    return true;
}

/* Makes the units of these terms one unit. Returns its last term. */
static int join_units(struct search_query *q, int at, int n) {
    for (int i = at; i < at + n; i++) {
        uint64_t bit = UINT64_C(1) << i;
        if (i > at) q->starts &= ~bit;
        if (i < at + n - 1) q->stops &= ~bit, q->ends &= ~bit;
    }
    return at + n - 1;
}

static void add_group(struct arena *a, struct str language, struct search_query *q, int words,
                      const struct expression *list, int n) {
    int count = q->count;
    for (int i = 0; i < n; i++)
        for (int at = 0; list[i].count == words && at < count; at++) {
            if (!expression_at(q, at, count, &list[i])) continue;
            int unit = join_units(q, at, words);
            for (int other = 0; other < n; other++)
                if (other != i) search_query_alternative(a, language, q, unit, list[other].text);
        }
}

/* Expressions of more words first, because they say more. */
void synonyms_add(struct arena *a, struct str language, struct str groups, struct search_query *q) {
    for (int words = SYNONYM_WORDS; words > 0; words--)
        for (struct str rest = groups; rest.p;) {
            struct expression list[SYNONYMS_OF_GROUP];
            struct str line = str_cut(&rest, '\n');
            int n = read_group(a, language, line, list);
            add_group(a, language, q, words, list, n < SYNONYMS_OF_GROUP ? n : SYNONYMS_OF_GROUP);
        }
}
