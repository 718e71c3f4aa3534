/* Typed changes: (kind, id, property, old value, new value) of objects that a work changed.
 *
 * Functions of core record a change where they write it. work_finish (core/all/finish.h) passes the
 * changes of a work to the finishers once, before COMMIT. A work that is rolled back leaves none.
 *
 * Two changes of one property of an object by one author become one, from the first old value to the last
 * new value. A change back to the old value is dropped. Changes of an object that the same author created
 * are part of its creation. The author is the actor of the work, or a rule that acts in it. */
#ifndef CORE_CHANGE_CHANGE_H
#define CORE_CHANGE_CHANGE_H

#include "base/words.h"
#include "work/work.h"

enum change_verb { CHANGE_CREATED = 1, CHANGE_DELETED, CHANGE_UPDATED };

/* An old or new value. `text` is its form in the API. */
struct changed_value {
    bool given;       /* false: no value */
    int64_t number;   /* for numbers, words, references, times and booleans */
    struct str text;  /* p NULL with `given`: the number in decimal */
    struct str shown; /* for people: the name of a reference; p NULL: as text */
};

/* A note of a rule beside its changes: an action that sent something, or that could not act. */
struct rule_note {
    struct str action, text; /* text: the recipients, or the reason why the action was not done */
    bool refused;
    struct rule_note *next;
};

/* A rule that acts in a work: one firing on one conversation. */
struct change_author {
    struct str cause; /* "Trigger: Escalate" */
    int64_t case_id;
    int64_t trigger_id, monitor_id; /* the rule; the other is 0 */
    int channel, event;             /* of what a trigger saw: core/words.h; 0: none */
    int raises;   /* the event that its changes raise: enum rule_event of core/rules/rule.h; 0: none */
    bool changed; /* it has recorded a change of the conversation */
    bool stops;   /* it stops the notifications of the conversation */
    struct change_author *next_stop;
    struct rule_note *notes, **last_note;
    struct change_author *next; /* the next firing of this work */
};

struct change {
    const char *kind;    /* resource_type of the object: a string constant */
    int64_t id, case_id; /* case_id: the conversation whose visibility applies; 0: none */
    enum change_verb verb;
    const char *property; /* CHANGE_UPDATED: name in the API */
    bool named;           /* the values are not stored */
    bool tells;           /* people of staff may be told of it: core/cases/staff_notice.h */
    struct changed_value from, to;
    struct change_author *by; /* NULL: the actor of the work */
    int64_t number;           /* in the order of recording, from 1 */
    struct change *next, *in_bucket, *next_message;
};

struct changes {
    struct change *first, **last;
    struct change **buckets; /* hash table by id; grows with the changes */
    int bucket_bits;
    struct change_author *by; /* author of the next changes */
    int64_t count;            /* number of the last change */
    struct change *messages;  /* created messages, the newest first, linked by next_message */
    int64_t ruled;            /* number of the last change that rules have seen (core/rules/rules_finish.h) */
    int breaches_ruled;       /* the same for breaches (core/sla/clocks.h) */
    struct change_author *first_author, *last_author, *first_stop;
};

/* The object of a change. */
struct changed {
    const char *kind;
    int64_t id, case_id;
};

static inline struct changed_value changed_nothing(void) { return (struct changed_value){0}; }
static inline struct changed_value changed_number(int64_t n) {
    return (struct changed_value){.given = true, .number = n};
}
static inline struct changed_value changed_id(int64_t id) {
    return (struct changed_value){.given = id != 0, .number = id};
}
static inline struct changed_value changed_text(struct str s) {
    return (struct changed_value){.given = s.p != NULL, .text = s};
}
struct changed_value changed_word(const struct word *words, int64_t n); /* 0: no value */
struct changed_value changed_bool(bool b);
struct changed_value changed_time(struct arena *a, int64_t t);

void change_created(struct work *w, struct changed object);
void change_deleted(struct work *w, struct changed object);
/* Copies nothing, so texts must live as long as the work's arena. Equal values are no change. */
void change_property(struct work *w, struct changed object, const char *property, struct changed_value from,
                     struct changed_value to);
/* The same for an object that this work has created. It is said beside the creation. */
void change_beside_creation(struct work *w, struct changed object, const char *property,
                            struct changed_value from, struct changed_value to);
/* The property changed, but its values are not stored: they are a secret or a long text. */
void change_named(struct work *w, struct changed object, const char *property);
/* People of staff may be told of the last change of this object. */
void change_tells(struct work *w, struct changed object);
/* Records the deletion of objects of one kind. ids: JSON array. */
int changes_deleted(struct work *w, const char *kind, struct str ids);

/* The API's form of a value; p NULL: none. */
struct str changed_value_text(struct arena *a, const struct changed_value *v);

/* The changes of a work, in the order in which they were recorded. */
const struct change *changes_of(const struct work *w);

/* The ids of the messages that the work has added, as a JSON array. */
struct str changes_messages(struct work *w);

/* The same for one object, without a walk over the changes of others. Returns their number. */
int changes_of_object(struct work *w, struct changed object, const struct change ***out);

/* From here to change_author_end, the changes are those of a rule that fires on a conversation. */
struct change_author *change_author_begin(struct work *w, struct str cause, int64_t case_id);
void change_author_end(struct work *w);
void change_author_note(struct work *w, struct change_author *by, struct rule_note note);
/* The rule stops the notifications about its conversation for the rest of the work. */
void change_author_stop(struct work *w, struct change_author *by);
bool change_notifications_stopped(const struct work *w, int64_t case_id);
/* The firings of a work, in their order. */
const struct change_author *change_authors_of(const struct work *w);

#endif
