#include "db/derived.h"

#include "core/search/index.h"

/* A full-text index is a row here: the table, and the function that fills it. */
const struct db_derived derived_tables[] = {{"search_texts", search_rebuild},
                                            {"search_words", search_no_rebuild},
                                            {"search_titles", search_no_rebuild},
                                            {"search_pieces", search_no_rebuild},
                                            {0}};
