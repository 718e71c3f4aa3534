#include "mail/report.h"

#include "mail/answer.h"
#include "mail/mime.h"

#include <gmime/gmime.h>

#define PARTS 100         /* parts that are read; a report has three */
#define CONTENT_TYPE 2000 /* longest Content-Type that is parsed, in bytes */

/* ---- lines and fields ------------------------------------------------------------------------ */

struct field {
    struct str name, value; /* the value as written, over several lines if it is folded */
};

static struct str report_next_line(struct str *rest) {
    struct str line = str_cut(rest, '\n');
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    return line;
}

static bool is_name(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] > '~') return false;
    return s.n > 0;
}

/* Reads the next field. Skips lines that are not fields, such as the "From " line that pipes begin with.
 * Returns false at the end of the block. Then rest is the text behind its blank line, or p NULL at the end
 * of the mail. */
static bool next_field(struct str *rest, struct field *f) {
    while (rest->p) {
        struct str line = report_next_line(rest), value = line, name = str_trim(str_cut(&value, ':'));
        if (line.n == 0) return false;
        while (rest->p && rest->n && (*rest->p == ' ' || *rest->p == '\t')) {
            struct str more = report_next_line(rest);
            if (value.p) value.n = (size_t)(more.p + more.n - value.p);
        }
        if (value.p == NULL || !is_name(name)) continue;
        *f = (struct field){name, str_trim(value)};
        return true;
    }
    return false;
}

/* Returns the text on one line, in printable ASCII: safe for a terminal, a page and the store. */
static struct str plain(struct arena *a, struct str s, size_t most) {
    if (s.n < most) most = s.n;
    char *out = arena_bytes(a, most + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n && n < most; i++) {
        bool blank = (unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7F;
        if (blank && (n == 0 || out[n - 1] == ' ')) continue;
        out[n++] = (char)(blank ? ' ' : (unsigned char)s.p[i] > '~' ? '?' : s.p[i]);
    }
    if (n && out[n - 1] == ' ') n--;
    out[n] = 0;
    return (struct str){out, n};
}

/* ---- the parts ------------------------------------------------------------------------------- */

struct part {
    struct str type, encoding; /* fields Content-Type and Content-Transfer-Encoding; p NULL: none */
    struct str body;
    bool is_mail; /* true: it has a field that every mail has (RFC 5322 section 3.6) */
};

static struct part part_of(struct str text) {
    struct part p = {0};
    for (struct field f; next_field(&text, &f);) {
        if (p.type.p == NULL && str_eqi(f.name, S("Content-Type"))) p.type = f.value;
        if (p.encoding.p == NULL && str_eqi(f.name, S("Content-Transfer-Encoding"))) p.encoding = f.value;
        p.is_mail |= str_eqi(f.name, S("From")) || str_eqi(f.name, S("Date"));
    }
    p.body = text.p ? text : S("");
    return p;
}

/* Returns the text before the next delimiter. rest becomes the text behind it, p NULL after the last one
 * (RFC 2046 section 5.1.1). */
static struct str next_delimited(struct str *rest, struct str boundary) {
    struct str all = *rest;
    while (rest->p) {
        const char *at = rest->p;
        struct str line = report_next_line(rest);
        if (line.n < boundary.n + 2 || memcmp(line.p, "--", 2) != 0 ||
            memcmp(line.p + 2, boundary.p, boundary.n) != 0)
            continue;
        struct str tail = str_trim((struct str){line.p + 2 + boundary.n, line.n - 2 - boundary.n});
        if (tail.n && !str_eq(tail, S("--"))) continue;
        if (tail.n) *rest = (struct str){0};
        return (struct str){all.p, (size_t)(at - all.p)};
    }
    return all;
}

static GMimeContentType *part_type(struct arena *a, const struct part *p) {
    return p->type.p && p->type.n <= CONTENT_TYPE ? g_mime_content_type_parse(NULL, str_dup(a, p->type).p)
                                                  : NULL;
}

static struct str part_decoded(struct arena *a, const struct part *p) {
    GMimeEncoding state;
    GMimeContentEncoding encoding = p->encoding.p
                                        ? g_mime_content_encoding_from_string(plain(a, p->encoding, 40).p)
                                        : GMIME_CONTENT_ENCODING_DEFAULT;
    if (encoding != GMIME_CONTENT_ENCODING_BASE64 && encoding != GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE)
        return p->body;
    g_mime_encoding_init_decode(&state, encoding);
    char *out = arena_bytes(a, g_mime_encoding_outlen(&state, p->body.n) + 1);
    return (struct str){out, g_mime_encoding_flush(&state, p->body.p, p->body.n, out)};
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Extracts the address of "rfc822; <ada@example.com>". */
static struct str address_in(struct arena *a, struct str value) {
    struct str rest = value;
    str_cut(&rest, ';');
    rest = str_trim(rest.p ? rest : value);
    if (rest.n >= 2 && rest.p[0] == '<' && rest.p[rest.n - 1] == '>')
        rest = (struct str){rest.p + 1, rest.n - 2};
    return plain(a, rest, ANSWER_ADDRESS);
}

static struct str first_word(struct str s) {
    struct str word = str_cut(&s, ' ');
    return str_trim(str_cut(&word, '('));
}

/* Returns class "." subject "." detail (RFC 3463 section 2); p NULL: not a status. */
static struct str status_in(struct arena *a, struct str value) {
    struct str s = first_word(plain(a, value, 40)), rest = s;
    int64_t n;
    int parts = 0;
    for (; rest.p; parts++) {
        struct str digits = str_cut(&rest, '.');
        if (digits.n > 3 || !str_to_int(digits, &n) || n < 0) return (struct str){0};
    }
    return parts == 3 ? s : (struct str){0};
}

static void take_field(struct arena *a, struct report_recipient *r, bool *counts, const struct field *f) {
    if (str_eqi(f->name, S("Action"))) {
        r->failed = str_eqi(first_word(plain(a, f->value, 40)), S("failed"));
        *counts = true;
    }
    if (str_eqi(f->name, S("Original-Recipient"))) r->original = address_in(a, f->value);
    if (str_eqi(f->name, S("Final-Recipient"))) r->final = address_in(a, f->value);
    if (str_eqi(f->name, S("Status"))) r->status = status_in(a, f->value);
    if (str_eqi(f->name, S("Diagnostic-Code"))) r->diagnostic = plain(a, f->value, ANSWER_DIAGNOSTIC);
}

/* Each recipient is a block of fields with an Action. Blocks without one, such as the first, are about the
 * report (RFC 3464 section 2). */
static void read_recipients(struct arena *a, struct str text, struct report *out) {
    out->recipients = arena_array(a, ANSWER_RECIPIENTS, sizeof *out->recipients);
    while (text.p && out->recipient_count < ANSWER_RECIPIENTS) {
        struct report_recipient r = {.final = S("")};
        bool counts = false;
        for (struct field f; next_field(&text, &f);) take_field(a, &r, &counts, &f);
        if (counts) out->recipients[out->recipient_count++] = r;
    }
}

static void read_returned(struct arena *a, struct str text, struct report *out) {
    struct field f;
    while (next_field(&text, &f)) {
        if (!str_eqi(f.name, S("Message-ID"))) continue;
        struct str id = plain(a, f.value, ANSWER_MESSAGE_ID), rest = id;
        str_cut(&rest, '<');
        out->message_id = rest.p ? str_cut(&rest, '>') : id;
        return;
    }
}

static const struct {
    const char *type, *subtype;
    void (*read)(struct arena *a, struct str text, struct report *out);
} kinds[] = {
    {"message", "delivery-status", read_recipients},
    {"message", "global-delivery-status", read_recipients},
    {"message", "rfc822", read_returned},
    {"message", "global", read_returned},
    {"text", "rfc822-headers", read_returned},
    {"message", "global-headers", read_returned},
};

static void read_part(struct arena *a, struct str text, struct report *out, bool *is_report) {
    struct part p = part_of(text);
    GMimeContentType *type = part_type(a, &p);
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++) {
        if (!g_mime_content_type_is_type(type, kinds[i].type, kinds[i].subtype)) continue;
        *is_report |= kinds[i].read == read_recipients;
        if (kinds[i].read == read_recipients ? out->recipient_count == 0 : out->message_id.p == NULL)
            kinds[i].read(a, part_decoded(a, &p), out);
    }
    g_clear_object(&type);
}

static enum report_verdict read_mail(struct arena *a, struct str mail, struct report *out) {
    struct part whole = part_of(mail);
    if (!whole.is_mail) return REPORT_NO_MAIL;
    GMimeContentType *type = part_type(a, &whole);
    bool is_report = false, may_be = type && g_mime_content_type_is_type(type, "multipart", "report");
    const char *parameter = may_be ? g_mime_content_type_get_parameter(type, "boundary") : NULL;
    if (parameter) {
        struct str boundary = str_dup(a, str_of(parameter)), rest = whole.body;
        next_delimited(&rest, boundary); /* skip the text before the first part */
        for (int n = 0; rest.p && n < PARTS; n++)
            read_part(a, next_delimited(&rest, boundary), out, &is_report);
    }
    g_clear_object(&type);
    return is_report ? REPORT_READ : REPORT_NONE;
}

enum report_verdict report_read(struct arena *a, struct str mail, struct report *out) {
    *out = (struct report){0};
    mime_begin();
    enum report_verdict verdict = read_mail(a, mail, out);
    out->is_read = verdict == REPORT_READ;
    mime_end();
    return verdict;
}
