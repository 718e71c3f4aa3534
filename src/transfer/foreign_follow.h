/* People and organizations that an earlier run has made, and that the source has changed since.
 *
 * imported_ids.carried has what the last run gave: the rights of a person as the source showed them, and the
 * ids here of the person's teams, addresses and numbers; of an organization its domains; of both the keys of
 * their tags. So (1) rights that staff of this desk have changed stay until the source changes them, and (2)
 * a team, an address, a domain or a tag that staff of this desk have added stays, while one that the source
 * has removed goes. Names and other members follow the source.
 *
 * Who runs the source could get the login of a person by an address. So owners of this desk stay as they are,
 * and a person with a higher role here than at the source keeps the addresses and numbers. */
#ifndef TRANSFER_FOREIGN_FOLLOW_H
#define TRANSFER_FOREIGN_FOLLOW_H

#include "transfer/foreign_row.h"
#include "transfer/imported.h"

/* Remembers what a person has been given. user: the id here. */
int person_carried(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t user);
/* Returns 1 if the person has changed, 0 if the row stays as it is, or a negative error. */
int person_follow(struct foreign *f, const struct foreign_person *p, const struct imported *row);

/* The same for an organization. domains: the keys that the source shows and that no other one has. */
int organization_carried(struct foreign *f, const struct foreign_organization *o, const struct str *domains,
                         int count);
int organization_follow(struct foreign *f, const struct foreign_organization *o, const struct imported *row);

#endif
