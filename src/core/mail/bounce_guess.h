/* Recognises notices of failed delivery that are not reports in the form of RFC 3464: of older mail
 * servers, of gateways, of providers in several languages. The result is a guess from prose. It may
 * suspend a mail or mark a letter, and nothing else. */
#ifndef CORE_MAIL_BOUNCE_GUESS_H
#define CORE_MAIL_BOUNCE_GUESS_H

#include "core/mail/incoming.h"

struct bounce_guess {
    enum reject_type type;
    struct str status; /* "5.1.1": the enhanced status code; p NULL: none */
    struct str reason; /* the line that names the cause, printable ASCII */
    bool delayed;      /* the server still tries: nothing has failed yet */
};

/* Returns true if the mail is a notice about a mail that was not delivered. It is one if (1) its sender is
 * a mail system and its subject or its text says so, or (2) it opens with the words of one mail system. A
 * mail of a person who forwards or quotes a notice is none, an automatic answer of a person neither, unless
 * it says that the account is closed. */
bool bounce_looks_like(struct arena *a, const struct incoming *m, struct bounce_guess *out);

/* The same for a mail that came to a keyed return path, which nobody but a mail system answers: every mail
 * is one, unless it says that it is an automatic answer of a person, or that the mail arrived. */
bool bounce_at_return_path(struct arena *a, const struct incoming *m, struct bounce_guess *out);

/* Returns the reason class of a failure. status: an enhanced status code or p NULL; text: the words of a
 * mail server. */
enum reject_type reject_type_of(struct str status, struct str text);

#endif
