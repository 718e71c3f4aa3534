/* Values of custom fields: texts in the form of the field's type. Options are ids; several are separated
 * by commas. */
#ifndef CORE_FIELD_VALUE_H
#define CORE_FIELD_VALUE_H

#include "core/fields/custom_field.h"

struct field_option {
    int64_t id, field_id;
};

struct field_value {
    const struct custom_field *field;
    struct str value; /* p NULL: delete the value */
};

/* Locks the fields with these keys (JSON array): their types and options can't change until the write
 * ends. */
int fields_lock(struct work *w, enum field_area area, struct str keys);
/* Reads the options of these fields (JSON array of ids), in the arena. Returns their number, or a negative
 * error. */
int field_options_of(struct work *w, struct str fields, struct field_option **out);

/* Normalises a text for storage: sorted ids, "yes" and "no", numbers without leading zeros. Returns NULL,
 * or a sentence that says why the text is invalid. */
const char *field_value_read(struct arena *a, const struct custom_field *f,
                             const struct field_option *options, int option_count, struct str text,
                             struct str *value);

/* 1, 0 or a negative error */
int field_value_exists(struct work *w, const struct custom_field *f, int64_t owner_id);
/* Stores the values and holds the owner until the write ends. -ERR_RESOURCE_NOT_FOUND: there is no such
 * owner. */
int field_values_put(struct work *w, enum field_area area, int64_t owner_id, const struct field_value *values,
                     int count);

/* Values of FILE fields are ids of files. Sets usable[i] of each such value: true if the caller owns the
 * file, or the field already has it (owner_id 0: no field). Other entries are unchanged. These files can't
 * expire until the write ends. */
int field_files_usable(struct work *w, enum field_area area, int64_t owner_id,
                       const struct field_value *values, int count, bool *usable);
int64_t field_value_file(const struct field_value *v); /* 0: none */

/* Deletes all FILE values of an owner and releases the files (core/desk/file.h). */
int field_files_drop(struct work *w, enum field_area area, int64_t owner_id);
/* Deletes all values of these owners (JSON array of ids). No foreign key does it, so a deletion of owners
 * calls this first. It releases no files: field_files_drop does. */
int field_values_drop(struct work *w, enum field_area area, struct str owners);

#endif
