/* A message or a note as a page for a frame. */
#ifndef RES_POST_DOCUMENT_H
#define RES_POST_DOCUMENT_H

#include "api/call/call.h"

int get_post_document(struct call *c); /* /cases/posts/:id/document */

#endif
