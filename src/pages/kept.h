/* Pages for callers without login, kept in memory as long as nothing is committed.
 *
 * A page is a function of its path, its query, its Host and the store. Each COMMIT raises the store's generation (db_generation), so a page of the
 * present generation is exact: no write has been answered since it was made. A desk that writes all the time keeps nothing for long, and then makes
 * each page anew. KEPT_PAGE_MS bounds the time for which a write by another program (the sqlite3 shell) stays unseen. On PostgreSQL other processes
 * write, the generation is 0, and nothing is kept.
 *
 * The table has PAGES_KEPT slots by the hash of the key; a page replaces the one in its slot. A page is at most KEPT_BYTES. */
#ifndef PAGES_KEPT_H
#define PAGES_KEPT_H

#include "base/shared.h"
#include "base/str.h"

#define PAGES_KEPT 512
#define KEPT_BYTES (64 * 1024)
#define KEPT_PAGE_MS 1000

struct kept_pages;

struct kept_page {
    struct shared *bytes;
    const char *type; /* Content-Type */
    char etag[33];
    int64_t viewed; /* article */
};

/* Finds the page of this key and generation. Returns true and holds out->bytes: drop them. */
bool kept_find(struct kept_pages *k, struct str key, int64_t generation, struct kept_page *out);
void kept_put(struct kept_pages *k, struct str key, int64_t generation, const struct kept_page *page); /* takes a reference of its own */

#endif
