/* A post as a page for a frame. The HTML of a mail was written by a stranger, so three walls stand around
 * it, each of which would do alone: (1) it was cleaned when it was stored (files/html_clean.h); (2) the
 * policy of the page allows no script, no form, no frame, and pictures of this desk only; (3) the sandbox
 * allows neither scripts nor forms nor the navigation of the page around it.
 *
 * The sandbox keeps the origin (allow-same-origin) for two reasons. The page around the frame must read
 * the height of the contents, and a page that runs no script can't send it. And browsers send the
 * session's cookie, which the inline pictures need, only from a page of the same site. Without
 * allow-scripts, the origin gives a stranger nothing: no code runs with it. */
#include "res/post_document.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/table/describe.h"
#include "base/link.h"
#include "base/random.h"
#include "files/html_clean.h"
#include "res/framed.h"
#include "res/html.h"

#define POLICY(pictures)                                                                \
    FRAMED_SANDBOX " allow-popups allow-popups-to-escape-sandbox; default-src 'none'; " \
                   "style-src 'unsafe-inline'; img-src 'self' data:" pictures           \
                   "; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/* data-theme is set by the page around the frame: "dark" shows contents without grounds of their own,
 * whose colours are left out, because they were chosen for white paper; other contents stay on paper. */
#define HEAD                                                                                                \
    "<!doctype html><html><head><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"   \
    "<title>Message</title><style>"                                                                         \
    "html{color-scheme:light;overflow:auto hidden}"                                                         \
    "body{margin:0;padding:1px 0;font:14px/20px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',"     \
    "sans-serif;color:#1b1d22;overflow-wrap:anywhere;text-align:start}"                                     \
    "a{color:#0b57d0}"                                                                                      \
    "img{max-width:100%;height:auto}"                                                                       \
    "img[data-src]{outline:1px dashed #7c8290;outline-offset:-1px;min-width:16px;min-height:16px}"          \
    "table{max-width:100%}pre{white-space:pre-wrap}"                                                        \
    "blockquote{margin:4px 0;padding-inline-start:8px;border-inline-start:3px solid #d9dce3}"               \
    "body>div>:first-child{margin-top:0}body>div>:last-child{margin-bottom:0}"                              \
    "details>summary{display:inline-block;list-style:none;cursor:pointer;padding:0 10px;border-radius:6px;" \
    "background:#eceef2;color:#1b1d22;font-weight:600;margin:6px 0;min-width:24px;line-height:24px}"        \
    "details>summary::-webkit-details-marker{display:none}"                                                 \
    "summary:focus-visible,a:focus-visible{outline:2px solid #0b57d0;outline-offset:1px}"                   \
    "html[data-theme=paper] body{background:#fff;padding:8px}"                                              \
    "html[data-theme=dark]{color-scheme:dark}html[data-theme=dark] body{color:#e7e9ee}"                     \
    "html[data-theme=dark] body *{color:inherit!important;border-color:#353a45!important}"                  \
    "html[data-theme=dark] body a,html[data-theme=dark] body a *{color:#8ab4ff!important}"                  \
    "html[data-theme=dark] body summary{background:#353a45!important}"                                      \
    "</style></head><body><div dir=\"auto\">"
#define FOOT "</div></body></html>"

QUERY(post_html, "SELECT p.content_html, p.content_text, p.case_id, 'messages' FROM posts p WHERE p.id = :id "
                 "AND p.kind = 1 UNION ALL SELECT n.body_html, n.body_text, n.case_id, 'notes' FROM notes n "
                 "WHERE n.id = :id");
QUERY(post_pictures, "SELECT t.content_id, t.id FROM post_attachments t WHERE t.post_id = :id "
                     "AND t.content_id IS NOT NULL ORDER BY t.sort_order, t.id");

struct document_picture {
    struct str content_id;
    int64_t id;
};
struct document {
    struct arena *arena;
    struct str html, text, place; /* place: path of the message or the note */
    struct document_picture *pictures;
    int count, room;
};

/* A path, not the configured address: the policy allows pictures of the address by which the browser came. */
static struct str document_picture_url(void *ctx, struct str content_id) {
    const struct document *d = ctx;
    char id[INT_TEXT];
    for (int i = 0; i < d->count; i++)
        if (str_eq(d->pictures[i].content_id, content_id))
            return STR_CAT(d->arena, d->place, S("/attachments/"), str_int(id, d->pictures[i].id), S("/url"));
    return (struct str){0};
}

/* Returns 1, 0 if the post is neither a message nor a note, or a negative error. */
static int document_read(struct call *c, struct document *d) {
    struct arena *a = c->work.arena;
    const struct bind *binds = BINDS(B_INT("id", c->id));
    struct stmt *row;
    int rc = db_row(c->work.conn, &post_html, binds, &row);
    if (rc <= 0) return rc;
    char id[INT_TEXT];
    *d = (struct document){
        .arena = a, .html = str_dup(a, col_text(row, 0)), .text = str_dup(a, col_text(row, 1))};
    struct str kind = str_dup(a, col_text(row, 3)), cases = S("/api/v1/cases/");
    struct str path =
        STR_CAT(a, url_path(c->work.desk->base_url), cases, str_int(id, col_int(row, 2)), S("/"), kind);
    stmt_end(row);
    d->place = STR_CAT(a, path, S("/"), str_int(id, c->id));
    DB_ROWS(rc, c->work.conn, &post_pictures, binds, picture) {
        d->pictures = arena_more(a, d->pictures, d->count, &d->room, sizeof *d->pictures);
        d->pictures[d->count++] =
            (struct document_picture){str_dup(a, col_text(picture, 0)), col_int(picture, 1)};
    }
    return rc < 0 ? rc : 1;
}

int get_post_document(struct call *c) {
    struct document d;
    TRY(api_target(c));
    TRY(api_input(c));
    if (framed_elsewhere(c))
        return fail_state(
            &c->work,
            "This page is shown only in a frame of the desk. Open the conversation in the console.");
    TRY_FOUND(&c->work, document_read(c, &d));
    struct arena *a = c->work.arena;
    bool remote = html_shows_remote(c);
    struct str html =
        d.html.p ? html_show(a, d.html, false, document_picture_url, &d) : text_to_html(a, d.text);
    if (remote) html = html_show_https(a, html);
    return framed_reply(c, remote ? S(POLICY(" https:")) : S(POLICY("")), STR_CAT(a, S(HEAD), html, S(FOOT)));
}
