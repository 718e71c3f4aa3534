/* Files on messages and notes (posts). A file may be on several posts. */
#ifndef CORE_ATTACHMENT_H
#define CORE_ATTACHMENT_H

#include "work/work.h"

/* A message or a note, and its conversation (0: none), which counts its attachments. */
struct attached_post {
    int64_t id, case_id;
};

/* Attaches files of the actor to a new post, in this order. The caller has checked them by files_own, or has just created them. */
int attachments_add(struct work *w, struct attached_post p, const int64_t *files, int n);
/* Call it before the post is deleted. */
int attachments_drop(struct work *w, struct attached_post p);

#endif
