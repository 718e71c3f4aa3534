#include "core/desk/channel_name.h"

#define OF_OBJECT(number) \
    S("presence-"), d->installation, S("@v1_"), str_of(kind), S("_"), str_int(number, id)

struct str channel_of_object(const struct desk *d, struct arena *a, const char *kind, int64_t id) {
    char number[INT_TEXT];
    return STR_CAT(a, OF_OBJECT(number));
}

void channel_of_object_write(struct json_writer *w, const struct desk *d, const char *kind, int64_t id) {
    char number[INT_TEXT];
    JW_CAT(w, OF_OBJECT(number));
}

static struct str channel_of_hash(const struct desk *d, struct arena *a, const char *kind, struct str text) {
    return str_fmt(a, "%s-%s@%.40s", kind, d->installation.p, mac_hex(a, &d->account_key, text).p);
}

struct str channel_of_own(const struct desk *d, struct arena *a, struct str uuid) {
    return channel_of_hash(d, a, "user_notifications", STR_CAT(a, S("notify "), uuid));
}

struct str channel_of_presence(const struct desk *d, struct arena *a, struct str uuid) {
    return channel_of_hash(d, a, "user_presence", uuid);
}
