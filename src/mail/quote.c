#include "mail/quote.h"

#include "mail/charset.h"
#include "mail/quote_words.h"

#include <ctype.h>
#include <glib.h>

#define INTRODUCTION_LINES 4 /* lines of the text that introduces a quote */
#define INTRODUCTION 500     /* bytes of it */
#define LABEL 80             /* bytes of the label of a header line, with its colon */
#define HEADER_LINES 12      /* lines of the header of an earlier mail, with continued ones */
#define SIGNATURE_LINES 25
#define DELIMITED_LINES 100 /* lines of a signature behind "-- " or above a quote */
#define PARAGRAPH_LINES 12  /* maximum number of lines of the first paragraph of such a signature */
#define FOOTER_LINES 12
#define FOOTER_RULER 30 /* underscores, or half of the dashes */
#define DEVICE 120      /* bytes of the line of a mail program */
#define SHORT_WORD 6    /* bytes, with the full stop */
#define WRAPPED 60      /* bytes: a quoted line that is longer may have been wrapped; its rest is shorter */
#define MIDDLE_LINES 4  /* mail/quote.h */
#define CLOSING_LINES 3
#define CLOSING 40     /* bytes of such a line */
#define CITED_LINES 10 /* lines with ">" that the sender announces */

/* ---- lines ----------------------------------------------------------------------------------- */

void quote_lines_of_text(struct arena *a, struct str text, struct quote_lines *out) {
    *out = (struct quote_lines){0};
    for (struct str rest = text; rest.p;) {
        if (out->count == QUOTE_LINES) {
            out->count = 0;
            return;
        }
        struct quote_line l = {.at = (size_t)(rest.p - text.p)};
        struct str line = str_cut(&rest, '\n');
        if (line.n && line.p[line.n - 1] == '\r') line.n--;
        if (str_eq(line, S("-- "))) l.marks = MARK_DELIMITER;
        while (str_starts(line, S(">")) || str_starts(line, S(" >"))) {
            l.depth += line.p[0] == '>';
            line = (struct str){line.p + 1, line.n - 1};
        }
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

static bool is_quoted(const struct quote_lines *l, int i) { return i < l->count && l->line[i].depth > 0; }

/* ---- plain text ------------------------------------------------------------------------------ */

/* Characters that programs write in other forms. All others stay. */
static const struct {
    const char *bytes, *plain;
} plain_forms[] = {
    /* clang-format off */
    {"\xC2\xA0", " "}, {"\xE2\x80\xAF", " "}, {"\xE3\x80\x80", " "}, {"\xEF\xBC\x9A", ":"},
    {"\xD7\x83", ":"}, {"\xEF\xBB\xBF", ""}, {"\xE2\x80\x8B", ""}, {"\xE2\x80\x8E", ""},
    {"\xE2\x80\x8F", ""}, {"\xE2\x80\xAA", ""}, {"\xE2\x80\xAB", ""}, {"\xE2\x80\xAC", ""},
    {"\xE2\x80\xAD", ""}, {"\xE2\x80\xAE", ""}, {"\xE2\x81\xA6", ""}, {"\xE2\x81\xA7", ""},
    {"\xE2\x81\xA8", ""}, {"\xE2\x81\xA9", ""}, {"\xD8\x9C", ""},
    /* clang-format on */
};

/* The zeros of other digits: Arabic, Persian, wide. */
static const char *const plain_zeros[] = {"\xD9\xA0", "\xDB\xB0", "\xEF\xBC\x90"};

struct plain {
    char room[2 * INTRODUCTION];
};

/* Returns the length of the character at the begin of s that has another form, or 0. Arabic and wide digits
 * become those of ASCII. */
static size_t plain_form(struct str s, char digit[2], const char **plain) {
    *plain = digit;
    digit[1] = 0;
    if (!in_set(s.p[0], "\xC2\xD7\xD8\xD9\xDB\xE2\xE3\xEF")) return 0;
    for (size_t i = 0; i < sizeof plain_forms / sizeof *plain_forms; i++) {
        struct str form = str_of(plain_forms[i].bytes);
        if (!str_starts(s, form)) continue;
        *plain = plain_forms[i].plain;
        return form.n;
    }
    for (size_t i = 0; i < sizeof plain_zeros / sizeof *plain_zeros; i++) {
        struct str zero = str_of(plain_zeros[i]);
        size_t last = zero.n - 1;
        if (s.n < zero.n || memcmp(s.p, zero.p, last) != 0) continue;
        unsigned value = (unsigned char)(s.p[last] - zero.p[last]);
        if (value > 9) continue;
        digit[0] = (char)('0' + value);
        return zero.n;
    }
    return 0;
}

/* Returns the text in lower case, with plain blanks and digits, without invisible characters, and without
 * blanks and stars of bold text at both ends. Longer texts are cut, because lines of mails may be of any
 * length. */
static struct str quote_plain(struct plain *to, struct str s) {
    size_t n = 0;
    s = utf8_first(s, INTRODUCTION);
    if (!utf8_valid(s)) s.n = 0; /* a line of HTML that was cut */
    char *lower = g_utf8_strdown(s.n ? s.p : "", (gssize)s.n), digit[2];
    const char *plain;
    for (struct str rest = str_of(lower); rest.n && n + 1 < sizeof to->room;) {
        size_t taken = (unsigned char)*rest.p < 0x80 ? 0 : plain_form(rest, digit, &plain);
        if (taken == 0) to->room[n++] = *rest.p;
        else if (*plain) to->room[n++] = *plain;
        if (taken == 0) taken = 1;
        rest = (struct str){rest.p + taken, rest.n - taken};
    }
    g_free(lower);
    struct str t = {to->room, n};
    while (t.n && in_set(t.p[0], "* \t")) t.p++, t.n--;
    while (t.n && in_set(t.p[t.n - 1], "* \t")) t.n--;
    return t;
}

/* Returns the number of digits that are not in an address. */
static int digits_in(struct str s) {
    int n = 0, word = 0;
    bool address = false;
    for (size_t i = 0; i < s.n; i++) {
        word += isdigit((unsigned char)s.p[i]) != 0;
        address |= s.p[i] == '@';
        if (s.p[i] != ' ' && i + 1 < s.n) continue;
        n += address ? 0 : word;
        word = 0;
        address = false;
    }
    return n;
}

/* Returns true if the raw text may have this character of plain text. It saves most lines from being made
 * plain. */
static bool may_have(struct str s, char c) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == c || (unsigned char)s.p[i] >= 0xC0) return true;
    return false;
}

static bool has_character(struct str s, char c) { return s.n && memchr(s.p, c, s.n); }
static bool has_bytes(struct str s, struct str bytes) { return s.n && memmem(s.p, s.n, bytes.p, bytes.n); }
static bool ends_with(struct str s, char c) { return s.n && s.p[s.n - 1] == c; }

/* ---- what begins a quote --------------------------------------------------------------------- */

/* Weak: an introduction if quoted lines follow. Dated: also if it is a paragraph of its own. Strong: by
 * itself. */
enum introduction { INTRODUCTION_NONE, INTRODUCTION_WEAK, INTRODUCTION_DATED, INTRODUCTION_STRONG };

static bool has_verb(struct str t) {
    struct str s = str_trim((struct str){t.p, t.n - ends_with(t, ':')});
    return ends_word(s, WORDS_WROTE_LAST) || has_word(s, WORDS_WROTE);
}

/* Returns true if the first word is an address. */
static bool begins_with_address(struct str s) {
    const char *blank = s.n ? memchr(s.p, ' ', s.n) : NULL;
    struct str word = {s.p, blank ? (size_t)(blank - s.p) : s.n};
    return has_character(word, '@') && has_character(word, '.');
}

/* The text is plain. */
static enum introduction introduction_of(struct str t) {
    if (t.n == 0 || t.n > INTRODUCTION) return INTRODUCTION_NONE;
    bool colon = ends_with(t, ':'), address = has_character(t, '@');
    int digits = digits_in(t);
    if (!colon && !(address && digits >= 5)) return INTRODUCTION_NONE;
    bool ends = colon || ends_with(t, '>') || ends_word(t, WORDS_WROTE_LAST);
    if (!colon) return ends ? INTRODUCTION_WEAK : INTRODUCTION_NONE;
    if (has_word_of(t, quote_words_own)) return INTRODUCTION_NONE;
    bool verb = has_verb(t), angle = has_bytes(t, S(">:")) || has_bytes(t, S("> :"));
    if (verb && digits >= 3 && address) return INTRODUCTION_STRONG;
    if (address && angle && digits >= 6 && !has_character(t, '=')) return INTRODUCTION_STRONG;
    if (verb && has_character(t, '<') && address) return INTRODUCTION_STRONG;
    if (verb && (digits >= 5 || begins_with_address(t))) return INTRODUCTION_DATED;
    return verb || address || digits >= 6 ? INTRODUCTION_WEAK : INTRODUCTION_NONE;
}

/* Returns true if the line ends as a sentence does, and not with a short word: "6. Jan.". */
static bool ends_sentence(struct str line) {
    size_t n = 0;
    while (n < line.n && line.p[line.n - 1 - n] != ' ') n++;
    return in_set(line.p[line.n - 1], "!?") || (ends_with(line, '.') && n > SHORT_WORD);
}

/* The first lines of a longer introduction have the date or the sender. */
static bool may_continue(struct str joined, struct str line) {
    int digits = digits_in(joined);
    if (begins_word(joined, WORDS_ON) && (digits > 0 || joined.n < WRAPPED / 3)) return true;
    return (digits >= 3 || has_character(joined, '@')) && !ends_sentence(line);
}

static bool is_paragraph(const struct quote_lines *l, int i, int end) {
    return (i == 0 || line_is_empty(l, i - 1)) && (end == l->count || line_is_empty(l, end));
}

/* Returns true if the raw line may be the first one of an introduction: it has a colon, an address, a digit,
 * or is short. */
static bool may_introduce(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (in_set(s.p[i], ":@0123456789") || (unsigned char)s.p[i] >= 0xC0) return true;
    return s.n < WRAPPED / 3;
}

static bool is_whole_introduction(struct str s) {
    struct plain plain;
    if (!may_have(s, ':')) return false;
    struct str t = quote_plain(&plain, s);
    return digits_in(t) >= 6 && introduction_of(t) >= INTRODUCTION_DATED;
}

/* Returns the line behind the text that introduces a quote and begins at i, or 0. A line that is an
 * introduction alone is not joined to those before it, because they may be the sender's. */
static int introduction_end(const struct quote_lines *l, int i, enum introduction least) {
    char room[INTRODUCTION + 2];
    struct plain plain;
    size_t n = 0;
    if (!may_introduce(l->line[i].text)) return 0;
    for (int k = i; k < l->count && k < i + INTRODUCTION_LINES; k++) {
        struct str s = l->line[k].text;
        if (l->line[k].depth || line_is_empty(l, k) || n + s.n + 1 > INTRODUCTION) return 0;
        if (k > i && is_whole_introduction(s)) return 0;
        if (n) room[n++] = ' ';
        memcpy(room + n, s.p, s.n);
        n += s.n;
        struct str joined = quote_plain(&plain, (struct str){room, n});
        enum introduction what = introduction_of(joined);
        bool quoted = is_quoted(l, skip_empty(l, k + 1));
        if (what < least) what = INTRODUCTION_NONE;
        if (what == INTRODUCTION_STRONG) return k + 1;
        if (what == INTRODUCTION_DATED && (quoted || is_paragraph(l, i, k + 1))) return k + 1;
        if (what == INTRODUCTION_WEAK && quoted && (k == i || begins_word(joined, WORDS_ON))) return k + 1;
        if (ends_with(joined, ':') || !may_continue(joined, s)) return 0;
    }
    return 0;
}

/* Returns the plain text in a separator such as "-----Original Message-----"; n 0: it is not a separator. */
static struct str separator_text(struct plain *plain, struct str s) {
    struct str t = s;
    while (t.n && in_set(t.p[0], "-_=*# ")) t.p++, t.n--;
    size_t before = s.n - t.n;
    while (t.n && in_set(t.p[t.n - 1], "-_=*:# ")) t.n--;
    return before >= 2 && t.n < 200 ? quote_plain(plain, t) : (struct str){s.p, 0};
}

static bool is_separator(const struct quote_lines *l, int i, enum quote_list list) {
    struct plain plain;
    struct str text = separator_text(&plain, l->line[i].text);
    return text.n && text.n < 120 && has_word(text, list);
}

/* "---- On Tue, 06 Jan 2026 Ada <ada@example.com> wrote ---" */
static bool is_dashed_introduction(struct str s) {
    struct plain plain;
    struct str text = separator_text(&plain, s);
    return text.n && s.p[0] == '-' && ends_with(s, '-') && has_verb(text);
}

static bool is_forward_line(const struct quote_lines *l, int i) {
    struct plain plain;
    if (is_separator(l, i, WORDS_FORWARDED)) return true;
    if (l->line[i].text.n >= 100 || !may_have(l->line[i].text, ':')) return false;
    struct str s = quote_plain(&plain, l->line[i].text);
    return ends_with(s, ':') && begins_word(s, WORDS_FORWARDED);
}

/* ---- the header of an earlier mail ----------------------------------------------------------- */

static enum header_label label_of(struct str s) {
    struct plain plain;
    s = utf8_first(s, LABEL);
    if (!may_have(s, ':')) return LABEL_NONE;
    struct str t = quote_plain(&plain, s);
    const char *colon = t.n ? memchr(t.p, ':', t.n) : NULL;
    if (colon == NULL) return LABEL_NONE;
    struct str word = {t.p, (size_t)(colon - t.p)};
    while (word.n && in_set(word.p[word.n - 1], "* \t")) word.n--; /* "Objet :" */
    return header_label(word);
}

struct header {
    unsigned found; /* labels */
    int kinds, others;
    bool address, sender_address, dated;
};

/* Returns false if the line has a label that the header has already: it is not a part of it. */
static bool take_header_line(struct header *h, struct str s) {
    enum header_label label = label_of(s);
    if (label && (h->found & label) == label) return false;
    h->others = label ? 0 : h->others + 1;
    h->kinds += label != LABEL_NONE;
    h->found |= label;
    h->address |= has_character(s, '@');
    h->sender_address |= label == LABEL_FROM && has_character(s, '@');
    h->dated |= label & LABEL_DATE && digits_in(s) >= 5;
    return true;
}

/* Returns the line behind the header of an earlier mail that begins at i, or 0. The header has the sender,
 * two of date, recipient and subject, and something that only mail programs write, because people also write
 * "From: Hamburg, To: Berlin". */
static int header_end(const struct quote_lines *l, int i) {
    struct header h = {0};
    int end = i;
    enum header_label first = l->line[i].depth ? LABEL_NONE : label_of(l->line[i].text);
    if (first == LABEL_NONE) return 0;
    for (int k = i, lines = 0; k < l->count && lines < HEADER_LINES && h.others < 3; k++) {
        if (line_is_empty(l, k)) continue;
        if (!take_header_line(&h, l->line[k].text)) break;
        if (h.others == 0) end = k + 1;
        lines++;
    }
    bool sent = (h.found & LABEL_SENT) == LABEL_SENT, from = first == LABEL_FROM && h.dated;
    if (!(h.found & LABEL_FROM)) return 0;
    int signs = sent + from + (h.found & LABEL_SUBJECT ? 1 : 0);
    bool whole = h.kinds >= 3 ? h.address || signs >= 2 : h.kinds == 2 && from && h.sender_address;
    return whole ? end : 0;
}

static bool is_ruler(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '_' && s.p[i] != '-' && s.p[i] != '=') return false;
    return s.n >= 10;
}

/* "Ada Example---06.01.2026 09:14:00---Hello Bob, ...": Notes puts it before the header. */
static bool is_summary(struct str s) {
    const char *dashes = s.n ? memmem(s.p, s.n, "---", 3) : NULL;
    return dashes && dashes > s.p && digits_in(utf8_first(s, INTRODUCTION)) >= 6 &&
           memmem(dashes + 3, (size_t)(s.p + s.n - dashes) - 3, "---", 3);
}

/* The header of an earlier mail, also below a line of underscores. */
static bool is_history(const struct quote_lines *l, int i) {
    struct str s = l->line[i].text;
    if (l->line[i].depth) return false;
    int next = is_ruler(s) || is_summary(s) ? skip_empty(l, i + 1) : i;
    if (l->line[i].marks & MARK_HISTORY || (next < l->count && header_end(l, next))) return true;
    return is_separator(l, i, WORDS_ORIGINAL) || is_dashed_introduction(s);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static bool is_device_line(struct str s) {
    struct plain plain;
    if (s.n == 0 || s.n > DEVICE) return false;
    struct str t = quote_plain(&plain, s);
    return begins_word(t, WORDS_DEVICE) || ends_word(t, WORDS_DEVICE_LAST);
}

static bool is_signature_line(const struct quote_lines *l, int i) {
    const struct quote_line *line = &l->line[i];
    return line->depth == 0 && (line->marks & MARK_SIGNATURE || str_eq(line->text, S("--")));
}

/* Returns true if a long signature that ends before `end` begins at i: its first paragraph is short. */
static bool is_long_signature(const struct quote_lines *l, int i, int end) {
    int k = i + 1;
    if (!(l->line[i].marks & MARK_DELIMITER) && end == l->count) return false;
    while (k < l->count && k <= i + PARAGRAPH_LINES && !line_is_empty(l, k)) k++;
    return k < l->count && line_is_empty(l, k);
}

/* Returns the first line of the signature that ends before `end`, or `end`. */
static int signature_before(const struct quote_lines *l, int end) {
    int last = end, lines = 0;
    while (last > 0 && line_is_empty(l, last - 1)) last--;
    for (int i = last - 1; i >= 0 && lines < DELIMITED_LINES && l->line[i].depth == 0; i--) {
        lines += !line_is_empty(l, i);
        if (is_signature_line(l, i) && (lines <= SIGNATURE_LINES || is_long_signature(l, i, end)))
            return i > 0 && is_signature_line(l, i - 1) ? i - 1 : i; /* Gmail marks the line below "-- " */
    }
    int first = last;
    for (int i = last - 1; i >= 0 && i >= last - 4 && l->line[i].depth == 0; i--)
        if (is_device_line(l->line[i].text)) first = i;
        else if (!line_is_empty(l, i)) break;
    return first < last ? first : end;
}

/* The footer of a mailing list: a long ruler, and a few lines to the end. Gmail cuts the ruler to "__", so an
 * address must follow that. */
static bool is_list_footer(const struct quote_lines *l, int i) {
    int lines = 0;
    struct str s = l->line[i].text;
    bool addressed = !str_eq(s, S("__"));
    size_t least = s.n && s.p[0] == '-' ? 2 * FOOTER_RULER : FOOTER_RULER;
    if (addressed && (s.n < least || !is_ruler(s))) return false;
    for (int k = i + 1; k < l->count && k <= i + FOOTER_LINES; k++)
        addressed |= has_character(l->line[k].text, '@') || has_bytes(l->line[k].text, S("://"));
    if (!addressed) return false;
    for (int k = i + 1; k < l->count && lines <= FOOTER_LINES; k++) lines += !line_is_empty(l, k);
    return lines <= FOOTER_LINES;
}

/* ---- the tail -------------------------------------------------------------------------------- */

static bool all_empty(const struct quote_lines *l, int end) { return skip_empty(l, 0) >= end; }

/* Returns true if the link at the end of a line goes on in the next one. */
static bool is_link_rest(struct str before, struct str rest) {
    size_t n = before.n;
    while (n && before.p[n - 1] != ' ') n--;
    struct str word = {before.p + n, before.n - n};
    if (has_bytes(word, S("://")) && !has_character(rest, ' ')) return true;
    return str_starts(rest, S("(http")) || str_starts(rest, S("<http"));
}

/* Returns true if the line is the rest of the quoted line before it, which a program wrapped. */
static bool is_wrapped_rest(const struct quote_lines *l, int i) {
    if (is_quoted(l, i) || line_is_empty(l, i)) return false;
    if (i == 0 || !is_quoted(l, i - 1) || !is_quoted(l, i + 1)) return false;
    struct str before = l->line[i - 1].text, rest = l->line[i].text;
    if (ends_with(before, '<') || is_link_rest(before, rest)) return true; /* an introduction, or a link */
    if (before.n < WRAPPED || rest.n > before.n || in_set(before.p[before.n - 1], ".:!?")) return false;
    return !isupper((unsigned char)rest.p[0]) || !has_character(rest, ' '); /* a sentence is an answer */
}

/* Returns the line behind the quoted ones from i on. */
static int quoted_lines_end(const struct quote_lines *l, int i) {
    while (i < l->count && (l->line[i].depth || line_is_empty(l, i) || is_wrapped_rest(l, i))) i++;
    return i;
}

static bool ends_new_text(const struct quote_lines *l, int i) {
    if (is_signature_line(l, i) || is_device_line(l->line[i].text)) return true;
    return is_history(l, i) || is_list_footer(l, i);
}

/* Returns true if the sender wrote nothing behind the quote that begins at i: after its quoted lines comes
 * the end, a signature, or another quote. Otherwise *answer is the line where the sender goes on. A search
 * from any line between i and *answer ends there, too. So quotes before *answer are not searched again, and
 * all searches of a text together look at each line a few times. */
static bool is_followed_by_quotes_only(const struct quote_lines *l, int i, int *answer) {
    if (i < *answer) return false;
    while (i < l->count) {
        while (i < l->count && !is_quoted(l, i) && !line_is_empty(l, i)) i++; /* a marked introduction */
        i = quoted_lines_end(l, i);
        if (i == l->count || ends_new_text(l, i)) return true;
        int end = introduction_end(l, i, INTRODUCTION_WEAK);
        if (end == 0) {
            *answer = i;
            return false;
        }
        i = end;
    }
    return true;
}

/* Returns true if the sender announces the few lines with ">" at i, as in "It prints:". */
static bool is_citation(const struct quote_lines *l, int i) {
    struct plain plain;
    int before = i - 1, end = i;
    while (before >= 0 && line_is_empty(l, before)) before--;
    while (end < l->count && end <= i + CITED_LINES && (is_quoted(l, end) || line_is_empty(l, end))) end++;
    if (end < l->count || before < 0 || l->line[before].depth) return false;
    return ends_with(quote_plain(&plain, l->line[before].text), ':');
}

static bool begins_quote(const struct quote_lines *l, int i, int *answer) {
    if (is_history(l, i)) return true;
    if (l->line[i].depth > 0) return is_followed_by_quotes_only(l, i, answer) && !is_citation(l, i);
    int end = introduction_end(l, i, INTRODUCTION_WEAK);
    if (end) return !is_quoted(l, skip_empty(l, end)) || is_followed_by_quotes_only(l, end, answer);
    return l->line[i].marks & MARK_QUOTE && is_followed_by_quotes_only(l, i, answer);
}

/* Returns the first line of the quote at the end of the mail, or the number of lines. *forward: the mail has
 * a forwarded one. A header at the top is not a quote: the mail below it is all that the sender sent. */
static int tail_quote(const struct quote_lines *l, bool *forward) {
    int top = skip_empty(l, 0), quote = top, answer = 0;
    for (; quote < l->count; quote++) {
        if (line_is_empty(l, quote) && !l->line[quote].marks) continue;
        *forward = l->line[quote].depth == 0 && is_forward_line(l, quote);
        if (*forward) return l->count;
        int header = quote == top ? header_end(l, quote) : 0;
        if (header) quote = header - 1;
        else if (begins_quote(l, quote, &answer)) break;
        while (l->line[quote].depth > 0 && quote + 1 < l->count && l->line[quote + 1].depth > 0) quote++;
    }
    while (quote < l->count && quote > 0 && is_quoted(l, quote - 1)) quote--; /* empty lines with ">" */
    return quote;
}

/* ---- the middle ------------------------------------------------------------------------------ */

/* Returns the first quoted line of the introduced quote that begins at i, or 0. */
static int introduced_at(const struct quote_lines *l, int i) {
    int end = introduction_end(l, i, INTRODUCTION_DATED);
    if (end == 0 && l->line[i].marks & MARK_QUOTE)
        for (end = i; end < l->count && end < i + INTRODUCTION_LINES && !l->line[end].depth;) end++;
    end = end ? skip_empty(l, end) : 0;
    return is_quoted(l, end) ? end : 0;
}

/* Returns true if the lines are only a closing: a few short ones that are no sentences. */
static bool is_closing(const struct quote_lines *l, int begin, int end) {
    int lines = 0;
    for (int i = begin; i < end; i++) {
        struct str s = l->line[i].text;
        if (line_is_empty(l, i)) continue;
        bool closing = s.n <= CLOSING && !digits_in(s) && !in_set(s.p[s.n - 1], ".?!:");
        if (++lines > CLOSING_LINES || !closing) return false;
    }
    return true;
}

/* Sets the quote with the answer below it, if it is the only one before `tail`. `goes_on`: a quote begins
 * there. */
static void find_middle(const struct quote_lines *l, int tail, bool goes_on, struct quote_folds *f) {
    int begin = skip_empty(l, 0), first = 0, lines = 0;
    bool above = false;
    for (; begin < tail && !first; begin += !first) {
        if (l->line[begin].depth) return;
        first = introduced_at(l, begin);
        above |= !first && !line_is_empty(l, begin);
    }
    if (!first) return;
    int end = quoted_lines_end(l, first);
    for (int next; end < tail && (next = introduced_at(l, end)) > 0;) end = quoted_lines_end(l, next);
    if (end >= tail) return;
    for (int i = first; i < end; i++) lines += l->line[i].depth && !line_is_empty(l, i);
    for (int i = end; i < tail; i++)
        if (l->line[i].depth || introduction_end(l, i, INTRODUCTION_WEAK)) return;
    if (lines < MIDDLE_LINES && (goes_on || (above && !is_closing(l, end, tail)))) return;
    f->middle = begin;
    f->middle_end = end;
}

struct quote_folds quote_folds_of(const struct quote_lines *l) {
    bool forward = false;
    int quote = tail_quote(l, &forward);
    struct quote_folds f = {.tail = l->count};
    if (forward) return f;
    f.tail = signature_before(l, quote);
    if (all_empty(l, f.tail)) f.tail = all_empty(l, quote) ? l->count : quote;
    find_middle(l, f.tail, quote < l->count, &f);
    return f;
}

bool subject_is_forward(struct str subject) {
    struct plain plain;
    return begins_word(quote_plain(&plain, subject), WORDS_FORWARD_PREFIX);
}
