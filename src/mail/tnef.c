#include "mail/tnef.h"

#include "base/buf.h"
#include "mail/answer.h"
#include "mail/charset.h"
#include "mail/header.h"

#include <stdio.h>
#include <stdlib.h>
#include <ytnef.h>

#define NAME_MOST 300

static struct str bytes_of(struct arena *a, const variableLength *v) {
    if (v == NULL || v == MAPI_UNDEFINED || v->data == NULL || v->size <= 0) return (struct str){0};
    return str_dup(a, (struct str){(const char *)v->data, (size_t)v->size});
}

static struct str without_nuls(struct str s) {
    while (s.n && s.p[s.n - 1] == 0) s.n--;
    return s;
}

/* ---- code pages ------------------------------------------------------------------------------ */

/* Code pages of Windows whose name as a charset is not "cp" and the number. */
static const struct {
    int page;
    const char *charset;
} code_pages[] = {
    {65001, "utf-8"},          {65000, "utf-7"},       {1200, "utf-16le"},     {1201, "utf-16be"},
    {20127, "utf-8"},          {20866, "koi8-r"},      {21866, "koi8-u"},      {50220, "iso-2022-jp"},
    {50221, "iso-2022-jp"},    {50222, "iso-2022-jp"}, {50225, "iso-2022-kr"}, {51932, "euc-jp"},
    {51949, "euc-kr"},         {52936, "gb18030"},     {54936, "gb18030"},     {10000, "macintosh"},
    {10007, "x-mac-cyrillic"},
};

static struct str code_page_charset(struct arena *a, int64_t page) {
    for (size_t i = 0; i < sizeof code_pages / sizeof *code_pages; i++)
        if (code_pages[i].page == page) return str_of(code_pages[i].charset);
    if (page > 28590 && page <= 28605) return str_fmt(a, "iso-8859-%d", (int)page - 28590);
    return page > 0 && page < 65536 ? str_fmt(a, "cp%d", (int)page) : (struct str){0};
}

/* Reads a number of 32 bits, little-endian; 0: it is absent. */
static int64_t number_in(struct str s) {
    uint32_t n = 0;
    for (size_t i = 0; s.n >= 4 && i < 4; i++) n |= (uint32_t)(unsigned char)s.p[i] << (8 * i);
    return n;
}

static int64_t property_number(struct arena *a, MAPIProps *props, unsigned id) {
    return number_in(bytes_of(a, MAPIFindProperty(props, PROP_TAG(PT_LONG, id))));
}

/* The charset of 8-bit texts (MS-OXTNEF section 2.1.3.3.2, MS-OXCMSG section 2.2.1.38); p NULL: unknown. */
static struct str tnef_charset(struct arena *a, TNEFStruct *t) {
    int64_t page = property_number(a, &t->MapiProperties, PR_MESSAGE_CODEPAGE);
    if (page == 0) page = property_number(a, &t->MapiProperties, PR_INTERNET_CPID);
    if (page == 0) page = number_in(bytes_of(a, &t->CodePage));
    return code_page_charset(a, page);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The library converts Unicode texts to UTF-8 that ends with NUL. Its `size` is still that of the UTF-16:
 * too large for Latin letters, too small for Chinese ones. */
static struct str unicode_property(struct arena *a, MAPIProps *props, unsigned id) {
    const variableLength *v = MAPIFindProperty(props, PROP_TAG(PT_UNICODE, id));
    bool given = v && v != MAPI_UNDEFINED && v->data && v->size > 0;
    return given ? str_dup(a, str_of((const char *)v->data)) : (struct str){0};
}

/* Returns a text property in any of its forms, as valid UTF-8 without the NULs at its end. */
static struct str property_text(struct arena *a, MAPIProps *props, unsigned id, struct str charset) {
    struct str s = unicode_property(a, props, id);
    if (s.n) charset = S("utf-8");
    if (s.n == 0) s = bytes_of(a, MAPIFindProperty(props, PROP_TAG(PT_STRING8, id)));
    if (s.n == 0) s = bytes_of(a, MAPIFindProperty(props, PROP_TAG(PT_BINARY, id)));
    s = without_nuls(s);
    return s.n ? charset_to_utf8(a, s, charset) : (struct str){0};
}

static struct str property_line(struct arena *a, MAPIProps *props, unsigned id, struct str charset) {
    struct str s = property_text(a, props, id, charset);
    return s.n ? line_without_controls(a, s, NAME_MOST) : (struct str){0};
}

#define RTF_MOST (16 << 20)

/* The library allocates what the header of the packed text announces (MS-OXRTFCP section 2.1.3.1). */
static bool rtf_is_bounded(const variableLength *packed) {
    if (packed == MAPI_UNDEFINED || packed->data == NULL || packed->size <= 16) return false;
    return number_in((struct str){(const char *)packed->data + 4, 4}) <= RTF_MOST;
}

/* The body in RTF, in which Outlook writes mails with formats. It is a file, because a reader of mails
 * can't show RTF. */
static void take_rtf(struct arena *a, TNEFStruct *t, struct tnef_mail *out) {
    variableLength *packed = MAPIFindProperty(&t->MapiProperties, PROP_TAG(PT_BINARY, PR_RTF_COMPRESSED));
    int size = 0;
    BYTE *rtf = rtf_is_bounded(packed) ? DecompressRTF(packed, &size) : NULL;
    if (rtf && size > 0) {
        out->files = arena_array(a, 1, sizeof *out->files);
        out->files[out->file_count++] =
            (struct mail_file){.name = S("message.rtf"),
                               .type = S("text/rtf"),
                               .bytes = str_dup(a, (struct str){(const char *)rtf, (size_t)size})};
    }
    free(rtf);
}

/* ---- files ----------------------------------------------------------------------------------- */

static struct mail_file attached_file(struct arena *a, Attachment *at, struct str charset) {
    struct mail_file f = {.name = property_line(a, &at->MAPI, PR_ATTACH_LONG_FILENAME, charset),
                          .type = property_line(a, &at->MAPI, PR_ATTACH_MIME_TAG, charset),
                          .content_id = property_line(a, &at->MAPI, PR_ATTACH_CONTENT_ID, charset),
                          .bytes = bytes_of(a, &at->FileData)};
    struct str title = without_nuls(bytes_of(a, &at->Title));
    if (f.name.n == 0 && title.n)
        f.name = line_without_controls(a, charset_to_utf8(a, title, charset), NAME_MOST);
    if (f.name.n == 0) f.name = S("attachment");
    f.type = header_is_type(f.type) ? header_word(a, f.type) : S("application/octet-stream");
    if (f.content_id.n == 0 || f.content_id.n > ANSWER_CONTENT_ID) f.content_id = (struct str){0};
    return f;
}

static void take_attachments(struct arena *a, TNEFStruct *t, struct str charset, struct tnef_mail *out) {
    int room = out->file_count;
    for (Attachment *at = t->starting_attach.next; at && out->file_count <= INCOMING_FILES; at = at->next) {
        struct mail_file f = attached_file(a, at, charset);
        if (f.bytes.n == 0) continue;
        out->files = arena_more(a, out->files, out->file_count, &room, sizeof *out->files);
        out->files[out->file_count++] = f;
    }
}

/* The library checks few lengths of what it reads, but the bytes are its own copy, and the process is
 * confined. */
bool tnef_read(struct arena *a, struct str bytes, struct tnef_mail *out) {
    TNEFStruct t;
    *out = (struct tnef_mail){0};
    if (bytes.n < 20 || memcmp(bytes.p, "\x78\x9F\x3E\x22", 4) != 0) return false;
    struct str copy = str_dup(a, bytes);
    TNEFInitialize(&t);
    t.Debug = -1;
    bool ok = TNEFParseMemory((unsigned char *)(uintptr_t)copy.p, (long)copy.n, &t) >= 0;
    if (ok) {
        struct str charset = tnef_charset(a, &t), body = without_nuls(bytes_of(a, &t.body));
        out->html = property_text(a, &t.MapiProperties, PR_BODY_HTML, charset);
        out->text = property_text(a, &t.MapiProperties, PR_BODY, charset);
        if (out->text.n == 0 && body.n) out->text = charset_to_utf8(a, body, charset);
        if (out->text.p) out->text = text_without_controls(a, out->text);
        if (out->text.n == 0 && out->html.n == 0) take_rtf(a, &t, out);
        take_attachments(a, &t, charset, out);
    }
    TNEFFree(&t);
    return ok;
}
