/* Definitions: the fields that rules may ask about, one row for each. Predicates are checked, compiled to
 * SQL and evaluated in memory by these rows. Programs read them to draw forms. */
#ifndef CORE_DEFINITION_H
#define CORE_DEFINITION_H

#include "base/words.h"
#include "work/work.h"

/* The kind of rule; each has its own fields and operators. RULE_FILTER: filters of organizations and
 * people, and views. */
enum rule_user { RULE_SLA, RULE_FILTER, RULE_TRIGGER, RULE_MONITOR, RULE_USERS };
#define FOR(rule) (1u << (rule))
#define INTERNAL (1u << RULE_USERS) /* no proposition may name the field: other fields need its value */

enum input_type {
    INPUT_INTEGER,
    INPUT_FLOAT,
    INPUT_STRING,
    INPUT_BOOLEAN,
    INPUT_BOOLEAN_TRUE, /* only true is a valid value */
    INPUT_OPTIONS,
    INPUT_MULTIPLE, /* a field of which several options may be chosen */
    INPUT_TAGS,
    INPUT_DATE_ABSOLUTE,
    INPUT_DATE_RELATIVE,
    INPUT_AUTOCOMPLETE,
    INPUT_TIME, /* hours since a time */
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
    HAS_ONE_OF, /* INPUT_MULTIPLE */
    HAS_NONE_OF,
    HAS_ALL_OF,
    TIME_GREATER_THAN, /* the four of TIME, and in the same order those of business hours */
    TIME_GREATER_THAN_OR_EQUAL_TO,
    TIME_LESS_THAN,
    TIME_LESS_THAN_OR_EQUAL_TO,
    OPEN_GREATER_THAN,
    OPEN_GREATER_THAN_OR_EQUAL_TO,
    OPEN_LESS_THAN,
    OPEN_LESS_THAN_OR_EQUAL_TO,
    CHANGED, /* history: compared with the state before the change */
    CHANGED_TO,
    CHANGED_FROM,
    NOT_CHANGED,
    NOT_CHANGED_TO,
    NOT_CHANGED_FROM,
    OPERATORS
};
#define OP(x) (UINT64_C(1) << (x))
extern const struct word operator_words[]; /* "comparison_equalto" */
extern const struct word input_words[];    /* "INTEGER" */

/* The form in which values of a field are stored and compared. */
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
    int64_t number; /* number that the value is compared with; 0: the number of the key */
};

/* A value that stands for others: beside the options, or beside the ids of people and organizations. */
enum special { NO_VALUE, CURRENT_USER, CURRENT_USERS_TEAMS, SAME_AS_FIELD };
struct special_value {
    const char *key, *label;
    enum special what;
    const char *field; /* SAME_AS_FIELD: the field with the other value */
    unsigned rules;    /* FOR(...) those that have it; 0: all */
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
    /* VALUE_TEXT: normalises a text for comparison; p NULL: invalid */
    struct str (*key)(struct arena *a, struct str s);
    const struct option *options; /* INPUT_OPTIONS: ends with key NULL */
    /* INPUT_OPTIONS: (key, label, number of rows) from the store, and optionally: 1 if it is deleted, the
     * number to compare with */
    const struct query *option_rows;
    /* INPUT_OPTIONS: the numbers of the keys; NULL: a key is its number */
    const struct word *words;
    const struct special_value *specials; /* ends with key NULL; NULL: none. Only for numbers in t */
    /* INPUT_AUTOCOMPLETE: finds the object :id; NULL: any id is accepted */
    const struct query *known;
    const char *unknown; /* with `known`: the message if it is not found */
    /* ids of deleted objects that rows may still refer to: they count as no value (core/desk/cascade.h) */
    const char *gone;
    /* a condition that follows from equality with :equal, so that the store finds an index; NULL: none */
    const char *implied;
    const char *implied_true; /* the same for equality with 1 */
    const char *implied_from; /* the same for a lower bound :from */
    unsigned rules;           /* FOR(...) those that accept the field; 0: all */
    unsigned unlisted;        /* FOR(...) those that accept the field, but do not list it */
    /* name in typed changes (core/change/change.h), for history operators; NULL: none */
    const char *property;
    int field_kind; /* enum field_kind of a custom field, or 0 */
    bool open_now;  /* the value is the calendar; the field is true while it is open */
    /* the rows of `among` are those of messages that the work added; only in memory */
    bool added;
};

/* Custom fields of the object, or of another object that it refers to. */
struct field_source {
    int area;                   /* enum field_area; 0 ends the list */
    const char *group;          /* "organizationfields": the fields are named organizationfields.<key> */
    const char *among;          /* the text after FROM: their values x */
    const char *owner;          /* column with the id of the object that rules are about */
    const char *shown, *rarity; /* group and rarity of the definitions; NULL: none */
};

/* A kind of object that rules are about. */
struct subject {
    const char *table;                    /* alias t in all SQL */
    const struct definition *definitions; /* ends with field NULL */
    const struct field_source *sources;
    /* the field with the brand in whose time zone relative dates are; NULL: they are in the desk's */
    const char *brand;
};
#define HOURS_FIELD \
    "businesshours" /* an internal field of conversations: the id of their business hours, 0: none */
extern const struct subject organization_subject, user_subject, case_subject;

/* Values of a rule. Its deleted options and objects are listed and accepted, too. */
struct used_values {
    bool all; /* accepts all deleted options, for stored rules */
    int count;
    struct used_value {
        struct str field, key;
    } * list;
};

/* All fields of a subject: those of its table, then its enabled custom fields. */
struct definitions {
    const struct subject *subject;
    enum rule_user user;
    struct definition *list;
    int count, room;
    const struct used_values *used;
};
int definitions_load(struct work *w, const struct subject *s, enum rule_user u, struct definitions *out);

int definitions_load_used(struct work *w, const struct subject *s, enum rule_user u,
                          const struct used_values *used, struct definitions *out);

bool value_used(const struct used_values *used, const char *field, struct str key);
/* NULL: none that propositions may name */
const struct definition *definition_of(const struct definitions *d, struct str field);
/* index of any definition; it exists */
int definition_place(const struct definitions *d, const char *field);
/* bits OP(enum operation) */
uint64_t operators_of(enum rule_user u, const struct definition *d);

#endif
