/* The addresses people are known by: e-mails, phone numbers, Twitter and Facebook accounts (completions.md section 5).
 *
 * A value that counts is one person's. A claim counts for nothing until it is verified, and many people may claim one value.
 * A person has one primary identity of each kind, if any may lead: an e-mail address leads if it counts. A phone number and an
 * account open nothing, so they lead unverified if their person added them. */
#ifndef CORE_IDENTITY_H
#define CORE_IDENTITY_H

#include "core/words.h"
#include "work/work.h"

enum identity_kind { IDENTITY_EMAIL, IDENTITY_PHONE, IDENTITY_TWITTER, IDENTITY_FACEBOOK, IDENTITY_KINDS };

/* Column is_claim. */
enum claim {
    CLAIM_NONE,    /* it counts */
    CLAIM_OWN,     /* its person added it */
    CLAIM_FOREIGN, /* a collaborator added it to another person: verified in that person's own session, or by an agent */
};
#define EMAIL_LEADS "is_claim = 0"
#define OTHERS_LEAD "is_claim < 2"
bool identity_leads(enum identity_kind kind, enum claim claim); /* whether such an identity may be primary */

enum identity_kind identity_kind_of(const char *table); /* "identity_emails" */

const char *identity_parameter(enum identity_kind kind); /* what a value of it is called: "number" */

/* A value as it is compared; p NULL: it is none. */
struct str identity_key(struct work *w, enum identity_kind kind, struct str value);
/* E.164; without a country, as the desk's region says (setting desk.phone_region); without that the digits. p NULL: no number. */
struct str phone_key(struct work *w, struct str number);

/* ---- whose they are: 1 found, 0; claims find nobody --------------------------------------------------------- */

int identity_owner(struct work *w, enum identity_kind kind, struct str value, int64_t *user_id);

struct identity_keys {
    struct str email, phone, twitter_id, screen_name, facebook_id; /* p NULL: not known */
};
int identity_find(struct work *w, const struct identity_keys *keys, int64_t *user_id); /* in the order of the members */

/* Whether it can't be added to this person (0: to somebody): another has it, or they do. A claim only if they do. 1, 0 or error. */
int identity_held(struct work *w, enum identity_kind kind, struct str value, int64_t user_id, bool is_claim);

/* ---- changes: each marks the people it concerns as changed ---------------------------------------------------- */

struct identity_new {
    int64_t user_id;
    struct str value;
    bool is_primary; /* wished for; the first that may lead is anyway, one that may not never */
    bool is_validated;
    enum claim claim;
    const char *parameter; /* what the value is called where it was given; NULL: as in the resource */
};
int identity_add(struct work *w, enum identity_kind kind, const struct identity_new *n, int64_t *id); /* or FIELD_DUPLICATE */
/* RESOURCE_ACTION_NOT_AVAILABLE if it may not lead, or is primary and would be none. */
int identity_set_primary(struct work *w, enum identity_kind kind, int64_t id, bool primary);
int identity_claim(struct work *w, enum identity_kind kind, int64_t id, enum claim *claim); /* 0, or error */
/* Staff confirm it: a claim begins to count. FIELD_DUPLICATE if the value is another person's. */
int identity_set_validated(struct work *w, enum identity_kind kind, int64_t id, bool validated);
int identity_touched(struct work *w, enum identity_kind kind, int64_t id); /* something else of it changed */
/* listed: ids were named in a list, and problems point into it. The last e-mail of a person with a password stays. */
int identities_remove(struct work *w, enum identity_kind kind, const int64_t *ids, int count, bool listed);
int identities_free(struct work *w, struct str users); /* of every kind: the people, a JSON array, are deleted */

/* Whether the actor may change the people these belong to: 0, or fails. */
int identities_may_change(struct work *w, enum identity_kind kind, struct str ids);

/* The actor opened a link that was mailed to the address: it counts, and is taken from people who never proved it. A validated
 * one stays so. FIELD_DUPLICATE if another person proved it before. RESOURCE_ACTION_NOT_AVAILABLE if it is a foreign claim and
 * the actor is not its person. */
int email_validate(struct work *w, int64_t email_id);
int email_unvalidated(struct work *w, int64_t email_id); /* 0, or RESOURCE_ACTION_NOT_AVAILABLE: there is nothing to verify */

/* ---- keys made anew, after the way they are made has changed ---------------------------------------------------- */

/* A part of the rows of a kind that follow *after, which moves on. 1: there are more; 0. *lost counts identities whose key
 * became another person's: they are claims now. */
int identity_rekey(struct work *w, enum identity_kind kind, int64_t *after, int *lost);

#endif
