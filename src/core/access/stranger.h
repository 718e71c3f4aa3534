/* Callers without login: how a fingerprint is kept, and under which ids such callers are shown people (completions.md section 5).
 *
 * Anyone may open a conversation under anyone's e-mail address. If the reply named the owner of the address by id, a program could
 * find out who has an account. So a caller without login is shown the people of a conversation under pseudonyms of this conversation,
 * and the requester under the name that the caller gave. */
#ifndef CORE_STRANGER_H
#define CORE_STRANGER_H

#include "work/work.h"

/* A keyed hash of X-Fingerprint-ID: 32 hex digits. p NULL if the text is no UUID (RFC 9562). The nil UUID counts as none, because
 * programs that forgot to choose one would share it. */
struct str fingerprint_hash(const struct desk *d, struct arena *a, struct str sent);

/* A conversation, as far as it decides how its people are shown. */
struct stranger_case {
    int64_t id, requester_id;
    struct str requester_name; /* as given without login; p NULL: the conversation was made by a person who was logged in */
    bool shows_requester;      /* the caller's fingerprint made the conversation, and the requester was new then: the true id is shown */
};

/* Those of these conversations (JSON array of ids) that exist. Returns their number, or a negative error. */
int stranger_cases(struct work *w, struct str ids, struct stranger_case **out);

/* The id under which the caller is shown a person: a pseudonym of 53 bits, as programs keep ids in doubles. */
int64_t stranger_person(const struct desk *d, const struct stranger_case *c, int64_t user_id);
/* The name that the caller knows this person by; p NULL: the person's own. */
struct str stranger_name(const struct stranger_case *c, int64_t user_id);

/* What the caller knows as this person: 1 with the conversation and the person's true id, 0 none, or a negative error. It reads the
 * people of all conversations that were made with the caller's fingerprint: their number is the cost. */
int stranger_find(struct work *w, int64_t shown, int64_t *case_id, int64_t *user_id);

/* The proof in the address of a picture: whose it is, sealed, since the address holds a pseudonym. All proofs have one length. */
struct picture_proof {
    int64_t shown, case_id, user_id; /* shown: the id in the address. Under another id, the true one say, the proof counts for nothing */
    int64_t moment;                  /* when the picture last changed, so that its address changes too; 0 for a requester */
};
struct str picture_proof_text(const struct desk *d, struct arena *a, const struct picture_proof *p);
bool picture_proof_read(const struct desk *d, struct arena *a, struct str text, struct picture_proof *p);

#endif
