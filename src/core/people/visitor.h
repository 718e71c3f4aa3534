/* Visitors of a widget whom the site has signed in (docs/ARCHITECTURE.md "Origins of the widget").
 *
 * The server of a site shares a secret with the brand. It signs who a visitor is, as a JSON Web Token
 * (RFC 7519) with HMAC-SHA-256. The page gives the token to the desk once. The desk binds the fingerprint
 * of the page to the customer with that e-mail address.
 *
 * The signature proves that the holder of the secret named this person within the last minutes. It does not
 * prove that the person owns the address. So a binding opens nothing that the person has elsewhere: the
 * caller stays a caller without login. All bound fingerprints of a person and a brand stand for one
 * fingerprint, which no page can send. A conversation that is made with one of them is seen with each.
 * A binding has no effect while its person is staff, disabled or deleted. */
#ifndef CORE_VISITOR_H
#define CORE_VISITOR_H

#include "work/work.h"

#define VISITOR_KEPT (30 * TIME_DAY)     /* a binding ends then */
#define VISITOR_PROOF (10 * TIME_MINUTE) /* a token is accepted for so long */
#define VISITOR_AHEAD TIME_MINUTE        /* a clock of a site may be ahead by so much */

/* If the fingerprint of the actor is bound: sets its visitor, and the fingerprint that stands for all of
 * the visitor. Returns 0 or a negative error. */
int visitor_load(struct work *w);
/* The fingerprint that stands for all of a person and a brand; the stored one is its beginning. */
struct str visitor_fingerprint(const struct desk *d, struct arena *a, int64_t user_id, int64_t brand_id);
/* 1 if the visitor of the actor has a binding, 0 if not, or a negative error */
int visitor_lives(struct work *w, const struct actor *a);

struct visitor_claim {
    struct str email, name;
    int64_t until;     /* the token ends then */
    struct str digest; /* of the token */
};
/* Reads and verifies a token for the brand of the actor. Fails with AUTHENTICATION_FAILED and the reason. */
int visitor_claim_read(struct work *w, struct str token, struct visitor_claim *out);
/* Binds the fingerprint of the actor. Creates the customer if nobody has the address. Fails with
 * PERMISSIONS_DENIED for staff and disabled people, and with AUTHENTICATION_FAILED if another fingerprint
 * has used the token. */
int visitor_bind(struct work *w, const struct visitor_claim *claim);
int visitor_unbind(struct work *w); /* that of the actor's fingerprint, if there is one */

/* Makes a new secret of a brand, or deletes it (secret NULL). All bindings of the brand end. */
int visitor_secret_set(struct work *w, int64_t brand_id, struct str *secret);

#endif
