/* Rows of definitions that several subjects have. */
#ifndef CORE_DEFINITION_ROWS_H
#define CORE_DEFINITION_ROWS_H

/* An indexed column is queried as separate rows (the same table again). The store then uses the index for
 * a selective span; planners would otherwise prefer the index with the order of the list. Names are not
 * queried so: a part of a name would be searched in all rows, even beside a selective tag. */
#define INDEXED(table) .among = table " x", .owner = "x.id"
#define DATES(prefix, column, named, what, ...) DATES_IN("DATE", prefix, column, named, what, __VA_ARGS__)
#define DATES_IN(shown, prefix, column, named, what, ...)                                              \
    {.field = prefix "_relative_past",                                                                 \
     .label = named,                                                                                   \
     .input = INPUT_DATE_RELATIVE,                                                                     \
     .kind = VALUE_TIME,                                                                               \
     .type = "DATE_RELATIVE",                                                                          \
     .sub_type = "PAST",                                                                               \
     .group = shown,                                                                                   \
     .value = column,                                                                                  \
     .doc = what ", compared with a period.",                                                          \
     __VA_ARGS__},                                                                                     \
    {                                                                                                  \
        .field = prefix "_absolute", .label = named, .input = INPUT_DATE_ABSOLUTE, .kind = VALUE_TIME, \
        .type = "DATE_ABSOLUTE", .group = shown, .value = column,                                      \
        .doc = what ", compared with a day in the desk's time zone.", __VA_ARGS__                      \
    }

#define TAGS(rows, of)                                                                                  \
    {                                                                                                   \
        .field = "tags.name", .label = "Tags", .input = INPUT_TAGS, .kind = VALUE_TEXT,                 \
        .type = "COLLECTION", .value = "g.name_key", .among = rows " x JOIN tags g ON g.id = x.tag_id", \
        .owner = "x." of, .doc = "Tags."                                                                \
    }

#endif
