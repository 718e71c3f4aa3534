#include "api/call/meter.h"

const char *const request_classes[REQUEST_CLASSES] = {
    [REQUEST_ONE] = "one",     [REQUEST_LIST] = "list",   [REQUEST_LONG] = "long",
    [REQUEST_FILE] = "file",   [REQUEST_WRITE] = "write", [REQUEST_BULK] = "bulk",
    [REQUEST_LOGIN] = "login", [REQUEST_PAGE] = "page",   [REQUEST_OTHER] = "other"};

/* Most reads take less than a tenth of a millisecond, and a hash of a password a tenth of a second. */
const int duration_bounds[DURATION_BOUNDS] = {25,     50,     100,     250,     500,     1000,
                                              2500,   5000,   10000,   25000,   50000,   100000,
                                              250000, 500000, 1000000, 2500000, 5000000, 10000000};

enum request_class request_class_of(const struct route *route) {
    if (route == NULL) return REQUEST_OTHER;
    if (route->is_download || route->body == RAW_FILE) return REQUEST_FILE;
    if (route->lane == LANE_HASH) return REQUEST_LOGIN;
    if (route_writes(route)) return route_is_heavy(route) ? REQUEST_BULK : REQUEST_WRITE;
    if (route->executor == POOL) return REQUEST_LONG;
    return route->shape == LIST || route->shape == LIST_COUNT || route->shape == LIST_CURSOR ? REQUEST_LIST
                                                                                             : REQUEST_ONE;
}

void duration_note(struct durations *d, enum request_class class, int64_t micros) {
    int i = 0;
    while (i < DURATION_BOUNDS && micros > duration_bounds[i]) i++;
    atomic_fetch_add_explicit(&d->buckets[class][i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&d->micros[class], micros, memory_order_relaxed);
}
