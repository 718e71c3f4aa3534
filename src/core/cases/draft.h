/* Drafts: replies, notes, forwards and new conversations that a person has begun and not sent.
 *
 * A draft belongs to one person, one conversation and one channel; a person has one draft of a new
 * conversation. Nobody else sees it, and it changes nothing else: no activity, no entry of the change log,
 * no rule, no time of a conversation. So an editor may save it every second.
 *
 * Its writer can share the draft of a reply or note: then everybody of staff who sees the conversation
 * reads it, and can take it, which makes it their own. Only the beginning and the end of sharing are
 * changes of the conversation (property `shared_draft`).
 *
 * A draft stays with its conversation, also in the trash and after a merge: an editor that is open
 * meanwhile goes on saving under the same address, and nothing that was written is lost. */
#ifndef CORE_DRAFT_H
#define CORE_DRAFT_H

#include "work/work.h"

#define DRAFT_KEPT (90 * TIME_DAY) /* after its last change */

enum draft_channel { DRAFT_REPLY = 1, DRAFT_NOTE, DRAFT_FORWARD }; /* a forward is not shared */

struct draft {
    int64_t id; /* 0: not stored yet */
    int64_t user_id;
    int64_t case_id; /* 0: a new conversation, without channel, sharing and base_post_id */
    enum draft_channel channel;
    bool is_shared;
    int64_t base_post_id; /* 0: unknown */
    int64_t requester_id; /* of a new conversation; 0: nobody is chosen. It may be gone. */
    int64_t created_at, updated_at;
    struct str contents;
    struct str parameters; /* a JSON object; p NULL: none */
    struct str file_ids;   /* a JSON array; p NULL: none */
};

/* Reads the draft of the actor; case_id 0: of a new conversation. Returns 1, 0 if there is none, or a
 * negative error. */
int draft_load(struct work *w, int64_t case_id, enum draft_channel channel, struct draft *out);
/* The same for a write: other writes of the actor's drafts of the conversation wait for its end. */
int draft_lock(struct work *w, int64_t case_id, enum draft_channel channel, struct draft *out);

/* It has neither a text nor files. Parameters also count for a forward and a new conversation, and the
 * requester for the latter. */
bool draft_is_empty(const struct draft *d);
/* All members that a PUT replaces are equal. */
bool draft_is_same(const struct draft *a, const struct draft *b);

/* Stores d as the actor's draft and sets its id and times. now: the stored one, which draft_lock has read;
 * NULL: there is none. updated_at grows with each change, so it is a version. The actor's oldest drafts
 * beyond LIMIT_DRAFTS are deleted. Files of the draft do not expire before it. */
int draft_save(struct work *w, const struct draft *now, struct draft *d);
int draft_drop(struct work *w, const struct draft *d);
/* Makes the shared draft with this id the actor's own, with its files, and reads it. Returns 1, 0 if the
 * conversation has no such draft or it is not shared, or a negative error: also if the actor has a draft of
 * the channel already. Lock the conversation first. */
int draft_take(struct work *w, int64_t case_id, int64_t id, struct draft *out);

#endif
