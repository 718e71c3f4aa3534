/* Operators by input type and kind of rule. */
#include "core/predicates/definition.h"

const struct word operator_words[] = {
    {EQUAL_TO, "comparison_equalto"},
    {NOT_EQUAL_TO, "comparison_not_equalto"},
    {GREATER_THAN, "comparison_greaterthan"},
    {GREATER_THAN_OR_EQUAL_TO, "comparison_greaterthan_or_equalto"},
    {LESS_THAN, "comparison_lessthan"},
    {LESS_THAN_OR_EQUAL_TO, "comparison_lessthan_or_equalto"},
    {CONTAINS, "string_contains_insensitive"},
    {DOES_NOT_CONTAIN, "string_does_not_contain_insensitive"},
    {CONTAINS_ALL, "collection_contains_insensitive"},
    {CONTAINS_ANY, "collection_contains_any_insensitive"},
    {CONTAINS_NONE, "collection_does_not_contain_insensitive"},
    {DATE_IS, "date_is"},
    {DATE_IS_NOT, "date_is_not"},
    {DATE_AFTER, "date_after"},
    {DATE_AFTER_OR_ON, "date_after_or_on"},
    {DATE_BEFORE, "date_before"},
    {DATE_BEFORE_OR_ON, "date_before_or_on"},
    {HAS_ONE_OF, "contains_one_of_the_following"},
    {HAS_NONE_OF, "contains_none_of_the_following"},
    {HAS_ALL_OF, "contains_all_of_the_following"},
    {TIME_GREATER_THAN, "time_greaterthan"},
    {TIME_GREATER_THAN_OR_EQUAL_TO, "time_greaterthan_or_equalto"},
    {TIME_LESS_THAN, "time_lessthan"},
    {TIME_LESS_THAN_OR_EQUAL_TO, "time_lessthan_or_equalto"},
    {OPEN_GREATER_THAN, "time_greaterthan_businesshours"},
    {OPEN_GREATER_THAN_OR_EQUAL_TO, "time_greaterthan_or_equalto_businesshours"},
    {OPEN_LESS_THAN, "time_lessthan_businesshours"},
    {OPEN_LESS_THAN_OR_EQUAL_TO, "time_lessthan_or_equalto_businesshours"},
    {CHANGED, "history_changed"},
    {CHANGED_TO, "history_changed_to"},
    {CHANGED_FROM, "history_changed_from"},
    {NOT_CHANGED, "history_not_changed"},
    {NOT_CHANGED_TO, "history_not_changed_to"},
    {NOT_CHANGED_FROM, "history_not_changed_from"},
    {0, NULL}};

const struct word input_words[] = {{INPUT_INTEGER, "INTEGER"},
                                   {INPUT_FLOAT, "FLOAT"},
                                   {INPUT_STRING, "STRING"},
                                   {INPUT_BOOLEAN, "BOOLEAN"},
                                   {INPUT_BOOLEAN_TRUE, "BOOLEAN_TRUE"},
                                   {INPUT_OPTIONS, "OPTIONS"},
                                   {INPUT_MULTIPLE, "MULTIPLE"},
                                   {INPUT_TAGS, "TAGS"},
                                   {INPUT_DATE_ABSOLUTE, "DATE_ABSOLUTE"},
                                   {INPUT_DATE_RELATIVE, "DATE_RELATIVE"},
                                   {INPUT_AUTOCOMPLETE, "AUTOCOMPLETE"},
                                   {INPUT_TIME, "TIME"},
                                   {0, NULL}};

#define EQUALITY (OP(EQUAL_TO) | OP(NOT_EQUAL_TO))
#define ORDERING (OP(GREATER_THAN) | OP(GREATER_THAN_OR_EQUAL_TO) | OP(LESS_THAN) | OP(LESS_THAN_OR_EQUAL_TO))
#define CONTAINING (OP(CONTAINS) | OP(DOES_NOT_CONTAIN))
#define COLLECTION (OP(CONTAINS_ALL) | OP(CONTAINS_ANY) | OP(CONTAINS_NONE))
#define DAYS (OP(DATE_IS) | OP(DATE_IS_NOT))
#define SPANS (OP(DATE_AFTER) | OP(DATE_AFTER_OR_ON) | OP(DATE_BEFORE) | OP(DATE_BEFORE_OR_ON))
#define SEVERAL (EQUALITY | OP(HAS_ONE_OF) | OP(HAS_NONE_OF) | OP(HAS_ALL_OF))
#define HOURS                                                                         \
    (OP(TIME_GREATER_THAN) | OP(TIME_GREATER_THAN_OR_EQUAL_TO) | OP(TIME_LESS_THAN) | \
     OP(TIME_LESS_THAN_OR_EQUAL_TO))
#define OPEN_HOURS                                                                    \
    (OP(OPEN_GREATER_THAN) | OP(OPEN_GREATER_THAN_OR_EQUAL_TO) | OP(OPEN_LESS_THAN) | \
     OP(OPEN_LESS_THAN_OR_EQUAL_TO))
#define FEW_NUMBERS (OP(EQUAL_TO) | OP(GREATER_THAN) | OP(LESS_THAN))

/* Operators in SLAs, and in filters. A TIME has no operators in filters, because filters use dates. */
static const uint64_t operators[INPUT_TYPES][2] = {
    [INPUT_INTEGER] = {EQUALITY | ORDERING, FEW_NUMBERS},
    [INPUT_FLOAT] = {EQUALITY | ORDERING, FEW_NUMBERS},
    [INPUT_STRING] = {CONTAINING, OP(CONTAINS) | EQUALITY},
    [INPUT_BOOLEAN] = {EQUALITY, EQUALITY},
    [INPUT_BOOLEAN_TRUE] = {OP(EQUAL_TO), OP(EQUAL_TO)},
    [INPUT_OPTIONS] = {EQUALITY, EQUALITY},
    [INPUT_MULTIPLE] = {SEVERAL, SEVERAL},
    [INPUT_TAGS] = {COLLECTION, COLLECTION},
    [INPUT_DATE_ABSOLUTE] = {DAYS, DAYS | OP(DATE_AFTER_OR_ON) | OP(DATE_BEFORE_OR_ON)},
    [INPUT_DATE_RELATIVE] = {SPANS, OP(DATE_AFTER_OR_ON) | OP(DATE_BEFORE_OR_ON)},
    [INPUT_AUTOCOMPLETE] = {EQUALITY, EQUALITY},
    [INPUT_TIME] = {HOURS, 0},
};

#define MORE_HISTORY (OP(CHANGED_TO) | OP(CHANGED_FROM) | OP(NOT_CHANGED_TO) | OP(NOT_CHANGED_FROM))

/* History operators of triggers, for fields that have a history. */
static const uint64_t history[INPUT_TYPES] = {
    [INPUT_INTEGER] = OP(CHANGED) | MORE_HISTORY,
    [INPUT_FLOAT] = OP(CHANGED) | MORE_HISTORY,
    [INPUT_STRING] = OP(CHANGED) | OP(NOT_CHANGED),
    [INPUT_OPTIONS] = OP(CHANGED) | OP(NOT_CHANGED) | MORE_HISTORY,
    [INPUT_MULTIPLE] = OP(CHANGED) | OP(NOT_CHANGED),
    [INPUT_TAGS] = OP(CHANGED) | OP(NOT_CHANGED),
    [INPUT_AUTOCOMPLETE] = OP(CHANGED) | OP(NOT_CHANGED) | MORE_HISTORY,
};

uint64_t operators_of(enum rule_user u, const struct definition *d) {
    uint64_t all = operators[d->input][u == RULE_FILTER];
    if (d->input == INPUT_TIME && (u == RULE_TRIGGER || u == RULE_MONITOR)) all |= OPEN_HOURS;
    if (u == RULE_TRIGGER && d->property) all |= history[d->input];
    return all;
}
