/* Leases: work that one process at a time does, and that another process continues after a crash.
 *
 *     free ── lease_take ──> held until ... ── lease_take: held longer ──> held
 *      ^                        │
 *      └── lease_release, or the time has passed (the holder crashed, or hangs)
 *
 * A holder that hangs longer than its lease may do the same work as the next one. So the work must be at
 * least once: its effects outside are repeated with the same id. lease_advance is refused if the lease was
 * lost, so that no place goes back.
 *
 * The sender of deliveries (src/outgoing/sender.h) has a lease for each endpoint, without place, because
 * its queue is a table (core/endpoints/delivery.h gives the reason).
 *
 * A place is for a reader of the change log inside of deskd: it takes the lease and reads the place, reads
 * entries with change_log_read (core/change/log.h), does its work, and stores the new cursor by
 * lease_advance in the write of its work. There is no such reader yet, only a unit test: mails to staff,
 * deliveries and the audit log are finishers (core/all/finish.h), which share the COMMIT of the change. */
#ifndef CORE_CHANGE_LEASE_H
#define CORE_CHANGE_LEASE_H

#include "work/work.h"

/* Takes a lease, or holds it longer, until now + ms. holder: the run of a process (desk->process). Returns
 * 1, 0 if another process holds it, or a negative error. */
int lease_take(struct work *w, struct str name, struct str holder, int64_t ms);
int lease_release(struct work *w, struct str name, struct str holder); /* no-op if it was lost */

/* Frees all leases. Call it when the only process of a store starts: the holders are gone. */
int leases_free(struct work *w);

int lease_place(struct work *w, struct str name, struct str *place); /* p NULL: none was stored */
/* Stores the place from which the next holder continues. Returns 1, 0 if the lease was lost, or a negative
 * error. */
int lease_advance(struct work *w, struct str name, struct str holder, struct str place);

#endif
