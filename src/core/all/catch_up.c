#include "core/all/catch_up.h"

#include "base/clock.h"
#include "core/all/finish.h"
#include "core/reports/follow.h"
#include "core/search/follow.h"
#include "core/search/index.h"

/* Follows in several writes, but begins none after `most` milliseconds. */
static int follow_for(struct desk *d, int64_t most, struct str cause,
                      int (*follow)(struct work *w, void *arg)) {
    int64_t until = clock_monotonic() + most;
    struct actor by = {.kind = ACTOR_SYSTEM, .cause = cause};
    int rc;
    do rc = desk_write(d, by, follow, NULL);
    while (rc == 1 && clock_monotonic() < until);
    return rc;
}

int search_catch_up(struct desk *d) {
    int64_t counted = atomic_exchange(&d->unindexed, 0);
    int rc = follow_for(d, CATCH_UP_MS, S("Search index"), search_follow);
    if (rc != 0) atomic_fetch_add(&d->unindexed, counted + 1);
    return rc;
}

int report_catch_up_for(struct desk *d, int64_t most) {
    return follow_for(d, most, S("Reports"), report_follow);
}

int report_catch_up(struct desk *d) { return report_catch_up_for(d, CATCH_UP_MS); }

/* ---- moves ----------------------------------------------------------------------------------- */

/* Triggers, search_rebuild or the follower fill these tables. */
static int no_rebuild(struct conn *c) { return (void)c, 0; }

const struct db_derived derived_tables[] = {
    {"search_texts", search_rebuild},     {"search_words", no_rebuild},
    {"search_titles", no_rebuild},        {"search_pieces", no_rebuild},
    {"search_cursor", search_cursor_set}, {"report_facts", no_rebuild},
    {"report_days", no_rebuild},          {"report_pending", no_rebuild},
    {"report_cursor", report_begin_anew}, {0}};
