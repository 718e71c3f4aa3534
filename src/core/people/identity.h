/* Identities: e-mail addresses, phone numbers, Twitter and Facebook accounts of people.
 *
 * A value that counts belongs to one person. A claim is unverified and counts for nothing; many people may
 * claim one value. A person has one primary identity of each kind, if one is eligible. An e-mail address
 * is eligible if it counts. Phone numbers and accounts give no access, so they are eligible unverified if
 * their person added them. */
#ifndef CORE_IDENTITY_H
#define CORE_IDENTITY_H

#include "core/change/record.h"
#include "core/words.h"
#include "work/work.h"

enum identity_kind { IDENTITY_EMAIL, IDENTITY_PHONE, IDENTITY_TWITTER, IDENTITY_FACEBOOK, IDENTITY_KINDS };

/* Column is_claim. */
enum claim {
    CLAIM_NONE, /* counts */
    CLAIM_OWN,  /* added by its person */
    /* added by a collaborator to another person: verified in that person's own session, or by an agent */
    CLAIM_FOREIGN,
};
#define EMAIL_LEADS "is_claim = 0"
#define OTHERS_LEAD "is_claim < 2"
bool identity_leads(enum identity_kind kind, enum claim claim); /* true if such an identity may be primary */

enum identity_kind identity_kind_of(const char *table); /* table: such as "identity_emails" */

const char *identity_parameter(enum identity_kind kind); /* the API name of a value: "number" */

/* Normalises a value for comparison. p NULL: invalid. */
struct str identity_key(struct work *w, enum identity_kind kind, struct str value);
/* E.164. A number without country code belongs to the setting desk.phone_region; without that setting, the
 * digits. p NULL: invalid. */
struct str phone_key(struct work *w, struct str number);

/* ---- owners: 1 found, 0 not; claims have no owner -------------------------------------------- */

int identity_owner(struct work *w, enum identity_kind kind, struct str value, int64_t *user_id);

/* Returns 1 if the value can't be added to this person (0: to anybody), 0 if it can, or a negative error.
 * It can't if another person owns it or this person has it. For a claim only the latter counts. */
int identity_held(struct work *w, enum identity_kind kind, struct str value, int64_t user_id, bool is_claim);

/* ---- changes: each updates updated_at of the people concerned -------------------------------- */

struct identity_new {
    int64_t user_id;
    struct str value;
    /* requested; the first eligible identity becomes primary anyway, an ineligible one never */
    bool is_primary;
    bool is_validated;
    enum claim claim;
    const char *parameter; /* API name of the value in this request; NULL: as in the resource */
};
/* fails with FIELD_DUPLICATE */
int identity_add(struct work *w, enum identity_kind kind, const struct identity_new *n, int64_t *id);
/* Adds a Twitter account of which only the id is known. Its screen name is empty. */
int identity_add_twitter_id(struct work *w, int64_t user_id, struct str twitter_id);
/* Fails with RESOURCE_ACTION_NOT_AVAILABLE if the identity (1) may not be primary or (2) is primary and
 * would lose that. */
int identity_set_primary(struct work *w, enum identity_kind kind, int64_t id, bool primary);
int identity_claim(struct work *w, enum identity_kind kind, int64_t id, enum claim *claim); /* 0, or error */
/* Staff confirm the identity: a claim begins to count. Fails with FIELD_DUPLICATE if the value belongs to
 * another person. */
int identity_set_validated(struct work *w, enum identity_kind kind, int64_t id, bool validated);
/* Changes columns of the table that have no function above. */
int identity_change(struct work *w, enum identity_kind kind, int64_t id, const struct column *columns,
                    int count);
/* listed: the request named the ids in a list, and problems point into it. The last e-mail of a person
 * with a password can't be removed. */
int identities_remove(struct work *w, enum identity_kind kind, const int64_t *ids, int count, bool listed);
/* deletes all identities of deleted people; users: JSON array */
int identities_free(struct work *w, struct str users);

/* Returns 0 if the actor may change the owners of these identities (JSON array), or fails. */
int identities_may_change(struct work *w, enum identity_kind kind, struct str ids);

/* The actor opened a link that was sent to the address. The address begins to count and is taken from
 * people who never verified it. A validated address stays validated. Fails with FIELD_DUPLICATE if another
 * person verified it before, and with RESOURCE_ACTION_NOT_AVAILABLE if it is a foreign claim and the actor
 * is not its person. */
int email_validate(struct work *w, int64_t email_id);
/* 0, or fails with RESOURCE_ACTION_NOT_AVAILABLE if it is verified */
int email_unvalidated(struct work *w, int64_t email_id);

/* ---- rebuilding keys, after normalisation has changed ---------------------------------------- */

/* Rebuilds the keys of the next rows after id *after, and advances *after. Returns 1 if there are more, 0
 * if not, or a negative error. Adds to *lost the identities whose new key belongs to another person: they
 * become claims. */
int identity_rekey(struct work *w, enum identity_kind kind, int64_t *after, int *lost);

#endif
