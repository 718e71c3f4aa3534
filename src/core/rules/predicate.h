/* Predicates: conditions written as data, for SLAs, triggers, monitors, views and filters. The essay is in predicate.c. */
#ifndef CORE_PREDICATE_H
#define CORE_PREDICATE_H

#include "core/rules/definition.h"
#include "json/json.h"

/* Every operator is one of these tests or its negation. */
enum test {
    IS_WITHIN, /* low <= value <= high; < where a bound is open; low = high: equality */
    HAS_PART,  /* the value contains `text` */
    IS_AMONG,  /* at least one value is one of `texts` */
    HAS_ALL,   /* each of `texts` is a value */
    IS_LISTED, /* the value is one of `numbers` */
    IS_EMPTY,  /* there is no value */
    IS_SAME,   /* the value is that of `other` */
    IS_NEVER,  /* false for every object, negated or not: the proposition is not valid any more */
};

struct bound {
    bool given, open;
    int64_t number;  /* VALUE_NUMBER, VALUE_TIME */
    struct str text; /* other kinds */
};

struct proposition {
    const struct definition *field;
    int place; /* index of the field in its definitions */
    enum test test;
    bool negated;
    struct bound low, high;
    struct str text;
    struct str *texts; /* without duplicates */
    int text_count;
    int64_t *numbers;
    int number_count;
    const struct definition *other;
    int other_place; /* its index in the definitions */
};

struct collection {
    bool any; /* one proposition is enough; otherwise all must hold */
    struct proposition *propositions;
    int count;
};

struct predicate {
    const struct definitions *definitions;
    bool any; /* one collection is enough; otherwise all must hold */
    struct collection *collections;
    int count;
};

/* Parses {collection_operator, collections: [{proposition_operator, propositions: [{field, operator, value}]}]}. Operators are AND or
 * OR; the defaults are OR for collections and AND for propositions. Reports every problem with its pointer below `at`, which also names
 * the parameter. Relative dates are resolved here, by w->now and the desk's time zone. Returns 0 or the first problem. */
int predicate_read(struct work *w, const struct definitions *d, const struct json *j, struct str at, struct predicate **out);

/* Parses [{propositions: [...]}]: collections are joined by AND, the propositions of one by OR. An empty list holds for every object. A new
 * predicate is checked: every problem has its pointer, and names the place as parameter, as in
 * "predicate_collections[0].propositions[1].field". A stored one is not: a proposition that is not valid any more is IS_NEVER. */
enum predicate_age { PREDICATE_NEW, PREDICATE_STORED };
int predicate_read_collections(struct work *w, const struct definitions *d, const struct json *list, struct str at, enum predicate_age age,
                               struct predicate **out);

/* A condition over the row t of the subject. Values are bound. */
struct condition {
    const char *sql;
    struct bind *binds;
    int count;
};
struct condition predicate_condition(const struct predicate *p, struct arena *a);

/* The values of one field of one object, none to many, stored as the kind of its definition requires. */
struct fact {
    int count;
    int64_t *numbers;
    struct str *texts;
};
/* Reads all facts of an object, parallel to d->list. Returns 1, 0 if there is no such object, or a negative error. */
int facts_read(struct work *w, const struct definitions *d, int64_t id, struct fact **out);
bool predicate_holds(const struct predicate *p, const struct fact *facts);

#endif
