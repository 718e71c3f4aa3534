/* The conversation of a mail: found by its tokens alone (core/letters/token.h). */
#ifndef CORE_MAIL_THREAD_H
#define CORE_MAIL_THREAD_H

#include "core/cases/case.h"
#include "core/mail/incoming.h"
#include "core/letters/token.h"

struct thread {
    /* TOKEN_FORGED: the mail has a token of the right form, and none that is good */
    enum token_verdict verdict;
    struct str forged; /* TOKEN_FORGED: the token */
    int64_t
        case_id; /* TOKEN_GOOD: of the token, or the one that has the note of the forward; 0: it is gone */
    int64_t forward_id; /* the token names the note of a forward (core/cases/forward.h); 0: a conversation */
    bool found;         /* the conversation exists; `now` is it, or the one that it was merged into */
    /* the conversation takes a message: it is neither closed, suspended nor in the trash. For a forward: it
     * takes a note */
    bool open;
    struct case_now now;
};

/* Tries (1) the plus parts of the recipient of the envelope and of addresses in To and Cc, (2) In-Reply-To
 * and References, the last one first, (3) the subject. The first good token, of a conversation or of a
 * forward, counts. A token of another desk is not forged: plus parts count only at addresses of the desk, and
 * Message-IDs only with its host name. Locks the conversation. Returns 0 or a negative error. */
int thread_find(struct work *w, const struct incoming *m, struct thread *out);

/* The subject without tokens in brackets. */
struct str thread_subject(struct arena *a, struct str subject);

#endif
