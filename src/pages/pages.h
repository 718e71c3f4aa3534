/* The handlers of the pages that act. */
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H

#include "pages/form.h"

int page_login(struct site_visit *v);
int page_logout(struct site_visit *v);
int page_reset(struct site_visit *v);
int page_contact(struct site_visit *v);
int page_conversations(struct site_visit *v);
int page_conversation(struct site_visit *v);
int page_answer(struct site_visit *v);
int page_rating(struct site_visit *v);
int page_complete(struct site_visit *v);

#endif
