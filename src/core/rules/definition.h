/* What rules may ask about a kind of object: one row a field. Predicates are checked against these rows, compiled to
 * SQL by them, evaluated in memory by them, and programs read them to draw their forms (api.md "Definition"). */
#ifndef CORE_DEFINITION_H
#define CORE_DEFINITION_H

#include "base/words.h"
#include "work/work.h"

/* Who asks; each has operators of its own. RULE_FILTER: organizations, people and views. */
enum rule_user { RULE_SLA, RULE_FILTER, RULE_TRIGGER, RULE_USERS };

enum input_type {
    INPUT_INTEGER,
    INPUT_FLOAT,
    INPUT_STRING,
    INPUT_BOOLEAN,
    INPUT_OPTIONS,
    INPUT_TAGS,
    INPUT_DATE_ABSOLUTE,
    INPUT_DATE_RELATIVE,
    INPUT_AUTOCOMPLETE,
    INPUT_TYPES
};

enum operation {
    EQUAL_TO,
    NOT_EQUAL_TO,
    GREATER_THAN,
    GREATER_THAN_OR_EQUAL_TO,
    LESS_THAN,
    LESS_THAN_OR_EQUAL_TO,
    CONTAINS,
    DOES_NOT_CONTAIN,
    CONTAINS_ALL,
    CONTAINS_ANY,
    CONTAINS_NONE,
    DATE_IS,
    DATE_IS_NOT,
    DATE_AFTER,
    DATE_AFTER_OR_ON,
    DATE_BEFORE,
    DATE_BEFORE_OR_ON,
    OPERATORS
};
extern const struct word operator_words[];                  /* "comparison_equalto" */
unsigned operators_of(enum rule_user u, enum input_type i); /* bits of 1u << enum operation */
extern const struct word input_words[];                     /* "INTEGER" */

/* How the values of a field are kept, and so compared. */
enum value_kind {
    VALUE_NUMBER,  /* 64 bits */
    VALUE_TIME,    /* milliseconds */
    VALUE_TEXT,    /* as definition.key makes it, fold_key unless said */
    VALUE_DECIMAL, /* decimal_key of it */
    VALUE_YESNO,   /* yes, no */
    VALUE_DAY,     /* YYYY-MM-DD */
    VALUE_PICKS,   /* ids of options between commas, ",3,5,": equal to an option when it is among them */
};

/* SQL of the value of a field with several choices: its key is cut. */
#define VALUE_OF_PICKS "',' || x.value || ','"

struct option {
    const char *key, *label;
};

struct definition {
    const char *field, *label;
    enum input_type input;
    enum value_kind kind;
    const char *type, *sub_type, *group, *rarity; /* as shown; rarity NULL: none */
    const char *doc;
    const char *value; /* SQL of the value: over t, or over the rows of `among` */
    const char *among; /* the values are in rows of their own, none to many: what follows FROM; NULL: one, in t */
    const char *owner; /* of those rows: the id of the object they belong to */
    const char *only;  /* of those rows: which count; NULL: all. :field is bound to field_id */
    int64_t field_id;  /* the custom field that it was made of, or 0 */
    struct str (*key)(struct arena *a, struct str s); /* VALUE_TEXT: makes what is compared; p NULL: no such value */
    const struct option *options;                     /* INPUT_OPTIONS: ends with key NULL */
    const struct query *option_rows;                  /* INPUT_OPTIONS: (key, label) from the store */
};

/* A kind of object that rules are about. */
struct subject {
    const char *table;                    /* its alias in every SQL text is t */
    const struct definition *definitions; /* ends with field NULL */
    int field_area;                       /* enum field_area of its custom fields */
    const char *field_group;              /* "organizationfields": their names are organizationfields.<key> */
    const char *field_rows, *field_owner; /* "organization_field_values x", "x.organization_id" */
};
extern const struct subject organization_subject, user_subject;

/* The fields of a desk: those of the table, then those of its enabled custom fields. */
struct definitions {
    const struct subject *subject;
    enum rule_user user;
    struct definition *list;
    int count;
};
int definitions_load(struct work *w, const struct subject *s, enum rule_user u, struct definitions *out);
const struct definition *definition_of(const struct definitions *d, struct str field); /* NULL: none */

#endif
