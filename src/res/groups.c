#include "res/groups.h"

#include "api/view.h"

const struct field row_times[] = {
    {"created_at", F_TIME, READONLY, .doc = "Time of creation."},
    {"updated_at", F_TIME, READONLY, .doc = "Time of the last change."},
    {0},
};

const struct field attachments[] = {
    {"attachments", F_COMPUTED, READONLY, .render = render_nothing, .doc = "Attached files.", .example = "[]"},
    {"download_all", F_COMPUTED, READONLY, .render = render_null,
     .doc = "Address that downloads all attached files. Null if there are fewer than two.", .example = "null"},
    {0},
};
