#include "pages/words.h"

#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static const char *const words[SITE_WORDS][LANGUAGES] = {
#define WORD(id, ...) [id] = {__VA_ARGS__},
#include "pages/words.def"
#undef WORD
};

static const char *const codes[LANGUAGES] = {"en", "de", "fr", "es", "ar"};

static const char *const months[LANGUAGES][12] = {
    {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
     "November", "December"},
    {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
     "November", "Dezember"},
    {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
     "novembre", "décembre"},
    {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
     "noviembre", "diciembre"},
    {"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر",
     "ديسمبر"},
};
static const char *const date_formats[LANGUAGES] = {"%d %s %d", "%d. %s %d", "%d %s %d", "%d de %s de %d",
                                                    "%d %s %d"};

static int language_index(struct str locale) {
    struct str first = str_cut(&locale, '-');
    for (int l = 0; l < LANGUAGES; l++)
        if (str_eqi(first, str_of(codes[l]))) return l;
    return -1;
}

enum language language_of_locale(struct str locale, struct str fallback) {
    int found = language_index(locale);
    if (found < 0) found = language_index(fallback);
    return found < 0 ? LANGUAGE_EN : (enum language)found;
}

const char *language_code(enum language l) { return codes[l]; }
bool language_is_rtl(enum language l) { return l == LANGUAGE_AR; }

/* ---- Accept-Language ------------------------------------------------------------------------- */

static int weight_of(struct str item) {
    struct str rest = item;
    str_cut(&rest, ';');
    while (rest.p) {
        struct str p = str_trim(str_cut(&rest, ';'));
        if (p.n < 3 || (p.p[0] | 0x20) != 'q' || p.p[1] != '=') continue;
        int value = p.p[2] == '1' ? 1000 : 0, unit = 100;
        for (size_t i = 4; i < p.n && p.p[i] >= '0' && p.p[i] <= '9'; i++, unit /= 10)
            value += (p.p[i] - '0') * unit;
        return value;
    }
    return 1000;
}

/* 2: the same locale, 1: the same language, 0: another. */
static int closeness(struct str asked, struct str locale) {
    struct str a = asked, b = locale;
    return str_eqi(asked, locale) ? 2 : str_eqi(str_cut(&a, '-'), str_cut(&b, '-')) ? 1 : 0;
}

void locale_better(struct str accept, struct str locale, struct str *best, int *score) {
    for (struct str rest = accept; rest.p;) {
        struct str item = str_cut(&rest, ','), tail = item, tag = str_trim(str_cut(&tail, ';'));
        int close = closeness(tag, locale), weight = weight_of(item),
            s = close && weight ? weight * 2 + close : 0;
        if (s <= *score) continue;
        *score = s;
        *best = locale;
    }
}

enum language language_accepted(struct str accept) {
    struct str best = S("en");
    int score = 0;
    for (int l = 0; l < LANGUAGES; l++) locale_better(accept, str_of(codes[l]), &best, &score);
    return language_of_locale(best, best);
}

const char *word_text(enum language l, enum site_word w) { return words[w][l]; }

struct str word_date(char room[48], enum language l, int64_t at) {
    time_t seconds = (time_t)(at / TIME_SECOND);
    struct tm day;
    gmtime_r(&seconds, &day);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int n = snprintf(room, 48, date_formats[l], day.tm_mday, months[l][day.tm_mon], day.tm_year + 1900);
#pragma GCC diagnostic pop
    return (struct str){room, n < 0 ? 0 : n < 48 ? (size_t)n : 47};
}

/* Plural forms of a language (CLDR): one and other; Arabic: zero, one, two, few, many, other. %d: the
 * number. */
static const char *const counted[COUNTED_WORDS][LANGUAGES][6] = {
    [COUNTED_ARTICLES] = {{"%d article", "%d articles"},
                          {"%d Artikel", "%d Artikel"},
                          {"%d article", "%d articles"},
                          {"%d artículo", "%d artículos"},
                          {"لا مقالات", "مقالة واحدة", "مقالتان", "%d مقالات", "%d مقالة", "%d مقالة"}},
    [COUNTED_RESULTS] = {{"%d result", "%d results"},
                         {"%d Ergebnis", "%d Ergebnisse"},
                         {"%d résultat", "%d résultats"},
                         {"%d resultado", "%d resultados"},
                         {"لا نتائج", "نتيجة واحدة", "نتيجتان", "%d نتائج", "%d نتيجة", "%d نتيجة"}},
};

static int plural_form(enum language l, int64_t n) {
    int64_t rest = n % 100;
    if (l == LANGUAGE_FR) return n > 1;
    if (l != LANGUAGE_AR) return n != 1;
    return n < 3 ? (int)n : rest >= 3 && rest <= 10 ? 3 : rest >= 11 ? 4 : 5;
}

/* Some forms are words without the number. */
struct str word_count(char room[64], enum language l, enum counted_word w, int64_t n) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int length = snprintf(room, 64, counted[w][l][plural_form(l, n)], (int)n);
#pragma GCC diagnostic pop
    return (struct str){room, length < 0 ? 0 : length < 64 ? (size_t)length : 63};
}
