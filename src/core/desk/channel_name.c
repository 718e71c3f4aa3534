#include "core/desk/channel_name.h"

#include "base/random.h"

#include <inttypes.h>
#include <stdlib.h>

static struct str channel_start(const struct desk *d, struct arena *a, const char *kind) {
    return str_fmt(a, "%s-%s@", kind, d->installation.p);
}

struct str channel_of_own(const struct desk *d, struct arena *a, struct str uuid) {
    struct str hash = mac_hex(a, &d->account_key, STR_CAT(a, S("notify "), uuid));
    return STR_CAT(a, channel_start(d, a, "user_notifications"), (struct str){hash.p, 40});
}

#define ID_HEX 16  /* the encrypted id */
#define TAG_HEX 24 /* the MAC of the id */

static uint64_t pad_of(const struct desk *d, struct arena *a, struct str tag) {
    struct str hash = mac_hex(a, &d->account_key, STR_CAT(a, S("presence pad "), tag));
    return strtoull(str_dup(a, (struct str){hash.p, ID_HEX}).p, NULL, 16);
}

struct str channel_of_presence(const struct desk *d, struct arena *a, int64_t user_id) {
    struct str tag = mac_hex(a, &d->account_key, str_fmt(a, "presence %" PRId64, user_id));
    tag.n = TAG_HEX;
    uint64_t hidden = (uint64_t)user_id ^ pad_of(d, a, tag);
    return STR_CAT(a, channel_start(d, a, "user_presence"), str_fmt(a, "%016" PRIx64, hidden), tag);
}

int64_t channel_presence_person(const struct desk *d, struct arena *a, struct str name) {
    struct str start = channel_start(d, a, "user_presence");
    if (name.n != start.n + ID_HEX + TAG_HEX) return 0;
    struct str hidden = str_dup(a, (struct str){name.p + start.n, ID_HEX});
    uint64_t id =
        strtoull(hidden.p, NULL, 16) ^ pad_of(d, a, (struct str){name.p + start.n + ID_HEX, TAG_HEX});
    if (id == 0 || id > INT64_MAX) return 0;
    return secret_eq(name, channel_of_presence(d, a, (int64_t)id)) ? (int64_t)id : 0;
}
