/* A table in memory with a fixed number of slots, which all threads share under one lock. The hash of a key
 * chooses its slot, so a new key replaces the key that has the same slot. The owner stores the key in the
 * slot and compares it. */
#ifndef BASE_SLOTS_H
#define BASE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

struct slots;

/* All bytes of the slots are 0. NULL: no memory. */
struct slots *slots_new(size_t count, size_t size);
/* Overwrites the slots, because they may hold secrets. NULL is allowed. */
void slots_free(struct slots *s);

/* Returns slot `hash` modulo the count, which no other thread uses until slots_unlock. */
void *slots_lock(struct slots *s, uint64_t hash);
void slots_unlock(struct slots *s);

#endif
