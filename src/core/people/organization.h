/* Organizations: their domains, changes and deletion. */
#ifndef CORE_ORGANIZATION_H
#define CORE_ORGANIZATION_H

#include "core/change/record.h"
#include "work/work.h"

/* Returns 1 if another organization has one of these domains, and its index in *place; 0; or a negative
 * error. Takes a lock until the write ends, so that concurrent writers ask in turn. */
int domains_taken(struct work *w, int64_t organization_id, const struct str *keys, size_t count, int *place);
/* Replaces an organization's domains, given as domain_keys. The first is primary. They are validated if
 * the organization is. */
int organization_set_domains(struct work *w, int64_t id, const struct str *keys, size_t count);

/* Finds the organization that a person with this address joins: the one with its validated domain. Returns
 * 1 found, 0 not. */
int organization_of_address(struct work *w, struct str email, int64_t *id);

/* Columns of the table. name, is_validated: true if the columns include them. */
struct organization_change {
    const struct column *columns;
    int column_count;
    bool name, is_validated;
};

/* The one function that changes an organization and what follows from it: indexed names, validated
 * domains. */
int organization_change(struct work *w, int64_t id, const struct organization_change *wanted);
/* The one function that makes an organization. columns: of the table; name and name_key are among them.
 * Domains, numbers, addresses, notes and tags are added afterwards. */
int organization_create(struct work *w, const struct column *columns, int count, int64_t *id);

/* Marks the organizations (JSON array) as deleted. A cascade removes them from people and conversations. */
int organizations_delete(struct work *w, struct str ids);
/* Holds the organization until the write ends, so that a row can refer to it (0: none). Returns 1, or
 * fails with FIELD_INVALID. */
int organization_hold(struct work *w, int64_t id);

#endif
