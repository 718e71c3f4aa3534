/* Organizations: the domains they are known by, and what becomes of their people and conversations when they go. */
#ifndef CORE_ORGANIZATION_H
#define CORE_ORGANIZATION_H

#include "core/change/record.h"
#include "work/work.h"

/* Whether another organization holds one of these domains: 1 and its place, 0, or error. Writers that ask go on
 * one at a time. */
int domains_taken(struct work *w, int64_t organization_id, const struct str *keys, size_t count, int *place);
/* Replaces an organization's domains, by their domain_keys; the first is primary. They are validated as the
 * organization is. */
int organization_set_domains(struct work *w, int64_t id, const struct str *keys, size_t count);
int organization_validate_domains(struct work *w, int64_t id); /* after is_validated changed */

/* The organization that whoever has this address joins: the one with its domain, validated. 1 found, 0 */
int organization_of_address(struct work *w, struct str email, int64_t *id);

/* Columns of the table, and whether name and is_validated are among them. */
struct organization_change {
    const struct column *columns;
    int column_count;
    bool name, is_validated;
};

/* The one function that changes an organization, and what follows from it (looked-up names, domains that become valid). */
int organization_change(struct work *w, int64_t id, const struct organization_change *wanted);
/* Looks up the name of a new organization from now on. */
int organization_created(struct work *w, int64_t id);

/* Gone at once for everybody; its people lose it and their conversations with them by a cascade. */
int organizations_delete(struct work *w, struct str ids);
/* It is there until the write ends, for somebody to be in it (0: in none). 1, or FIELD_INVALID. */
int organization_hold(struct work *w, int64_t id);

#endif
