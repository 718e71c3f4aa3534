/* Values of the custom fields of conversations. */
#ifndef CORE_CASE_VALUE_H
#define CORE_CASE_VALUE_H

#include "core/fields/field_value.h"
#include "core/words.h"

/* Stores the values that differ and records each as the property custom_fields.<key> of the conversation.
 * The caller has locked the row. */
int case_values_change(struct work *w, int64_t case_id, const struct field_value *values, int count);
/* Staff complete or close a conversation only if no field with is_required_on_resolution is empty; if
 * form_id is not 0, only fields of the form count. Fails with FIELD_REQUIRED for each such field. Other
 * types of status, and other callers, are free. */
int case_check_resolution(struct work *w, int64_t case_id, int64_t form_id, enum status_type type);

#endif
