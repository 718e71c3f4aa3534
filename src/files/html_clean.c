#include "files/html_clean.h"

#include "base/error.h"
#include "base/html.h"
#include "base/limits.h"
#include "base/link.h"
#include "base/log.h"
#include "files/confined.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the parent ------------------------------------------------------------------------------ */

/* Parses the answer (see files/html_child.c) as untrusted input. */
static bool read_cleaned(struct str answer, struct html_cleaned *out) {
    struct str rest = answer, head = str_cut(&rest, '\n');
    int64_t n[4];
    for (int i = 0; i < 4; i++)
        if (!str_to_int(str_cut(&head, ' '), &n[i]) || n[i] < 0 || n[i] > LIMIT_HTML_CLEAN) return false;
    if (rest.p == NULL || (size_t)(n[0] + n[1]) != rest.n) return false;
    *out = (struct html_cleaned){{rest.p, (size_t)n[0]}, {rest.p + n[0], (size_t)n[1]}, (int)n[2], n[3] != 0};
    return html_is_clean(out->html) && utf8_valid(out->text) && !memchr(out->text.p, 0, out->text.n);
}

static bool write_input(int fd, struct str html) {
    return html.n == 0 || pwrite(fd, html.p, html.n, 0) == (ssize_t)html.n;
}

static int clean_confined(int in, int answer, struct arena *a, struct str html, struct html_cleaned *out) {
    struct str bytes;
    if (in < 0 || answer < 0 || !write_input(in, html))
        return UNAVAILABLE("HTML that can't be cleaned", "HTML can't be cleaned: no memory for it: %s",
                           strerror(errno));
    int rc = confined_run(HTML_ARGUMENT, "clean", in, answer, "the HTML of a message");
    if (rc != 1) return rc;
    if (confined_answer(answer, LIMIT_HTML_CLEAN + 64, a, &bytes) && read_cleaned(bytes, out)) return 1;
    log_warn("the process that cleans HTML gave back what is not clean: it is not shown");
    return 0;
}

int html_clean(struct arena *a, struct str html, struct html_cleaned *out) {
    struct str read = {html.p, html.n < LIMIT_HTML ? html.n : LIMIT_HTML};
    int in = memfd_create("html", MFD_CLOEXEC), answer = memfd_create("clean", MFD_CLOEXEC);
    int rc = clean_confined(in, answer, a, read, out);
    if (rc == 1 && html.n > LIMIT_HTML) out->cut = true;
    if (in >= 0) close(in);
    if (answer >= 0) close(answer);
    return rc;
}

/* ---- for one reader -------------------------------------------------------------------------- */

static bool begins(struct str s, size_t at, struct str word) {
    return s.n - at >= word.n && memcmp(s.p + at, word.p, word.n) == 0;
}

/* Clean HTML has quotes only around values, so these words are always attributes. */
struct str html_show(struct arena *a, struct str clean, bool remote, html_inline_url *inline_url, void *ctx) {
    const struct str blocked = S(" data-src=\""), shown = S(" src=\""), inline_part = S(" src=\"cid:");
    struct buf b = {0};
    for (size_t i = 0; i < clean.n;) {
        if (remote && begins(clean, i, blocked)) {
            buf_str(&b, shown);
            i += blocked.n;
        } else if (inline_url && begins(clean, i, inline_part)) {
            struct str rest = {clean.p + i + inline_part.n, clean.n - i - inline_part.n},
                       id = str_cut(&rest, '"');
            struct str url = inline_url(ctx, id);
            if (url.p) {
                buf_str(&b, shown);
                html_escape(&b, url);
                buf_char(&b, '"');
            }
            i += inline_part.n + id.n + 1;
        } else {
            buf_char(&b, clean.p[i++]);
        }
    }
    return buf_take(&b, a);
}
