#include "mail/header.h"

#include "base/buf.h"
#include "mail/answer.h"
#include "mail/charset.h"

#include <ctype.h>
#include <glib.h>
#include <strings.h>

static struct str first_bytes(struct str s, size_t most) {
    return (struct str){s.p, s.n < most ? s.n : most};
}

static bool is_folding(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* ---- encoded words --------------------------------------------------------------------------- */

struct encoded_word {
    struct str charset, text, rest; /* rest: behind the word */
    char encoding;                  /* 'B' or 'Q' */
};

/* Reads "=?charset?encoding?text?=". The text may contain blanks, which RFC 2047 forbids. Looks for the
 * end only behind an encoding. Sets *ended to false if there is no end: then no later word has one,
 * either. */
static bool word_at(struct str s, struct encoded_word *w, bool *ended) {
    struct str rest = {s.p + 2, s.n - 2};
    if (s.n < 8 || s.p[0] != '=' || s.p[1] != '?') return false;
    w->charset = str_cut(&rest, '?');
    if (rest.p == NULL || rest.n < 4 || rest.p[1] != '?' || w->charset.n == 0 || w->charset.n > 60)
        return false;
    w->encoding = (char)toupper((unsigned char)rest.p[0]);
    if (w->encoding != 'B' && w->encoding != 'Q') return false;
    rest = (struct str){rest.p + 2, rest.n - 2};
    const char *end = rest.n >= 2 ? memmem(rest.p, rest.n, "?=", 2) : NULL;
    *ended = end != NULL;
    if (end == NULL) return false;
    w->text = (struct str){rest.p, (size_t)(end - rest.p)};
    w->rest = (struct str){end + 2, rest.n - w->text.n - 2};
    /* the language, RFC 2231 section 5 */
    w->charset = str_cut(&(struct str){w->charset.p, w->charset.n}, '*');
    return true;
}

static int hex_digit(char c) { return isxdigit((unsigned char)c) ? g_ascii_xdigit_value(c) : -1; }

static void decode_quoted(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        int high = i + 2 < s.n + 0 && s.p[i] == '=' ? hex_digit(s.p[i + 1]) : -1,
            low = high >= 0 ? hex_digit(s.p[i + 2]) : -1;
        if (low >= 0) buf_char(out, (char)(high * 16 + low)), i += 2;
        else buf_char(out, s.p[i] == '_' ? ' ' : s.p[i]);
    }
}

/* Bytes of adjacent words of one charset. Some programs split a character, or a group of four Base64
 * letters, between two words. */
struct word_run {
    struct str charset;
    char encoding;
    struct buf bytes;
    int state;
    unsigned save;
};

static void run_add(struct word_run *r, const struct encoded_word *w) {
    r->charset = w->charset;
    r->encoding = w->encoding;
    if (w->encoding == 'Q') {
        decode_quoted(&r->bytes, w->text);
        return;
    }
    buf_reserve(&r->bytes, w->text.n + 4);
    r->bytes.n +=
        g_base64_decode_step(w->text.p, w->text.n, (guchar *)r->bytes.p + r->bytes.n, &r->state, &r->save);
}

static void run_end(struct arena *a, struct word_run *r, struct buf *out) {
    if (r->charset.p == NULL) return;
    if (r->encoding == 'B' && r->state > 1) { /* padding is missing */
        buf_reserve(&r->bytes, 8);
        r->bytes.n += g_base64_decode_step("==", (gsize)(4 - r->state), (guchar *)r->bytes.p + r->bytes.n,
                                           &r->state, &r->save);
    }
    buf_str(out, charset_to_utf8(a, buf_view(&r->bytes), r->charset));
    r->bytes.n = 0;
    *r = (struct word_run){.bytes = r->bytes};
}

static bool run_takes(const struct word_run *r, const struct encoded_word *w) {
    return r->charset.p && r->encoding == w->encoding && str_eqi(r->charset, w->charset);
}

static void put_unencoded(struct arena *a, struct buf *out, const char *from, const char *to) {
    if (to > from) buf_str(out, charset_to_utf8(a, (struct str){from, (size_t)(to - from)}, (struct str){0}));
}

static bool is_all_folding(const char *from, const char *to) {
    while (from < to && is_folding(*from)) from++;
    return from == to;
}

/* Appends the text with its encoded words decoded. Blanks between two words are left out. */
static void decode_words(struct arena *a, struct buf *out, struct str s) {
    struct word_run run = {0};
    const char *plain = s.p;
    bool ended = true;
    for (size_t i = 0; ended && i < s.n; i++) {
        struct encoded_word w;
        if (s.p[i] != '=' || !word_at((struct str){s.p + i, s.n - i}, &w, &ended)) continue;
        bool adjacent = run.charset.p && is_all_folding(plain, s.p + i);
        if (!adjacent || !run_takes(&run, &w)) run_end(a, &run, out);
        if (!adjacent) put_unencoded(a, out, plain, s.p + i);
        run_add(&run, &w);
        plain = w.rest.p;
        i = (size_t)(plain - s.p) - 1;
    }
    run_end(a, &run, out);
    put_unencoded(a, out, plain, s.p + s.n);
    buf_free(&run.bytes);
}

static struct str words_decoded(struct arena *a, struct str s) {
    struct buf b = {0};
    if (s.n) decode_words(a, &b, s);
    return buf_take(&b, a);
}

struct str header_line(struct arena *a, struct str value, size_t most) {
    struct str text = words_decoded(a, first_bytes(value, HEADER_MOST));
    return line_without_controls(a, str_trim(text), most);
}

/* ---- parameters ------------------------------------------------------------------------------ */

struct str header_word(struct arena *a, struct str value) {
    struct str rest = first_bytes(value, 1000), word = str_trim(str_cut(&rest, ';'));
    char *out = arena_bytes(a, word.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] > ' ' && word.p[i] <= '~') out[n++] = (char)tolower((unsigned char)word.p[i]);
    return (struct str){out, n};
}

bool header_is_type(struct str s) {
    int slashes = 0;
    for (size_t i = 0; i < s.n; i++) {
        slashes += s.p[i] == '/';
        if (!isalnum((unsigned char)s.p[i]) && !in_set(s.p[i], "/!#$&^_.+-")) return false;
    }
    return slashes == 1 && s.n < 128 && s.p[0] != '/' && s.p[s.n - 1] != '/';
}

/* Returns the index of the quote that ends the quoted text at i, or the length. */
static size_t quoted_end(struct str s, size_t i) {
    for (i++; i < s.n && s.p[i] != '"'; i++) i += s.p[i] == '\\';
    return i < s.n ? i : s.n;
}

struct parameter {
    struct str name, value; /* value without quotes */
};

/* The end of a quoted text: the next quote that is not escaped; else that of the value. */
static struct str parameter_quoted(struct arena *a, struct str *rest) {
    size_t n = 0, i = 1, end = quoted_end(*rest, 0);
    char *out = arena_bytes(a, end + 1);
    for (; i < rest->n && rest->p[i] != '"'; i++) {
        bool escape = rest->p[i] == '\\' && i + 1 < rest->n && in_set(rest->p[i + 1], "\\\"");
        out[n++] = rest->p[i += escape];
    }
    *rest = (struct str){rest->p + (i < rest->n ? i + 1 : i), rest->n - (i < rest->n ? i + 1 : i)};
    return (struct str){out, n};
}

/* Reads the next "; name=value". An unquoted value may contain blanks. */
static bool parameter_next(struct arena *a, struct str *rest, struct parameter *p) {
    while (rest->p) {
        size_t i = 0;
        while (i < rest->n && rest->p[i] != '=' && rest->p[i] != ';') i++;
        struct str name = str_trim((struct str){rest->p, i});
        bool has_value = i < rest->n && rest->p[i] == '=';
        *rest = (struct str){rest->p + i, rest->n - i};
        if (!has_value) {
            str_cut(rest, ';');
            continue;
        }
        *rest = str_trim((struct str){rest->p + 1, rest->n - 1});
        p->name = name;
        if (rest->n && rest->p[0] == '"') {
            p->value = parameter_quoted(a, rest);
            str_cut(rest, ';');
        } else {
            p->value = str_trim(str_cut(rest, ';'));
        }
        return true;
    }
    return false;
}

static void decode_percent(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        int high = i + 2 < s.n && s.p[i] == '%' ? hex_digit(s.p[i + 1]) : -1,
            low = high >= 0 ? hex_digit(s.p[i + 2]) : -1;
        if (low >= 0) buf_char(out, (char)(high * 16 + low)), i += 2;
        else buf_char(out, s.p[i]);
    }
}

#define SECTIONS 100
struct sections {
    struct str value[SECTIONS]; /* values of name*0, name*1 and so on; p NULL: absent */
    bool encoded[SECTIONS];
    struct str plain, whole; /* plain: value of name; whole: value of name* */
};

/* Stores the parameter if its name is `name`, with a number of a section or without (RFC 2231 sections 3
 * and 4). */
static void sections_take(struct sections *s, const struct parameter *p, struct str name) {
    struct str rest = p->name, base = str_trim(str_cut(&rest, '*'));
    int64_t number;
    if (!str_eqi(base, name)) return;
    if (rest.p == NULL && s->plain.p == NULL) s->plain = p->value;
    else if (rest.p && rest.n == 0 && s->whole.p == NULL) s->whole = p->value;
    if (rest.p == NULL || rest.n == 0) return;
    struct str digits = str_cut(&rest, '*');
    if (!str_to_int(digits, &number) || number < 0 || number >= SECTIONS || s->value[number].p) return;
    s->value[number] = p->value;
    s->encoded[number] = rest.p != NULL;
}

/* Cuts "charset'language'" off the front. */
static struct str charset_off(struct str *value) {
    struct str rest = *value, charset = str_cut(&rest, '\'');
    if (rest.p) str_cut(&rest, '\'');
    if (rest.p == NULL) return (struct str){0};
    *value = rest;
    return charset;
}

static struct str sections_joined(struct arena *a, struct sections *s) {
    struct buf b = {0};
    struct str charset = {0};
    if (s->value[0].p == NULL) s->value[0] = s->whole, s->encoded[0] = true;
    if (s->encoded[0]) charset = charset_off(&s->value[0]);
    for (int i = 0; i < SECTIONS && s->value[i].p; i++) {
        if (s->encoded[i]) decode_percent(&b, s->value[i]);
        else buf_str(&b, s->value[i]);
    }
    struct str made = charset_to_utf8(a, buf_take(&b, a), charset);
    return charset.p ? made : words_decoded(a, made);
}

struct str header_attribute(struct arena *a, struct str value, const char *name) {
    struct sections *s = ARENA_NEW(a, struct sections);
    struct str rest = first_bytes(value, HEADER_MOST / 4);
    str_cut(&rest, ';');
    for (struct parameter p; parameter_next(a, &rest, &p);) sections_take(s, &p, str_of(name));
    if (s->value[0].p || s->whole.p) return sections_joined(a, s);
    return s->plain.p ? words_decoded(a, s->plain) : (struct str){0};
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* One item of a list of addresses, in the making. */
struct person_parts {
    struct buf phrase, angle, comment;
    bool has_angle, has_at; /* has_at: the phrase has an @ */
};

/* An address has an @ with something on both sides, and no blanks. Blanks around the @ are left out. */
static struct str person_address(struct arena *a, struct str s) {
    size_t n = 0;
    bool quoted = false;
    s = charset_to_utf8(a, first_bytes(s, 2 * ANSWER_ADDRESS), (struct str){0});
    char *out = arena_bytes(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"') quoted = !quoted;
        if (!is_folding(s.p[i]) || quoted) out[n++] = s.p[i];
    }
    struct str made = line_without_controls(a, (struct str){out, n}, ANSWER_ADDRESS + 1), rest = made;
    const char *at = made.n ? memrchr(made.p, '@', made.n) : NULL;
    /* a route: <@a,@b:c@d>, RFC 5322 section 4.4 */
    if (at && made.p[0] == '@' && memchr(made.p, ':', made.n)) {
        str_cut(&rest, ':');
        made = rest;
        at = made.n ? memrchr(made.p, '@', made.n) : NULL;
    }
    if (at == NULL || at == made.p || at == made.p + made.n - 1 || made.n > ANSWER_ADDRESS)
        return (struct str){0};
    return made;
}

static void person_end(struct arena *a, struct person_parts *p, struct mail_person *list, int *n) {
    struct str address = person_address(a, buf_view(p->has_angle ? &p->angle : &p->phrase));
    struct str name =
        str_trim(buf_view(p->has_angle && str_trim(buf_view(&p->phrase)).n ? &p->phrase : &p->comment));
    if (address.p) {
        struct str line = header_line(a, name, ANSWER_NAME);
        list[(*n)++] = (struct mail_person){line.n ? line : (struct str){0}, address};
    }
    p->phrase.n = p->angle.n = p->comment.n = 0;
    p->has_angle = p->has_at = false;
}

/* Reads the text in quotes at s.p[i] into `out`. Returns the index of the closing quote. */
static size_t take_quoted(struct buf *out, struct str s, size_t i, bool keep_quotes) {
    if (keep_quotes) buf_char(out, '"');
    for (i++; i < s.n && s.p[i] != '"'; i++) {
        if (s.p[i] == '\\' && i + 1 < s.n) i++;
        buf_char(out, s.p[i]);
    }
    if (keep_quotes) buf_char(out, '"');
    return i;
}

static size_t take_comment(struct buf *out, struct str s, size_t i) {
    int depth = 1;
    for (i++; i < s.n; i++) {
        if (s.p[i] == '\\' && i + 1 < s.n) i++;
        else if (s.p[i] == '(') depth++;
        else if (s.p[i] == ')' && --depth == 0) return i;
        buf_char(out, s.p[i]);
    }
    return i;
}

/* A quoted text is part of an address if an @ follows it. */
static bool is_local_part(struct str s, size_t i) {
    size_t end = quoted_end(s, i);
    return end + 1 < s.n && s.p[end + 1] == '@';
}

/* Puts an unquoted character of a list in its place. Returns true if it ends an item. */
static bool take_list_character(struct person_parts *p, char c) {
    if (c == '>' || c == ';') return true;
    if (c == ',' && !(p->has_angle && p->angle.n && p->angle.p[0] == '@')) return true;
    if (c == '<' && !p->has_angle) {
        p->has_angle = true, p->angle.n = 0;
        return false;
    }
    if (c == ':' && !p->has_angle && !p->has_at) { /* the phrase is the name of a group */
        p->phrase.n = 0;
        return false;
    }
    p->has_at |= c == '@' && !p->has_angle;
    buf_char(p->has_angle ? &p->angle : &p->phrase, is_folding(c) ? ' ' : c);
    return false;
}

static bool is_end_of_list(struct str s) {
    while (s.n && (is_folding(*s.p) || in_set(*s.p, ",;>"))) s.p++, s.n--;
    return s.n == 0;
}

bool header_people(struct arena *a, struct str value, struct mail_person *list, int *n, int most) {
    struct str s = first_bytes(value, HEADER_MOST * 2);
    struct person_parts p = {0};
    size_t i = 0;
    for (; i < s.n && *n < most; i++) {
        if (s.p[i] == '"') i = take_quoted(p.has_angle ? &p.angle : &p.phrase, s, i, is_local_part(s, i));
        else if (s.p[i] == '(') i = take_comment(&p.comment, s, i);
        /* a missing comma ends the item, too */
        else if (take_list_character(&p, s.p[i])) person_end(a, &p, list, n);
    }
    if (*n < most) person_end(a, &p, list, n);
    buf_free(&p.phrase);
    buf_free(&p.angle);
    buf_free(&p.comment);
    return value.n == s.n && (i >= s.n || is_end_of_list((struct str){s.p + i, s.n - i}));
}

/* ---- Message-IDs ----------------------------------------------------------------------------- */

struct str header_next_id(struct arena *a, struct str *rest) {
    while (rest->p && rest->n) {
        str_cut(rest, '<');
        if (rest->p == NULL) return (struct str){0};
        struct str id = str_cut(rest, '>');
        struct str line = line_without_controls(
            a, charset_to_utf8(a, first_bytes(id, 2 * ANSWER_MESSAGE_ID), (struct str){0}),
            ANSWER_MESSAGE_ID + 1);
        if (line.n && line.n <= ANSWER_MESSAGE_ID) return line;
    }
    return (struct str){0};
}

/* ---- dates ----------------------------------------------------------------------------------- */

/* GLib's dates are not used, because they may open files of time zones, which a confined process must not. */

#define DAY (INT64_C(24) * 3600)
#define YEAR_1990 (INT64_C(631152000))

/* Skips blanks, separators, and comments, which may be nested (RFC 5322 section 3.2.2). A sign begins a
 * word only where a zone may be: some programs write 6-Jan-2026. */
static void skip_to_word(struct str *rest, bool signs) {
    int depth = 0;
    for (; rest->n; rest->p++, rest->n--) {
        char c = *rest->p;
        depth += (c == '(') - (c == ')' && depth > 0);
        if (depth == 0 && (isalnum((unsigned char)c) || (signs && (c == '+' || c == '-')))) return;
    }
}

/* Cuts the next word off: letters, or digits with the signs of times and zones. */
static struct str date_word(struct str *rest, bool signs) {
    skip_to_word(rest, signs);
    size_t n = rest->n > 0;
    bool letters = n && isalpha((unsigned char)rest->p[0]);
    while (n < rest->n && (letters ? isalpha((unsigned char)rest->p[n])
                                   : isdigit((unsigned char)rest->p[n]) || rest->p[n] == ':'))
        n++;
    struct str word = {rest->p, n};
    *rest = (struct str){rest->p + n, rest->n - n};
    return word;
}

static int month_of(struct str word) {
    static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (int i = 0; i < 12 && word.n >= 3; i++)
        if (strncasecmp(word.p, months + 3 * i, 3) == 0) return i + 1;
    return 0;
}

/* Returns the offset of a zone in seconds: "+0200", "-05:00", or a name of RFC 5322. Unknown names are
 * UTC. */
static int64_t zone_of(struct str word) {
    static const struct {
        const char *name;
        int hours;
    } zones[] = {{"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5}, {"MST", -7}, {"MDT", -6},
                 {"PST", -8}, {"PDT", -7}, {"CET", 1},  {"CEST", 2}, {"BST", 1},  {"JST", 9}};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (str_eqi(word, str_of(zones[i].name))) return zones[i].hours * 3600;
    if (word.n < 5 || (word.p[0] != '+' && word.p[0] != '-')) return 0;
    int digits[4], n = 0;
    for (size_t i = 1; i < word.n && n < 4; i++)
        if (isdigit((unsigned char)word.p[i])) digits[n++] = word.p[i] - '0';
    if (n < 4 || digits[0] * 10 + digits[1] > 23 || digits[2] > 5) return 0;
    int64_t seconds = (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60;
    return word.p[0] == '-' ? -seconds : seconds;
}

/* Days from 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_to_date(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct date_parts {
    int64_t year, month, day, seconds, zone;
    bool has_time, has_zone;
};

static bool date_time(struct str word, int64_t *seconds) {
    int64_t part[3] = {0};
    int n = 0;
    for (struct str rest = word; rest.p && n < 3; n++)
        if (!str_to_int(str_cut(&rest, ':'), &part[n])) return false;
    if (n < 2 || part[0] > 23 || part[1] > 59 || part[2] > 60) return false;
    *seconds = part[0] * 3600 + part[1] * 60 + part[2];
    return true;
}

static int64_t days_of_month(int64_t year, int64_t month) {
    return days_to_date(month == 12 ? year + 1 : year, month % 12 + 1, 1) - days_to_date(year, month, 1);
}

/* "GMT+0200" is a zone with an offset, so the names of UTC do not end the search. */
static void take_zone(struct date_parts *d, struct str word) {
    d->zone = zone_of(word);
    d->has_zone = d->zone != 0 || word.p[0] == '+' || word.p[0] == '-';
}

static void take_date_word(struct date_parts *d, struct str word) {
    int64_t n;
    bool number = str_to_int(word, &n) && isdigit((unsigned char)word.p[0]);
    if (memchr(word.p, ':', word.n) && isdigit((unsigned char)word.p[0]))
        d->has_time = date_time(word, &d->seconds);
    else if (number && d->day == 0 && word.n <= 2) d->day = n;
    else if (number && d->year == 0)
        d->year = word.n <= 2 ? n + (n < 50 ? 2000 : 1900) : word.n == 3 ? n + 1900 : n;
    else if (d->month == 0 && month_of(word)) d->month = month_of(word);
    else if (d->has_time && !d->has_zone) take_zone(d, word);
}

int64_t mail_date(struct str text) {
    struct date_parts d = {0};
    struct str rest = {text.p, text.n < 200 ? text.n : 200};
    for (int words = 0; rest.n && words < 12; words++) {
        struct str word = date_word(&rest, d.has_time);
        if (word.n) take_date_word(&d, word);
    }
    if (d.month == 0 || d.year < 1990 || d.year > 9999 || d.day < 1 || d.day > days_of_month(d.year, d.month))
        return 0;
    int64_t seconds = days_to_date(d.year, d.month, d.day) * DAY + d.seconds - d.zone;
    return seconds < YEAR_1990 ? 0 : seconds * 1000;
}
