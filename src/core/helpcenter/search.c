/* Search of articles in one locale.
 *
 * Each text of an article belongs to a row of its titles. The condition TEXTS admits the texts of the best
 * one: that of the requested locale, otherwise of the fallback, otherwise the oldest. So a result never
 * shows words of a translation that the reader does not get.
 *
 * A search is tried up to three times, until there is a result:
 *
 *     1. articles with all words, or synonyms of them (core/query/synonym.h)
 *     2. words that no visible article has are replaced by near words that visible articles have
 *        (core/search/vocabulary.h)
 *     3. articles with most of the words, in which rare words count more */
#include "core/helpcenter/search.h"

#include "core/access/help_center.h"
#include "core/desk/setting.h"
#include "core/fields/translation.h"
#include "core/helpcenter/tally.h"
#include "core/helpcenter/slug.h"
#include "core/people/name_index.h"
#include "core/search/rarest.h"
#include "core/search/show.h"
#include "core/query/synonym.h"
#include "core/search/vocabulary.h"
#include "json/json.h"

#include <math.h>
#include <stdlib.h>

#define TITLE_ROW "((s.id & 18014398509481983) >> 2)" /* search_row_of(s.id) */
#define TEXTS                                                                                       \
    TITLE_ROW                                                                                       \
    " = (SELECT l.id FROM locale_fields l WHERE l.owner_kind = 11 "                                 \
    "AND l.owner_id = s.owner_id ORDER BY CASE l.locale WHEN :locale THEN 0 WHEN :fallback THEN 1 " \
    "ELSE 2 END, l.id LIMIT 1)"
#define PUBLISHED " AND t.status = 3"
#define OF_BRAND                                                                       \
    " AND EXISTS (SELECT 1 FROM sections b JOIN categories d ON d.id = b.category_id " \
    "WHERE b.id = t.section_id AND (d.brand_id IS NULL OR d.brand_id = :brand))"
#define OF_CATEGORY \
    " AND EXISTS (SELECT 1 FROM sections g WHERE g.id = t.section_id AND g.category_id = :category)"

struct search_of_help_center {
    struct work *work;
    struct str language;
    struct search_query query;
    struct search_filter filter;
};

QUERY(help_center_brand_locale,
      "SELECT l.locale FROM brands b JOIN locales l ON l.id = b.locale_id WHERE b.id = :id");

static struct str fallback_of(struct work *w, const struct help_center_query *q) {
    struct str locale;
    if (q->fallback.p) return q->fallback;
    if (q->brand_id &&
        db_text(w->conn, &help_center_brand_locale, BINDS(B_INT("id", q->brand_id)), w->arena, &locale) == 1)
        return locale;
    return setting_text(w->desk, LOCALE_SETTING, w->arena);
}

/* Only published articles, for staff, too: they search what readers find. */
static void filter_start(struct work *w, const struct help_center_query *q, struct search_filter *f) {
    *f = (struct search_filter){.kinds = 1u << SEARCH_ARTICLES, .texts = TEXTS};
    for (int kind = 0; kind < SEARCH_KINDS; kind++) f->where[kind] = "", f->sources[kind] = ~0u;
    f->where[SEARCH_ARTICLES] = q->category_id ? PUBLISHED OF_BRAND OF_CATEGORY
                                : q->brand_id  ? PUBLISHED OF_BRAND
                                               : PUBLISHED;
    f->binds[f->bind_count++] = (struct bind){.name = ":locale", .type = BIND_TEXT, .s = q->locale};
    f->binds[f->bind_count++] = (struct bind){.name = ":fallback", .type = BIND_TEXT, .s = fallback_of(w, q)};
    f->binds[f->bind_count++] = (struct bind){.name = ":brand", .type = BIND_INT, .i = q->brand_id};
    f->binds[f->bind_count++] = (struct bind){.name = ":category", .type = BIND_INT, .i = q->category_id};
}

/* ---- misspelled words ------------------------------------------------------------------------ */

#define CORRECTED_MOST 4 /* words of a search */
#define NEAR_MOST 12     /* near words that are looked up */
#define SHOWN_MOST 3     /* near words that replace a word */
#define ENOUGH 50        /* articles; a word in more is as good */

struct correction {
    struct str words[SHOWN_MOST];
    int count;
};

struct near_word {
    struct str word;
    int articles, place; /* articles that have it, at most ENOUGH; place in the order of nearness */
};

static int compare_near_words(const void *a, const void *b) {
    const struct near_word *x = a, *y = b;
    return x->articles != y->articles ? y->articles - x->articles : x->place - y->place;
}

/* Chooses the near words that most visible articles have, among those with the fewest edits. */
static int correct_word(struct search_of_help_center *s, const struct search_term *t,
                        struct correction *out) {
    struct work *w = s->work;
    struct str near[NEAR_MOST];
    struct near_word seen[NEAR_MOST];
    int count = 0, edits = 0, n = vocabulary_near(w->conn, w->arena, t->exact, near, NEAR_MOST);
    TRY(n);
    for (int i = 0; i < n; i++) {
        int distance = vocabulary_distance(t->exact, near[i]);
        if (count && distance > edits) break;
        int articles = search_word_visible(w, &s->filter, &(struct search_term){.exact = near[i]}, ENOUGH);
        TRY(articles);
        if (articles == 0) continue;
        edits = distance;
        seen[count++] = (struct near_word){near[i], articles, i};
    }
    qsort(seen, (size_t)count, sizeof *seen, compare_near_words);
    for (int i = 0; i < count && i < SHOWN_MOST; i++) out->words[out->count++] = seen[i].word;
    return 0;
}

static bool is_correctable(const struct search_query *q, int unit) {
    uint64_t bit = UINT64_C(1) << unit;
    if (!(q->starts & q->ends & ~q->excluded & bit) || q->terms[unit].literal || q->terms[unit].prefix)
        return false;
    for (int i = 0; i < q->count; i++)
        if (i != unit && ((q->stops & ~q->open) >> i & 1) && q->unit[i] == unit) return false;
    return true;
}

/* Returns 1 if a visible article has the word, or, of the last word, a word that begins with it. */
static int is_visible_word(struct search_of_help_center *s, int unit) {
    const struct search_query *q = &s->query;
    int rc = search_word_visible(s->work, &s->filter, &q->terms[unit], 1);
    if (rc == 0 && unit == search_open_unit(q))
        rc = search_word_visible(s->work, &s->filter, &q->terms[__builtin_ctzll(q->open)], 1);
    return rc;
}

/* The words of the search, with those that replace others. */
static struct str corrected_text(struct search_of_help_center *s, const struct correction *list, int count) {
    struct arena *a = s->work->arena;
    struct str text = S("");
    for (int i = 0; i < count; i++) {
        if (text.n) text = STR_CAT(a, text, S(" "));
        if (list[i].count == 0) text = STR_CAT(a, text, s->query.terms[i].exact);
        for (int k = 0; k < list[i].count; k++)
            text = STR_CAT(a, text, k ? S(" or ") : S(""), list[i].words[k]);
    }
    return text;
}

/* Adds near words to the words that no visible article has. *text: the search with them; p NULL: nothing
 * was corrected. */
static int correct_query(struct search_of_help_center *s, struct str *text) {
    struct correction list[LIMIT_SEARCH_WORDS] = {0};
    struct search_query *q = &s->query;
    int count = q->words, corrected = 0;
    for (int i = 0; i < count && corrected < CORRECTED_MOST; i++) {
        if (!is_correctable(q, i)) continue;
        int visible = is_visible_word(s, i);
        TRY(visible);
        if (visible) continue;
        TRY(correct_word(s, &q->terms[i], &list[i]));
        corrected += list[i].count > 0;
    }
    if (corrected) *text = corrected_text(s, list, count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < list[i].count; k++)
            search_query_alternative(s->work->arena, s->language, q, i, list[i].words[k]);
    return 0;
}

/* ---- searching ------------------------------------------------------------------------------- */

static int find_articles(struct search_of_help_center *s, struct search_found *found,
                         struct help_center_result *out) {
    struct str instead = {0};
    TRY(search_find(s->work, &s->query, &s->filter, found));
    if (found->count || s->query.ends == 0) return 0;
    TRY(correct_query(s, &instead));
    if (instead.p) TRY(search_find(s->work, &s->query, &s->filter, found));
    if (found->count == 0 && __builtin_popcountll(s->query.ends & ~s->query.excluded) > 1) {
        s->filter.some = out->some = true;
        TRY(search_find(s->work, &s->query, &s->filter, found));
    }
    out->some = out->some && found->count > 0;
    if (found->count) out->instead_of = instead;
    return 0;
}

QUERY(help_center_articles, "SELECT t.id, t.uuid, t.updated_at FROM articles t WHERE t.id IN @LIST(:ids)");

/* In the locale of the reader, also if the article is shown in another. */
static struct str page_path(const struct search_of_help_center *s, const struct help_center_hit *h) {
    struct arena *a = s->work->arena;
    return STR_CAT(a, S("/helpcenter/"), s->language, S("/articles/"), slug_of(a, h->article_id, h->title));
}

/* hits: those of the page. */
static int show_articles(struct search_of_help_center *s, const struct search_hit *hits, int count,
                         struct help_center_result *out) {
    struct arena *a = s->work->arena;
    struct search_shown *shown = arena_array(a, (size_t)count + 1, sizeof *shown);
    int64_t *ids = arena_array(a, (size_t)count + 1, sizeof *ids);
    int rc;
    TRY(search_show(s->work, s->language, &s->query, hits, count, shown));
    out->hits = arena_array(a, (size_t)count + 1, sizeof *out->hits);
    out->count = count;
    for (int i = 0; i < count; i++) {
        ids[i] = hits[i].id;
        out->hits[i] =
            (struct help_center_hit){.article_id = hits[i].id,
                                     .locale = shown[i].locale.p ? shown[i].locale : S(DEFAULT_LOCALE),
                                     .title = shown[i].title,
                                     .snippet = shown[i].snippet,
                                     .created_at = shown[i].created_at};
        out->hits[i].path = page_path(s, &out->hits[i]);
    }
    DB_ROWS(rc, s->work->conn, &help_center_articles, BINDS(B_TEXT("ids", json_ids(a, ids, (size_t)count))),
            row)
    for (int i = 0; i < count; i++)
        if (ids[i] == col_int(row, 0))
            out->hits[i].uuid = str_dup(a, col_text(row, 1)), out->hits[i].updated_at = col_int(row, 2);
    return rc < 0 ? rc : 0;
}

static int query_start(struct work *w, const struct help_center_query *q, struct search_of_help_center *s) {
    s->work = w;
    s->language = q->locale;
    filter_start(w, q, &s->filter);
    if (search_query_read(w->arena, q->locale, q->text, true, &s->query) < 0)
        return fail_field(w, ERR_FIELD_INVALID, S("query"), "At most %d words are allowed.",
                          LIMIT_SEARCH_WORDS);
    return 0;
}

int help_center_search(struct work *w, const struct help_center_query *q, struct help_center_result *out) {
    struct search_of_help_center *s = ARENA_NEW(w->arena, struct search_of_help_center);
    struct search_found found;
    *out = (struct help_center_result){.count = 0};
    TRY(query_start(w, q, s));
    synonyms_add(w->arena, s->language, setting_text(w->desk, SYNONYMS_SETTING, w->arena), &s->query);
    search_query_open(&s->query);
    TRY(find_articles(s, &found, out));
    int first = q->offset < found.count ? (int)q->offset : found.count;
    int count = found.count - first < q->limit ? found.count - first : (int)q->limit;
    TRY(show_articles(s, found.hits + first, count, out));
    out->total = found.count;
    out->more = found.more;
    out->whole = found.whole;
    out->remarks = s->query.remarks;
    out->empty = s->query.ends == 0;
    if (q->offset == 0 && !out->empty && q->category_id == 0) search_counted(w->desk, q->text, found.count);
    return 0;
}

/* ---- suggestions ----------------------------------------------------------------------------- */

#define SUGGESTED 10
#define SUGGEST_AT_ONCE 100   /* titles that are compared at once */
#define SUGGEST_EXAMINED 2000 /* titles with one of the words that are compared at most */
#define SUGGEST_WORDS 4       /* rare words of a sentence whose titles are compared */
#define SUGGEST_OF_WORD 500   /* titles of each that are compared */

QUERY(suggest_count,
      "SELECT COUNT(*) "
      "FROM (SELECT 1 AS one FROM search_titles d WHERE d.word IN (:exact, :stem) LIMIT :most) n");
QUERY(suggest_count_prefix,
      "SELECT COUNT(*) "
      "FROM (SELECT 1 AS one FROM search_titles d WHERE d.word >= :from AND d.word < :to LIMIT :most) n");
QUERY(suggest_titles,
      "SELECT s.id, s.terms FROM (SELECT d.text_id, d.word FROM search_titles d WHERE d.word IN (:exact, "
      ":stem) ORDER BY d.word, d.text_id LIMIT :most OFFSET :after) g "
      "JOIN search_texts s ON s.id = g.text_id "
      "ORDER BY g.word, g.text_id");
QUERY(suggest_titles_prefix,
      "SELECT s.id, s.terms FROM (SELECT d.text_id, d.word FROM search_titles d WHERE d.word >= :from "
      "AND d.word < :to ORDER BY d.word, d.text_id LIMIT :most OFFSET :after) g "
      "JOIN search_texts s ON s.id = g.text_id "
      "ORDER BY g.word, g.text_id");
QUERY(suggest_all, "SELECT COUNT(*) FROM (SELECT 1 AS one FROM search_texts s WHERE s.id >= " SEARCH_OF_TITLES
                   " LIMIT :most) n");

/* A title and the rare words of the text that it has. */
struct title {
    int64_t text_id;
    int score;
};

struct suggesting {
    struct search_of_help_center *search;
    struct help_center_result *out;
    struct title *titles; /* titles that are compared */
    int count, room;
};

static const struct bind *title_binds(struct arena *a, const struct search_term *t, int64_t most,
                                      int64_t after) {
    struct bind *b = arena_array(a, 7, sizeof *b);
    b[0] = (struct bind){.name = ":exact", .type = BIND_TEXT, .s = t->exact};
    b[1] = (struct bind){.name = ":stem", .type = BIND_TEXT, .s = t->stem.p ? t->stem : t->exact};
    b[2] = (struct bind){.name = ":from", .type = BIND_TEXT, .s = t->exact};
    b[3] = (struct bind){.name = ":to", .type = BIND_TEXT, .s = name_range_end(a, t->exact)};
    b[4] = (struct bind){.name = ":most", .type = BIND_INT, .i = most};
    b[5] = (struct bind){.name = ":after", .type = BIND_INT, .i = after};
    return b;
}

/* Counts the titles with the word, at most `most`. */
static int count_titles(const struct suggesting *g, const struct search_term *t, int64_t most) {
    struct work *w = g->search->work;
    int64_t n = 0;
    TRY(db_int(w->conn, t->prefix ? &suggest_count_prefix : &suggest_count, title_binds(w->arena, t, most, 0),
               &n));
    return (int)n;
}

/* Chooses the word that fewest titles have. Returns their number. */
static int choose_title_word(const struct suggesting *g, const struct search_term **word) {
    const struct search_query *q = &g->search->query;
    int least = SUGGEST_EXAMINED + 1;
    *word = NULL;
    for (int i = 0; i < q->count && least > 0; i++) {
        int n = count_titles(g, &q->terms[i], least);
        TRY(n);
        if (*word && n >= least) continue;
        *word = &q->terms[i];
        least = n;
    }
    return least;
}

/* Scores a title. weights: of the terms, by their number; NULL: it must have all units. */
static int title_score(const struct search_query *q, struct str terms, const int *weights) {
    struct search_tally t;
    int sum = 0;
    search_tally(q, terms, &t);
    if (weights == NULL) return (t.units & q->ends) == q->ends;
    for (uint64_t units = t.units & q->ends; units; units &= units - 1)
        sum += weights[__builtin_ctzll(units)];
    return sum;
}

static bool is_compared(const struct suggesting *g, int64_t text_id) {
    for (int i = 0; i < g->count; i++)
        if (g->titles[i].text_id == text_id) return true;
    return false;
}

/* Lists the next titles with the word that have a score. Returns the number of compared titles. */
static int compare_titles(struct suggesting *g, const struct search_term *word, int after,
                          const int *weights) {
    struct work *w = g->search->work;
    int rc, compared = 0;
    DB_ROWS(rc, w->conn, word->prefix ? &suggest_titles_prefix : &suggest_titles,
            title_binds(w->arena, word, SUGGEST_AT_ONCE, after), row) {
        int score = title_score(&g->search->query, col_text(row, 1), weights);
        compared++;
        if (score == 0 || is_compared(g, col_int(row, 0))) continue;
        g->titles = arena_more(w->arena, g->titles, g->count, &g->room, sizeof *g->titles);
        g->titles[g->count++] = (struct title){col_int(row, 0), score};
    }
    return rc < 0 ? rc : compared;
}

static bool is_suggested(const struct help_center_result *r, int64_t id) {
    for (int i = 0; i < r->count; i++)
        if (r->hits[i].article_id == id) return true;
    return false;
}

/* Adds those of the titles from..to that the reader may see, the most popular ones first. */
static int add_titles(struct suggesting *g, int from, int to) {
    static const char select[] = "SELECT t.id, l.locale, l.translation "
                                 "FROM search_texts s JOIN articles t ON t.id = s.owner_id "
                                 "JOIN locale_fields l ON l.id = " TITLE_ROW;
    struct work *w = g->search->work;
    struct arena *a = w->arena;
    struct stmt *s;
    int64_t texts[SUGGEST_AT_ONCE];
    int rc;
    for (int i = from; i < to; i++) texts[i - from] = g->titles[i].text_id;
    TRY(search_articles_start(w, &g->search->filter, select,
                              " AND s.id IN @LIST(:texts) ORDER BY t.rank DESC, t.id DESC",
                              BINDS(B_TEXT("texts", json_ids(a, texts, (size_t)(to - from)))), &s));
    while ((rc = stmt_step(s)) == 1 && g->out->count < SUGGESTED) {
        if (is_suggested(g->out, col_int(s, 0))) continue;
        struct help_center_hit *h = &g->out->hits[g->out->count++];
        *h = (struct help_center_hit){.article_id = col_int(s, 0),
                                      .locale = str_dup(a, col_text(s, 1)),
                                      .title = str_dup(a, col_text(s, 2))};
        h->path = page_path(g->search, h);
    }
    stmt_end(s);
    return rc < 0 ? rc : 0;
}

/* Titles with all words. */
static int suggest_with_all(struct suggesting *g) {
    const struct search_term *word;
    int titles = choose_title_word(g, &word);
    TRY(titles);
    for (int after = 0, compared; after < titles && g->out->count < SUGGESTED; after += compared) {
        g->count = 0;
        compared = compare_titles(g, word, after, NULL);
        TRY(compared);
        if (compared == 0) break;
        if (g->count) TRY(add_titles(g, 0, g->count));
    }
    return 0;
}

/* ---- suggestions for a sentence -------------------------------------------------------------- */

struct rare_word {
    const struct search_term *term;
    int titles; /* rows of search_titles: a title with the word and its stem has two */
};

static int compare_rare_words(const void *a, const void *b) {
    const struct rare_word *x = a, *y = b;
    return x->titles - y->titles;
}

/* Lists the words that titles have. Words like "how" and "my" say nothing: they are in more texts of
 * articles than half of the number of titles. Two more texts are allowed for desks with few articles.
 * weights: more for rarer words. */
static int list_rare_words(const struct suggesting *g, struct rare_word *list, int *weights) {
    const struct search_query *q = &g->search->query;
    struct work *w = g->search->work;
    int64_t all = 0;
    int count = 0;
    TRY(db_int(w->conn, &suggest_all, BINDS(B_INT("most", SUGGEST_EXAMINED)), &all));
    int most = (int)(all / 2) + 2;
    for (int i = 0; i < q->count; i++) {
        const struct search_term *t = &q->terms[i];
        int titles = count_titles(g, t, SUGGEST_OF_WORD), texts = titles;
        TRY(titles);
        weights[i] = 0;
        if (titles == 0 || t->exact.n < 3) continue;
        if (!t->prefix) texts = search_word_texts(w, SEARCH_ARTICLES, t, most + 1);
        TRY(texts);
        if (texts > most) continue;
        weights[i] = (int)(1000 * log(1 + (double)all / texts));
        list[count++] = (struct rare_word){t, titles};
    }
    if (count) qsort(list, (size_t)count, sizeof *list, compare_rare_words);
    return count;
}

static int compare_title_scores(const void *a, const void *b) {
    const struct title *x = a, *y = b;
    if (x->score != y->score) return y->score - x->score;
    return (x->text_id < y->text_id) - (x->text_id > y->text_id);
}

/* Titles with some of the rarest words, the highest score first. Those with less than half of the score of
 * the best one that is seen are left out. */
static int suggest_with_some(struct suggesting *g) {
    struct rare_word list[SEARCH_TERMS];
    int weights[SEARCH_TERMS], best = 0, count = list_rare_words(g, list, weights);
    TRY(count);
    g->count = 0;
    for (int i = 0; i < count && i < SUGGEST_WORDS; i++)
        for (int after = 0, compared = SUGGEST_AT_ONCE;
             compared == SUGGEST_AT_ONCE && after < SUGGEST_OF_WORD; after += compared) {
            compared = compare_titles(g, list[i].term, after, weights);
            TRY(compared);
        }
    if (g->count) qsort(g->titles, (size_t)g->count, sizeof *g->titles, compare_title_scores);
    for (int from = 0, to; from < g->count && g->out->count < SUGGESTED && g->titles[from].score * 2 >= best;
         from = to) {
        for (to = from;
             to < g->count && to - from < SUGGEST_AT_ONCE && g->titles[to].score == g->titles[from].score;)
            to++;
        TRY(add_titles(g, from, to));
        if (g->out->count && best == 0) best = g->titles[from].score;
    }
    return 0;
}

int help_center_suggest(struct work *w, const struct help_center_query *q, struct help_center_result *out) {
    struct suggesting g = {.search = ARENA_NEW(w->arena, struct search_of_help_center), .out = out};
    struct search_query *words = &g.search->query;
    *out = (struct help_center_result){.hits = arena_array(w->arena, SUGGESTED, sizeof *out->hits)};
    TRY(query_start(w, q, g.search));
    if (words->count == 0) return 0;
    words->excluded = 0;
    words->terms[words->count - 1].prefix = !words->terms[words->count - 1].literal;
    TRY(suggest_with_all(&g));
    if (out->count == 0) TRY(suggest_with_some(&g));
    out->total = out->count;
    return 0;
}
