#include "base/html.h"

#include <assert.h>
#include <stdarg.h>

static const char *entity(char c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static void escape_all(struct buf *out, struct str text, bool apostrophes) {
    for (size_t i = 0; i < text.n; i++) {
        const char *e = text.p[i] == '\'' && !apostrophes ? NULL : entity(text.p[i]);
        if (e) buf_text(out, e);
        else buf_char(out, text.p[i]);
    }
}

void html_text(struct buf *out, struct str text) { escape_all(out, text, true); }
void html_escape(struct buf *out, struct str text) { escape_all(out, text, false); }

void html(struct buf *out, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    for (const char *at = fmt; *at; at++) {
        size_t plain = strcspn(at, "%");
        buf_add(out, at, plain);
        at += plain;
        if (*at == 0) break;
        switch (*++at) {
        case 's': html_text(out, str_of(va_arg(args, const char *))); break;
        case 'h': buf_text(out, va_arg(args, const char *)); break;
        case 'd': buf_int(out, va_arg(args, int)); break;
        default: assert(!"html() knows %s, %h and %d");
        }
    }
    va_end(args);
}
