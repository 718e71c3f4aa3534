/* Predicates: conditions written as data, for SLAs, triggers, monitors, views and filters. The essay is in
 * predicate.c. */
#ifndef CORE_PREDICATE_H
#define CORE_PREDICATE_H

#include "core/predicates/facts.h"
#include "core/predicates/moment.h"
#include "json/json.h"

/* Every operator is one of these tests or its negation. */
enum test {
    IS_WITHIN,     /* low <= value <= high; < where a bound is open; low = high: equality */
    HAS_PART,      /* the value contains `text` */
    HAS_ANY_PART,  /* the value contains one of `texts` */
    HAS_ALL_PARTS, /* the value contains each of `texts` */
    IS_AMONG,      /* at least one value is one of `texts` */
    HAS_ALL,       /* each of `texts` is a value */
    IS_LISTED,     /* the value is one of `numbers` */
    IS_EMPTY,      /* there is no value */
    IS_SAME,       /* the value is that of `other` */
    IS_PRESENT,    /* for history: true */
    /* the open time since the value passes `operation` and `hours`, by the calendar in `other` */
    IS_OPENED,
    IS_NEVER, /* false for every object, negated or not: the proposition is not valid any more */
};

struct bound {
    bool given, open;
    int64_t number;  /* VALUE_NUMBER, VALUE_TIME */
    struct str text; /* other kinds */
};

/* The part of the value that is known only when the proposition is evaluated. */
enum later { LATER_NOTHING, LATER_PERIOD, LATER_HOURS, LATER_USER, LATER_TEAMS, LATER_OPEN };
/* The state that the test looks at. With `to` and `from` the field must have changed, too. */
enum past { PAST_NONE, PAST_CHANGED, PAST_CHANGED_TO, PAST_CHANGED_FROM };

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
    int other_place; /* index of the other field in the definitions: IS_SAME, IS_OPENED, by_brand */
    bool by_brand;   /* LATER_PERIOD: in the time zone of the brand */
    enum later later;
    enum operation operation; /* LATER_PERIOD, LATER_HOURS, IS_OPENED */
    int word;                 /* LATER_PERIOD: of relative_dates */
    int64_t hours;            /* LATER_HOURS, IS_OPENED */
    enum past past;
};

/* Sets the test for an operator of order and a value. The value is the span low..high; a single number or
 * text is low = high. */
void proposition_bound(struct proposition *p, enum operation operation, struct bound low, struct bound high);

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
    unsigned needs; /* the parts of a moment that it needs: core/predicates/moment.h */
};

/* Parses {collection_operator, collections: [{proposition_operator, propositions: [{field, operator,
 * value}]}]}. Operators are AND or OR; the defaults are OR for collections and AND for propositions.
 * Reports every problem with its pointer below `at`, which also names the parameter. Days are resolved
 * here, in the desk's time zone; what depends on the present is resolved when the predicate is evaluated.
 * Returns 0 or the first problem. */
int predicate_read(struct work *w, const struct definitions *d, const struct json *j, struct str at,
                   struct predicate **out);

/* Parses [{propositions: [...]}]: collections are joined by AND, the propositions of one by OR. An empty
 * list holds for every object. A new predicate is checked: every problem has its pointer, and names the
 * place as parameter, as in "predicate_collections[0].propositions[1].field". A stored one is not: a
 * proposition that is not valid any more is IS_NEVER. */
enum predicate_age { PREDICATE_NEW, PREDICATE_STORED };
int predicate_read_collections(struct work *w, const struct definitions *d, const struct json *list,
                               struct str at, enum predicate_age age, struct predicate **out);

/* A condition over the row t of the subject. Values are bound. */
struct condition {
    const char *sql;
    struct bind *binds;
    int count;
};
/* The conditions of definitions for objects that are being deleted are left out if m->no_cascades.
 * The predicate must not have history operators or fields of added messages (definition.added): only
 * triggers have these, in memory. */
struct condition predicate_condition(const struct predicate *p, struct moment *m, struct arena *a);
/* The same at the moment of the work. Returns 0 or a negative error. */
int predicate_condition_now(struct work *w, const struct predicate *p, struct condition *out);

/* Returns true if each object that passes has one value of the field, a number: *number; 0: no value. The
 * objects must not refer to objects that are being deleted. */
bool predicate_requires(const struct predicate *p, struct moment *m, const char *field, int64_t *number);

/* Sets wanted[place] of each field that the predicate reads (core/predicates/facts.h). */
void predicate_mark(const struct predicate *p, bool *wanted);
bool predicate_holds(const struct predicate *p, struct moment *m, const struct fact *facts);
/* One proposition: for the explanation of a dry run. */
bool proposition_holds(const struct proposition *p, struct moment *m, const struct fact *facts);

/* Returns true if a valid proposition asks about the field. */
bool predicate_tests(const struct predicate *p, const char *field);

/* ---- values (predicate_value.c), for predicate.c alone ------------------------------------------ */

struct reader {
    struct work *w;
    const struct definitions *d;
    struct str parameter;
    struct str zone; /* time zone of the desk */
    enum predicate_age age;
    unsigned needs;
    int broken; /* first error of the store, or 0 */
};

/* Reports a problem of the value at this pointer. why NULL: as the code says. Returns the error. */
int predicate_refuse(struct reader *r, enum error code, struct str at, const char *why);
/* The pointer of a member. */
struct str predicate_place(struct reader *r, struct str at, const char *name);
bool predicate_value_empty(const struct json *j); /* NULL: the member is absent */

/* Each reads the value at this pointer into the test of the proposition. Returns 0 or an error. */
typedef int read_fn(struct reader *r, struct proposition *p, enum operation operation, const struct json *j,
                    struct str at);
extern read_fn *const predicate_readers[INPUT_TYPES]; /* by the input type of the field */
int predicate_read_history(struct reader *r, struct proposition *p, enum operation operation,
                           const struct json *j, struct str at); /* for the operators of history */

#endif
