#include "files/html_article.h"

#include "base/buf.h"
#include "files/html_clean.h"

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
