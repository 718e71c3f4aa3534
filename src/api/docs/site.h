/* Pages that describe the API: guides, the reference, errors, and /openapi.json. A page is built
 * at its first request. Replies share its bytes, so slow readers hold no copies. */
#ifndef API_DOCS_SITE_H
#define API_DOCS_SITE_H

#include "api/table/describe.h"
#include "base/html.h"
#include "http/http.h"

/* docs/guides as HTML and docs/site, embedded by tools/embed.sh; ends with name NULL. */
struct docs_file {
    const char *name, *text;
};
extern const struct docs_file docs_files[];

struct site;
struct site *site_new(void);
void site_free(struct site *s); /* after http_stop */
/* Replies to a GET or HEAD of a page. Returns false if there is no such page. base_url is constant while
 * the server runs. */
bool site_reply(struct site *s, const struct desk *d, struct http_request *r);

/* ---- pages (docs.c) -------------------------------------------------------------------------- */

/* A page that is written. */
struct docs_view {
    const struct manual *m;
    const char *path; /* marks the entry of the page in the contents */
    struct str title;
    struct str main; /* HTML */
};
/* A mark in the files of docs/site or in a guide, and the function that writes its text (docs.c). */
struct docs_mark {
    const char *mark; /* NULL ends the table */
    void (*write)(struct buf *out, const struct docs_view *v);
};
extern const struct docs_mark docs_marks[];

/* Writes the page with its frame, docs/site/frame.html. */
void docs_write(struct buf *out, const struct docs_view *v);
/* Write the contents of a page. */
void docs_chapter(struct buf *out, const struct manual *m, const struct resource *r);
void docs_error(struct buf *out, const struct manual *m, const struct error_info *e);

bool docs_has_chapter(const struct resource *r);

/* ---- texts of files (guide.c) ---------------------------------------------------------------- */

/* "guides/20-authentication.html" is the guide "authentication". p NULL: the file is no guide. */
struct str guide_slug(const struct docs_file *f);
struct str guide_title(const struct docs_file *f); /* the first line */
/* Writes the text, with the texts of its marks in their place; the list ends with mark NULL. */
void docs_fill(struct buf *out, struct str text, const struct docs_mark *marks, const struct docs_view *v);

#endif
