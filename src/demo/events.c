/* Events that a shop reported of customer@example.com. There is no event token, because it would be sealed
 * under the key of a server. */
#include "demo/extras.h"

#include "base/error.h"

QUERY(demo_event, "INSERT INTO events (uuid, event, user_id, properties, triggered_at, created_at) "
                  "VALUES (:uuid, :event, :user, :properties, :at, :at)");

static const struct {
    const char *uuid, *event, *properties;
    int days; /* number of days before the end of the demo */
} demo_events[] = {
    {"5a0f3c1e-7d24-4c3b-9a51-0c6de1b5f001", "order.placed",
     "{\"summary\":\"Order 1815 of 3 "
     "items\",\"url\":\"https://shop.example.com/orders/1815\",\"color\":\"#0b4fc4\",\"source\":\"SHOP\"}",
     9},
    {"5a0f3c1e-7d24-4c3b-9a51-0c6de1b5f002", "order.paid",
     "{\"summary\":\"Paid 42.00 EUR\",\"source\":\"SHOP\"}", 8},
    {"5a0f3c1e-7d24-4c3b-9a51-0c6de1b5f003", "parcel.returned",
     "{\"summary\":\"Nobody was at home\",\"source\":\"CARRIER\"}", 5},
};

int fill_events(struct conn *c, struct filling *f) {
    for (size_t i = 0; i < sizeof demo_events / sizeof *demo_events; i++)
        TRY(db_exec(c, &demo_event,
                    BINDS(B_TEXT("uuid", str_of(demo_events[i].uuid)),
                          B_TEXT("event", str_of(demo_events[i].event)), B_INT("user", DEMO_CUSTOMER),
                          B_TEXT("properties", str_of(demo_events[i].properties)),
                          B_INT("at", f->world.end - demo_events[i].days * TIME_DAY))));
    return 0;
}
