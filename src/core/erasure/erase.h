/* The erasure of a person (docs/PROGRAMS.md, "Erasure"): a purge, then everything else that names the
 * person, then a receipt.
 *
 *     erasure_start: receipt, values to look for -> purge of the person -> cascade, part by part -> erasure_done: receipt is complete
 *
 * A purge follows references. But addresses and names are also texts in rows of others: the trail of a
 * conversation, the headers of a mail that somebody else sent, the result of an import. So an erasure
 * keeps the person's addresses and names, present and former, in erasure_values while it runs
 * (erase_values.h), and looks for them in each row of these tables. An interrupted part is repeated, and
 * erases nothing twice.
 *
 * erase_table says of each column with texts or bytes what an erasure does with it. Texts of a resource
 * that are kept have their reason in .texts_kept of the resource. A test compares both with the schema. */
#ifndef CORE_ERASE_H
#define CORE_ERASE_H

#include "core/desk/cascade_step.h"
#include "core/erasure/erase_receipt.h"
#include "work/work.h"

/* Erases people whom the caller may change: see users_may_change. *id: the receipt. Fails with
 * RESOURCE_ACTION_NOT_AVAILABLE if it is the caller, or if an erasure of the person runs. A person who was
 * deleted, purged or erased before may be erased again. */
int erasure_start(struct work *w, int64_t user_id, bool with_contents, int64_t *id);
/* After the steps of a purge: with contents=true the first list, always the second one. */
extern const struct step erase_text_steps[], erase_steps[];

/* ---- the columns ----------------------------------------------------------------------------- */

enum erase_fate {
    FATE_ERASED,     /* in the person's rows, the value or the row is deleted */
    FATE_WITH_TEXTS, /* the same, but only with contents=true */
    FATE_SCANNED,    /* a row that names the person by an address or a full name loses it */
    FATE_KEPT,       /* stays; the receipt says why */
    FATE_IMPERSONAL, /* says nothing of a person, or only what random numbers and keyed hashes say */
};
struct erase_column {
    const char *table, *columns; /* columns: separated by blanks; "*": all with texts or bytes */
    enum erase_fate fate;
    const char *why; /* for FATE_KEPT and FATE_IMPERSONAL */
};
#define CONFIGURATION_TEXTS                                                    \
    "configuration of the desk, written by staff: the receipt names it under " \
    "CONFIGURATION"
extern const struct erase_column erase_table[]; /* ends with {0}; a column's own row wins over "*" */

#endif
