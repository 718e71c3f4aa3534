/* PUT /articles/:id/restore. */
#ifndef RES_ARTICLE_VERSION_H
#define RES_ARTICLE_VERSION_H

#include "api/call/call.h"

extern const struct field article_restore_input[];
int put_article_restore(struct call *c);

#endif
