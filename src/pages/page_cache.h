/* Pages for callers without login, kept in memory as long as the help center does not change.
 *
 * A page is a function of its path, the arguments that pages read, its Host and the tables of
 * help_center_tables. So a page is exact while the generation is the same (core/helpcenter/generation.h).
 * On PostgreSQL this is looked up in the snapshot in which the page would be made. CACHED_PAGE_MS bounds the
 * time for which these stay unseen: (1) the order of lists by views and votes, and (2) a write by another
 * program (the sqlite3 shell).
 *
 * Pages have CACHED_PAGES slots by the hash of the key; a page replaces the one in its slot. A page is
 * at most CACHED_PAGE_BYTES. A tag is small, so there are more slots of tags: a caller who has the page
 * gets 304, although the page is not in memory any more. */
#ifndef PAGES_PAGE_CACHE_H
#define PAGES_PAGE_CACHE_H

#include "base/clock.h"
#include "base/shared.h"
#include "base/str.h"

#define CACHED_PAGES 512
#define CACHED_TAGS 8192
#define CACHED_PAGE_BYTES (64 * 1024)
#define CACHED_PAGE_MS (10 * TIME_MINUTE)

struct page_cache;
struct page_cache *page_cache_new(void); /* NULL: no memory */
void page_cache_free(struct page_cache *k);

struct cached_page {
    struct shared *bytes; /* NULL: not in memory, only the tag is known */
    const char *type;     /* Content-Type */
    char etag[33];
    int64_t viewed; /* article */
};

/* Finds the page of this key and generation, or its tag alone. Returns true and holds out->bytes: drop
 * them. Generation 0 finds nothing. */
bool page_cache_find(struct page_cache *k, struct str key, int64_t generation, struct cached_page *out);
/* takes a reference of its own */
void page_cache_put(struct page_cache *k, struct str key, int64_t generation, const struct cached_page *page);

#endif
