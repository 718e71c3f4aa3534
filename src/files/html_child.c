/* The process that cleans HTML. Its answer is a line of four numbers (bytes of HTML, bytes of text, remote
 * pictures, 1 if it was cut), then the HTML, then the text. */
#include "base/limits.h"
#include "files/confined.h"
#include "files/html_clean.h"
#include "files/html_tree.h"

#include <stdio.h>
#include <unistd.h>

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
