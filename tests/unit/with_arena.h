/* For tests that need memory: cmocka, and an arena as set-up and tear-down of a test or a group. */
#ifndef TESTS_UNIT_WITH_ARENA_H
#define TESTS_UNIT_WITH_ARENA_H

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "base/arena.h"

static struct arena *arena;

static inline int open_arena(void **state) {
    (void)state;
    arena = arena_new();
    return 0;
}

static inline int close_arena(void **state) {
    (void)state;
    arena_free(arena);
    return 0;
}

#endif
