/* Style blocks of the pages of the help center. They are served together in one file, so each must be
 * whole: an open brace, comment or text would swallow the blocks behind it. They load nothing: a rule like
 * input[value^="a"] { background: url(...) } would send the contents of a form to another server. Without
 * backslashes, no name can be written in another way. */
#include "core/text/template.h"

#include <strings.h>

static const char *const loading[] = {"url(",    "src(",       "image(",     "image-set(",
                                      "@import", "@namespace", "expression("};

static const char *style_loads(struct str css, size_t at) {
    for (size_t i = 0; i < sizeof loading / sizeof *loading; i++) {
        size_t n = strlen(loading[i]);
        if (css.n - at >= n && strncasecmp(css.p + at, loading[i], n) == 0) return loading[i];
    }
    return NULL;
}

/* Returns the place behind the text or comment that begins at `at`, or 0 if it does not end. A text ends
 * on its line. */
static size_t style_passed(struct str css, size_t at) {
    if (css.p[at] == '/') {
        const char *end = memmem(css.p + at + 2, css.n - at - 2, "*/", 2);
        return end ? (size_t)(end - css.p) + 2 : 0;
    }
    for (size_t i = at + 1; i < css.n && css.p[i] != '\n' && css.p[i] != '\r'; i++)
        if (css.p[i] == css.p[at]) return i + 1;
    return 0;
}

bool template_style(struct str css, size_t *at, const char **why) {
    char open[32]; /* brackets, each as the one that closes it */
    size_t depth = 0;
    for (*at = 0; *at < css.n; ++*at) {
        char c = css.p[*at];
        bool comment = c == '/' && *at + 1 < css.n && css.p[*at + 1] == '*';
        if (c == '\\') return *why = "no backslash is allowed in style.", false;
        if (style_loads(css, *at))
            return *why = "style may not load anything: no url(), src(), image(), @import.", false;
        if (c == '"' || c == '\'' || comment) {
            size_t end = style_passed(css, *at);
            if (end == 0) return *why = "this text or comment of style does not end.", false;
            if (memchr(css.p + *at, '\\', end - *at))
                return *why = "no backslash is allowed in style.", false;
            *at = end - 1;
        } else if (c == '{' || c == '(' || c == '[') {
            if (depth == sizeof open) return *why = "the brackets of style are too deep.", false;
            open[depth++] = c == '{' ? '}' : c == '(' ? ')' : ']';
        } else if (c == '}' || c == ')' || c == ']') {
            if (depth == 0 || open[--depth] != c) return *why = "this bracket of style closes none.", false;
        }
    }
    if (depth) return *why = "a bracket of style is not closed.", false;
    return true;
}
