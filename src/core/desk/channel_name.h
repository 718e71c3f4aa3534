/* The names of realtime channels, as resources show them and clients join them (live/topic.h). */
#ifndef CORE_DESK_CHANNEL_NAME_H
#define CORE_DESK_CHANNEL_NAME_H

#include "json/json.h"
#include "work/work.h"

/* The channel of an object: "presence-<installation>@v1_cases_23". kind: "cases". */
struct str channel_of_object(const struct desk *d, struct arena *a, const char *kind, int64_t id);
void channel_of_object_write(struct json_writer *w, const struct desk *d, const char *kind, int64_t id);
/* The channel of a person's own notifications. Nobody else is shown it. */
struct str channel_of_own(const struct desk *d, struct arena *a, struct str uuid);
/* The channel that says whether a person is online. */
struct str channel_of_presence(const struct desk *d, struct arena *a, struct str uuid);

#endif
