/* Bytes that several threads read and no thread changes. They are counted, and freed with the last reference. */
#ifndef BASE_SHARED_H
#define BASE_SHARED_H

#include "base/buf.h"

struct shared;

struct shared *shared_new(struct buf *bytes); /* takes the buffer's memory; the caller has the first reference */
struct str shared_view(const struct shared *s);
struct shared *shared_hold(struct shared *s); /* one more reference; returns s */
void shared_drop(struct shared *s);           /* one less, from any thread; NULL is allowed */

#endif
