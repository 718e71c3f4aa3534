/* The texts of an article: a title and contents in each of its locales. They are rows of locale_fields
 * (TITLE_OF_ARTICLE, CONTENTS_OF_ARTICLE). Contents are clean HTML (files/html_clean.h). */
#ifndef CORE_ARTICLE_TEXT_H
#define CORE_ARTICLE_TEXT_H

#include "work/work.h"

struct article_text {
    struct str locale, title, contents; /* title, contents: p NULL: missing */
};
struct article_texts {
    struct article_text *list;
    int count;
};

/* Reads the present texts, in the order in which they were added. */
int article_texts_load(struct work *w, int64_t article_id, struct article_texts *out);
int article_texts_store(struct work *w, int64_t article_id, const struct article_texts *texts);

/* Returns the entry of a locale, or NULL. */
struct article_text *article_text_in(const struct article_texts *texts, struct str locale);
struct article_texts article_texts_copy(struct arena *a, const struct article_texts *texts);

/* The form of article_versions.texts: [{"locale", "title", "contents"}]. */
struct str article_texts_json(struct arena *a, const struct article_texts *texts);
/* Returns 0 or -ERR_INTERNAL_ERROR. */
int article_texts_parse(struct arena *a, struct str json, struct article_texts *out);

#endif
