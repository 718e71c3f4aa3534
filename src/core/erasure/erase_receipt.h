/* The receipt of an erasure (core/erasure/erase.h): what was removed, with numbers of rows; what was kept,
 * and why. */
#ifndef CORE_ERASE_RECEIPT_H
#define CORE_ERASE_RECEIPT_H

#include "base/words.h"
#include "work/work.h"

enum erasure_status { ERASURE_RUNNING = 1, ERASURE_COMPLETED };

/* A receipt lists these. erasure_counts stores the numbers; erased_words has the words. */
enum erased {
    ERASED_PROFILE = 1,
    ERASED_IDENTITIES,
    ERASED_CONTACTS,
    ERASED_FIELD_VALUES,
    ERASED_TAGS,
    ERASED_PICTURE,
    ERASED_CREDENTIALS,
    ERASED_GRANTS,
    ERASED_PREFERENCES,
    ERASED_VIEWS,
    ERASED_NOTES,
    ERASED_TRAIL,
    ERASED_CHANGES,
    ERASED_AUDIT,
    ERASED_LETTERS,
    ERASED_RECIPIENTS,
    ERASED_MAILS,
    ERASED_DELIVERIES,
    ERASED_SESSIONS,
    ERASED_ADDRESSES,
    ERASED_FAILURES,
    ERASED_EVENTS,
    ERASED_CONVERSATIONS,
    ERASED_MESSAGES,
    ERASED_SEARCHES,
    ERASED_JOBS,
    ERASED_REPLIES,
    ERASED_FILES,
    ERASED_MESSAGE_TEXTS,
    ERASED_NOTE_TEXTS,
    ERASED_SUBJECTS,
    ERASED_CASE_VALUES,
    ERASED_RATINGS,
    ERASED_COMMENTS
};
extern const struct word erased_words[], erasure_statuses[];

/* Adds to the receipt of the erasure that runs for this person. */
int erasure_count(struct work *w, int64_t user_id, enum erased what, int64_t n);
/* Completes it: everything is erased. */
int erasure_done(struct work *w, int64_t user_id);

#endif
