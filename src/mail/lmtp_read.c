#include "mail/lmtp_read.h"

#include <ctype.h>

#define ADDRESS_MAX 512 /* bytes; RFC 5321 demands 254, and tokens in plus parts add some */

/* ---- paths ----------------------------------------------------------------------------------- */

static bool is_atom_byte(unsigned char c) {
    return c > 0x7F || isalnum(c) || in_set(c, "!#$%&'*+-/=?^_`{|}~.");
}
static bool is_host_byte(unsigned char c) {
    return c > 0x7F || isalnum(c) || c == '-' || c == '.' || c == '_';
}

static size_t span(struct str s, bool (*is)(unsigned char c)) {
    size_t n = 0;
    while (n < s.n && is((unsigned char)s.p[n])) n++;
    return n;
}

static struct str behind(struct str s, size_t n) { return (struct str){s.p + n, s.n - n}; }

/* Returns the length of a quoted string with its quotes, or 0. */
static size_t quoted_span(struct str s) {
    if (s.n == 0 || *s.p != '"') return 0;
    for (size_t i = 1; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"') return i + 1;
        if (c < ' ' || c == 0x7F) return 0;
        if (c == '\\' && ++i < s.n && (s.p[i] < ' ' || s.p[i] > '~')) return 0;
    }
    return 0;
}

/* Returns the length of a domain or of an address in brackets, or 0. */
static size_t domain_span(struct str s) {
    if (s.n == 0 || *s.p != '[') return span(s, is_host_byte);
    for (size_t i = 1; i < s.n && s.p[i] > ' ' && s.p[i] <= '~'; i++)
        if (s.p[i] == ']') return i + 1;
    return 0;
}

/* The contents of a quoted string if they need no quotes: "a\b"@x is ab@x. p NULL: they do. */
static struct str unquoted(struct arena *a, struct str s) {
    char *out = arena_bytes(a, s.n);
    size_t n = 0;
    for (size_t i = 1; i + 1 < s.n; i++) {
        if (s.p[i] == '\\') i++;
        if (!is_atom_byte((unsigned char)s.p[i])) return (struct str){0};
        out[n++] = s.p[i];
    }
    return (struct str){n ? out : NULL, n};
}

/* Skips a source route: @a,@b: (RFC 5321 section 4.1.1.3). */
static struct str without_route(struct str s) {
    struct str rest = s;
    if (s.n == 0 || *s.p != '@') return s;
    str_cut(&rest, ':');
    return rest.p ? rest : s;
}

/* Reads "<local@domain>", and "<>" and "<local>", too. *rest becomes the text behind it. Returns false if
 * it is no path. */
static bool path_read(struct arena *a, struct str *rest, struct str *address) {
    if (rest->n == 0 || *rest->p != '<') return false;
    struct str at = without_route(behind(*rest, 1));
    size_t quoted = quoted_span(at), n = quoted ? quoted : span(at, is_atom_byte);
    struct str local = {at.p, n}, plain = quoted ? unquoted(a, local) : (struct str){0};
    at = behind(at, n);
    struct str domain = {at.p, 0};
    if (at.n && *at.p == '@') domain.n = domain_span(behind(at, 1)) + 1;
    if (domain.n == 1 || (domain.n && local.n == 0) || local.n + domain.n > ADDRESS_MAX) return false;
    at = behind(at, domain.n);
    if (at.n == 0 || *at.p != '>') return false;
    *rest = behind(at, 1);
    *address = STR_CAT(a, plain.p ? plain : local, domain);
    return rest->n == 0 || *rest->p == ' ';
}

/* ---- commands -------------------------------------------------------------------------------- */

/* "SIZE=123": at most 18 digits. */
static bool size_read(struct str digits, int64_t *size) {
    for (size_t i = 0; i < digits.n; i++)
        if (!isdigit((unsigned char)digits.p[i])) return false;
    return digits.n > 0 && digits.n <= 18 && str_to_int(digits, size);
}

static const char *mail_parameter(struct lmtp_command *c, struct str text) {
    struct str value = text, name = str_cut(&value, '=');
    if (str_eqi(name, S("SIZE")))
        return value.p && size_read(value, &c->size) ? NULL : "501 5.5.4 SIZE takes a number of bytes";
    if (str_eqi(name, S("BODY")))
        return str_eqi(value, S("7BIT")) || str_eqi(value, S("8BITMIME"))
                   ? NULL
                   : "501 5.5.4 BODY takes 7BIT or 8BITMIME";
    if (!str_eqi(text, S("SMTPUTF8"))) return "555 5.5.4 unknown parameter";
    c->utf8 = true;
    return NULL;
}

static const char *parameters_read(struct lmtp_command *c, struct str rest) {
    const char *wrong = NULL;
    while (rest.p && !wrong) {
        struct str one = str_cut(&rest, ' ');
        if (one.n) wrong = c->verb == LMTP_MAIL ? mail_parameter(c, one) : "555 5.5.4 unknown parameter";
    }
    return wrong;
}

static bool is_ascii(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] > 0x7F) return false;
    return true;
}

static const char *read_address(struct arena *a, struct lmtp_command *c, struct str rest, struct str word) {
    if (rest.n < word.n || !str_eqi((struct str){rest.p, word.n}, word))
        return c->verb == LMTP_MAIL ? "501 5.5.4 write MAIL FROM:<address>"
                                    : "501 5.5.4 write RCPT TO:<address>";
    rest = str_trim(behind(rest, word.n));
    if (!path_read(a, &rest, &c->address) || (c->verb == LMTP_RCPT && c->address.n == 0))
        return c->verb == LMTP_MAIL ? "501 5.1.7 not an address" : "501 5.1.3 not an address";
    c->international = !is_ascii(c->address);
    return parameters_read(c, rest);
}

static const struct {
    const char *name;
    enum lmtp_verb verb;
} verbs[] = {{"LHLO", LMTP_LHLO}, {"HELO", LMTP_HELO}, {"EHLO", LMTP_HELO}, {"MAIL", LMTP_MAIL},
             {"RCPT", LMTP_RCPT}, {"DATA", LMTP_DATA}, {"RSET", LMTP_RSET}, {"NOOP", LMTP_NOOP},
             {"QUIT", LMTP_QUIT}, {"VRFY", LMTP_VRFY}, {"HELP", LMTP_HELP}};

static enum lmtp_verb verb_of(struct str name) {
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (str_eqi(name, str_of(verbs[i].name))) return verbs[i].verb;
    return LMTP_UNKNOWN;
}

static bool is_line(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F) return false;
    return utf8_valid(s);
}

struct lmtp_command lmtp_command_read(struct arena *a, struct str line) {
    struct lmtp_command c = {.verb = LMTP_UNKNOWN};
    if (!is_line(line)) {
        c.wrong = "500 5.5.2 a command is one line of UTF-8 that ends with CR LF";
        return c;
    }
    struct str rest = line, name = str_cut(&rest, ' ');
    rest = rest.p ? str_trim(rest) : S("");
    c.verb = verb_of(name);
    switch (c.verb) {
    case LMTP_UNKNOWN: c.wrong = "500 5.5.1 unknown command"; break;
    case LMTP_HELO: c.wrong = "500 5.5.1 this is LMTP: begin with LHLO"; break;
    case LMTP_LHLO: c.wrong = rest.n ? NULL : "501 5.5.4 write LHLO and your host name"; break;
    case LMTP_MAIL: c.wrong = read_address(a, &c, rest, S("FROM:")); break;
    case LMTP_RCPT: c.wrong = read_address(a, &c, rest, S("TO:")); break;
    case LMTP_DATA:
    case LMTP_RSET:
    case LMTP_QUIT: c.wrong = rest.n ? "501 5.5.4 this command takes no arguments" : NULL; break;
    case LMTP_NOOP:
    case LMTP_VRFY:
    case LMTP_HELP: break;
    }
    return c;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Moves on by one byte. Writes 0, 1 or 2 bytes to out. Returns their number. */
static size_t data_byte(enum lmtp_place *at, char c, char *out) {
    enum lmtp_place was = *at;
    out[0] = c;
    switch (was) {
    case PLACE_LINE: *at = c == '.' ? PLACE_DOT : c == '\r' ? PLACE_CR : PLACE_TEXT; return c != '.';
    case PLACE_TEXT:
    case PLACE_CR:
        *at = c == '\r' ? PLACE_CR : c == '\n' && was == PLACE_CR ? PLACE_LINE : PLACE_TEXT;
        return 1;
    case PLACE_DOT: *at = c == '\r' ? PLACE_DOT_CR : PLACE_TEXT; return c != '\r';
    case PLACE_DOT_CR:
        *at = c == '\n' ? PLACE_END : c == '\r' ? PLACE_CR : PLACE_TEXT;
        out[0] = '\r', out[1] = c;
        return c == '\n' ? 0 : 2;
    case PLACE_END: break;
    }
    return 0;
}

size_t lmtp_data_read(enum lmtp_place *at, struct str in, char *out, size_t *written) {
    size_t i = 0, n = 0;
    while (i < in.n && *at != PLACE_END) {
        const char *cr = *at == PLACE_TEXT ? memchr(in.p + i, '\r', in.n - i) : in.p + i;
        size_t run = cr ? (size_t)(cr - in.p) - i : in.n - i; /* text without CR stays as it is */
        memcpy(out + n, in.p + i, run);
        i += run, n += run;
        if (i < in.n) n += data_byte(at, in.p[i++], out + n);
    }
    *written = n;
    return i;
}
