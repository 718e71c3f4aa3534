/* Custom fields: what a desk wants to know of conversations, people and organizations beyond their own members. */
#ifndef CORE_CUSTOM_FIELD_H
#define CORE_CUSTOM_FIELD_H

#include "core/fields/translation.h"

struct custom_field {
    int64_t id;
    enum field_area area;
    enum field_kind type;
    struct str key, regular_expression; /* p NULL: none */
    bool is_enabled, is_required_for_agents, is_visible_to_customers, is_customer_editable, is_required_for_customers;
};

/* All enabled ones of an area, in their order, in the arena, without those that came with the desk. Returns how many, or error. */
int custom_fields_of(struct work *w, enum field_area area, struct custom_field **out);

/* One option of a field as it shall be. */
struct option_wanted {
    int64_t id; /* of the option that stays; 0: a new one */
    int64_t sort_order;
    struct str tag;                   /* p NULL: none */
    bool is_tagged;                   /* the tag was given; else it stays */
    const struct translation *titles; /* NULL: they stay as they are */
    int title_count;
};

struct custom_field_new {
    struct custom_field field; /* without its id */
    bool is_required_on_resolution;
    int64_t sort_order; /* 0: behind the others */
};
int custom_field_create(struct work *w, const struct custom_field_new *n, int64_t *id);
/* A key that no field of the area has, from what the field is called: "Plan size" -> "plan_size". p NULL: the area is
 * full. */
int custom_field_key(struct work *w, enum field_area area, struct str title, struct str *key);
int custom_fields_count(struct work *w, enum field_area area, int64_t *count);

/* The list replaces the options; those that go must not be in use. */
int field_options_replace(struct work *w, int64_t field_id, const struct option_wanted *list, int count);
/* The first option of the field that a value names and that is not among the ids (JSON array) kept; 1, 0 or error. */
int field_option_in_use(struct work *w, const struct custom_field *f, struct str kept, int64_t *id);
int field_option_of(struct work *w, int64_t field_id, int64_t option_id); /* 1: it is the field's */
int custom_field_used(struct work *w, const struct custom_field *f);      /* 1: somebody has a value of it */
int custom_fields_remove(struct work *w, struct str ids);                 /* JSON array; with their values, by a cascade */

bool field_key_valid(struct str key); /* a letter, then letters, digits, _ and - */
bool field_has_options(enum field_kind type);
/* What rules compare a value of this type by: decimal_key of numbers, else fold_key, at most LIMIT_VALUE_KEY bytes of whole characters.
 * The column value_key. */
struct str field_value_key(struct arena *a, enum field_kind type, struct str value);

#endif
