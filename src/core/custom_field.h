/* Custom fields: what a desk wants to know of conversations, people and organizations beyond their own members. */
#ifndef CORE_CUSTOM_FIELD_H
#define CORE_CUSTOM_FIELD_H

#include "core/words.h"
#include "work/work.h"

struct custom_field {
    int64_t id;
    enum field_area area;
    enum field_kind type;
    struct str key, regular_expression; /* p NULL: none */
    bool is_enabled, is_required_for_agents, is_visible_to_customers, is_customer_editable, is_required_for_customers;
};

/* Whether the field is there; 1, 0, or error. Disabled ones are found too. */
int custom_field_by_key(struct work *w, enum field_area area, struct str key, struct custom_field *out);
/* All enabled ones of an area, in their order, in the arena. Returns how many, or error. */
int custom_fields_of(struct work *w, enum field_area area, struct custom_field **out);

bool field_has_options(enum field_kind type);
/* What rules compare a value by: fold_key, at most LIMIT_VALUE_KEY bytes of whole characters. The column value_key. */
struct str field_value_key(struct arena *a, struct str value);

#endif
