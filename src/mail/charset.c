#include "mail/charset.h"

#include <iconv.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* Names are compared without letter case, and without - _ . and blanks. The first name of a row is that of
 * glibc. Some labels stand for a larger charset, as in browsers: senders declare ISO-8859-1 and write
 * Windows-1252. */
static const struct {
    const char *name, *aliases;
} charset_table[] = {
    {"UTF-8", "utf8 unicode11utf8 unicodeutf8 xutf8 utf8mb4 utf08"},
    {"WINDOWS-1252",
     "windows1252 cp1252 xcp1252 1252 ansi iso88591 latin1 l1 88591 iso8859 cp819 ibm819 isoir100 "
     "iso885911987 xansi western"},
    {"WINDOWS-1250", "windows1250 cp1250 xcp1250"},
    {"WINDOWS-1251", "windows1251 cp1251 xcp1251 win1251"},
    {"WINDOWS-1253", "windows1253 cp1253"},
    {"WINDOWS-1254", "windows1254 cp1254 iso88599 latin5 l5"},
    {"WINDOWS-1255", "windows1255 cp1255"},
    {"WINDOWS-1256", "windows1256 cp1256"},
    {"WINDOWS-1257", "windows1257 cp1257"},
    {"WINDOWS-1258", "windows1258 cp1258"},
    {"ISO-8859-2", "iso88592 latin2 l2"},
    {"ISO-8859-3", "iso88593 latin3"},
    {"ISO-8859-4", "iso88594 latin4"},
    {"ISO-8859-5", "iso88595 cyrillic"},
    {"ISO-8859-6", "iso88596 iso88596i iso88596e arabic asmo708"},
    {"ISO-8859-7", "iso88597 greek elot928"},
    {"ISO-8859-8", "iso88598 iso88598i iso88598e hebrew visual logical"},
    {"ISO-8859-10", "iso885910 latin6"},
    {"ISO-8859-13", "iso885913"},
    {"ISO-8859-14", "iso885914 latin8"},
    {"ISO-8859-15", "iso885915 latin9 latin0"},
    {"ISO-8859-16", "iso885916 latin10"},
    {"CP874", "windows874 cp874 tis620 iso885911"},
    {"KOI8-R", "koi8r koi8 koi cskoi8r"},
    {"KOI8-U", "koi8u koi8ru"},
    {"MACINTOSH", "macintosh mac xmacroman macroman xmacwestern"},
    {"MAC-CYRILLIC", "xmaccyrillic maccyrillic"},
    {"IBM437", "ibm437 cp437"},
    {"IBM850", "ibm850 cp850"},
    {"IBM852", "ibm852 cp852"},
    {"IBM866", "ibm866 cp866 dos866"},
    {"EUC-JP-MS", "eucjp xeucjp ujis eucjpms"},
    {"CP932", "shiftjis xsjis sjis shjis windows31j mskanji cp932 ms932"},
    {"ISO-2022-JP-3", "iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jpms cp50220 cp50221 jis"},
    {"GB18030", "gb18030 gb2312 gbk cp936 ms936 windows936 gb231280 euccn xgbk xeuccn chinese hzgb2312 gb"},
    {"BIG5-HKSCS", "big5 big5hkscs cp950 xxbig5 cnbig5 windows950"},
    {"EUC-TW", "euctw xeuctw"},
    {"ISO-2022-CN", "iso2022cn"},
    {"UHC", "ksc56011987 ksc5601 ks5601 ksc56011989 euckr cp949 uhc windows949 korean xwindows949 ksx1001"},
    {"ISO-2022-KR", "iso2022kr"},
    {"JOHAB", "johab cp1361"},
    {"TCVN", "tcvn tcvn5712"},
    {"VISCII", "viscii"},
    {"GEORGIAN-PS", "georgianps"},
    {"ARMSCII-8", "armscii8"},
    {"PT154", "pt154 ptcp154"},
    {"UTF-7", "utf7 unicode11utf7"},
    {"UTF-16", "utf16 unicode ucs2 iso10646ucs2"},
    {"UTF-16LE", "utf16le ucs2le"},
    {"UTF-16BE", "utf16be ucs2be"},
    {"UTF-32", "utf32 ucs4"},
};
#define CHARSETS (sizeof charset_table / sizeof *charset_table)
#define ROW_UTF8 0
#define ROW_WINDOWS_1252 1

/* One descriptor for each charset: (iconv_t)-1: not installed. It stays open, so that its library stays
 * loaded. */
static iconv_t charset_open[CHARSETS];
static bool charsets_are_open;

void charsets_open(void) {
    for (size_t i = 0; i < CHARSETS && !charsets_are_open; i++)
        charset_open[i] = iconv_open("UTF-8", charset_table[i].name);
    charsets_are_open = true;
}

/* Returns the row of the name, or -1. */
static int charset_row(struct str name) {
    char folded[40];
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        if (in_set(c, "-_. \"'\t:")) continue;
        if (n == sizeof folded) return -1;
        folded[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    struct str wanted = {folded, n};
    for (size_t i = 0; i < CHARSETS; i++) {
        struct str rest = str_of(charset_table[i].aliases);
        while (rest.p)
            if (str_eq(str_cut(&rest, ' '), wanted)) return (int)i;
    }
    return -1;
}

/* ---- conversion ------------------------------------------------------------------------------ */

static bool has_high_bytes(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] & 0x80) return true;
    return false;
}

static bool has_japanese_escape(struct str s) {
    for (const char *p = s.p, *end = s.p + s.n; p && (p = memchr(p, 0x1B, (size_t)(end - p))) != NULL; p++)
        if (end - p >= 3 && p[1] == '$' && (p[2] == 'B' || p[2] == '@')) return true;
    return false;
}

static struct str converted(struct arena *a, struct str s, iconv_t with) {
    size_t room = 4 * s.n + 16, left = s.n;
    char *out = arena_bytes(a, room), *to = out, *from = (char *)(uintptr_t)s.p;
    iconv(with, NULL, NULL, NULL, NULL);
    while (left && room > 8) {
        if (iconv(with, &from, &left, &to, &room) != (size_t)-1 || left == 0 || room < 8) break;
        memcpy(to, UTF8_REPLACEMENT, 3);
        to += 3, room -= 3;
        from++, left--;
    }
    if (room > 8) iconv(with, NULL, NULL, &to, &room);
    struct str made = {out, (size_t)(to - out)};
    return utf8_repaired(a, made);
}

static bool row_is_usable(int row) { return row >= 0 && charset_open[row] != (iconv_t)-1; }

/* A text that declares UTF-8 may be cut within a character, or contain a few wrong bytes. If no character
 * is right, it is not UTF-8. */
static bool is_mostly_utf8(struct str s) {
    size_t right = 0, wrong = 0;
    for (size_t i = 0; i < s.n;) {
        size_t len = utf8_sequence(s.p + i, s.n - i);
        if (len > 1) right++;
        if (len == 0) wrong++;
        i += len ? len : 1;
    }
    return right >= wrong;
}

static struct str guessed(struct arena *a, struct str s) {
    int row = has_japanese_escape(s) ? charset_row(S("ISO-2022-JP")) : ROW_WINDOWS_1252;
    if (row == ROW_WINDOWS_1252 && (utf8_valid(s) || is_mostly_utf8(s) || !row_is_usable(row)))
        return utf8_repaired(a, s);
    return row_is_usable(row) ? converted(a, s, charset_open[row]) : utf8_repaired(a, s);
}

struct str charset_to_utf8(struct arena *a, struct str bytes, struct str charset) {
    int row = charset.p ? charset_row(charset) : -1;
    if (bytes.n == 0) return S("");
    charsets_open();
    if (row == ROW_UTF8 || !row_is_usable(row)) return guessed(a, bytes);
    /* A single-byte charset that is declared for UTF-8 with letters outside ASCII is wrong: such text is
     * UTF-8 only by intent. */
    if (row == ROW_WINDOWS_1252 && has_high_bytes(bytes) && utf8_valid(bytes)) return bytes;
    return converted(a, bytes, charset_open[row]);
}

/* ---- control characters ---------------------------------------------------------------------- */

struct str utf8_first(struct str s, size_t most) {
    if (s.n <= most) return s;
    while (most && ((unsigned char)s.p[most] & 0xC0) == 0x80) most--;
    return (struct str){s.p, most};
}

/* Returns the length of the control character at i, or 0. */
static size_t control_at(struct str s, size_t i) {
    unsigned char c = (unsigned char)s.p[i];
    if (c < ' ' || c == 0x7F) return 1;
    return c == 0xC2 && i + 1 < s.n && (unsigned char)s.p[i + 1] < 0xA0 ? 2 : 0;
}

static bool is_without_controls(struct str s, const char *but) {
    if (!utf8_valid(s)) return false;
    for (size_t i = 0; i < s.n; i++)
        if (control_at(s, i) && !in_set(s.p[i], but)) return false;
    return true;
}

bool text_is_plain(struct str text) { return is_without_controls(text, "\n\t"); }
bool line_is_plain(struct str text) { return is_without_controls(text, ""); }

struct str text_without_controls(struct arena *a, struct str text) {
    char *out = arena_bytes(a, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        size_t control = control_at(text, i);
        if (text.p[i] == '\r' && (i + 1 == text.n || text.p[i + 1] != '\n')) out[n++] = '\n';
        else if (control == 0 || text.p[i] == '\n' || text.p[i] == '\t') out[n++] = text.p[i];
        else i += control - 1;
    }
    return (struct str){out, n};
}

struct str line_without_controls(struct arena *a, struct str text, size_t most) {
    char *out = arena_bytes(a, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        size_t control = control_at(text, i);
        bool blank = control || text.p[i] == ' ';
        if (!blank) out[n++] = text.p[i];
        else if (n && out[n - 1] != ' ') out[n++] = ' ';
        if (control) i += control - 1;
    }
    struct str made = utf8_first((struct str){out, n}, most);
    while (made.n && made.p[made.n - 1] == ' ') made.n--;
    return made;
}
