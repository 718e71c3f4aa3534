/* Values of custom fields, as members and as the parameter field_values: a map of key to value. */
#ifndef RES_FIELD_VALUE_H
#define RES_FIELD_VALUE_H

#include "api/call/call.h"
#include "core/fields/field_value.h"

/* `.ref` of the field selects the kind of owner. Customers may set fields that they see and may edit.
 * Other callers may set any field. Values of a conversation that a customer may not edit are ignored with
 * a notice. */
int check_case_values(struct call *c, struct in *in);
int check_user_values(struct call *c, struct in *in);
int check_organization_values(struct call *c, struct in *in);
int store_user_values(struct call *c, const struct in *in, int64_t id);
int store_organization_values(struct call *c, const struct in *in, int64_t id);

/* The checked values of the parameter field_values of a conversation, for case_create and case_change.
 * Returns their number. */
int field_values_given(struct call *c, const struct field_value **list);

#define FIELD_VALUES_DOC                                                                                \
    "Values of custom fields as texts, by the key of the field. Options are given by id, several with " \
    "commas. Files are given by the id that POST /files returned. null or an empty text clears a value."

/* A POST without it still fails if a required field has no value. */
#define USER_FIELD_VALUES                                                                         \
    {                                                                                             \
        "field_values", F_OBJECT, INPUT_ONLY, .initial = "{}", .check = check_user_values,        \
                                              .store = store_user_values, .doc = FIELD_VALUES_DOC \
    }
#define ORGANIZATION_FIELD_VALUES                                                                         \
    {                                                                                                     \
        "field_values", F_OBJECT, INPUT_ONLY, .initial = "{}", .check = check_organization_values,        \
                                              .store = store_organization_values, .doc = FIELD_VALUES_DOC \
    }
#define CASE_FIELD_VALUES                                                                               \
    {                                                                                                   \
        "field_values", F_OBJECT, INPUT_ONLY | BY_HANDLER, .initial = "{}", .check = check_case_values, \
                                                           .doc = FIELD_VALUES_DOC                      \
    }

#endif
