#include "api/call/machine.h"
#include "base/address.h"

#include <xxhash.h>

uint64_t address_sharer(struct str remote) {
    char room[ADDRESS_TEXT];
    struct str address = address_counted_text(room, remote);
    return XXH3_64bits(address.p, address.n) | UINT64_C(1) << 63;
}

uint64_t call_sharer(const struct call *c) {
    if (c->work.actor.user_id) return (uint64_t)c->work.actor.user_id;
    if (c->work.actor.event_token_id) return (uint64_t)c->work.actor.event_token_id | UINT64_C(1) << 62;
    return address_sharer(c->http->remote);
}
