/* Custom fields in a form: as the API shows them, and as it takes their values. */
#ifndef PAGES_FORM_VALUE_H
#define PAGES_FORM_VALUE_H

#include "pages/form.h"

#define FORM_VALUES 100 /* fields in a form; further ones are not shown */

/* Fills in how the field is listed among problems. Returns 1, or 0 if the form does not show it. */
int form_value_field(struct act *a, const struct json *field, struct form_field *out);
int form_value(struct act *a, const struct json *field); /* writes its control; the same */
void form_values_take(struct act *a, struct json *body); /* adds the typed values */

#endif
