/* Splitting a conversation (docs/CONVERSATIONS.md, "Splitting"). */
#ifndef CORE_CASE_SPLIT_H
#define CORE_CASE_SPLIT_H

#include "core/cases/case.h"

/* A post that moves. */
struct split_post {
    int64_t id, creator_id, created_at, files;
    int channel; /* of a message */
    bool is_note, is_pinned, by_requester, by_staff;
};

struct split {
    struct case_now from; /* set by case_split_load */
    const int64_t *ids;   /* of the posts */
    int count;
    struct split_post *posts;   /* those of `ids` that the conversation has, by id; set by case_split_load */
    int post_count, note_count; /* note_count: notes that the conversation has */
    struct str subject;
    int64_t requester_id; /* of the new conversation */
};

/* Locks the conversation, which the caller has found visible, and reads the posts that move. Returns 0 or a
 * negative error. */
int case_split_load(struct work *w, int64_t case_id, struct split *s);
/* Makes the new conversation and moves the posts, in this write. The caller has checked that the
 * conversation is active and not closed, that it has all posts of `ids`, that a message stays (a note, if it
 * has no message), and the requester. */
int case_split(struct work *w, struct split *s, int64_t *id);

#endif
