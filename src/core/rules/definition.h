/* Definitions: the fields that rules may ask about, one row for each. Predicates are checked, compiled to SQL and evaluated in memory by
 * these rows. Programs read them to draw forms (api.md "Definition"). */
#ifndef CORE_DEFINITION_H
#define CORE_DEFINITION_H

#include "base/words.h"
#include "work/work.h"

/* The kind of rule; each has its own operators. RULE_FILTER: organizations, people and views. */
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

/* How the values of a field are stored and compared. */
enum value_kind {
    VALUE_NUMBER,  /* 64 bits */
    VALUE_TIME,    /* milliseconds */
    VALUE_TEXT,    /* normalised by definition.key (default: fold_key) */
    VALUE_DECIMAL, /* stored as decimal_key */
    VALUE_YESNO,   /* yes, no */
    VALUE_DAY,     /* YYYY-MM-DD */
    VALUE_PICKS,   /* option ids between commas, ",3,5,"; equal to an option if it is among them */
};

/* SQL of the value of a field with several options: its stored key may be cut. */
#define VALUE_OF_PICKS "',' || x.value || ','"

struct option {
    const char *key, *label;
};

struct definition {
    const char *field, *label;
    enum input_type input;
    enum value_kind kind;
    const char *type, *sub_type, *group, *rarity; /* shown in the API; rarity NULL: none */
    const char *doc;
    const char *value; /* SQL of the value, over t or over the rows of `among` */
    const char *among; /* values in separate rows, none to many: the text after FROM; NULL: one value, in t */
    const char *owner; /* with `among`: column with the id of the object */
    const char *only;  /* with `among`: condition on the rows; NULL: all. :field is bound to field_id */
    int64_t field_id;  /* id of the custom field, or 0 */
    struct str (*key)(struct arena *a, struct str s); /* VALUE_TEXT: normalises a text for comparison; p NULL: invalid */
    const struct option *options;                     /* INPUT_OPTIONS: ends with key NULL */
    const struct query *option_rows;                  /* INPUT_OPTIONS: (key, label) from the store */
};

/* A kind of object that rules are about. */
struct subject {
    const char *table;                    /* alias t in all SQL */
    const struct definition *definitions; /* ends with field NULL */
    int field_area;                       /* enum field_area of its custom fields */
    const char *field_group;              /* "organizationfields": custom fields are named organizationfields.<key> */
};
extern const struct subject organization_subject, user_subject;

/* All fields of a subject: those of its table, then its enabled custom fields. */
struct definitions {
    const struct subject *subject;
    enum rule_user user;
    struct definition *list;
    int count;
};
int definitions_load(struct work *w, const struct subject *s, enum rule_user u, struct definitions *out);
const struct definition *definition_of(const struct definitions *d, struct str field); /* NULL: none */

#endif
