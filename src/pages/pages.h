/* The handlers of the pages that act. */
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H

#include "pages/form.h"

int page_vote(struct site_visit *v);
int page_comment(struct site_visit *v);
int page_edit_comment(struct site_visit *v);
int page_change_comment(struct site_visit *v);
int page_login(struct site_visit *v);
int page_logout(struct site_visit *v);
int page_reset(struct site_visit *v);
int page_contact(struct site_visit *v);
int page_conversations(struct site_visit *v);
int page_conversation(struct site_visit *v);
int page_answer(struct site_visit *v);
int page_rating(struct site_visit *v);
int page_complete(struct site_visit *v);

/* A comment on the page of an article, for the buttons that its reader gets. */
struct shown_comment {
    int64_t id, article_id, author_id, created_at, likes;
    bool liked, reply;
};
void comment_actions(struct site_visit *v, struct buf *out, const struct shown_comment *x);

#endif
