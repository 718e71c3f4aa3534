/* Pages for people, outside /api/v1: plain HTML without scripts. Their text is a template with a form.
 * They run in the pool, and act through functions of core. */
#ifndef PAGES_TEMPLATE_PAGE_H
#define PAGES_TEMPLATE_PAGE_H

#include "api/call/machine.h"
#include "base/html.h"
#include "core/text/template.h"
#include "pages/words.h"

struct visit {
    struct pool_task task;
    struct api *api;
    struct http_request *http;
    const struct page *page;
    struct work work;
    bool posted;
    const struct json *given; /* the query's arguments, or a POST's form */
    struct arena *arena;
    void *prepared;         /* data of the page */
    struct limited limited; /* the rate limit that the visit counted for */
    /* The reply: */
    int status;
    const struct template *template; /* template of the page; NULL: title and text */
    const char *title, *text;
    enum language language; /* of title and text */
    struct str link;        /* address of a link below the text; p NULL: none */
    const char *link_text;
    struct wording wording;
    struct buf form;       /* HTML: the {{form}} of the template */
    bool is_wrong;         /* visit_wrong wrote a problem: the title says so */
    struct str location;   /* address of a redirect (303), in place of a page; p NULL: none */
    struct str cookies[2]; /* Set-Cookie; p NULL: none */
    struct str policy;     /* Content-Security-Policy; p NULL: that of all pages */
};

struct page {
    const char *path;
    void (*show)(struct visit *v); /* GET and POST: chooses the reply; sets status unless it is 200 */
    /* a POST has its arguments in the query, and its body says nothing (RFC 8058) */
    bool one_click;
    bool outside;    /* it waits for other machines: LANE_OUTSIDE */
    bool translated; /* its notices are in the language of the browser; otherwise in English */
    /* show() calls visit_end, perhaps later and on another thread of the pool */
    bool ends;
};

/* Answers a request for one of the pages (the list ends with path NULL). Returns false if it is for none,
 * or has another method. */
bool page_answer_one_of(const struct page *pages, struct api *api, struct http_request *r);
/* shows a page of another table */
void visit_begin(struct api *api, struct http_request *r, const struct page *p, bool posted);
/* Sends the reply of a page that `ends`. */
void visit_end(struct visit *v);

struct str visit_text(const struct visit *v, const char *name); /* the given value; empty if absent */
/* Run a read or a write with work.conn set; a read has its own snapshot. Return the result of `run`, or a
 * negative error. */
int visit_read(struct visit *v, int (*run)(struct visit *v));
int visit_write(struct visit *v, int (*run)(struct visit *v));
void visit_says(struct visit *v, const char *template);
/* A page without template: title, text (NULL: none), and the form if there is one. */
void visit_notes(struct visit *v, int status, const char *title, const char *text);
/* the problem of a form, which gets the focus; NULL: nothing */
void visit_wrong(struct visit *v, const char *wrong);
/* Writes the rest of a form, to its end: the problem, if there is one, and the field of a second factor. Its
 * words are in the language of the visit. */
void visit_asks_code(struct visit *v, const char *wrong);
void visit_failed(struct visit *v); /* the store failed: try again later */

#endif
