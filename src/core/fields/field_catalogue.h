/* Enabled custom fields and their values. They are kept in memory for reads: the essay is in
 * field_catalogue.c. */
#ifndef CORE_FIELD_CATALOGUE_H
#define CORE_FIELD_CATALOGUE_H

#include "core/words.h"
#include "work/work.h"

struct custom_field {
    int64_t id;
    enum field_area area;
    enum field_kind type;
    struct str key, regular_expression; /* p NULL: none */
    bool is_enabled, is_required_for_agents, is_visible_to_customers, is_customer_editable,
        is_required_for_customers;
};

/* Gets the enabled fields of an area in their order, in the arena, without built-in fields. Returns their
 * number, or a negative error. */
int custom_fields_of(struct work *w, enum field_area area, struct custom_field **out);

struct field_catalogue;
struct field_catalogue *field_catalogue_new(void); /* NULL: no memory */
void field_catalogue_free(struct field_catalogue *c);

/* Call it in each write that changes custom fields. */
int custom_fields_changed(struct work *w);

/* Reads the time of the last change of custom fields, deletions included. */
int custom_fields_changed_at(struct work *w, int64_t *at);

/* The values of owners: a value for each enabled field of the area, in the order of the fields. */
struct field_values {
    const struct custom_field **fields; /* only id, area and type */
    int field_count;
    struct str *values; /* of the first owner, then of the second; p NULL: none is stored */
};

/* Reads the values of these owners, at least one, in the arena. to_customers: only of fields that customers
 * see. */
int field_values_of(struct work *w, enum field_area area, bool to_customers, const int64_t *owners, int count,
                    struct field_values *out);

#endif
