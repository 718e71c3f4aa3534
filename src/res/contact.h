/* Members: postal addresses, web sites, ids in other systems, and the phone numbers of an organization. */
#ifndef RES_CONTACT_H
#define RES_CONTACT_H

#include "api/call/call.h"

int check_identifiers(struct call *c, struct in *in);
int check_phones(struct call *c, struct in *in);
int store_organization_phones(struct call *c, const struct in *in, int64_t id);

#define ADDRESSES(owner, flags)                                                           \
    {                                                                                     \
        "addresses", F_MANY, flags,                                                       \
            .ref = "contact_address", .owned_by = owner, .to = TO_STAFF,                  \
            .doc = "Postal addresses, the primary one first.",                            \
            .example = "[{\"address1\": \"12 St James's Square\", \"city\": \"London\"}]" \
    }
#define WEBSITES(owner, flags)                                                                  \
    {                                                                                           \
        "websites", F_MANY, flags, .ref = "contact_website", .owned_by = owner, .to = TO_STAFF, \
                                   .doc = "Web sites, the primary one first.",                  \
                                   .example = "[\"https://ada.example.com/\"]"                  \
    }

#endif
