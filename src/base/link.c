#include "base/link.h"

#include "base/html.h"

#include <strings.h>

/* ---- addresses ------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    unsigned kind;
} schemes_known[] = {
    {"http://", LINK_WEB}, {"https://", LINK_WEB}, {"mailto:", LINK_MAIL}, {"tel:", LINK_PHONE}};

static bool is_line_break(char c) { return c == '\t' || c == '\n' || c == '\r'; }

/* Browsers cut these off, so "java\nscript:" is a scheme to them (WHATWG URL, "basic URL parser"). */
static struct str without_edges(struct str s) {
    while (s.n && (unsigned char)s.p[0] <= ' ') s.p++, s.n--;
    while (s.n && (unsigned char)s.p[s.n - 1] <= ' ') s.n--;
    return s;
}

static bool add_address(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (is_line_break(c)) continue;
        if ((unsigned char)c < ' ' || c == 0x7F || utf8_turns_direction(s.p + i, s.n - i)) return false;
        if (in_set(c, " \"<>`")) buf_fmt(out, "%%%02X", (unsigned)c);
        else buf_char(out, c);
    }
    return true;
}

/* Writes the scheme to p in lower case. Returns its length, or 0 if it is none of these. */
static size_t lower_scheme(struct str s, char *p, unsigned schemes) {
    for (size_t i = 0; i < sizeof schemes_known / sizeof *schemes_known; i++) {
        size_t n = strlen(schemes_known[i].text);
        if (!(schemes & schemes_known[i].kind) || s.n <= n || strncasecmp(s.p, schemes_known[i].text, n) != 0)
            continue;
        if (schemes_known[i].kind == LINK_WEB && in_set(s.p[n], "/\\?#:@%")) return 0; /* no host */
        memcpy(p, schemes_known[i].text, n);
        return n;
    }
    return 0;
}

bool link_clean(struct buf *out, struct str address, unsigned schemes) {
    size_t before = out->n;
    struct str s = without_edges(address);
    bool ok = s.n <= LINK_BYTES && add_address(out, s) && out->n - before <= LINK_BYTES;
    if (ok && out->n > before)
        ok = lower_scheme((struct str){out->p + before, out->n - before}, out->p + before, schemes) > 0;
    else ok = false;
    if (!ok) out->n = before;
    return ok;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_alphanumeric(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* A sentence goes on behind an address: its stop is not part of it, nor a bracket that was opened before
 * it. */
static struct str without_stop(struct str s) {
    int round = 0, square = 0; /* number of closed brackets minus number of opened ones */
    for (size_t i = 0; i < s.n; i++) {
        round += (s.p[i] == ')') - (s.p[i] == '(');
        square += (s.p[i] == ']') - (s.p[i] == '[');
    }
    for (; s.n; s.n--) {
        char last = s.p[s.n - 1];
        if (last == ')' && round > 0) round--;
        else if (last == ']' && square > 0) square--;
        else if (!in_set(last, ".,;:!?'*_~")) break;
    }
    return s;
}

/* The run of characters that begins here as a web address does; n 0: none. */
static struct str address_at(struct str text, size_t at) {
    const char *p = text.p + at;
    size_t most = text.n - at, n = 0;
    if (at && is_alphanumeric(p[-1])) return (struct str){0};
    if (!(most > 7 && strncasecmp(p, "http://", 7) == 0) && !(most > 8 && strncasecmp(p, "https://", 8) == 0))
        return (struct str){0};
    while (n < most && (unsigned char)p[n] > ' ' && p[n] != 0x7F && !in_set(p[n], "<>\"`") &&
           !utf8_turns_direction(p + n, most - n))
        n++;
    return (struct str){p, n};
}

static void add_link(struct buf *out, struct str run) {
    struct buf clean = {0};
    struct str address = without_stop(run);
    if (link_clean(&clean, address, LINK_WEB)) {
        buf_text(out, "<a href=\"");
        html_escape(out, buf_view(&clean));
        buf_text(out, "\"" LINK_ATTRIBUTES ">");
        html_escape(out, address);
        buf_text(out, "</a>");
    } else {
        address.n = 0;
    }
    html_escape(out, (struct str){run.p + address.n, run.n - address.n});
    buf_free(&clean);
}

struct str text_to_html(struct arena *a, struct str text) {
    struct buf b = {0};
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        struct str run = (c | 0x20) == 'h' ? address_at(text, i) : (struct str){0};
        if (run.n) {
            add_link(&b, run);
            i += run.n - 1;
        } else if (c == '\n') {
            buf_text(&b, "<br>\n");
        } else if ((unsigned char)c >= ' ' ? c != 0x7F : c == '\t') {
            html_escape(&b, (struct str){text.p + i, 1});
        }
    }
    return buf_take(&b, a);
}
