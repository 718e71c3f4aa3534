/* Forms of conversations: which custom fields a conversation asks for. */
#ifndef CORE_FORM_H
#define CORE_FORM_H

#include "work/work.h"

/* Fails with FIELD_INVALID of form_id unless the form is enabled and belongs to the brand, or to all
 * brands. form_id 0: no form. */
int case_form_check(struct work *w, int64_t form_id, int64_t brand_id);
/* The form of a conversation; 0: none. */
int case_form_of(struct work *w, int64_t case_id, int64_t *form_id);
/* The ids of the fields of a form, in their order, in the arena. Returns their number, or a negative
 * error. */
int case_form_fields(struct work *w, int64_t form_id, int64_t **ids);
int case_form_fields_put(struct work *w, int64_t form_id, const int64_t *ids, int count);
/* Gives a new form the last position, and makes the first form of the desk the default. */
int case_form_place(struct work *w, int64_t form_id);
int case_form_set_default(struct work *w, int64_t form_id); /* records the changes of both forms */
int case_forms_remove(struct work *w, struct str ids);      /* marks them; ids: JSON array */

/* Name of the lock under which forms are added and the default changes. */
#define FORMS_LOCK "case forms"

#endif
