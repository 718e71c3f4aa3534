/* Values of custom fields: texts, each of the form its field's type wants. Options are named by id, several with
 * commas. */
#ifndef CORE_FIELD_VALUE_H
#define CORE_FIELD_VALUE_H

#include "core/fields/custom_field.h"

struct field_option {
    int64_t id, field_id;
};

struct field_value {
    const struct custom_field *field;
    struct str value; /* p NULL: none, any more */
};

/* Locks the fields of these keys (JSON array), so that none changes its type or loses an option before the write is
 * done. */
int fields_lock(struct work *w, enum field_area area, struct str keys);
/* The options of these fields (JSON array of ids), in the arena. Returns how many, or error. */
int field_options_of(struct work *w, struct str fields, struct field_option **out);

/* Makes a text a value of the field, as it is kept: sorted ids, "yes" and "no", numbers without leading zeros. Returns
 * NULL, or why not, as a sentence. */
const char *field_value_read(struct arena *a, const struct custom_field *f, const struct field_option *options, int option_count,
                             struct str text, struct str *value);

int field_value_exists(struct work *w, const struct custom_field *f, int64_t owner_id); /* 1, 0 or error */
int field_values_put(struct work *w, enum field_area area, int64_t owner_id, const struct field_value *values, int count);

/* Values of FILE fields are ids of files. Says of each value whether its file may be named: it is who acts's own, or what
 * the field has already (owner_id 0: nothing). Entries of other values stay. Such files stay until the write ends. */
int field_files_usable(struct work *w, enum field_area area, int64_t owner_id, const struct field_value *values, int count, bool *usable);
int64_t field_value_file(const struct field_value *v); /* 0: none */

/* All such values of a person go, and their files are let go (core/desk/file.h). */
int user_files_drop(struct work *w, int64_t user_id);

#endif
