/* Custom fields of conversations, people and organizations. */
#ifndef CORE_CUSTOM_FIELD_H
#define CORE_CUSTOM_FIELD_H

#include "core/fields/field_catalogue.h"
#include "core/fields/translation.h"

/* The wanted state of one option of a field. */
struct option_wanted {
    int64_t id; /* id of an existing option; 0: a new option */
    int64_t sort_order;
    struct str tag;                   /* p NULL: none */
    bool is_tagged;                   /* the tag was given; otherwise it does not change */
    const struct translation *titles; /* NULL: unchanged */
    int title_count;
};

struct custom_field_new {
    struct custom_field field; /* without its id */
    bool is_required_on_resolution;
    int64_t sort_order; /* 0: after the others */
};
int custom_field_create(struct work *w, const struct custom_field_new *n, int64_t *id);
/* Makes a free key in the area from a title: "Plan size" -> "plan_size". p NULL: no key is free. */
int custom_field_key(struct work *w, enum field_area area, struct str title, struct str *key);
int custom_fields_count(struct work *w, enum field_area area, int64_t *count);

/* Replaces the options. Options that are missing in the list are deleted; they must not be in use. */
int field_options_replace(struct work *w, int64_t field_id, const struct option_wanted *list, int count);
/* Finds the first option that a value refers to and that is not among the ids `kept` (JSON array). Returns
 * 1, 0 or a negative error. */
int field_option_in_use(struct work *w, const struct custom_field *f, struct str kept, int64_t *id);
/* 1 if the option belongs to the field */
int field_option_of(struct work *w, int64_t field_id, int64_t option_id);
/* 1 if a value of the field exists */
int custom_field_used(struct work *w, const struct custom_field *f);
/* ids: JSON array; a cascade deletes their values */
int custom_fields_remove(struct work *w, struct str ids);

bool field_key_valid(struct str key); /* a letter, then letters, digits, _ and - */
bool field_has_options(enum field_kind type);
/* The key by which rules compare a value (column value_key): decimal_key of numbers, otherwise fold_key,
 * cut to LIMIT_VALUE_KEY bytes of whole characters. */
struct str field_value_key(struct arena *a, enum field_kind type, struct str value);

#endif
