#include "core/all/catch_up.h"

#include "base/clock.h"
#include "core/all/finish.h"
#include "core/search/follow.h"

int search_catch_up(struct desk *d) {
    int64_t until = clock_monotonic() + CATCH_UP_MS, counted = atomic_exchange(&d->unindexed, 0);
    struct actor by = {.kind = ACTOR_SYSTEM, .cause = S("Search index")};
    int rc;
    do rc = desk_write(d, by, search_follow, NULL);
    while (rc == 1 && clock_monotonic() < until);
    if (rc != 0) atomic_fetch_add(&d->unindexed, counted + 1);
    return rc;
}
