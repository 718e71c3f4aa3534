/* Predicates: conditions that people write as data, for SLAs, triggers, monitors, views and filters. The essay is in
 * predicate.c. */
#ifndef CORE_PREDICATE_H
#define CORE_PREDICATE_H

#include "core/rules/definition.h"
#include "json/json.h"

/* Every operator is one of these tests, or the exact opposite of one. */
enum test {
    IS_WITHIN, /* low <= value <= high, without the bound itself where it is open; low = high: equal */
    HAS_PART,  /* text is a part of the value */
    IS_AMONG,  /* one value at least is one of texts */
    HAS_ALL,   /* each of texts is a value */
};

struct bound {
    bool given, open;
    int64_t number;  /* VALUE_NUMBER, VALUE_TIME */
    struct str text; /* other kinds */
};

struct proposition {
    const struct definition *field;
    int place; /* of the field in its definitions */
    enum test test;
    bool negated;
    struct bound low, high;
    struct str text;
    struct str *texts; /* without duplicates */
    int text_count;
};

struct collection {
    bool any; /* one proposition is enough; else all */
    struct proposition *propositions;
    int count;
};

struct predicate {
    const struct definitions *definitions;
    bool any; /* one collection is enough; else all */
    struct collection *collections;
    int count;
};

/* Reads {collection_operator, collections: [{proposition_operator, propositions: [{field, operator, value}]}]}, AND or
 * OR; without: OR of collections, AND of propositions. Everything that is wrong is said, each with its pointer under
 * `at`, which also names the parameter. What is relative to now is settled here: by w->now and the desk's time zone. 0
 * or the first problem. */
int predicate_read(struct work *w, const struct definitions *d, const struct json *j, struct str at, struct predicate **out);

/* As a condition over the subject's row t. Values are bound. */
struct condition {
    const char *sql;
    struct bind *binds;
    int count;
};
struct condition predicate_condition(const struct predicate *p, struct arena *a);

/* The values of one field of one object, none to many, in the kind of its definition. */
struct fact {
    int count;
    int64_t *numbers;
    struct str *texts;
};
/* All facts of an object, parallel to d->list. 1, 0 no such object, or error. */
int facts_read(struct work *w, const struct definitions *d, int64_t id, struct fact **out);
bool predicate_holds(const struct predicate *p, const struct fact *facts);

#endif
