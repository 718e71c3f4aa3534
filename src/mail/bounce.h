/* Applies a notice of failed delivery to the letter that did not arrive: core/letters/letter.h. */
#ifndef MAIL_BOUNCE_H
#define MAIL_BOUNCE_H

#include "core/mail/bounce_guess.h"
#include "core/mail/incoming.h"

#define BOUNCE_NAMES 20 /* Message-IDs that may be those of our letter */

/* The result of reading a mail for a notice about a letter. */
struct bounce {
    bool is_notice; /* another notice, by its text: a guess */
    struct bounce_guess guess;
    /* Message-IDs with the host of this desk, in the raw mail and its texts */
    struct str names[BOUNCE_NAMES];
    int name_count;
};

/* Looks for a notice in a mail that was read. It needs no store, so it runs outside of writes. raw: the
 * whole mail. The result is in the arena. Takes 10 ms for each megabyte. */
void bounce_read(const struct desk *d, struct arena *a, const struct incoming *m, struct str raw,
                 struct bounce *out);

/* Marks the letter that the mail is about. It is found (1) by the keyed return path, to which the mail
 * came, or (2) by its Message-ID in the returned mail. Returns 1 if it is a notice about a letter of this
 * desk, also if nothing changed, because it was only delayed or was noted before: then the mail needs no
 * other processing. Returns 0 if it is another mail, or a negative error. Call it in a write. */
int bounce_note(struct work *w, const struct incoming *m, const struct bounce *b);

#endif
