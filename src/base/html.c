#include "base/html.h"

#include <assert.h>
#include <stdarg.h>

static const struct {
    const char *text;
    size_t n;
} entities[256] = {['&'] = {"&amp;", 5},
                   ['<'] = {"&lt;", 4},
                   ['>'] = {"&gt;", 4},
                   ['"'] = {"&quot;", 6},
                   ['\''] = {"&#39;", 5}};

/* Copies the text between the escaped characters as a whole. */
static void escape_all(struct buf *out, struct str text, bool apostrophes) {
    size_t from = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (entities[c].n == 0 || (c == '\'' && !apostrophes)) continue;
        buf_add(out, text.p + from, i - from);
        buf_add(out, entities[c].text, entities[c].n);
        from = i + 1;
    }
    buf_add(out, text.p + from, text.n - from);
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
