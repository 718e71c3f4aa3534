/* Callers without login: how fingerprints are stored, and under which ids such callers see people.
 *
 * Anyone may open a conversation under any e-mail address. If the reply held the id of the address's
 * owner, a program could find out who has an account. A caller without login therefore sees the people of
 * a conversation under pseudonyms of this conversation, and the requester under the name that the caller
 * gave. */
#ifndef CORE_STRANGER_H
#define CORE_STRANGER_H

#include "work/work.h"

/* A keyed hash of X-Fingerprint-ID: 32 hex digits. p NULL: the text is no UUID (RFC 9562), or the nil
 * UUID. The nil UUID is refused, because all programs that choose none would share it. */
struct str fingerprint_hash(const struct desk *d, struct arena *a, struct str sent);

/* The same for a page of the widget of a brand. One UUID gives another hash for each brand, so that a page
 * gets no file, vote or stored reply of another brand. */
struct str fingerprint_hash_of_widget(const struct desk *d, struct arena *a, struct str sent,
                                      int64_t brand_id);

/* The columns of a conversation that decide how its people are shown. */
struct stranger_case {
    int64_t id, requester_id;
    /* as given by a caller without login; p NULL: a logged-in person made the conversation */
    struct str requester_name;
    /* show the true id: the caller's fingerprint made the conversation, and the requester was new then */
    bool shows_requester;
};

/* Reads the conversations with these ids (JSON array) that exist. Returns their number, or a negative
 * error. */
int stranger_cases(struct work *w, struct str ids, struct stranger_case **out);

/* The id under which the caller sees a person: a pseudonym of 53 bits, because programs keep ids in
 * doubles. */
int64_t stranger_person(const struct desk *d, const struct stranger_case *c, int64_t user_id);
/* The name under which the caller sees a person; p NULL: the person's own name. */
struct str stranger_name(const struct stranger_case *c, int64_t user_id);

/* Finds the person behind a pseudonym. Returns 1 and sets the conversation and the true id, 0 if there is
 * none, or a negative error. Computes the pseudonyms of all people in the conversations made with the
 * caller's fingerprint: their number is the cost. */
int stranger_find(struct work *w, int64_t shown, int64_t *case_id, int64_t *user_id);

/* The proof in the address of a picture. It is sealed and names the person, because the address holds a
 * pseudonym. All proofs have one length. */
struct picture_proof {
    /* shown: the id in the address; the proof is invalid under any other id */
    int64_t shown, case_id, user_id;
    /* Time when the picture last changed: a new picture has a new address; 0 for a requester. */
    int64_t moment;
};
struct str picture_proof_text(const struct desk *d, struct arena *a, const struct picture_proof *p);
bool picture_proof_read(const struct desk *d, struct arena *a, struct str text, struct picture_proof *p);

#endif
