/* Actions of triggers and monitors. One table has a row for each action. The definitions, the check on
 * save, the run and the dry run use the same row. */
#ifndef CORE_ACTION_H
#define CORE_ACTION_H

#include "core/cases/case.h"
#include "core/rules/rule_predicate.h"

struct firing;
struct rule_action;

/* The store has the numbers, so append only. */
enum action_option {
    ACTION_CHANGE = 1,
    ACTION_INCREASE,
    ACTION_DECREASE,
    ACTION_ADD,
    ACTION_REMOVE,
    ACTION_REPLACE,
    ACTION_SEND
};
extern const struct word action_options[];

/* The form of a value. */
enum action_form {
    ACTION_ID,    /* a number: an id, 0 or a special value */
    ACTION_TAGS,  /* names of tags */
    ACTION_TRUE,  /* always true */
    ACTION_MAIL,  /* a number for the recipients; the subject and the message are attributes */
    ACTION_TEXT,  /* a text with placeholders, or none */
    ACTION_FIELD, /* a value of a custom field */
};

/* Special values: 0 stands for no object. */
enum action_special {
    LAST_ACTIVE_USER = -2,
    THE_REQUESTER = -3,
    THE_ASSIGNEE = -4,
    THE_TEAM = -5,
    THE_CURRENT_USER = -4
};

/* A row of the table of actions. */
struct action_kind {
    const char *name; /* name of the action; if it ends with _, an id follows */
    const char *label;
    unsigned options; /* bits of 1u << enum action_option */
    enum action_form form;
    const char *input, *value, *group; /* shown in the API */
    int (*run)(struct firing *f, const struct rule_action *a);
    const struct query *values;    /* (key, label) of the possible ids; NULL: none are listed */
    const struct option *specials; /* ends with key NULL; NULL: none */
    const struct query *known;     /* finds the object :id that a value refers to; NULL: any */
    const char *unknown;           /* the message if it is not found */
};
extern const struct action_kind action_kinds[]; /* core/rules/action_kinds.c; ends with name NULL */
bool is_action_name(struct str name);

/* An action of a rule. */
struct rule_action {
    int64_t id, owner_id; /* id 0: not stored yet */
    const struct action_kind *kind;
    struct str name;
    int64_t subject_id; /* id of the endpoint or the custom field, taken from the name; 0: none */
    enum action_option option;
    int64_t number;
    struct str *tags;
    int tag_count;
    struct str text;             /* ACTION_TEXT, ACTION_FIELD: normalised */
    struct str subject, message; /* ACTION_MAIL */
    struct str value;            /* JSON, as it is stored and shown */
};

/* Checks the parameter `name` of a request: [{id, name, option, value, attributes: {subject, message}}].
 * Reports every problem with its pointer. An id must be that of an action of this owner; owner_id 0: a new
 * owner. Returns the number of actions or the first problem. */
int rule_actions_check(struct work *w, enum rule_owner owner, int64_t owner_id, const struct json *list,
                       struct str name, struct rule_action **out);
/* Stores checked actions in place of the present ones, and sets the ids of new ones. *changed: false if
 * nothing differs but ids. */
int rule_actions_store(struct work *w, enum rule_owner owner, int64_t owner_id, struct rule_action *list,
                       int count, bool *changed);
/* Deletes the actions of deleted owners; ids: JSON array. */
int rule_actions_delete(struct work *w, enum rule_owner owner, struct str ids);
/* Reads the actions of these owners (JSON array) in one statement, ordered by owner and position. Returns
 * their number. */
int rule_actions_read(struct work *w, enum rule_owner owner, struct str ids, struct rule_action **out);

/* Finds the first action that refers to a deleted object. Returns its index, `count` if there is none, or
 * a negative error. */
int rule_action_gone(struct work *w, const struct rule_action *list, int count);

/* SQL of the column that res/rule.h renders: a JSON array with a text for each action, which is the
 * JSON array [id, name, option, value, attributes]. owner: the number, as a text. */
#define RULE_ACTIONS_OF(owner, owner_id)                                                                  \
    "(SELECT @JSON_ROWS(x.line) FROM (SELECT '[' || a.id || ',\"' || a.name || '\",' || a.option || ',' " \
    "|| COALESCE(a.value, 'null') || ',' || COALESCE(a.attributes, 'null') || ']' AS line "               \
    "FROM rule_actions a WHERE a.owner = " owner " AND a.owner_id = " owner_id                            \
    " ORDER BY a.position, a.id) x)"

/* A definition, for programs that draw forms. */
struct action_definition {
    struct str name, label;
    const char *input, *value, *group;
    unsigned options;
    struct str values; /* JSON object; empty: none */
    bool mails;        /* has the attributes subject and message */
    struct action_definition *next;
};
int action_definitions(struct work *w, struct action_definition **out);

/* A rule acts on one conversation. */
struct firing {
    struct work *w;             /* its actor is the rule */
    struct case_now *now;       /* the locked conversation; actions change it */
    const struct actor *person; /* person who made the change that the rule saw */
    struct change_author *author;
    bool stops_rules;
};

#endif
