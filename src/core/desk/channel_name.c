#include "core/desk/channel_name.h"

static struct str channel_of_hash(const struct desk *d, struct arena *a, const char *kind, struct str text) {
    return str_fmt(a, "%s-%s@%.40s", kind, d->installation.p, mac_hex(a, &d->account_key, text).p);
}

struct str channel_of_own(const struct desk *d, struct arena *a, struct str uuid) {
    return channel_of_hash(d, a, "user_notifications", STR_CAT(a, S("notify "), uuid));
}

struct str channel_of_presence(const struct desk *d, struct arena *a, struct str uuid) {
    return channel_of_hash(d, a, "user_presence", uuid);
}
