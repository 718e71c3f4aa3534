/* Files on messages and notes (posts). A file may be on several posts. */
#ifndef CORE_ATTACHMENT_H
#define CORE_ATTACHMENT_H

#include "work/work.h"

/* A message or a note. */
struct attached_post {
    int64_t id, case_id; /* the conversation counts its attachments; 0: none */
    struct str html;     /* clean HTML; p NULL: plain text */
};

/* Attaches files of the actor to a new post, in this order. The caller has checked them by files_own, or
 * has just created them. */
int attachments_add(struct work *w, struct attached_post p, const int64_t *files, int n);
/* An inline picture: HTML with src="cid:7" shows the attached file 7. Attachments that the HTML shows have
 * a content id, others have none. Call it when the HTML of the post changes. */
int attachments_refer(struct work *w, struct attached_post p);
/* Returns true if the HTML shows the inline picture with this content id. *alt: its text; p NULL: none. */
bool html_shows_inline(struct arena *a, struct str html, struct str content_id, struct str *alt);
/* Call it before the post is deleted. */
int attachments_drop(struct work *w, struct attached_post p);

#endif
