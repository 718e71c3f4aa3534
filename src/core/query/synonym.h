/* Synonyms of searches in the help center: the setting helpcenter.synonyms. Each line is a group of
 * expressions, separated by commas. */
#ifndef CORE_QUERY_SYNONYM_H
#define CORE_QUERY_SYNONYM_H

#include "core/query/query.h"

#define SYNONYMS_SETTING "helpcenter.synonyms"
#define SYNONYM_GROUPS 200
#define SYNONYMS_OF_GROUP 10
#define SYNONYM_WORDS 4 /* maximum number of words of one expression */

/* Returns NULL if the text is a value of the setting, or a sentence that says why not. */
const char *synonyms_wrong(struct arena *a, struct str text);

/* Makes each word of the query, or neighbouring words, that are an expression of a group one unit, with
 * the other expressions as alternatives. Phrases in quotes, prefixes and excluded words stay as they are. */
void synonyms_add(struct arena *a, struct str language, struct str groups, struct search_query *q);

#endif
