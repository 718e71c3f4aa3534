/* Prints the cost of business time for near and far distances, in nanoseconds of CPU for each call, and of
 * preparing business hours. */
#include "base/arena.h"
#include "base/clock.h"
#include "core/time/business_time.h"

#include <stdio.h>
#include <time.h>

#define CALLS 1000000

static double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static const struct {
    const char *name;
    int64_t distance;
} distances[] = {{"an hour", TIME_HOUR},
                 {"a week", 7 * TIME_DAY},
                 {"ten years", 3652 * TIME_DAY},
                 {"a thousand years", 365242 * TIME_DAY}};

static void measure(const char *title, const struct business_time *b) {
    int64_t sum = 0, at, start = INT64_C(1795000000000);
    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
        int64_t open = business_open(b, start, start + distances[d].distance);
        double before = cpu_ns();
        for (int64_t i = 0; i < CALLS; i++)
            sum += business_open(b, start + i * 1009, start + i * 1009 + distances[d].distance);
        double between = cpu_ns();
        for (int64_t i = 0; i < CALLS; i++) sum += business_after(b, start + i * 1009, open + i, &at);
        double after = cpu_ns();
        printf("%-34s %-18s open between %6.0f ns   instant after %6.0f ns\n", title, distances[d].name,
               (between - before) / CALLS, (after - between) / CALLS);
    }
    if (sum == 1) printf("\n"); /* keeps the calls */
}

static const struct business_time *prepare(struct arena *a, const char *zone, int holidays) {
    struct hours h = {.time_zone = zone, .holiday_count = holidays};
    h.holidays = arena_array(a, (size_t)holidays + 1, sizeof *h.holidays);
    for (int i = 0; i < 5; i++) h.week[i] = 0x1FF00; /* 8:00 to 17:00 */
    for (int i = 0; i < holidays; i++)
        h.holidays[i] = (struct holiday){2020 + i / 20, 1 + i % 12, 1 + i % 28, 0};
    double before = cpu_ns();
    const struct business_time *b = NULL;
    for (int i = 0; i < 100; i++) b = business_time_prepare(a, &h);
    printf("%-34s %d holidays: prepared in %.0f us\n", zone, holidays, (cpu_ns() - before) / 100 / 1000);
    return b;
}

int main(void) {
    struct arena *a = arena_new();
    measure("UTC", prepare(a, "UTC", 0));
    measure("Europe/Berlin, 20 holidays", prepare(a, "Europe/Berlin", 20));
    measure("America/New_York, 1000 holidays", prepare(a, "America/New_York", 1000));
    arena_free(a);
}
