/* Time tracking is not offered. Programs that ask for it get an empty list. */
#include "api/rows/generic.h"
#include "api/rows/view.h"

static const struct field time_tracking_fields[] = {
    {"seconds", F_INT, READONLY, .doc = "Time spent on a conversation.", .example = "60"},
    {0},
};

static int time_tracking_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    (void)c, (void)v, (void)name, (void)out;
    return 0;
}

static const struct route time_tracking_routes[] = {
    {GET, "/timetracking", COL_PLUS, "conversations", LIST, api_list, .summary = "List tracked time",
     .doc = "The list is empty."},
    {0},
};

const struct resource time_tracking_resource = {
    .type = "time_tracking",
    .scope = "conversations",
    .title = "Time tracking",
    .doc = "Time that staff spent on conversations. It is not recorded.",
    .fields = time_tracking_fields,
    .routes = time_tracking_routes,
    .rows = time_tracking_rows};
