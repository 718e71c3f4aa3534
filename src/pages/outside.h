/* The handlers of paths outside of /api/v1 (struct outside of api/call/api.h), in the order in which a
 * request meets them, and their memory. Each returns true if it replied or deferred. */
#ifndef PAGES_OUTSIDE_H
#define PAGES_OUTSIDE_H

#include "api/call/api.h"

bool link_page_handle(struct api *api, struct http_request *r);    /* links in mails, link_pages.c */
bool consent_page_handle(struct api *api, struct http_request *r); /* the way back from a provider of mail */
bool site_handle(struct api *api, struct http_request *r);         /* the help center */
bool site_takes_files(const struct http_request *r);
bool service_handle(struct api *api, struct http_request *r); /* health, metrics, the reference */
bool site_missing(struct api *api, struct http_request *r);   /* a page that says so, for browsers */

/* The memory of all pages of a process. */
struct pages {
    struct page_cache *cache; /* page_cache.h; NULL: no memory, nothing is kept */
    struct slots *brands;     /* brand.h; the same */
};
void pages_open(struct pages *p);
void pages_close(struct pages *p);

#endif
