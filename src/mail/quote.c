#include "mail/quote.h"

#include "mail/charset.h"
#include "mail/quote_words.h"

#include <ctype.h>
#include <glib.h>

#define INTRODUCTION_LINES 4 /* lines of the text that introduces a quote */
#define INTRODUCTION 500     /* bytes of it */
#define SIGNATURE_LINES 25
#define DEVICE 120 /* bytes of the line of a mail program */

/* ---- lines ----------------------------------------------------------------------------------------------------------------- */

void quote_lines_of_text(struct arena *a, struct str text, struct quote_lines *out) {
    *out = (struct quote_lines){0};
    for (struct str rest = text; rest.p;) {
        if (out->count == QUOTE_LINES) {
            out->count = 0;
            return;
        }
        struct quote_line l = {.at = (size_t)(rest.p - text.p)};
        struct str line = str_cut(&rest, '\n');
        for (; line.n && (line.p[0] == '>' || (line.p[0] == ' ' && line.n > 1 && line.p[1] == '>')); line.p++, line.n--)
            l.depth += line.p[0] == '>';
        l.text = str_trim(line);
        out->line = arena_more(a, out->line, out->count, &out->room, sizeof *out->line);
        out->line[out->count++] = l;
    }
}

static bool line_is_empty(const struct quote_lines *l, int i) {
    struct str s = l->line[i].text;
    size_t n = 0;
    while (n + 1 < s.n && s.p[n] == '\xC2' && s.p[n + 1] == '\xA0') n += 2; /* no-break spaces */
    return n == s.n;
}

/* Returns the index of the first line from i on that has text. */
static int skip_empty(const struct quote_lines *l, int i) {
    while (i < l->count && line_is_empty(l, i)) i++;
    return i;
}

/* Returns the text in lower case; longer texts are cut. Lines of mails may be of any length. */
struct lower {
    char room[2 * INTRODUCTION];
};
static struct str lower_of(struct lower *to, struct str s) {
    s = utf8_first(s, INTRODUCTION);
    if (!utf8_valid(s)) s.n = 0; /* a line of HTML that was cut */
    char *lower = g_utf8_strdown(s.n ? s.p : "", (gssize)s.n);
    size_t n = strlen(lower);
    if (n >= sizeof to->room) n = sizeof to->room - 1;
    memcpy(to->room, lower, n);
    g_free(lower);
    return (struct str){to->room, n};
}

/* Removes the stars of bold text and trims. */
static struct str plain_words(struct str s) {
    while (s.n && strchr("* \t", s.p[0])) s.p++, s.n--;
    while (s.n && strchr("* \t", s.p[s.n - 1])) s.n--;
    return s;
}

/* ---- what begins a quote ------------------------------------------------------------------------------------------------------ */

static bool ends_with_colon(struct str s) { /* also the wide one */
    return s.n && (s.p[s.n - 1] == ':' || (s.n >= 3 && memcmp(s.p + s.n - 3, "\xEF\xBC\x9A", 3) == 0));
}

static int digits_in(struct str s) {
    int n = 0;
    for (size_t i = 0; i < s.n; i++) n += isdigit((unsigned char)s.p[i]) != 0;
    return n;
}

/* Strong: it introduces a quote by itself. Weak: if quoted lines follow. */
enum introduction { INTRODUCTION_NONE, INTRODUCTION_WEAK, INTRODUCTION_STRONG };

static enum introduction introduction_of(struct str s) {
    struct lower room;
    if (!ends_with_colon(s) || s.n > INTRODUCTION) return INTRODUCTION_NONE;
    struct str lower = lower_of(&room, s);
    bool verb = has_word(lower, words_wrote), address = memchr(s.p, '@', s.n),
         angle = memmem(s.p, s.n, ">:", 2) || memmem(s.p, s.n, "> :", 3);
    int digits = digits_in(s);
    if (verb && digits >= 3 && (address || digits >= 6)) return INTRODUCTION_STRONG;
    if (address && angle && digits >= 6) return INTRODUCTION_STRONG;
    return verb || address || digits >= 2 ? INTRODUCTION_WEAK : INTRODUCTION_NONE;
}

/* The first line of a longer introduction has the date or the sender. */
static bool may_continue(struct str s) { return (digits_in(s) >= 3 || memchr(s.p, '@', s.n)) && !strchr(".!?", s.p[s.n - 1]); }

/* Returns the line behind the text that introduces a quote and begins at i, or 0. */
static int introduction_end(const struct quote_lines *l, int i) {
    char room[INTRODUCTION + 2];
    size_t n = 0;
    for (int k = i; k < l->count && k < i + INTRODUCTION_LINES; k++) {
        struct str s = l->line[k].text;
        if (l->line[k].depth || line_is_empty(l, k) || n + s.n + 1 > INTRODUCTION) return 0;
        if (n) room[n++] = ' ';
        memcpy(room + n, s.p, s.n);
        n += s.n;
        enum introduction what = introduction_of((struct str){room, n});
        int next = skip_empty(l, k + 1);
        bool quoted = next < l->count && l->line[next].depth > 0;
        if (what == INTRODUCTION_STRONG || (what == INTRODUCTION_WEAK && quoted && k == i)) return k + 1;
        if (ends_with_colon(s) || !may_continue(s)) return 0;
    }
    return 0;
}

/* Returns the text in a separator such as "-----Original Message-----"; n 0: it is not a separator. */
static struct str separator_text(struct str s) {
    struct str t = s;
    while (t.n && strchr("-_=*# ", t.p[0])) t.p++, t.n--;
    size_t before = s.n - t.n;
    while (t.n && strchr("-_=*:# ", t.p[t.n - 1])) t.n--;
    return before >= 2 ? t : (struct str){s.p, 0};
}

static bool is_separator(const struct quote_lines *l, int i, const char *const *words) {
    struct lower room;
    struct str text = separator_text(l->line[i].text);
    return text.n && text.n < 120 && has_word(lower_of(&room, text), words);
}

/* "---- On Tue, 06 Jan 2026 Ada <ada@example.com> wrote ---" */
static bool is_dashed_introduction(struct str s) {
    struct lower room;
    struct str text = separator_text(s);
    return text.n && text.n < 200 && s.p[0] == '-' && s.p[s.n - 1] == '-' && memchr(text.p, '@', text.n) &&
           has_word(lower_of(&room, text), words_wrote);
}

static bool is_forward_line(const struct quote_lines *l, int i) {
    struct lower room;
    struct str s = plain_words(l->line[i].text);
    if (is_separator(l, i, words_forwarded)) return true;
    return s.n < 100 && ends_with_colon(s) && begins_word(lower_of(&room, s), words_forwarded);
}

static enum header_label label_of(struct str s) {
    struct lower room;
    size_t n = 0;
    s = plain_words(s);
    while (n < s.n && n < 60 && s.p[n] != ':' && memcmp(s.p + n, "\xEF\xBC\x9A", s.n - n < 3 ? s.n - n : 3) != 0) n++;
    if (n == s.n || n == 60) return LABEL_NONE;
    struct str word = plain_words((struct str){s.p, n});
    while (word.n >= 2 && memcmp(word.p + word.n - 2, "\xC2\xA0", 2) == 0) word.n -= 2; /* "Objet :" */
    return header_label(lower_of(&room, word));
}

/* Returns true if the lines are the header of an earlier mail: the sender, and two of date, recipient and subject. */
static bool is_header_block(const struct quote_lines *l, int i) {
    unsigned found = 0;
    int kinds = 0;
    if (l->line[i].depth || label_of(l->line[i].text) != LABEL_FROM) return false;
    for (int k = i, lines = 0; k < l->count && lines < 8; k++) {
        if (line_is_empty(l, k)) continue;
        enum header_label label = label_of(l->line[k].text);
        kinds += label && !(found & label);
        found |= label;
        lines++;
    }
    return kinds >= 3 && found & (LABEL_DATE | LABEL_SUBJECT);
}

static bool is_ruler(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '_' && s.p[i] != '-' && s.p[i] != '=') return false;
    return s.n >= 10;
}

/* The header of an earlier mail, also below a line of underscores. */
static bool is_history(const struct quote_lines *l, int i) {
    if (l->line[i].depth) return false;
    int next = is_ruler(l->line[i].text) ? skip_empty(l, i + 1) : i;
    return l->line[i].marks & MARK_HISTORY || (next < l->count && is_header_block(l, next)) || is_separator(l, i, words_original) ||
           is_dashed_introduction(l->line[i].text);
}

/* ---- signatures -------------------------------------------------------------------------------------------------------------- */

static bool is_device_line(struct str s) {
    struct lower room;
    s = plain_words(s);
    return s.n > 0 && s.n <= DEVICE && begins_word(lower_of(&room, s), words_device);
}

static bool is_signature_line(const struct quote_lines *l, int i) {
    return l->line[i].depth == 0 && (l->line[i].marks & MARK_SIGNATURE || str_eq(l->line[i].text, S("--")));
}

/* Returns the first line of the signature that ends before `end`, or `end`. */
static int signature_before(const struct quote_lines *l, int end) {
    int last = end, lines = 0;
    while (last > 0 && line_is_empty(l, last - 1)) last--;
    for (int i = last - 1; i >= 0 && lines < SIGNATURE_LINES && l->line[i].depth == 0; i--) {
        lines += !line_is_empty(l, i);
        if (is_signature_line(l, i)) return i > 0 && is_signature_line(l, i - 1) ? i - 1 : i; /* Gmail marks the line below "-- " */
    }
    int first = last;
    for (int i = last - 1; i >= 0 && i >= last - 4 && l->line[i].depth == 0; i--)
        if (is_device_line(l->line[i].text)) first = i;
        else if (!line_is_empty(l, i)) break;
    return first < last ? first : end;
}

/* ---- the boundary -------------------------------------------------------------------------------------------------------------- */

static bool all_empty(const struct quote_lines *l, int end) {
    int first = skip_empty(l, 0);
    return first >= end;
}

/* Returns true if the sender wrote nothing behind the quote that begins at i: after its quoted lines comes the end, a signature, or another
 * quote. Otherwise *answer is the line where the sender goes on. A search from any line between i and *answer ends there, too. So quotes before
 * *answer are not searched again, and all searches of a text together look at each line a few times. */
static bool is_followed_by_quotes_only(const struct quote_lines *l, int i, int *answer) {
    if (i < *answer) return false;
    while (i < l->count) {
        while (i < l->count && l->line[i].depth == 0 && !line_is_empty(l, i)) i++; /* an introduction that is only marked */
        while (i < l->count && (l->line[i].depth || line_is_empty(l, i))) i++;
        if (i == l->count || is_signature_line(l, i) || is_history(l, i) || is_device_line(l->line[i].text)) return true;
        int end = introduction_end(l, i);
        if (end == 0) {
            *answer = i;
            return false;
        }
        i = end;
    }
    return true;
}

/* Returns true if quoted lines follow at i. Without any, all lines behind an introduction are quoted. */
static bool has_quoted_lines(const struct quote_lines *l, int i) {
    i = skip_empty(l, i);
    return i < l->count && l->line[i].depth > 0;
}

static bool begins_quote(const struct quote_lines *l, int i, int *answer) {
    if (is_history(l, i)) return true;
    if (l->line[i].depth > 0) return is_followed_by_quotes_only(l, i, answer);
    int end = introduction_end(l, i);
    if (end) return !has_quoted_lines(l, end) || is_followed_by_quotes_only(l, end, answer);
    return l->line[i].marks & MARK_QUOTE && is_followed_by_quotes_only(l, i, answer);
}

int quote_begin(const struct quote_lines *l) {
    int quote = skip_empty(l, 0), answer = 0;
    for (; quote < l->count; quote++) {
        if (line_is_empty(l, quote) && !l->line[quote].marks) continue;
        if (l->line[quote].depth == 0 && is_forward_line(l, quote)) return l->count;
        if (begins_quote(l, quote, &answer)) break;
        while (l->line[quote].depth > 0 && quote + 1 < l->count && l->line[quote + 1].depth > 0) quote++;
    }
    int signature = signature_before(l, quote);
    if (!all_empty(l, signature)) return signature;
    return all_empty(l, quote) ? l->count : quote;
}

bool subject_is_forward(struct str subject) {
    struct lower room;
    return begins_word(lower_of(&room, subject), words_forward_prefixes);
}
