/* Pages for people, outside /api/v1: plain HTML, no script. What they say is a template's, with a form of ours in it. They run in the pool, and do what they do through the functions of core. */
#ifndef API_PAGE_H
#define API_PAGE_H

#include "api/machine.h"
#include "base/html.h"
#include "core/text/template.h"

struct visit {
    struct pool_task task;
    struct api *api;
    struct http_request *http;
    const struct page *page;
    struct work work;
    bool posted;
    const struct json *given; /* the query's arguments, or a POST's form */
    struct arena *arena;
    int64_t counted; /* of its rate */
    void *prepared;  /* the page's own */
    /* The reply: */
    int status;
    const struct template *template; /* what it says; NULL: title and text */
    const char *title, *text;
    struct wording wording;
    struct buf form; /* HTML: the {{form}} of the template */
};

struct page {
    const char *path;
    void (*show)(struct visit *v); /* GET and POST: says what is seen, and sets status unless it is 200 */
};
extern const struct page link_pages[]; /* ends with path NULL */

bool page_handle(struct api *api, struct http_request *r); /* true: it is a page, and will be replied */

struct str visit_text(const struct visit *v, const char *name); /* what was given; empty: nothing */
/* What is read or written, with work.conn set; a read has a snapshot of its own. Their result, or error. */
int visit_read(struct visit *v, int (*run)(struct visit *v));
int visit_write(struct visit *v, int (*run)(struct visit *v));
void visit_says(struct visit *v, const char *template);
void visit_failed(struct visit *v); /* the store can't: try again later */

#endif
