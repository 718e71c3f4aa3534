#include "mail/forwarded.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/html.h"
#include "base/link.h"
#include "core/cases/attachment.h"
#include "core/letters/token.h"
#include "files/html_clean.h"

/* ---- HTML of a message ----------------------------------------------------------------------- */

/* The text with all up to the end of `open`...`close` blocks cut out. Clean HTML nests no such block. */
static struct str without_blocks(struct arena *a, struct str html, struct str open, struct str close) {
    struct buf out = {0};
    for (const char *at; html.n && (at = memmem(html.p, html.n, open.p, open.n)) != NULL;) {
        struct str before = {html.p, (size_t)(at - html.p)}, rest = {at + open.n, html.n - before.n - open.n};
        const char *end = memmem(rest.p, rest.n, close.p, close.n);
        buf_str(&out, before);
        if (end) end += close.n;
        html = end ? (struct str){end, (size_t)(rest.p + rest.n - end)} : (struct str){rest.p, 0};
    }
    buf_str(&out, html);
    return buf_take(&out, a);
}

/* The address of an inline picture whose file is mailed; p NULL: the picture is left out. */
static struct str mailed_picture(void *ctx, struct str content_id) {
    const struct forward_mail *m = ctx;
    for (int i = 0; i < m->file_count; i++)
        if (str_eq(m->files[i].content_id, content_id)) return m->files[i].line;
    return (struct str){0};
}

static bool has_text(struct str html) {
    bool in_tag = false;
    for (size_t i = 0; i < html.n; i++) {
        if (html.p[i] == '<') in_tag = true;
        else if (html.p[i] == '>') in_tag = false;
        else if (!in_tag && (unsigned char)html.p[i] > ' ') return true;
    }
    return memmem(html.p, html.n, "<img", 4) != NULL;
}

static struct str post_html(struct arena *a, struct forward_mail *m, const struct forwarded_post *p) {
    struct str html = p->html;
    if (html.p) html = without_blocks(a, html, S("<details"), S("</details>"));
    if (html.p) html = without_blocks(a, html, S(" data-src=\""), S("\""));
    if (html.p) html = html_show(a, html, false, mailed_picture, m);
    return html.p && has_text(html) ? html : text_to_html(a, p->text);
}

/* ---- the messages ---------------------------------------------------------------------------- */

/* "Ada Byron, 2026-11-23 09:30 UTC" needs no words of a language. */
static struct str post_line(struct arena *a, const struct forwarded_post *p) {
    char iso[TIME_ISO_SIZE];
    time_iso(iso, p->at);
    struct str day = {iso, 10}, hour = {iso + 11, 5}, comma = p->author.n ? S(", ") : S("");
    return STR_CAT(a, p->author, comma, day, S(" "), hour, S(" UTC"));
}

void forwarded_write(const struct desk *d, struct arena *a, const struct forward_mail *m, struct str *text,
                     struct str *html) {
    struct forward_mail own = *m;
    struct buf t = {0}, h = {0};
    own.files = arena_array(a, (size_t)m->file_count + 1, sizeof *own.files);
    for (int i = 0; i < m->file_count; i++) {
        own.files[i] = m->files[i];
        own.files[i].line = STR_CAT(a, S("cid:"), m->files[i].content_id);
    }
    for (int i = 0; i < m->post_count; i++) {
        const struct forwarded_post *p = &m->posts[i];
        struct str line = post_line(a, p);
        buf_text(&t, i ? "\n\n----------\n" : "----------\n");
        buf_str(&t, line);
        buf_text(&t, "\n\n");
        buf_str(&t, p->text);
        buf_text(&h, "<hr><p><b>");
        html_escape(&h, line);
        buf_text(&h, "</b></p>\n<blockquote>");
        buf_str(&h, post_html(a, &own, p));
        buf_text(&h, "</blockquote>\n");
    }
    *text = mail_tokens_removed(d, a, buf_take(&t, a));
    *html = mail_tokens_removed(d, a, buf_take(&h, a));
}

void forwarded_show_files(struct arena *a, struct forward_mail *m, struct str html) {
    struct str alt;
    for (int i = 0; i < m->file_count; i++)
        if (!html_shows_inline(a, html, m->files[i].content_id, &alt))
            m->files[i].content_id = (struct str){0};
}
