/* Rows of another server of this API that an import has carried: (source, kind, id there) -> id here. The
 * tables import_sources and imported_ids keep them in the transaction of the rows. So a further run finds the
 * rows that it has made or matched, and makes none twice. */
#ifndef TRANSFER_IMPORTED_H
#define TRANSFER_IMPORTED_H

#include "transfer/foreign.h"

struct imported {
    int64_t here, changed_at; /* changed_at: updated_at at the source when it was carried; 0: not known */
    struct str carried;       /* JSON, in the arena of the item (foreign_follow.c); p NULL: not known */
};

/* Finds or makes the row of the source, and sets f->source_id. address: of its API. */
int imported_source(struct foreign *f, struct str address);
int imported_ends(struct foreign *f); /* the run has come to its end */

/* Returns 1 if the row was carried, 0 if not, or a negative error. A system whose rows are not remembered has
 * carried none. */
int imported_find(struct foreign *f, const char *kind, int64_t id, struct imported *out);
/* Remembers a row. It may be remembered already. */
int imported_keep(struct foreign *f, const char *kind, int64_t id, int64_t here, int64_t changed_at);
/* Returns what the last run has given the row; NULL: it is not known. */
const struct json *imported_given(struct foreign *f, const struct imported *row);
int imported_carry(struct foreign *f, const char *kind, int64_t id, struct str carried);

#endif
