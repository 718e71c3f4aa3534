/* Providers of OpenID Connect, by which people log in.
 *
 * A provider gives nobody more than it is allowed for: nobody above `highest_role` logs in by it, and no
 * rule gives a role above it. */
#ifndef CORE_SIGNIN_PROVIDER_H
#define CORE_SIGNIN_PROVIDER_H

#include "json/json.h"
#include "work/work.h"

struct provider {
    int64_t id, role_id;
    struct str name, issuer, client_id;
    struct str secret; /* p NULL: a public client, or sealed with another server key */
    struct str scopes, domains;
    struct str rules; /* JSON: [{"claim", "value", "role_id", "team_ids"}] */
    struct str end_session_url;
    int highest_role;
    bool is_enabled, is_for_staff, is_for_customers, creates_people, updates_people, counts_as_two_factors;
};

int provider_load(struct work *w, int64_t id, struct provider *out); /* 1 found, 0 not */
/* Remembers the address of the logout, for every process. */
int provider_says_logout(struct work *w, const struct provider *p, struct str url);

struct signin_button {
    int64_t id;
    struct str label;
};
/* The enabled providers for customers. Returns their number, or a negative error. */
int signin_buttons_of_customers(struct work *w, struct signin_button **out);

struct str provider_secret_seal(const struct desk *d, struct arena *a, struct str secret);

/* NULL, or why the text is no issuer: a sentence. */
const char *issuer_wrong(struct arena *a, struct str issuer, bool private_allowed);
/* True for https, and for http if private addresses are allowed. */
bool signin_url_allowed(struct str url, bool private_allowed);
/* True if the domain of the address is listed, or none is. */
bool provider_admits_address(const struct provider *p, struct arena *a, struct str address);

/* ---- what the provider says about a person --------------------------------------------------- */

struct claims {
    struct str subject, email, name; /* p NULL: absent */
    bool email_verified;             /* the provider says true, not a text */
    const struct json *token;        /* claims of the ID token */
    const struct json *userinfo;     /* further claims; NULL: none */
};
/* The claim of the ID token, else that of the userinfo endpoint; NULL: none. */
const struct json *claims_named(const struct claims *c, struct str name);

/* The result of the rules. The first rule with a role that matches gives the role, the teams of all rules
 * that match are joined. */
struct mapped {
    int64_t role_id;                    /* 0: no rule gives one */
    int64_t *team_ids, *other_team_ids; /* other: teams of rules that do not match */
    int team_count, other_count;
};
int provider_map(struct work *w, const struct provider *p, const struct claims *c, struct mapped *out);

#endif
