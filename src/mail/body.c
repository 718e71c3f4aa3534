#include "mail/body.h"

#include "base/buf.h"
#include "base/limits.h"
#include "files/zip.h"
#include "mail/answer.h"
#include "mail/charset.h"
#include "mail/header.h"
#include "mail/tnef.h"

#include <ctype.h>
#include <gmime/gmime.h>
#include <strings.h>

/* ---- format=flowed (RFC 3676): lines that end with a blank continue on the next line --------- */

static struct str flowed_line(struct str *rest, int *depth) {
    struct str line = str_cut(rest, '\n');
    *depth = 0;
    while (line.n && line.p[0] == '>') line = (struct str){line.p + 1, line.n - 1}, ++*depth;
    if (line.n && line.p[0] == ' ') line = (struct str){line.p + 1, line.n - 1}; /* space-stuffing */
    return line;
}

/* Joins the lines of each paragraph. With `delsp`, the blank before a joint is removed. Quoted lines begin
 * with "> " afterwards. */
static struct str flowed_joined(struct arena *a, struct str text, bool delsp) {
    struct buf b = {0};
    bool open = false; /* the last line continues */
    int before = 0;
    for (struct str rest = text; rest.p;) {
        int depth;
        struct str line = flowed_line(&rest, &depth);
        bool signature = str_eq(line, S("-- "));
        if (open && (depth != before || signature)) buf_char(&b, '\n'), open = false;
        for (int i = 0; i < depth && !open; i++) buf_text(&b, "> ");
        bool flows = line.n && line.p[line.n - 1] == ' ' && !signature && rest.p;
        buf_str(&b, (struct str){line.p, line.n - (flows && delsp)});
        if (!flows && rest.p) buf_char(&b, '\n');
        open = flows;
        before = depth;
    }
    return buf_take(&b, a);
}

struct part {
    struct str type, type_value;               /* "text/plain"; the whole field, for its parameters */
    struct str disposition, disposition_value; /* empty: none */
    struct str encoding, id, location, file_name, bytes;
};

/* ---- the header of a part -------------------------------------------------------------------- */

static bool type_is(const struct part *p, const char *type) { return str_eq(p->type, str_of(type)); }
static bool type_begins(const struct part *p, const char *family) {
    return str_starts(p->type, str_of(family));
}

static void take_part_field(struct arena *a, struct part *p, const struct mail_field *f) {
    if (str_eqi(f->name, S("Content-Type")) && !header_is_type(p->type)) {
        p->type_value = f->value;
        p->type = header_word(a, f->value);
    }
    if (str_eqi(f->name, S("Content-Disposition")) && p->disposition.n == 0) {
        p->disposition_value = f->value;
        p->disposition = header_word(a, f->value);
    }
    if (str_eqi(f->name, S("Content-Transfer-Encoding")) && p->encoding.n == 0)
        p->encoding = header_word(a, f->value);
    if (str_eqi(f->name, S("Content-ID")) && p->id.p == NULL) p->id = header_line(a, f->value, 300);
    if (str_eqi(f->name, S("Content-Location")) && p->location.p == NULL)
        p->location = header_line(a, f->value, 1000);
}

static struct str name_in(struct arena *a, const struct part *p) {
    struct str name =
        p->disposition_value.p ? header_attribute(a, p->disposition_value, "filename") : (struct str){0};
    if (name.n == 0 && p->type_value.p) name = header_attribute(a, p->type_value, "name");
    return name.n ? name : (struct str){0};
}

/* Splits the part into its header and its bytes, which are still encoded. */
static struct part part_read(struct arena *a, struct str text, const char *type) {
    struct part p = {.type = S(""), .disposition = S(""), .encoding = S("")};
    struct mail_field f;
    for (int fields = 0; field_next(&text, &f);)
        if (fields++ < PARTS_FIELDS && strncasecmp(f.name.p, "content-", 8) == 0) take_part_field(a, &p, &f);
    if (str_eq(p.type, S("text"))) p.type = S("text/plain");
    if (!header_is_type(p.type))
        p.type = p.type.n && p.disposition.n ? S("application/octet-stream") : str_of(type);
    p.bytes = text.p ? text : S("");
    p.file_name = name_in(a, &p);
    return p;
}

/* ---- transfer encodings ---------------------------------------------------------------------- */

/* Words in use, also wrong ones. All others mean that nothing is encoded. */
static const struct {
    const char *word;
    GMimeContentEncoding encoding;
} encoding_words[] = {
    {"base64", GMIME_CONTENT_ENCODING_BASE64},
    {"base-64", GMIME_CONTENT_ENCODING_BASE64},
    {"quoted-printable", GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE},
    {"quotedprintable", GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE},
    {"qp", GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE},
    {"x-uuencode", GMIME_CONTENT_ENCODING_UUENCODE},
    {"uuencode", GMIME_CONTENT_ENCODING_UUENCODE},
    {"x-uue", GMIME_CONTENT_ENCODING_UUENCODE},
    {"uue", GMIME_CONTENT_ENCODING_UUENCODE},
};

static GMimeContentEncoding encoding_of(struct str word) {
    for (size_t i = 0; i < sizeof encoding_words / sizeof *encoding_words; i++)
        if (str_eq(word, str_of(encoding_words[i].word))) return encoding_words[i].encoding;
    return GMIME_CONTENT_ENCODING_DEFAULT;
}

/* The text behind the line "begin MODE NAME". */
static struct str behind_begin(struct str s) {
    for (struct str rest = s; rest.p;) {
        struct str line = str_cut(&rest, '\n');
        if (str_starts(line, S("begin ")) && rest.p) return rest;
    }
    return s;
}

static struct str part_bytes(struct arena *a, const struct part *p) {
    GMimeEncoding state;
    GMimeContentEncoding encoding = encoding_of(p->encoding);
    struct str s = p->bytes;
    if (encoding == GMIME_CONTENT_ENCODING_DEFAULT) return s;
    if (encoding == GMIME_CONTENT_ENCODING_UUENCODE) s = behind_begin(s);
    g_mime_encoding_init_decode(&state, encoding);
    char *out = arena_bytes(a, g_mime_encoding_outlen(&state, s.n) + 8);
    return (struct str){out, g_mime_encoding_flush(&state, s.p, s.n, out)};
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Finds charset=... at the beginning of HTML. */
static struct str charset_in_html(struct str html) {
    struct str head = {html.p, html.n < 2000 ? html.n : 2000};
    for (size_t i = 0; i + 8 < head.n; i++) {
        if (strncasecmp(head.p + i, "charset=", 8) != 0) continue;
        size_t from = i + 8, n = 0;
        if (in_set(head.p[from], "\"'")) from++;
        while (from + n < head.n &&
               (isalnum((unsigned char)head.p[from + n]) || in_set(head.p[from + n], "-_.:")))
            n++;
        return (struct str){head.p + from, n};
    }
    return (struct str){0};
}

static struct str text_of_part(struct arena *a, const struct part *p) {
    struct str bytes = part_bytes(a, p),
               charset = p->type_value.p ? header_attribute(a, p->type_value, "charset") : (struct str){0};
    bool html = type_is(p, "text/html");
    if (charset.n == 0 && html) charset = charset_in_html(bytes);
    struct str text = charset_to_utf8(a, bytes, charset);
    if (html) return text;
    text = text_without_controls(a, text);
    struct str format = p->type_value.p ? header_attribute(a, p->type_value, "format") : (struct str){0};
    if (!str_eqi(format, S("flowed"))) return text;
    return flowed_joined(a, text, str_eqi(header_attribute(a, p->type_value, "delsp"), S("yes")));
}

static struct body_piece *new_piece(struct body *b) {
    b->pieces = arena_more(b->a, b->pieces, b->piece_count, &b->piece_room, sizeof *b->pieces);
    struct body_piece *p = &b->pieces[b->piece_count++];
    *p = (struct body_piece){0};
    return p;
}

/* Appends a line break and the text. The room grows by doubling, because a form may have a thousand parts. */
static void form_append(struct body *b, struct str *form, int *room, struct str more) {
    if (form->n + more.n > LIMIT_HTML) {
        b->out->cut = true;
        return;
    }
    int wanted = (int)(form->n + more.n + 1);
    if (wanted > *room) {
        *room = 2 * wanted;
        char *bytes = arena_bytes(b->a, (size_t)*room);
        memcpy(bytes, form->p, form->n);
        form->p = bytes;
    }
    char *end = (char *)(uintptr_t)form->p + form->n;
    *end = '\n';
    if (more.n) memcpy(end + 1, more.p, more.n);
    form->n = (size_t)wanted;
}

/* Adds the text to the piece that alternatives share, which has the number `piece`. -1: it is a piece by
 * itself. An alternative in a form that was there before is left out; with `append`, it continues the
 * form. */
static void body_add_text(struct body *b, const struct part *p, int piece, bool append) {
    struct body_piece *to = piece >= 0 ? &b->pieces[piece] : new_piece(b);
    bool html = type_is(p, "text/html");
    struct str *form = html ? &to->html : &to->text;
    if (form->p == NULL) *form = text_of_part(b->a, p);
    else if (append) form_append(b, form, html ? &to->html_room : &to->text_room, text_of_part(b->a, p));
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Names of files without one. */
static const struct {
    const char *type, *name;
} default_names[] = {
    {"text/calendar", "invitation.ics"},
    {"text/plain", "attachment.txt"},
    {"text/html", "attachment.html"},
    {"text/rtf", "attachment.rtf"},
    {"text/csv", "attachment.csv"},
    {"text/vcard", "contact.vcf"},
    {"text/x-vcard", "contact.vcf"},
    {"text/rfc822-headers", "headers.txt"},
    {"message/delivery-status", "delivery-status.txt"},
    {"message/disposition-notification", "disposition-notification.txt"},
    {"message/feedback-report", "feedback-report.txt"},
    {"application/pgp-signature", "signature.asc"},
    {"application/pgp-encrypted", "version.txt"},
    {"application/pgp-keys", "key.asc"},
    {"application/pkcs7-signature", "smime.p7s"},
    {"application/x-pkcs7-signature", "smime.p7s"},
    {"application/pkcs7-mime", "smime.p7m"},
    {"application/x-pkcs7-mime", "smime.p7m"},
    {"application/pdf", "attachment.pdf"},
    {"application/zip", "attachment.zip"},
    {"application/ms-tnef", "winmail.dat"},
    {"image/jpeg", "picture.jpg"},
    {"image/png", "picture.png"},
    {"image/gif", "picture.gif"},
    {"image/webp", "picture.webp"},
    {"image/tiff", "picture.tiff"},
};

/* Returns the subject of a mail with .eml. */
static struct str name_of_mail(struct arena *a, struct str mail) {
    struct mail_field f;
    for (int n = 0; n < PARTS_FIELDS && field_next(&mail, &f); n++) {
        struct str subject = str_eqi(f.name, S("Subject")) ? header_line(a, f.value, 150) : S("");
        if (subject.n == 0) continue;
        char *name = arena_bytes(a, subject.n + 1);
        for (size_t i = 0; i < subject.n; i++) name[i] = in_set(subject.p[i], "/\\") ? '-' : subject.p[i];
        return STR_CAT(a, ((struct str){name, subject.n}), S(".eml"));
    }
    return S("message.eml");
}

static struct str default_name(struct arena *a, const struct part *p, struct str bytes) {
    if (type_is(p, "message/rfc822") || type_is(p, "message/global")) return name_of_mail(a, bytes);
    for (size_t i = 0; i < sizeof default_names / sizeof *default_names; i++)
        if (type_is(p, default_names[i].type)) return str_of(default_names[i].name);
    return p->location.n ? str_leaf(p->location) : S("attachment");
}

/* its name is made safe */
static void body_add_file(struct body *b, const struct mail_file *f) {
    if (b->out->file_count == INCOMING_FILES) {
        b->out->cut = true;
        return;
    }
    b->out->files = arena_more(b->a, b->out->files, b->out->file_count, &b->file_room, sizeof *b->out->files);
    struct mail_file *to = &b->out->files[b->out->file_count++];
    *to = *f;
    to->name =
        file_name_safe(b->a, file_name_without_directions(b->a, line_without_controls(b->a, f->name, 1000)));
}

static struct str id_of_part(const struct part *p) {
    struct str id = p->id.p ? str_trim(p->id) : S("");
    if (id.n >= 2 && id.p[0] == '<' && id.p[id.n - 1] == '>') id = (struct str){id.p + 1, id.n - 2};
    return id.n && id.n <= ANSWER_CONTENT_ID ? id : (struct str){0};
}

static void add_part_as_file(struct body *b, const struct part *p) {
    struct str bytes = part_bytes(b->a, p);
    struct str name = p->file_name.p ? p->file_name : default_name(b->a, p, bytes);
    if (bytes.n == 0 && p->file_name.p == NULL) return;
    if ((type_is(p, "message/rfc822")) && p->file_name.p && !memchr(name.p, '.', name.n))
        name = STR_CAT(b->a, name, S(".eml"));
    body_add_file(
        b, &(struct mail_file){.name = name, .type = p->type, .content_id = id_of_part(p), .bytes = bytes});
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The position of a part in the mail. */
struct place {
    int depth, piece; /* piece: of alternatives, -1: none */
    bool alternative; /* directly in a multipart/alternative */
    bool whole;       /* it is the whole mail */
    const char *type; /* type of a part without Content-Type */
};

static void body_read_part(struct body *b, struct str text, struct place at);

static void note(struct body *b, const char *sentence) {
    if (memmem(b->notes.p, b->notes.n, sentence, strlen(sentence))) return;
    b->notes = b->notes.n ? STR_CAT(b->a, b->notes, S("\n"), str_of(sentence)) : str_of(sentence);
}

static void read_multipart(struct body *b, const struct part *p, struct place at, struct str boundary) {
    struct place inner = {at.depth + 1, at.piece, false, false, "text/plain"};
    size_t position = 0;
    if (type_is(p, "multipart/digest")) inner.type = "message/rfc822";
    if (type_is(p, "multipart/report")) b->out->signs.is_report = true;
    if (type_is(p, "multipart/alternative")) {
        inner.alternative = true;
        if (at.piece < 0) new_piece(b), inner.piece = b->piece_count - 1;
    }
    for (struct str part; (part = part_next(&b->lines, p->bytes, boundary, &position)).p;) {
        if (b->parts++ >= PARTS_MOST) {
            b->out->cut = true;
            return;
        }
        body_read_part(b, part, inner);
    }
}

/* PGP/MIME (RFC 3156) and S/MIME in a multipart: each part is a file. */
static void read_encrypted(struct body *b, const struct part *p, struct str boundary) {
    size_t position = 0;
    note(b, "This mail is encrypted. Its contents are in the attachment.");
    for (struct str part;
         b->parts++ < PARTS_MOST && (part = part_next(&b->lines, p->bytes, boundary, &position)).p;) {
        struct part one = part_read(b->a, part, "application/octet-stream");
        if (one.file_name.p == NULL && type_is(&one, "application/octet-stream"))
            one.file_name = S("encrypted.asc");
        add_part_as_file(b, &one);
    }
}

/* Guesses the boundary if the parameter is missing: the first line that begins with "--". */
static struct str boundary_of(struct body *b, const struct part *p) {
    struct str boundary = header_attribute(b->a, p->type_value, "boundary");
    if (boundary.n) return str_trim(boundary);
    for (struct str rest = p->bytes; rest.p;) {
        struct str line = str_trim(str_cut(&rest, '\n'));
        if (line.n > 4 && line.n < 100 && str_starts(line, S("--")))
            return (struct str){line.p + 2, line.n - 2};
    }
    return S("");
}

static bool has_boundary(struct body *b, const struct part *p, struct str boundary) {
    size_t position = 0;
    return boundary.n && part_next(&b->lines, p->bytes, boundary, &position).p;
}

static void read_tnef(struct body *b, const struct part *p) {
    struct tnef_mail m;
    if (!tnef_read(b->a, part_bytes(b->a, p), &m)) {
        add_part_as_file(b, p);
        return;
    }
    bool has_text = false;
    for (int i = 0; i < b->piece_count; i++) has_text |= str_trim(b->pieces[i].text).n || b->pieces[i].html.n;
    if (!has_text && (m.text.p || m.html.p))
        *new_piece(b) = (struct body_piece){.text = m.text, .html = m.html};
    for (int i = 0; i < m.file_count; i++) body_add_file(b, &m.files[i]);
}

static bool is_tnef(const struct part *p) {
    return type_is(p, "application/ms-tnef") || type_is(p, "application/vnd.ms-tnef") ||
           (type_is(p, "application/octet-stream") && p->file_name.p &&
            str_eqi(p->file_name, S("winmail.dat")));
}

static void note_smime(struct body *b, const struct part *p) {
    struct str kind = p->type_value.p ? header_attribute(b->a, p->type_value, "smime-type") : S("");
    if (str_eqi(kind, S("signed-data")))
        note(b, "This mail is signed (S/MIME). Its contents are in the attachment.");
    else if (!str_eqi(kind, S("certs-only")))
        note(b, "This mail is encrypted (S/MIME). Its contents are in the "
                "attachment.");
}

/* A text with a file name is a file, unless it is the whole mail. */
static bool part_is_text(const struct part *p, struct place at) {
    if (!type_is(p, "text/plain") && !type_is(p, "text/html")) return false;
    return !str_eq(p->disposition, S("attachment")) && (p->file_name.p == NULL || at.whole);
}

static void read_leaf(struct body *b, const struct part *p, struct place at) {
    bool append = at.piece >= 0 && !at.alternative;
    if (part_is_text(p, at)) {
        body_add_text(b, p, at.piece, append);
        return;
    }
    if (at.alternative &&
        (type_is(p, "text/x-amp-html") || type_is(p, "text/watch-html") || type_is(p, "text/enriched")))
        return;
    if (type_is(p, "text/calendar")) {
        struct str method = p->type_value.p ? header_attribute(b->a, p->type_value, "method") : S("");
        b->out->signs.is_calendar_reply |= str_eqi(method, S("REPLY"));
    }
    b->has_status |= type_is(p, "message/delivery-status") || type_is(p, "message/global-delivery-status");
    if (type_is(p, "application/pkcs7-mime") || type_is(p, "application/x-pkcs7-mime")) note_smime(b, p);
    if (is_tnef(p)) read_tnef(b, p);
    else add_part_as_file(b, p);
}

static void body_read_part(struct body *b, struct str text, struct place at) {
    struct part p = part_read(b->a, text, at.type);
    bool multipart = type_begins(&p, "multipart/");
    if (multipart && at.depth >= PARTS_DEPTH) {
        b->out->cut = true;
        return;
    }
    struct str boundary = multipart ? boundary_of(b, &p) : S("");
    if (multipart && !has_boundary(b, &p, boundary))
        p.type = S("text/plain"), p.file_name = (struct str){0}, multipart = false;
    if (!multipart) read_leaf(b, &p, at);
    else if (type_is(&p, "multipart/encrypted")) read_encrypted(b, &p, boundary);
    else read_multipart(b, &p, at, boundary);
}

void body_read(struct body *b, struct str mail) {
    lines_find(b->a, mail, &b->lines);
    b->notes = S("");
    b->out->cut |= b->lines.cut;
    body_read_part(b, mail, (struct place){0, -1, false, true, "text/plain"});
}
