/* How a person or an organization is reached beside identities. Lists of them are rows their owner has (api/owned.h).
 */
#ifndef CORE_CONTACT_H
#define CORE_CONTACT_H

#include "work/work.h"

struct phone {
    struct str number, key; /* as given; as compared */
};

/* The list replaces the organization's numbers; those that stay keep their ids. The first is primary. */
int organization_phones_replace(struct work *w, int64_t organization_id, const struct phone *list, int count);

int contacts_free(struct work *w, struct str users);   /* of one who goes: what nobody else could have meanwhile */
int contacts_forget(struct work *w, struct str users); /* all that is known of one who is erased: contacts, tags, values */

#endif
