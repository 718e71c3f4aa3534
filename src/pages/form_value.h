/* Custom fields in a form: as the API shows them, and as it takes their values. */
#ifndef PAGES_FORM_VALUE_H
#define PAGES_FORM_VALUE_H

#include "pages/form.h"

#define FORM_VALUES 100 /* fields in a form; further ones are not shown */

/* Fills in how the field is listed among problems. Returns 1, or 0 if the form does not show it. */
int form_value_field(struct form_page *a, const struct json *field, struct form_field *out);
int form_value(struct form_page *a, const struct json *field); /* writes its control; the same */
/* Files of FILE fields are uploaded by a call before the form is sent. */
struct http_file *form_files(struct form_page *a,
                             bool of_fields); /* the files of such fields, or the others */
/* the former, named as the problems of their fields are */
struct http_file *form_value_files(struct form_page *a);
/* The values that these files are, an object. uploaded: the reply to their upload. */
const struct json *form_value_uploaded(struct form_page *a, const struct json *uploaded);
/* adds the typed values, and those of files (or NULL) */
void form_values_take(struct form_page *a, struct json *body, const struct json *files);

#endif
