#include "core/helpcenter/slug.h"

#include "base/arena.h"
#include "base/limits.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

static bool is_mark(GUnicodeType t) {
    return t == G_UNICODE_NON_SPACING_MARK || t == G_UNICODE_SPACING_MARK || t == G_UNICODE_ENCLOSING_MARK;
}

/* Marks of Latin letters are accents. In other scripts they may be vowels. */
static bool is_latin(gunichar c) { return g_unichar_get_script(c) == G_UNICODE_SCRIPT_LATIN; }

/* Characters that do not end a word: format characters, and apostrophes. */
static bool is_silent(gunichar c, GUnicodeType t) {
    return t == G_UNICODE_FORMAT || c == '\'' || c == 0x2019 || c == 0x02BC;
}

/* Appends the words of a decomposed title, with a hyphen before each. */
static void words_append(GString *out, const char *title) {
    bool in_word = false, latin = false;
    int left = LIMIT_SLUG;
    for (const char *at = title; *at && left > 0; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        GUnicodeType t = g_unichar_type(c);
        if (is_silent(c, t) || (is_mark(t) && (latin || !in_word))) continue;
        if (!is_mark(t) && !g_unichar_isalnum(c)) {
            in_word = false;
            continue;
        }
        if (!in_word) g_string_append_c(out, '-');
        g_string_append_unichar(out, c);
        if (!is_mark(t)) latin = is_latin(c);
        in_word = true;
        left--;
    }
}

/* Does the same with an ASCII title, for a tenth of the cost. Returns false if the title is not ASCII. */
static bool ascii_slug(struct arena *a, int64_t id, struct str title, struct str *out) {
    char number[24], *text = arena_bytes(a, sizeof number + 2 * LIMIT_SLUG + 2);
    size_t n = (size_t)snprintf(text, sizeof number, "%" PRId64, id);
    int left = LIMIT_SLUG;
    bool in_word = false;
    for (size_t i = 0; i < title.n; i++) {
        unsigned char c = (unsigned char)title.p[i], small = (unsigned char)(c | 0x20);
        if (c >= 0x80) return false;
        bool letter = small >= 'a' && small <= 'z', silent = c == '\'';
        if (silent || left == 0) continue;
        if (!letter && (c < '0' || c > '9')) {
            in_word = false;
            continue;
        }
        if (!in_word) text[n++] = '-';
        text[n++] = (char)(letter ? small : c);
        in_word = true;
        left--;
    }
    text[n] = 0;
    *out = (struct str){text, n};
    return true;
}

struct str slug_of(struct arena *a, int64_t id, struct str title) {
    struct str ascii;
    if (ascii_slug(a, id, title, &ascii)) return ascii;
    char *folded = g_utf8_casefold(title.p ? title.p : "", (gssize)title.n),
         *parts = g_utf8_normalize(folded, -1, G_NORMALIZE_ALL);
    GString *words = g_string_new(NULL);
    if (parts) words_append(words, parts);
    char *composed = g_utf8_normalize(words->str, (gssize)words->len, G_NORMALIZE_NFC);
    struct str slug = str_fmt(a, "%" PRId64 "%s", id, composed ? composed : "");
    g_string_free(words, TRUE);
    g_free(composed);
    g_free(parts);
    g_free(folded);
    return slug;
}

int64_t slug_id(struct str slug) {
    struct str rest = slug, number = str_cut(&rest, '-');
    int64_t id;
    if (number.n == 0 || number.p[0] < '1' || number.p[0] > '9' || !str_to_int(number, &id)) return 0;
    return id;
}
