/* HTML of strangers. The output of the cleaner is clean by a list of the test's own, and by the
 * check of the parent; cleaning it again changes nothing; so it is with plain text as HTML. */
#include "base/arena.h"
#include "base/link.h"
#include "files/html_clean.h"
#include "files/html_tree.h"

#include "../unit/html_checker.h"

static void check(struct str html, const char *of) {
    const char *why = checker_why(html.p, html.n);
    if (why == NULL && !html_is_clean(html)) why = "the parent would refuse it";
    if (why) {
        fprintf(stderr, "%s: %s: %.*s\n", of, why, (int)html.n, html.p);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct html_made once, twice;
    html_clean_here((struct str){(const char *)data, size}, &once);
    check(buf_view(&once.html), "cleaned");
    html_clean_here(buf_view(&once.html), &twice);
    if (!str_eq(buf_view(&once.html), buf_view(&twice.html))) {
        fprintf(stderr, "once:  %.*s\ntwice: %.*s\n", (int)once.html.n, once.html.p, (int)twice.html.n,
                twice.html.p);
        abort();
    }
    if (!utf8_valid(buf_view(&once.text))) abort();
    struct str text = text_to_html(a, buf_view(&once.text));
    check(text, "text");
    buf_free(&twice.html);
    buf_free(&twice.text);
    html_clean_here(text, &twice);
    if (!str_eq(text, buf_view(&twice.html))) {
        fprintf(stderr, "text:  %.*s\ncleaned: %.*s\n", (int)text.n, text.p, (int)twice.html.n, twice.html.p);
        abort();
    }
    buf_free(&once.html);
    buf_free(&once.text);
    buf_free(&twice.html);
    buf_free(&twice.text);
    arena_free(a);
    return 0;
}
