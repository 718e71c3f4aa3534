#include "mail/mime.h"

#include "base/fold.h"

#include <gmime/gmime.h>
#include <idn2.h>
#include <pthread.h>
#include <string.h>

#define HEADER_TEXT 500 /* bytes of a name or a subject; longer ones are cut */
#define PLAIN 60        /* bytes that go into one line unencoded */
#define WORD 36 /* bytes in an encoded word: a line with one has at most 76 characters (RFC 2047 section 2) */

struct str mime_address(struct arena *a, struct str address) {
    char *domain = NULL;
    struct str rest = address, local = str_cut(&rest, '@'), out = {0};
    if (!email_valid(address)) return out;
    if (idn2_to_ascii_8z(str_dup(a, rest).p, &domain, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT) == IDN2_OK)
        out = str_fmt(a, "%.*s@%s", (int)local.n, local.p, domain);
    idn2_free(domain);
    return out;
}

/* ---- headers ---------------------------------------------------------------------------------
 *
 * Names and subjects may come from strangers. GMime does not encode a name that already is an encoded word
 * (which may hide a CR LF), and makes longer encoded words than RFC 2047 allows. So a text is written
 * unencoded only if no character in it is special, otherwise as encoded words. */

static bool means_nothing(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!g_ascii_isalnum(s.p[i]) && !in_set(s.p[i], " -_&!+*/'")) return false;
    return s.n <= PLAIN && (s.n == 0 || (s.p[0] != ' ' && s.p[s.n - 1] != ' '));
}

/* Cuts at a character boundary. Control characters become blanks, because some mail readers decode words
 * before they look for headers. */
static struct str one_line(struct arena *a, struct str s) {
    if (s.n > HEADER_TEXT) s.n = HEADER_TEXT;
    while (!utf8_valid(s)) s.n--;
    char *copy = arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++) copy[i] = (unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F ? ' ' : s.p[i];
    return (struct str){copy, s.n};
}

static struct str header_text(struct arena *a, struct str s) {
    struct str out = S("");
    s = one_line(a, s);
    if (means_nothing(s)) return s;
    while (s.n) {
        struct str piece = {s.p, s.n < WORD ? s.n : WORD};
        while (!utf8_valid(piece)) piece.n--;
        char *base64 = g_base64_encode((const unsigned char *)piece.p, piece.n);
        out = str_fmt(a, "%s%s=?UTF-8?B?%s?=", out.p, out.n ? "\n " : "", base64);
        g_free(base64);
        s.p += piece.n;
        s.n -= piece.n;
    }
    return out;
}

static void set_header(struct arena *a, GMimeMessage *message, const char *name, struct str value) {
    GMimeHeaderList *list = g_mime_object_get_header_list(GMIME_OBJECT(message));
    g_mime_header_list_set(list, name, "", NULL);
    g_mime_header_set_raw_value(g_mime_header_list_get_header(list, name),
                                str_fmt(a, " %.*s\n", (int)value.n, value.p).p);
}

static struct str mailbox(struct arena *a, struct str name, struct str address) {
    struct str text = header_text(a, name);
    return text.n ? str_fmt(a, "%.*s\n <%s>", (int)text.n, text.p, address.p) : address;
}

#define REFERENCE_MAX 250 /* bytes; RFC 5322 allows lines of 998 */

/* Message-IDs of mails that came in are from strangers. */
static bool reference_safe(struct str id) {
    const char *at = id.n ? memchr(id.p, '@', id.n) : NULL;
    for (size_t i = 0; i < id.n; i++)
        if (id.p[i] <= ' ' || id.p[i] > '~' || in_set(id.p[i], "<>()\\\",;:")) return false;
    return at && id.n <= REFERENCE_MAX;
}

/* In-Reply-To has the latest one, so that a mail reader puts the mail below it (RFC 5322 section 3.6.4). */
static void set_references(struct arena *a, GMimeMessage *message, const struct mail *m) {
    struct str all = S(""), last = {0};
    for (int i = 0; i < m->reference_count; i++) {
        if (!reference_safe(m->references[i])) continue;
        last = STR_CAT(a, S("<"), m->references[i], S(">"));
        all = STR_CAT(a, all, all.n ? S("\n ") : S(""), last);
    }
    if (last.n == 0) return;
    set_header(a, message, "In-Reply-To", last);
    set_header(a, message, "References", all);
}

/* Headers for programs that answer mails: they leave automatic mails alone (RFC 3834), and a desk
 * recognises its own. */
static void set_automatic(struct arena *a, GMimeMessage *message, const struct mail *m) {
    if (m->loop.n) set_header(a, message, "X-Desk-Loop", m->loop);
    if (m->cause == MAIL_OF_PERSON) return;
    set_header(a, message, "Auto-Submitted",
               m->cause == MAIL_ANSWER ? S("auto-replied") : S("auto-generated"));
    set_header(a, message, "X-Auto-Response-Suppress", S("OOF, AutoReply"));
    if (m->in_bulk) set_header(a, message, "Precedence", S("bulk"));
}

/* A mail server that offers one click sends a POST, which needs no login (RFC 8058). It requires TLS. */
static void set_unsubscribe(struct arena *a, GMimeMessage *message, const struct mail *m) {
    if (m->unsubscribe.n == 0) return;
    set_header(a, message, "List-Unsubscribe", STR_CAT(a, S("<"), m->unsubscribe, S(">")));
    if (str_starts(m->unsubscribe, S("https:")))
        set_header(a, message, "List-Unsubscribe-Post", S("List-Unsubscribe=One-Click"));
}

static void set_headers(struct arena *a, GMimeMessage *message, const struct mail *m) {
    GDateTime *date = g_date_time_new_from_unix_utc(m->date / 1000);
    set_header(a, message, "From", mailbox(a, m->from_name, mime_address(a, m->from)));
    set_header(a, message, "To", mailbox(a, m->to_name, mime_address(a, m->to)));
    set_header(a, message, "Subject", header_text(a, m->subject));
    g_mime_message_set_date(message, date);
    g_mime_message_set_message_id(message, str_dup(a, m->message_id).p);
    if (m->reply_to.n && mime_address(a, m->reply_to).p)
        set_header(a, message, "Reply-To", mailbox(a, m->from_name, mime_address(a, m->reply_to)));
    set_references(a, message, m);
    set_automatic(a, message, m);
    set_unsubscribe(a, message, m);
    g_date_time_unref(date);
}

/* ---- the message ----------------------------------------------------------------------------- */

static GMimeObject *text_part(const char *subtype, struct str text) {
    GMimeTextPart *part = g_mime_text_part_new_with_subtype(subtype);
    GMimeStream *bytes = g_mime_stream_mem_new_with_buffer(text.p, text.n);
    GMimeDataWrapper *content = g_mime_data_wrapper_new_with_stream(bytes, GMIME_CONTENT_ENCODING_DEFAULT);
    g_mime_object_set_content_type_parameter(GMIME_OBJECT(part), "charset", "utf-8");
    g_mime_part_set_content(GMIME_PART(part), content);
    g_mime_part_set_content_encoding(GMIME_PART(part), GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE);
    g_object_unref(content);
    g_object_unref(bytes);
    return GMIME_OBJECT(part);
}

/* The plainest first, because a mail reader shows the last part that it supports (RFC 2046 section 5.1.4). */
static GMimeObject *alternatives(const struct mail *m) {
    GMimeMultipart *both = g_mime_multipart_new_with_subtype("alternative");
    GMimeObject *text = text_part("plain", m->text), *html = text_part("html", m->html);
    g_mime_multipart_add(both, text);
    g_mime_multipart_add(both, html);
    g_object_unref(text);
    g_object_unref(html);
    return GMIME_OBJECT(both);
}

/* A part in base64 can't be a mail or have parts of its own (RFC 2046 section 5.2.1). */
static GMimeContentType *type_of_part(struct arena *a, struct str type) {
    GMimeContentType *t = g_mime_content_type_parse(NULL, str_dup(a, type).p);
    if (t && !g_mime_content_type_is_type(t, "multipart", "*") &&
        !g_mime_content_type_is_type(t, "message", "*"))
        return t;
    if (t) g_object_unref(t);
    return g_mime_content_type_new("application", "octet-stream");
}

static GMimeObject *file_part(struct arena *a, const struct mail_part *p) {
    GMimeContentType *type = type_of_part(a, p->type);
    GMimePart *part = g_mime_part_new();
    GMimeStream *bytes = g_mime_stream_mem_new_with_buffer(p->content.p, p->content.n);
    GMimeDataWrapper *content = g_mime_data_wrapper_new_with_stream(bytes, GMIME_CONTENT_ENCODING_DEFAULT);
    g_mime_object_set_content_type(GMIME_OBJECT(part), type);
    g_mime_object_set_disposition(GMIME_OBJECT(part), p->content_id.p ? "inline" : "attachment");
    g_mime_part_set_filename(part, str_dup(a, p->name).p);
    if (p->content_id.p) g_mime_part_set_content_id(part, str_dup(a, p->content_id).p);
    g_mime_part_set_content(part, content);
    g_mime_part_set_content_encoding(part, GMIME_CONTENT_ENCODING_BASE64);
    g_object_unref(content);
    g_object_unref(bytes);
    g_object_unref(type);
    return GMIME_OBJECT(part);
}

/* The text, then the files. */
static GMimeObject *with_files(struct arena *a, const struct mail *m, GMimeObject *text) {
    GMimeMultipart *all = g_mime_multipart_new_with_subtype("mixed");
    g_mime_multipart_add(all, text);
    g_object_unref(text);
    for (int i = 0; i < m->part_count; i++) {
        GMimeObject *part = file_part(a, &m->parts[i]);
        g_mime_multipart_add(all, part);
        g_object_unref(part);
    }
    return GMIME_OBJECT(all);
}

static struct str written(struct arena *a, GMimeMessage *message) {
    GMimeFormatOptions *wire = g_mime_format_options_new();
    GMimeStream *out = g_mime_stream_mem_new();
    g_mime_format_options_set_newline_format(wire, GMIME_NEWLINE_FORMAT_DOS);
    g_mime_object_write_to_stream(GMIME_OBJECT(message), wire, out);
    GByteArray *bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(out));
    struct str copy = str_dup(a, (struct str){(const char *)bytes->data, bytes->len});
    g_object_unref(out);
    g_mime_format_options_free(wire);
    return copy;
}

static pthread_mutex_t using = PTHREAD_MUTEX_INITIALIZER;

void mime_begin(void) {
    pthread_mutex_lock(&using);
    g_mime_init(); /* initialises at the first call, and counts later ones */
}
void mime_end(void) { pthread_mutex_unlock(&using); }

static struct str write_whole(struct arena *a, const struct mail *m) {
    GMimeMessage *message = g_mime_message_new(FALSE);
    GMimeObject *body = m->html.p ? alternatives(m) : text_part("plain", m->text);
    if (m->part_count) body = with_files(a, m, body);
    set_headers(a, message, m);
    g_mime_message_set_mime_part(message, body);
    struct str out = written(a, message);
    g_object_unref(body);
    g_object_unref(message);
    return out;
}

struct str mime_write(struct arena *a, const struct mail *m) {
    if (mime_address(a, m->from).p == NULL || mime_address(a, m->to).p == NULL) return (struct str){0};
    mime_begin();
    struct str out = write_whole(a, m);
    mime_end();
    return out;
}
