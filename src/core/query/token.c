#include "core/query/token.h"

#include "base/buf.h"
#include "base/fold.h"
#include "base/limits.h"

#include <glib.h>
#include <libstemmer.h>

/* ---- characters ------------------------------------------------------------------------------ */

static bool is_ascii_word(unsigned char c) { return g_ascii_isalnum(c); }

static size_t char_size(const char *p) { return (size_t)(g_utf8_next_char(p) - p); }

/* True for scripts that are written without blanks between words, and for Hangul, whose words have
 * suffixes. */
static bool is_run_together(gunichar c) {
    if (c < 0x0E00) return false;
    switch (g_unichar_get_script(c)) {
    case G_UNICODE_SCRIPT_HAN:
    case G_UNICODE_SCRIPT_HIRAGANA:
    case G_UNICODE_SCRIPT_KATAKANA:
    case G_UNICODE_SCRIPT_HANGUL:
    case G_UNICODE_SCRIPT_THAI:
    case G_UNICODE_SCRIPT_LAO:
    case G_UNICODE_SCRIPT_KHMER:
    case G_UNICODE_SCRIPT_MYANMAR: return true;
    default: return c == 0x30FC; /* the prolonged sound mark of kana */
    }
}

static bool is_word_start(gunichar c) { return g_unichar_isalnum(c); }
static bool is_word_part(gunichar c) { return g_unichar_isalnum(c) || g_unichar_ismark(c); }

/* The end of a character and the marks behind it. */
static size_t with_marks(struct str s, size_t at) {
    at += char_size(s.p + at);
    while (at < s.n && (unsigned char)s.p[at] >= 0x80 && g_unichar_ismark(g_utf8_get_char(s.p + at)))
        at += char_size(s.p + at);
    return at;
}

/* ---- folding --------------------------------------------------------------------------------- */

static struct str word_cut(struct str s) {
    if (s.n <= LIMIT_SEARCH_WORD) return s;
    size_t n = LIMIT_SEARCH_WORD;
    while (n && ((unsigned char)s.p[n] & 0xC0) == 0x80) n--;
    return (struct str){s.p, n};
}

static struct str word_keep(struct token_reader *r, int place, struct str s) {
    s = word_cut(s);
    memcpy(r->room[place], s.p, s.n);
    return (struct str){r->room[place], s.n};
}

static struct str word_lower(struct token_reader *r, int place, struct str s) {
    if (s.n > LIMIT_SEARCH_WORD) s.n = LIMIT_SEARCH_WORD;
    for (size_t i = 0; i < s.n; i++) r->room[place][i] = g_ascii_tolower(s.p[i]);
    return (struct str){r->room[place], s.n};
}

/* True if a folded text has only bytes that both indexes take as part of a word. */
static bool word_indexable(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x80 && !g_ascii_isalnum(s.p[i])) return false;
    return s.n > 0;
}

/* Folding may give other characters than letters: "½" becomes "1⁄2", and "㏂" "a.m.". These are left out. */
static struct str word_strip(struct token_reader *r, int place, struct str s) {
    size_t n = 0;
    for (size_t i = 0, size; i < s.n; i += size) {
        size = char_size(s.p + i);
        if (is_word_part(g_utf8_get_char(s.p + i)) && n + size <= LIMIT_SEARCH_WORD)
            memcpy(r->room[place] + n, s.p + i, size), n += size;
    }
    return (struct str){r->room[place], n};
}

static struct str word_fold(struct token_reader *r, struct str s) {
    struct arena_mark m = arena_mark(r->arena);
    struct str key = fold_key(r->arena, s);
    key = word_indexable(key) ? word_keep(r, 0, key) : word_strip(r, 0, key);
    arena_return(r->arena, m);
    return key;
}

/* Keeps marks, because they distinguish kana, and syllables of Hangul whole (NFKC). */
static struct str pair_fold(struct token_reader *r, struct str s) {
    char *plain = g_utf8_normalize(s.p, (gssize)s.n, G_NORMALIZE_NFKC),
         *folded = plain ? g_utf8_casefold(plain, -1) : NULL;
    struct str key = folded ? word_strip(r, 0, str_of(folded)) : (struct str){r->room[0], 0};
    g_free(folded);
    g_free(plain);
    return key;
}

/* Words with digits are numbers and codes: they have no stem. */
static struct str word_stem(struct token_reader *r, struct str exact) {
    if (exact.n < 3 || r->stemmer == NULL) return (struct str){0};
    for (size_t i = 0; i < exact.n; i++)
        if (g_ascii_isdigit(exact.p[i])) return (struct str){0};
    const sb_symbol *stem = sb_stemmer_stem(r->stemmer, (const sb_symbol *)exact.p, (int)exact.n);
    struct str s = {(const char *)stem, stem ? (size_t)sb_stemmer_length(r->stemmer) : 0};
    return s.n == 0 || str_eq(s, exact) || !word_indexable(s) ? (struct str){0} : s;
}

/* ---- e-mail addresses ------------------------------------------------------------------------ */

static bool is_local(char c) { return g_ascii_isalnum(c) || in_set(c, "._+-"); }
static bool is_domain(char c) { return g_ascii_isalnum(c) || c == '.' || c == '-'; }

static size_t next_mark(struct str s, size_t from) {
    const char *p = from < s.n ? memchr(s.p + from, '@', s.n - from) : NULL;
    return p ? (size_t)(p - s.p) : s.n;
}

/* Returns the end of the address that begins here, or 0. */
static size_t address_ahead(struct token_reader *r, size_t at) {
    struct str s = r->text;
    bool point = false;
    if (r->mark < at) r->mark = next_mark(s, at);
    if (r->mark >= s.n || r->mark - at > LIMIT_SEARCH_WORD) return 0;
    for (size_t i = at; i < r->mark; i++)
        if (!s.p[i] || !is_local(s.p[i])) return 0;
    size_t end = r->mark + 1;
    while (end < s.n && s.p[end] && is_domain(s.p[end])) point = point || s.p[end] == '.', end++;
    while (end > r->mark + 1 && !g_ascii_isalnum(s.p[end - 1])) end--;
    return point && end > r->mark + 1 && end - at <= LIMIT_SEARCH_WORD ? end : 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct sb_stemmer *stemmer_of(struct str language) {
    char code[8];
    size_t n = 0;
    while (n < language.n && n < sizeof code - 1 && g_ascii_isalpha(language.p[n]))
        code[n] = g_ascii_tolower(language.p[n]), n++;
    code[n] = 0;
    if (strcmp(code, "nb") == 0) strcpy(code, "no");
    struct sb_stemmer *s = sb_stemmer_new(code, "UTF_8");
    return s ? s : sb_stemmer_new("en", "UTF_8");
}

void token_begin(struct token_reader *r, struct arena *a, struct str language, struct str text) {
    if (text.n > LIMIT_SEARCH_TEXT) {
        text.n = LIMIT_SEARCH_TEXT;
        while (text.n && ((unsigned char)text.p[text.n] & 0xC0) == 0x80) text.n--;
    }
    if (!utf8_valid(text)) text.n = 0;
    r->arena = a;
    r->text = text;
    r->at = r->address_end = r->run_end = 0;
    r->mark = next_mark(text, 0);
    r->stemmer = stemmer_of(language);
}

void token_end(struct token_reader *r) { sb_stemmer_delete(r->stemmer); }

/* Skips to the next character that begins a word. *gap: there was a blank, or the text begins. */
static bool word_seek(struct token_reader *r, bool *gap) {
    struct str s = r->text;
    *gap = r->at == 0;
    while (r->at < s.n) {
        unsigned char c = (unsigned char)s.p[r->at];
        if (c < 0x80 ? is_ascii_word(c) : is_word_start(g_utf8_get_char(s.p + r->at))) return true;
        if (c < 0x80 ? g_ascii_isspace(c) : g_unichar_isspace(g_utf8_get_char(s.p + r->at))) *gap = true;
        r->at += c < 0x80 ? 1 : char_size(s.p + r->at);
    }
    return false;
}

/* The end of the plain word at `at`. */
static size_t word_stop(struct str s, size_t at, bool *ascii) {
    *ascii = true;
    while (at < s.n) {
        unsigned char c = (unsigned char)s.p[at];
        if (c < 0x80) {
            if (!is_ascii_word(c)) break;
            at++;
            continue;
        }
        gunichar u = g_utf8_get_char(s.p + at);
        if (!is_word_part(u) || is_run_together(u)) break;
        *ascii = false;
        at += char_size(s.p + at);
    }
    return at;
}

static void read_plain(struct token_reader *r, struct token *out) {
    bool ascii;
    size_t end = word_stop(r->text, r->at, &ascii), address = 0;
    struct str written = {r->text.p + r->at, end - r->at};
    out->form = TOKEN_PLAIN;
    out->n = end - r->at;
    out->exact = ascii ? word_lower(r, 0, written) : word_fold(r, written);
    out->stem = word_stem(r, out->exact);
    if (r->mark < r->text.n && r->at >= r->address_end) address = address_ahead(r, r->at);
    if (address) {
        out->address = word_lower(r, 1, (struct str){r->text.p + r->at, address - r->at});
        r->address_end = address;
    }
    r->at = end;
}

static void read_pair(struct token_reader *r, struct token *out) {
    struct str s = r->text;
    size_t first = with_marks(s, r->at), end = first;
    bool pair =
        first < s.n && (unsigned char)s.p[first] >= 0x80 && is_run_together(g_utf8_get_char(s.p + first));
    if (pair) end = with_marks(s, first);
    out->form = pair ? TOKEN_PAIR : TOKEN_SINGLE;
    out->n = end - r->at;
    out->exact = pair_fold(r, (struct str){s.p + r->at, out->n});
    r->at = first;
}

bool token_next(struct token_reader *r, struct token *out) {
    bool gap;
    while (word_seek(r, &gap)) {
        *out = (struct token){.at = r->at, .glued = !gap};
        if (is_run_together(g_utf8_get_char(r->text.p + r->at))) read_pair(r, out);
        else read_plain(r, out);
        if (out->exact.n) return true;
    }
    return false;
}

struct str token_terms(struct arena *a, struct str language, struct str text) {
    struct token_reader r;
    struct token word;
    struct buf b = {0};
    token_begin(&r, a, language, text);
    while (token_next(&r, &word)) {
        if (b.n) buf_char(&b, ' ');
        buf_str(&b, word.exact);
        if (word.stem.p) buf_char(&b, '/'), buf_str(&b, word.stem);
        if (word.address.p) buf_char(&b, '/'), buf_str(&b, word.address);
    }
    token_end(&r);
    return buf_take(&b, a);
}
