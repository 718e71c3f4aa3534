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

/* ---- the frame of a page (docs.c) ------------------------------------------------------------ */

/* The content of the page is written between begin and end. path: of the page, to mark its entry in the
 * contents. */
void docs_begin(struct buf *out, const struct manual *m, const char *title);
void docs_end(struct buf *out, const struct manual *m, const char *path);

void docs_index(struct buf *out, const struct manual *m);
void docs_general(struct buf *out, const struct manual *m);    /* arguments, headers, roles */
void docs_operations(struct buf *out, const struct manual *m); /* links to all */
void docs_chapter(struct buf *out, const struct manual *m, const struct resource *r);
void docs_errors(struct buf *out, const struct manual *m);
void docs_error(struct buf *out, const struct manual *m, const struct error_info *e);

/* Tables that guides show too. */
void docs_arguments_table(struct buf *out, const struct manual *m);
void docs_headers_table(struct buf *out, const struct manual *m);
void docs_errors_table(struct buf *out, const struct manual *m);

bool docs_has_chapter(const struct resource *r);

/* ---- guides (guide.c) ------------------------------------------------------------------------ */

/* "guides/20-authentication.html" is the guide "authentication". p NULL: the file is no guide. */
struct str guide_slug(const struct docs_file *f);
struct str guide_title(const struct docs_file *f);
void guide_write(struct buf *out, const struct manual *m, const struct docs_file *f);

#endif
