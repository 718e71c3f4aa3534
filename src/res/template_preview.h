/* POST /brands/:id/templates/:name/preview. */
#ifndef RES_TEMPLATE_PREVIEW_H
#define RES_TEMPLATE_PREVIEW_H

#include "api/call/call.h"
#include "core/text/template.h"

/* Replies with the blocks of parsed contents, filled with sample values. */
int template_preview_reply(struct call *c, const struct template *t, const struct template_blocks *blocks);

#endif
