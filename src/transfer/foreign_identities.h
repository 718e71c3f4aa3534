/* Addresses and numbers of people, and domains of organizations, as an import adds them: those that nobody
 * else has. */
#ifndef TRANSFER_FOREIGN_IDENTITIES_H
#define TRANSFER_FOREIGN_IDENTITIES_H

#include "core/people/identity.h"
#include "transfer/foreign_row.h"

enum { FOREIGN_DOMAINS = 50 };

/* *out: the address or number if it is valid and nobody has it, else p NULL. id: of the person at the
 * source. */
int free_identity(struct foreign *f, struct work *w, enum identity_kind kind, struct str value, int64_t id,
                  struct str *out);

struct owned {
    int64_t user, foreign_id;
    bool is_claim; /* the value counts for nothing until it is verified */
};
/* Adds an address or number to a person who may have it already. */
int add_foreign_identity(struct foreign *f, struct work *w, struct owned by, enum identity_kind kind,
                         struct str value);
/* Adds those of a person of another server of this API, and the ids in other systems. */
int person_addresses_add(struct foreign *f, struct work *w, const struct foreign_person *p, int64_t user);
/* The keys of the valid domains that no organization but this one (0: none) has, at most FOREIGN_DOMAINS.
 * Returns their number or a negative error. */
int organization_domains(struct foreign *f, struct work *w, const struct foreign_organization *o,
                         int64_t here, struct str *keys);
/* Adds the numbers of an organization of another server of this API. Its first one is primary. */
int organization_phones_add(struct foreign *f, struct work *w, const struct foreign_organization *o,
                            int64_t here);

#endif
