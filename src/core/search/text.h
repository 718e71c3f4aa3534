/* The texts that a search finds, read from the tables that hold them.
 *
 * A result is a conversation, a person, an organization or an article. The first three have a head
 * (subject, name, addresses, tags, text fields) and may have messages and notes. An article has three
 * texts for each locale: title, keywords with tags, contents. Each of these is one text with an id of its
 * own. The id says kind, source and row, so that the texts of one kind are a range. The row of the texts
 * of an article is that of its title in locale_fields. */
#ifndef CORE_SEARCH_TEXT_H
#define CORE_SEARCH_TEXT_H

#include "db/db.h"

enum search_kind { SEARCH_CASES = 1, SEARCH_USERS, SEARCH_ORGANIZATIONS, SEARCH_ARTICLES, SEARCH_KINDS };
enum search_source {
    SEARCH_HEAD,
    SEARCH_MESSAGE,
    SEARCH_NOTE,
    SEARCH_SOURCES,
    SEARCH_TITLE = SEARCH_HEAD, /* the sources of an article begin here */
    SEARCH_KEYWORDS = SEARCH_MESSAGE,
    SEARCH_CONTENTS = SEARCH_NOTE
};

/* Titles of articles have higher ids than their keywords, and these higher ones than contents, so that a
 * search that examines the texts with the highest ids begins with titles. */
#define SEARCH_ARTICLE_PLACE(source) ((int64_t)(SEARCH_SOURCES - 1 - (source)) << 54)
#define SEARCH_TEXT_ID(kind, source, id)                                                      \
    ((int64_t)(kind) << 56 | ((kind) == SEARCH_ARTICLES ? SEARCH_ARTICLE_PLACE(source) : 0) | \
     (int64_t)(id) << 2 | (int64_t)(source))
/* Returns the first id of a kind. The ids of the kind end before the first id of the next kind. */
static inline int64_t search_range(int kind) { return (int64_t)kind << 56; }
static inline enum search_source search_source_of(int64_t text_id) {
    return (enum search_source)(text_id & 3);
}
static inline int search_kind_of(int64_t text_id) { return (int)(text_id >> 56); }
static inline int64_t search_row_of(int64_t text_id) { return (text_id & ((INT64_C(1) << 54) - 1)) >> 2; }

/* Each write of search_texts runs this first. The follower of the change log (core/search/follow.h) reads
 * texts and writes them under this lock, so it can't write what another write has just moved or erased. */
#define SEARCH_LOCK "SELECT place FROM search_cursor @LOCK@"

/* For steps of cascades (core/desk/cascade_step.h), before the posts :rows are deleted, and when they
 * move to another conversation; after SEARCH_LOCK. 2^56 is the range of SEARCH_CASES, then come those of
 * SEARCH_USERS and SEARCH_ORGANIZATIONS. */
#define SEARCH_OF_CASES "72057594037927936"
#define SEARCH_MESSAGES_IDS \
    "(SELECT " SEARCH_OF_CASES " + f.id * 4 + 1 FROM posts f WHERE f.id IN @LIST(:rows))"
#define SEARCH_NOTES_IDS                                                             \
    "(SELECT b.base + f.id * 4 + 2 FROM notes f CROSS JOIN (SELECT " SEARCH_OF_CASES \
    " AS base UNION ALL SELECT 144115188075855872 "                                  \
    "UNION ALL SELECT 216172782113783808) b "                                        \
    "WHERE f.id IN @LIST(:rows))"
#define SEARCH_MESSAGES_DROP "DELETE FROM search_texts WHERE id IN " SEARCH_MESSAGES_IDS
#define SEARCH_NOTES_DROP "DELETE FROM search_texts WHERE id IN " SEARCH_NOTES_IDS
#define SEARCH_MESSAGES_MOVE(owner) \
    "UPDATE search_texts SET owner_id = " owner " WHERE id IN " SEARCH_MESSAGES_IDS
#define SEARCH_NOTES_MOVE(owner) "UPDATE search_texts SET owner_id = " owner " WHERE id IN " SEARCH_NOTES_IDS
#define SEARCH_OF_TITLES "324259173170675712" /* SEARCH_TEXT_ID(SEARCH_ARTICLES, SEARCH_TITLE, 0) */
#define SEARCH_CASE_DROP "DELETE FROM search_texts WHERE owner_id = :id AND kind = 1"
#define SEARCH_ARTICLES_DROP \
    "DELETE FROM search_texts WHERE kind = 4 AND owner_id IN @LIST(:rows)" /* before the articles :rows are deleted */

struct search_text {
    int64_t id, owner_id; /* owner_id: the result that the text belongs to */
    int kind;
    struct str text, locale; /* locale: p NULL: that of the desk */
    struct str terms;        /* for an article: its terms, after it was indexed */
    struct search_text *next;
};

/* The kinds of rows that hold texts, in the order in which an index is built. */
enum search_table {
    TEXTS_OF_CASES,
    TEXTS_OF_MESSAGES,
    TEXTS_OF_NOTES,
    TEXTS_OF_USERS,
    TEXTS_OF_ORGANIZATIONS,
    TEXTS_OF_ARTICLES, /* rows of `articles`; each has several texts */
    SEARCH_TABLES
};
enum search_table search_table_of(int64_t text_id);

/* Reads the texts of these rows, in the arena. Rows that do not exist or are deleted have none. Returns 0
 * or a negative error. */
int search_texts_read(struct conn *c, struct arena *a, enum search_table table, const int64_t *ids,
                      size_t count, struct search_text **out);

#endif
