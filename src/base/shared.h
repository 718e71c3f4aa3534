/* Bytes that several threads read and no thread changes. References are counted. The last one frees the
 * bytes. */
#ifndef BASE_SHARED_H
#define BASE_SHARED_H

#include "base/buf.h"

struct shared;

/* takes over the buffer's memory; the caller has the first reference */
struct shared *shared_new(struct buf *bytes);
struct str shared_view(const struct shared *s);
struct shared *shared_hold(struct shared *s); /* adds a reference; returns s */
void shared_drop(struct shared *s);           /* drops a reference, from any thread; NULL is allowed */

#endif
