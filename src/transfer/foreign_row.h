/* Steps of the import of an item: its work, its texts, and the rows of earlier items. */
#ifndef TRANSFER_FOREIGN_ROW_H
#define TRANSFER_FOREIGN_ROW_H

#include "core/cases/note.h"
#include "core/people/tag.h"
#include "transfer/foreign.h"

/* ---- texts, in the arena of the item --------------------------------------------------------- */

struct str foreign_cut(struct str text, size_t most); /* most: characters */
/* One line without control characters; `fallback` if nothing is left. */
struct str foreign_line(struct foreign *f, struct str text, const char *fallback);
/* The legacy_id to store: that of the source, if it has one that is free here; else the id of the source,
 * unless the row keeps it. */
struct foreign_earlier;
int foreign_legacy_id(struct foreign *f, const struct foreign_earlier *e, int64_t id, struct str own,
                      struct str *out);

/* Pictures of another deskd. Each address in quotes that ends with `end`, which has the second quote, becomes
 * that of a file of this desk: src="https://old.example/.../attachments/9/url" -> src="cid:7". */
struct str foreign_picture(struct foreign *f, struct str html, struct str end, int64_t file_id);

/* Addresses of articles of the source in a text become those of this desk (deskapi_links.c). locale: of pages
 * whose address names none. *left: an address stays, because the article or the address of this desk is not
 * known. locale p NULL: that of the default brand. */
void report_links(struct foreign *f, int64_t id);
/* True if the text has the name of the source. */
bool api_names_source(const struct foreign *f, struct str text);
struct str api_links(struct foreign *f, struct str text, struct str locale, bool *left);

/* ---- works ----------------------------------------------------------------------------------- */

struct author {
    int64_t user_id;
    int rank;
};
struct author foreign_owner(const struct foreign *f);
/* Begins the work of an item; at 0: now. */
struct work *foreign_work(struct foreign *f, struct work *w, int64_t at, struct author by);
/* Finishes a work, or gives the reason of its failure rc. */
int foreign_done(struct foreign *f, struct work *w, int rc);

/* ---- earlier items --------------------------------------------------------------------------- */

/* The queries for a row by its foreign id: legacy_id, or the id itself. kind: its name in imported_ids. */
struct foreign_earlier {
    const struct query *by_legacy, *by_id;
    const char *kind;
};
extern const struct foreign_earlier foreign_organization, foreign_team, foreign_case_there, foreign_person,
    foreign_category, foreign_section, foreign_article;
/* Returns 1 with the id of the row, 0 and id 0 if there is none, or a negative error. */
int foreign_found(struct foreign *f, const struct foreign_earlier *e, int64_t id, int64_t *out);
/* Returns 1 with the author, 0 if no person has this id, or a negative error. */
int foreign_found_person(struct foreign *f, int64_t id, struct author *out);
/* A person who was deleted from another server of this API: a disabled customer stands for them, because
 * conversations refer to them. Returns 1 with the person, 0 or a negative error. */
int foreign_deleted_person(struct foreign *f, int64_t id, int64_t at, struct author *out);

/* ---- parts of rows --------------------------------------------------------------------------- */

int foreign_tags(struct foreign *f, struct work *w, const struct tagging *tagging, int64_t id,
                 const struct json *tags, int64_t foreign_id);
/* Tags of a row of an earlier run. Those that the source has removed since go, and its new ones come. A tag
 * that this desk has added stays, and one that it has removed does not come back. given: an object, whose
 * `tags` are the keys of the tags that the source had at the last run. NULL, or without tags: not known, so
 * that none goes. */
int foreign_tags_follow(struct foreign *f, struct work *w, const struct tagging *tagging, int64_t id,
                        const struct json *tags, const struct json *given, int64_t foreign_id);
/* The keys of these tags, to be remembered: a JSON array. */
struct str foreign_tag_keys(struct foreign *f, const struct json *tags);
int foreign_note(struct foreign *f, struct work *w, enum note_owner kind, int64_t id, struct str text);
/* The last column of a new row is its id, if the system keeps ids. Returns the number of columns to store. */
int foreign_columns(const struct foreign *f, size_t count);

#endif
