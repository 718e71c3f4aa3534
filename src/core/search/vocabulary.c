/* Near words without a scan.
 *
 * A word of n letters is stored by its pieces: 2 of a word of up to 5 letters, 3 of a longer one. If a
 * search differs from it by fewer edits than it has pieces, one piece is unchanged in the search: at its
 * place, or moved by as many letters as were inserted before it. So the pieces of all words near a search
 * are among a few keys (length of the word, number of the piece, its letters). Their words are compared in
 * full.
 *
 * An exchange of two neighbours may change two pieces. So the keys are also made for each form of the
 * search with two neighbours exchanged back, which has one edit less. */
#include "core/search/vocabulary.h"

#include "base/buf.h"
#include "base/limits.h"
#include "core/people/name_index.h"
#include "json/json.h"
#include "work/work.h"

#include <glib.h>
#include <stdlib.h>

#define LETTERS_MOST 24    /* longer words are not corrected */
#define LETTERS_LEAST 3    /* minimum number of letters of a word of the vocabulary */
#define NEAR_COMPARED 4000 /* words that are compared with a search: about 2 ms */

struct letters {
    gunichar at[LETTERS_MOST + 2];
    int n; /* 0: not a word of letters alone, or too long */
};

static struct letters word_letters(struct str s) {
    struct letters l = {.n = 0};
    for (const char *p = s.p; p < s.p + s.n; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (!g_unichar_isalpha(c) || c >= 0x0E00 || l.n == LETTERS_MOST)
            return (struct letters){.n = 0}; /* from there on: pairs (token.c) */
        l.at[l.n++] = c;
    }
    return l;
}

static int edits_allowed(int letters) { return letters < 4 ? 0 : letters < 8 ? 1 : 2; }
static int piece_count(int letters) { return letters < 6 ? 2 : 3; }
static int piece_begin(int letters, int piece) { return letters * piece / piece_count(letters); }

static int compare_words(struct str a, struct str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* ---- lists of texts -------------------------------------------------------------------------- */

struct text_list {
    struct str *texts;
    int count, room;
};

static void text_list_add(struct arena *a, struct text_list *l, struct str s) {
    l->texts = arena_more(a, l->texts, l->count, &l->room, sizeof *l->texts);
    l->texts[l->count++] = s;
}

static int compare_listed(const void *a, const void *b) {
    return compare_words(*(const struct str *)a, *(const struct str *)b);
}

static void text_list_once(struct text_list *l) {
    int n = 0;
    if (l->count) qsort(l->texts, (size_t)l->count, sizeof *l->texts, compare_listed);
    for (int i = 0; i < l->count; i++)
        if (n == 0 || !str_eq(l->texts[n - 1], l->texts[i])) l->texts[n++] = l->texts[i];
    l->count = n;
}

static struct str piece_key(struct arena *a, int letters, int piece, const gunichar *from, int n) {
    struct buf b = {0};
    char text[6];
    buf_fmt(&b, "%d.%d.", letters, piece);
    for (int i = 0; i < n; i++) buf_add(&b, text, (size_t)g_unichar_to_utf8(from[i], text));
    return buf_take(&b, a);
}

/* ---- writing --------------------------------------------------------------------------------- */

QUERY(search_titles_drop, "DELETE FROM search_titles WHERE text_id IN @LIST(:texts)");
QUERY(search_titles_put, "INSERT INTO search_titles (word, text_id) "
                         "SELECT r.value ->> 0, CAST(r.value ->> 1 AS BIGINT) "
                         "FROM @ROWS(:rows) r WHERE 1 = 1 ON CONFLICT DO NOTHING");
QUERY(search_pieces_put, "INSERT INTO search_pieces (piece, word) "
                         "SELECT r.value ->> 0, r.value ->> 1 FROM @ROWS(:rows) r "
                         "WHERE 1 = 1 ON CONFLICT DO NOTHING");
QUERY(search_pieces_clear, "DELETE FROM search_pieces");

static void add_piece(struct json_writer *w, struct str piece, struct str word) {
    jw_array(w);
    jw_str(w, piece);
    jw_str(w, word);
    jw_end(w);
}

/* The empty piece has all words, for prefixes. */
static void add_pieces(struct arena *a, struct text_list *words, struct buf *rows) {
    struct json_writer w;
    text_list_once(words);
    jw_init(&w, rows);
    jw_array(&w);
    for (int i = 0; i < words->count; i++) {
        add_piece(&w, S(""), words->texts[i]);
        struct letters l = word_letters(words->texts[i]);
        if (l.n < LETTERS_LEAST) continue;
        for (int piece = 0; piece < piece_count(l.n); piece++) {
            int from = piece_begin(l.n, piece), to = piece_begin(l.n, piece + 1);
            add_piece(&w, piece_key(a, l.n, piece, l.at + from, to - from), words->texts[i]);
        }
    }
    jw_end(&w);
}

/* The exact words of a text, and with `forms` their stems. */
static void list_words(struct arena *a, struct str terms, bool forms, struct text_list *out) {
    while (terms.p) {
        struct str position = str_cut(&terms, ' ');
        for (bool more = true; more && position.p; more = forms) {
            struct str form = str_cut(&position, '/');
            if (form.n) text_list_add(a, out, form);
        }
    }
}

static void add_title(struct arena *a, const struct search_text *t, struct json_writer *rows) {
    struct text_list words = {0};
    list_words(a, t->terms, true, &words);
    text_list_once(&words);
    for (int i = 0; i < words.count; i++) {
        jw_array(rows);
        jw_str(rows, words.texts[i]);
        jw_int(rows, t->id);
        jw_end(rows);
    }
}

static int put_titles(struct conn *c, struct arena *a, const struct search_text *list) {
    struct buf titles = {0}, ids = {0};
    struct json_writer rows, texts;
    jw_init(&rows, &titles);
    jw_init(&texts, &ids);
    jw_array(&rows);
    jw_array(&texts);
    for (const struct search_text *t = list; t; t = t->next) {
        if (t->kind != SEARCH_ARTICLES || search_source_of(t->id) != SEARCH_TITLE) continue;
        jw_int(&texts, t->id);
        add_title(a, t, &rows);
    }
    jw_end(&rows);
    jw_end(&texts);
    int rc = db_exec(c, &search_titles_drop, BINDS(B_TEXT("texts", buf_view(&ids))));
    if (rc >= 0) rc = db_exec(c, &search_titles_put, BINDS(B_TEXT("rows", buf_view(&titles))));
    buf_free(&titles);
    buf_free(&ids);
    return rc;
}

int vocabulary_put(struct conn *c, struct arena *a, const struct search_text *list) {
    struct text_list words = {0};
    struct buf rows = {0};
    bool any = false;
    for (const struct search_text *t = list; t; t = t->next) {
        if (t->kind != SEARCH_ARTICLES) continue;
        any = true;
        list_words(a, t->terms, true, &words);
    }
    if (!any) return 0;
    TRY(put_titles(c, a, list));
    add_pieces(a, &words, &rows);
    int rc = db_exec(c, &search_pieces_put, BINDS(B_TEXT("rows", buf_view(&rows))));
    buf_free(&rows);
    return rc < 0 ? rc : 0;
}

int vocabulary_clear(struct conn *c) { return db_exec(c, &search_pieces_clear, NULL); }

/* ---- comparing ------------------------------------------------------------------------------- */

static int lesser(int a, int b) { return a < b ? a : b; }

/* Optimal string alignment: no part of a word is edited twice. */
static int letters_distance(const struct letters *a, const struct letters *b) {
    int rows[3][LETTERS_MOST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    for (int k = 0; k <= b->n; k++) last[k] = k;
    for (int i = 1; i <= a->n; i++) {
        now[0] = i;
        for (int k = 1; k <= b->n; k++) {
            now[k] = lesser(last[k - 1] + (a->at[i - 1] != b->at[k - 1]), lesser(last[k], now[k - 1]) + 1);
            if (i > 1 && k > 1 && a->at[i - 1] == b->at[k - 2] && a->at[i - 2] == b->at[k - 1])
                now[k] = lesser(now[k], before[k - 2] + 1);
        }
        int *spare = before;
        before = last, last = now, now = spare;
    }
    return lesser(last[b->n], 3);
}

int vocabulary_distance(struct str a, struct str b) {
    struct letters x = word_letters(a), y = word_letters(b);
    return x.n && y.n ? letters_distance(&x, &y) : 3;
}

/* ---- near words ------------------------------------------------------------------------------ */

/* Adds the keys of unchanged pieces of all words with `edits` edits to the search. */
static void add_keys(struct arena *a, const struct letters *search, int edits, struct text_list *keys) {
    for (int n = search->n - edits; n <= search->n + edits; n++) {
        if (n < LETTERS_LEAST || n > LETTERS_MOST) continue;
        for (int piece = 0, pieces = piece_count(n); piece < pieces; piece++) {
            int from = piece_begin(n, piece), size = piece_begin(n, piece + 1) - from, more = search->n - n;
            int low = piece == 0            ? 0
                      : piece == pieces - 1 ? more
                                            : -edits,
                high = piece == 0            ? 0
                       : piece == pieces - 1 ? more
                                             : edits;
            for (int moved = low; moved <= high; moved++) {
                if (abs(moved) + abs(more - moved) > edits || from + moved < 0 ||
                    from + moved + size > search->n)
                    continue;
                text_list_add(a, keys, piece_key(a, n, piece, search->at + from + moved, size));
            }
        }
    }
}

static struct str keys_of_search(struct arena *a, const struct letters *search, int edits) {
    struct text_list keys = {0};
    add_keys(a, search, edits, &keys);
    for (int i = 0; i + 1 < search->n; i++) {
        struct letters swapped = *search;
        swapped.at[i] = search->at[i + 1];
        swapped.at[i + 1] = search->at[i];
        add_keys(a, &swapped, edits - 1, &keys);
    }
    text_list_once(&keys);
    return json_texts(a, keys.texts, (size_t)keys.count);
}

struct near {
    struct str word;
    int distance;
    bool same_start;
};

static int compare_near(const void *a, const void *b) {
    const struct near *x = a, *y = b;
    if (x->distance != y->distance) return x->distance - y->distance;
    if (x->same_start != y->same_start) return x->same_start ? -1 : 1;
    return compare_words(x->word, y->word);
}

QUERY(search_pieces_found, "SELECT DISTINCT p.word FROM search_pieces p "
                           "WHERE p.piece IN @TEXTS(:keys) ORDER BY p.word "
                           "LIMIT :most");

int vocabulary_near(struct conn *c, struct arena *a, struct str word, struct str *out, int most) {
    struct letters search = word_letters(word);
    int edits = edits_allowed(search.n), count = 0, room = 0, rc;
    struct near *list = NULL;
    if (edits == 0) return 0;
    DB_ROWS(rc, c, &search_pieces_found,
            BINDS(B_TEXT("keys", keys_of_search(a, &search, edits)), B_INT("most", NEAR_COMPARED)), row) {
        struct letters l = word_letters(col_text(row, 0));
        int distance = letters_distance(&search, &l);
        if (distance == 0 || distance > edits) continue;
        list = arena_more(a, list, count, &room, sizeof *list);
        list[count++] = (struct near){str_dup(a, col_text(row, 0)), distance, l.at[0] == search.at[0]};
    }
    if (rc < 0) return rc;
    if (count) qsort(list, (size_t)count, sizeof *list, compare_near);
    for (int i = 0; i < count && i < most; i++) out[i] = list[i].word;
    return lesser(count, most);
}

/* ---- prefixes -------------------------------------------------------------------------------- */

QUERY(search_words_of_articles, "SELECT p.word FROM search_pieces p WHERE p.piece = '' AND p.word >= :from "
                                "AND p.word < :to ORDER BY p.word LIMIT :most");
/* '!' is less than all characters of words, so w.word || '!' is before the next word. */
QUERY(search_words_of_index,
      "WITH RECURSIVE w (word, n) AS (SELECT @NEXT_WORD(:from), 1 UNION ALL "
      "SELECT @NEXT_WORD(w.word || '!'), w.n + 1 FROM w "
      "WHERE w.word >= :from AND w.word < :to AND w.n < :most) SELECT w.word FROM w WHERE w.word < :to");

int vocabulary_words(struct conn *c, struct arena *a, bool of_articles, struct str prefix, struct str *out,
                     int most) {
    int rc, n = 0;
    DB_ROWS(rc, c, of_articles ? &search_words_of_articles : &search_words_of_index,
            BINDS(B_TEXT("from", prefix), B_TEXT("to", name_range_end(a, prefix)), B_INT("most", most)), row)
    out[n++] = str_dup(a, col_text(row, 0));
    return rc < 0 ? rc : n;
}
