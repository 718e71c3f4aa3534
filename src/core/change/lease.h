/* Leases: work that one process at a time does, and that another process continues after a crash.
 *
 *     free ── lease_take ──> held until ... ── lease_take: held longer ──> held
 *      ^                        │
 *      └── lease_release, or the time has passed (the holder crashed, or hangs)
 *
 * A holder that hangs longer than its lease may do the same work as the next one. So the work must be at
 * least once: its effects outside are repeated with the same id. A reader of the change log inside of deskd
 * needs no lease: the row of its cursor is locked by the write of its work (core/search/follow.h).
 *
 * The sender of deliveries (src/outgoing/sender.h) has a lease for each endpoint. Its queue is a table
 * (core/endpoints/delivery.h gives the reason). */
#ifndef CORE_CHANGE_LEASE_H
#define CORE_CHANGE_LEASE_H

#include "work/work.h"

/* Takes a lease, or holds it longer, until now + ms. holder: the run of a process (desk->process). Returns
 * 1, 0 if another process holds it, or a negative error. */
int lease_take(struct work *w, struct str name, struct str holder, int64_t ms);
int lease_release(struct work *w, struct str name, struct str holder); /* no-op if it was lost */

/* Frees all leases. Call it when the only process of a store starts: the holders are gone. */
int leases_free(struct work *w);

#endif
