/* Rows of the help center for pages: those of the visit's brand that the visitor may see, with their
 * texts. */
#ifndef PAGES_ROWS_H
#define PAGES_ROWS_H

#include "core/access/help_center.h"
#include "pages/layout.h"

/* Starts a query over visible rows t: `before` ends with WHERE, `after` continues the condition. Both are
 * constant, so that the texts are a bounded set. Binds :locale, :fallback, :brand, the binds of `access`,
 * and `own`. Step and end the statement as after db_start. */
typedef void site_access(struct work *w, struct branches *out);
int rows_start(struct site_visit *v, site_access *access, const char *before, const char *after,
               const struct bind *own, struct stmt **out);

/* Conditions on sections t and articles t: of a category of this brand, or of every brand. */
#define SECTION_OF_BRAND                                                                        \
    "EXISTS (SELECT 1 FROM categories og WHERE og.id = t.category_id AND (og.brand_id IS NULL " \
    "OR og.brand_id = :brand))"
#define ARTICLE_OF_BRAND                                                              \
    "EXISTS (SELECT 1 FROM sections os JOIN categories og ON og.id = os.category_id " \
    "WHERE os.id = t.section_id AND (og.brand_id IS NULL OR og.brand_id = :brand))"

/* Text of a column SITE_TEXT. */
struct site_text rows_text(struct site_visit *v, struct stmt *row, int column);
struct str rows_path(struct site_visit *v, const char *kind, int64_t id,
                     struct str title); /* "/articles/5-words", percent-encoded */
/* The id of the slug in the path; 0: none. */
int64_t rows_id(const struct site_visit *v);
/* Replies to an address with other words than the object has now: redirects there. Returns true if it did. */
bool rows_moved(struct site_visit *v, struct str path);

/* The tile of a category: its icon, or (0) the first letter of its title. */
void rows_tile(struct site_visit *v, int64_t icon, struct str title);

/* The languages in which an object has titles, for the menu and the alternates; page: its kind in paths;
 * NULL: the path is the same in all. */
int rows_languages(struct site_visit *v, int kind, int64_t id, const char *page, struct site_language **out);

/* Lists of articles: a query of (id, title). `most` rows are written, *more: there is a further one.
 * Returns their number, or a negative error. */
int rows_articles(struct site_visit *v, const char *heading, const char *after, const struct bind *own,
                  int most, bool *more);

/* Lists those of these articles that the visitor sees and that are published, in this order, at most
 * `most` of them. Returns 0, or a negative error. */
int rows_listed(struct site_visit *v, const char *heading, const int64_t *ids, int n, int most);

/* Links to the pages before and behind this one; nothing if there are none. */
void rows_pager(struct site_visit *v, struct str path, int64_t page, bool more); /* path?page=N */
/* the page's number is added to the prefix */
void rows_numbered(struct site_visit *v, struct str prefix, int64_t page, bool more);

/* Text for a description: plain, at most about 160 characters. */
struct str rows_summary(struct arena *a, struct str html_contents);

#endif
