/* The pages of the help center. A page is a row of site_pages (outside.c): method, path, handler. visit.c runs
 * them:
 *
 *   GET   inline on the event loop, in a read snapshot with BUDGET_INLINE_MS; again in LANE_READ if that is spent. In the pool if the store blocks
 *         or the page is `in_pool`. show() runs in the snapshot (v->work.conn).
 *   POST  in the pool, in the lane of the row. A request from a page of another site is refused. show() runs without a snapshot.
 *
 * Before show(), the visit has its actor, brand, locale, arguments and form. show() writes the contents of
 * the page to v->main and sets v->head. The frame around it (layout.c) is added afterwards. */
#ifndef PAGES_VISIT_H
#define PAGES_VISIT_H

#include "api/call/machine.h"
#include "base/html.h"
#include "core/text/template.h"
#include "pages/brand.h"
#include "pages/page_cache.h"
#include "pages/words.h"

struct site_visit;

struct site_page {
    enum method method; /* GET answers HEAD, too */
    const char *
        path; /* a segment with a colon is a variable: "/helpcenter/:locale/articles/:slug". :locale is read by the frame */
    int (*show)(struct site_visit *v); /* 0, a negative error, or SITE_LATER */
    bool in_pool;                      /* a GET that is always long */
    bool is_part;                      /* a file that every page loads: a rate limit does not count it */
    /* Replies to callers without login may be kept in memory (page_cache.h): the page depends only on
     * Host, path, page_cache_arguments and the store. */
    bool cached;
    enum lane lane;       /* lane of a POST */
    bool takes_files;     /* for a POST: file parts of the form are kept */
    const char *template; /* the template of the contents; NULL: none */
};

enum {
    SITE_LATER = 1,  /* show() has passed the visit on. site_end replies, later and on any thread */
    SITE_CACHED = 2, /* the page is v->found */
};

#define SITE_VARS 3

/* The contents of <head>, without those of the brand. */
struct site_head {
    struct str title;       /* without the brand's name */
    struct str description; /* p NULL: none */
    struct str
        path; /* behind the locale, percent-encoded: "/articles/5-words"; p NULL: no canonical address, and no index */
    struct str feed;                 /* path of an Atom feed behind the locale; p NULL: that of the brand */
    struct str data;                 /* JSON-LD; p NULL: none */
    struct site_language *languages; /* in which the page has texts: the alternates; NULL: only this one */
    const char *kind; /* the layout of the page in style.css: class of its main element; NULL: plain */
    bool unindexed;
    bool has_times;  /* times.js is loaded */
    bool has_search; /* the contents have the search field, so the header has none */
};

struct site_visit {
    struct pool_task task;
    struct api *api;
    const struct site_page *pages; /* all pages */
    struct http_request *http;
    const struct site_page *page;
    struct work work; /* actor: the person of the session cookie, or nobody */
    struct arena *arena;
    struct str csrf;        /* token of the session; p NULL: no login */
    struct limited limited; /* the rate limit that the request counted for */
    bool counted;
    struct str vars[SITE_VARS]; /* texts of the variables in the path, decoded */
    int var_count;
    const struct json *query; /* arguments */
    const struct json *form;  /* POST: fields of the form; files are in http->files */
    struct site_brand brand;
    struct str locale;      /* code of the page's locale: that of the path, else that of the brand */
    bool rtl;               /* its direction */
    enum language language; /* language of the words of the page (words.h) */
    struct str prefix;      /* path of the base URL: "" or "/desk" */
    struct str root;        /* prefix "/helpcenter/" locale */
    /* Origin of the brand, for absolute addresses: "https://help.engines.example". Never made from the Host
     * header. */
    struct str origin;
    /* The reply: */
    int status;
    struct buf main;      /* HTML of the contents; or all bytes, if `type` is set */
    struct buf form_html; /* HTML of the page's forms: {{form}} of its template; empty: none */
    struct site_head head;
    struct str menu_path;    /* behind the locale: the language menu leads to it */
    const char *type;        /* Content-Type of bytes without a frame; NULL: an HTML page */
    struct str location;     /* address of a redirect */
    struct str cookies[2];   /* Set-Cookie */
    int64_t viewed;          /* article whose view counts; 0: none */
    struct str searched;     /* text in the search field of the header; p NULL: none */
    bool secret;             /* personal: no-store */
    bool varies_by_language; /* the reply depends on Accept-Language */
    struct str key;          /* key of the reply (page_cache.h); p NULL: the reply is not kept */
    /* Generation of the help center in the snapshot (core/helpcenter/generation.h); 0: unknown. */
    int64_t generation;
    struct cached_page found;
};

bool site_logged_in(const struct site_visit *v);
bool site_is_staff(const struct site_visit *v);

/* an argument, trimmed; empty if absent or not a text */
struct str site_query(const struct site_visit *v, const char *name);
/* The token for a form of this visitor: that of the session, or one for the address, the browser and the
 * day. The page must be secret. */
struct str site_token(const struct site_visit *v);
bool site_token_good(const struct site_visit *v, struct str sent);
/* The token in a form of a page that everybody may keep: only that of a session. Without one, the request
 * must name its origin. */
void site_token_field(const struct site_visit *v, struct buf *out);
/* `least` if it is no such number */
int64_t site_query_int(const struct site_visit *v, const char *name, int64_t least, int64_t most);

/* Replies; each returns 0. path: behind the prefix, percent-encoded ("/helpcenter/en-us"). */
int site_redirect(struct site_visit *v, int status, struct str path);
int site_not_found(struct site_visit *v);
int site_refuse(struct site_visit *v, int status, enum site_word title, enum site_word text);
int site_bytes(struct site_visit *v, const char *content_type); /* v->main is the whole reply */

/* Answers a request for one of the pages (the list ends with path NULL). Returns false if it is for none. */
bool site_answer(struct api *api, struct http_request *r, const struct site_page *pages);
/* Answers any other request with a page that says so, if the caller is a browser. */
bool site_answer_missing(struct api *api, struct http_request *r, const struct site_page *pages);

/* after SITE_LATER: sends the reply, or the page of the error; frees the visit */
void site_end(struct site_visit *v, int rc);

/* Clean HTML with our own pictures at the host of the page: that of the base URL may be another site,
 * which gets no cookie and may not be shown. */
struct str site_pictures(const struct site_visit *v, struct str contents);

#endif
