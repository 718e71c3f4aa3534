/* The handlers of the pages: those that show, and those that act (form.h). */
#ifndef PAGES_HANDLERS_H
#define PAGES_HANDLERS_H

#include "pages/form.h"

int show_first(struct site_visit *v);       /* / */
int show_help_center(struct site_visit *v); /* /helpcenter: redirects to the best locale */
int show_file(struct site_visit *v);        /* style.css */
int show_brand_style(struct site_visit *v); /* brand.css */
int show_logo(struct site_visit *v);
int show_brand_picture(struct site_visit *v);
int show_home(struct site_visit *v);
int show_category(struct site_visit *v);
int show_section(struct site_visit *v);
int show_article(struct site_visit *v);
int show_search(struct site_visit *v);
int show_brand_feed(struct site_visit *v);
int show_section_feed(struct site_visit *v);
int show_robots(struct site_visit *v);
int show_sitemap(struct site_visit *v); /* the index */
int show_sitemap_part(struct site_visit *v);

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
