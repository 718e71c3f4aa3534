/* Contact data of people and organizations beside identities. Lists of them are owned rows
 * (api/input/owned_rows.h). */
#ifndef CORE_CONTACT_H
#define CORE_CONTACT_H

#include "work/work.h"

struct phone {
    struct str number, key; /* as given; normalised for comparison */
};

/* Replaces the organization's numbers. Numbers that stay keep their ids. The first is primary. */
int organization_phones_replace(struct work *w, int64_t organization_id, const struct phone *list, int count);

/* Ids in other systems: (app, id) is unique. Returns 1 with the person who has it, 0 or a negative error. */
int identifier_owner(struct work *w, struct str app, struct str id, int64_t *user);
int identifier_add(struct work *w, int64_t user, struct str app, struct str id);

/* frees unique values of deleted people (external identifiers); users: JSON array */
int contacts_free(struct work *w, struct str users);
/* deletes all contact data, tags and field values of purged people */
int contacts_forget(struct work *w, struct str users);

#endif
