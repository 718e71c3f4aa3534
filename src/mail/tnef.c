#include "mail/tnef.h"

#include "base/buf.h"
#include "mail/charset.h"
#include "mail/header.h"

#include <stdio.h>
#include <ytnef.h>

#define NAME_MOST 300

static struct str bytes_of(struct arena *a, const variableLength *v) {
    if (v == NULL || v == MAPI_UNDEFINED || v->data == NULL || v->size <= 0) return (struct str){0};
    return str_dup(a, (struct str){(const char *)v->data, (size_t)v->size});
}

/* Returns a text property in either of its forms, as valid UTF-8 without the NULs at its end. The library returns Unicode texts as UTF-8. */
static struct str property_text(struct arena *a, MAPIProps *props, unsigned id) {
    struct str s = bytes_of(a, MAPIFindProperty(props, PROP_TAG(PT_UNICODE, id)));
    if (s.n == 0) s = bytes_of(a, MAPIFindProperty(props, PROP_TAG(PT_STRING8, id)));
    if (s.n == 0) s = bytes_of(a, MAPIFindProperty(props, PROP_TAG(PT_BINARY, id)));
    while (s.n && s.p[s.n - 1] == 0) s.n--;
    return s.n ? charset_to_utf8(a, s, (struct str){0}) : (struct str){0};
}

static struct str property_line(struct arena *a, MAPIProps *props, unsigned id) {
    struct str s = property_text(a, props, id);
    return s.n ? line_without_controls(a, s, NAME_MOST) : (struct str){0};
}

static struct mail_file attached_file(struct arena *a, Attachment *at) {
    struct mail_file f = {.name = property_line(a, &at->MAPI, PR_ATTACH_LONG_FILENAME),
                          .type = property_line(a, &at->MAPI, PR_ATTACH_MIME_TAG),
                          .content_id = property_line(a, &at->MAPI, PR_ATTACH_CONTENT_ID),
                          .bytes = bytes_of(a, &at->FileData)};
    struct str title = bytes_of(a, &at->Title);
    while (title.n && title.p[title.n - 1] == 0) title.n--;
    if (f.name.n == 0 && title.n) f.name = line_without_controls(a, charset_to_utf8(a, title, (struct str){0}), NAME_MOST);
    if (f.name.n == 0) f.name = S("attachment");
    f.type = header_is_type(f.type) ? header_word(a, f.type) : S("application/octet-stream");
    if (f.content_id.n == 0 || f.content_id.n > 250) f.content_id = (struct str){0};
    return f;
}

static void take_attachments(struct arena *a, TNEFStruct *t, struct tnef_mail *out) {
    int room = 0;
    for (Attachment *at = t->starting_attach.next; at && out->file_count <= INCOMING_FILES; at = at->next) {
        struct mail_file f = attached_file(a, at);
        if (f.bytes.n == 0) continue;
        out->files = arena_more(a, out->files, out->file_count, &room, sizeof *out->files);
        out->files[out->file_count++] = f;
    }
}

/* The library checks few lengths of what it reads, but the bytes are its own copy, and the process is confined. */
bool tnef_read(struct arena *a, struct str bytes, struct tnef_mail *out) {
    TNEFStruct t;
    *out = (struct tnef_mail){0};
    if (bytes.n < 20 || memcmp(bytes.p, "\x78\x9F\x3E\x22", 4) != 0) return false;
    struct str copy = str_dup(a, bytes);
    TNEFInitialize(&t);
    t.Debug = -1;
    bool ok = TNEFParseMemory((unsigned char *)(uintptr_t)copy.p, (long)copy.n, &t) >= 0;
    if (ok) {
        out->html = property_text(a, &t.MapiProperties, PR_BODY_HTML);
        out->text = property_text(a, &t.MapiProperties, PR_BODY);
        struct str body = bytes_of(a, &t.body);
        while (body.n && body.p[body.n - 1] == 0) body.n--;
        if (out->text.n == 0 && body.n) out->text = charset_to_utf8(a, body, (struct str){0});
        if (out->text.p) out->text = text_without_controls(a, out->text);
        take_attachments(a, &t, out);
    }
    TNEFFree(&t);
    return ok;
}
