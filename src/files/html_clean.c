#include "files/html_clean.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/html.h"
#include "base/limits.h"
#include "base/link.h"
#include "base/log.h"
#include "files/confined.h"
#include "files/html_tree.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the parent ------------------------------------------------------------------------------ */

/* Parses the answer (see files/html_clean.c) as untrusted input. */
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

/* ---- articles -------------------------------------------------------------------------------- */

/* In clean HTML these words are always the beginning of a tag, because < is escaped in texts and values,
 * and the address is the first attribute of a picture (html_attributes). */
#define BLOCKED S("<img data-src=\"https://")
#define SHOWN S("<img src=\"https://")

static void html_words_replaced(struct buf *out, struct str html, struct str from, struct str to) {
    const char *end = html.p + html.n;
    for (const char *at = html.p; at < end;) {
        const char *found = memmem(at, (size_t)(end - at), from.p, from.n);
        buf_add(out, at, (size_t)((found ? found : end) - at));
        if (found) buf_str(out, to);
        at = found ? found + from.n : end;
    }
}

struct str html_show_https(struct arena *a, struct str clean) {
    struct buf shown = {0};
    html_words_replaced(&shown, clean, BLOCKED, SHOWN);
    return buf_take(&shown, a);
}

bool html_article_is_clean(struct str html) {
    struct buf blocked = {0};
    html_words_replaced(&blocked, html, SHOWN, BLOCKED);
    bool clean = html_is_clean(buf_view(&blocked));
    buf_free(&blocked);
    return clean;
}

int html_article_clean(struct arena *a, struct str html, struct str *out) {
    struct html_cleaned clean;
    struct buf shown = {0};
    *out = html;
    if (html_article_is_clean(html)) return 1;
    int rc = html_clean(a, html, &clean);
    if (rc <= 0) return rc;
    if (clean.cut) return 0;
    html_words_replaced(&shown, clean.html, BLOCKED, SHOWN);
    *out = buf_take(&shown, a);
    return 1;
}

/* ---- the confined process -------------------------------------------------------------------- */

/* The process that cleans HTML. Its answer is a line of four numbers (bytes of HTML, bytes of text, remote
 * pictures, 1 if it was cut), then the HTML, then the text. */

static void read_html(struct buf *in) {
    for (;;) {
        buf_reserve(in, 64 * 1024);
        ssize_t n = read(STDIN_FILENO, in->p + in->n, 64 * 1024);
        if (n <= 0) return;
        in->n += (size_t)n;
    }
}

static bool write_answer(struct str s) {
    while (s.n) {
        ssize_t n = write(STDOUT_FILENO, s.p, s.n);
        if (n <= 0) return false;
        s = (struct str){s.p + n, s.n - (size_t)n};
    }
    return true;
}

int html_child(void) {
    static const struct confined_limits limits = {
        .memory = INT64_C(512) << 20, .answer = LIMIT_HTML_CLEAN + 64, .seconds = 2};
    struct buf in = {0}, head = {0};
    struct html_made made;
    confined_enter(&limits);
    read_html(&in);
    html_clean_here(buf_view(&in), &made);
    buf_fmt(&head, "%zu %zu %d %d\n", made.html.n, made.text.n, made.remote_pictures, made.cut);
    bool ok = write_answer(buf_view(&head)) && write_answer(buf_view(&made.html)) &&
              write_answer(buf_view(&made.text));
    _exit(ok ? 0 : 1);
}
