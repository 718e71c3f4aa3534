/* Keys of texts that are stored beside the texts (base/fold.h). */
#ifndef CORE_REKEY_H
#define CORE_REKEY_H

#include "work/work.h"

/* Computes the keys of the next part of rows behind *after, and moves *after on. `texts` selects (id,
 * text) of at most :most rows behind :after, by id. `store` sets the :key of the row :id. Returns 1 if
 * there may be more rows, 0 if not, or a negative error. */
int texts_rekey(struct work *w, const struct query *texts, const struct query *store, int64_t *after);

#endif
