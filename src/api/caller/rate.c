/* Limits writes without login by address and minute, for all processes together. An IPv6 /64 is one
 * address (base/address.h).
 *
 * Writes are counted in the store, with a row for each address and minute. A separate write counts before
 * the body is read. Refused writes therefore count too, and the row is locked only briefly. Each process
 * remembers addresses over the limit until the minute ends, so that a flood costs the store no more than
 * the limit. */
#include "api/caller/rate.h"

#include "api/call/machine.h"
#include "base/address.h"
#include "base/slots.h"

#define RATES 1024
struct rate { /* an address over the limit in this minute */
    uint64_t address;
    int64_t minute;
};

struct slots *rates_new(void) {
    return slots_new(RATES, sizeof(struct rate));
}

QUERY(public_write_count, "INSERT INTO public_writes (address, minute, n) "
                          "VALUES (:address, :minute, 1) ON CONFLICT (address, minute) DO UPDATE "
                          "SET n = public_writes.n + 1 RETURNING n");

/* The slot of this address, locked, and its hash. */
static struct rate *rate_lock(struct api *api, struct str remote, uint64_t *address) {
    unsigned char hash[MAC_SIZE];
    char room[ADDRESS_TEXT];
    mac(hash, &api->desk->credential_key, address_counted_text(room, remote));
    memcpy(address, hash, sizeof *address);
    return slots_lock(api->rates, *address);
}

static int64_t until_next(int64_t now) { return (TIME_MINUTE - now % TIME_MINUTE) / TIME_SECOND + 1; }

int64_t rate_over(struct api *api, struct str remote, int64_t now) {
    uint64_t address;
    const struct rate *r = rate_lock(api, remote, &address);
    bool over = r->address == address && r->minute == now / TIME_MINUTE;
    slots_unlock(api->rates);
    return over ? until_next(now) : 0;
}

int rate_count(struct conn *conn, struct str remote, int64_t now, int64_t *n) {
    char room[ADDRESS_TEXT];
    struct str counted = address_counted_text(room, remote);
    int rc = db_int(conn, &public_write_count,
                    BINDS(B_TEXT("address", counted), B_INT("minute", now / TIME_MINUTE)), n);
    return rc < 0 ? rc : 0;
}

int64_t rate_counted(struct api *api, struct str remote, int64_t now, int64_t n) {
    uint64_t address;
    if (n <= api->cfg.public_writes_a_minute) return 0;
    struct rate *r = rate_lock(api, remote, &address);
    *r = (struct rate){address, now / TIME_MINUTE};
    slots_unlock(api->rates);
    return until_next(now);
}

struct rate_of_form {
    struct str remote;
    int64_t now, n;
};

static int rate_form_count(struct conn *conn, void *arg) {
    struct rate_of_form *f = arg;
    return rate_count(conn, f->remote, f->now, &f->n);
}

int64_t rate_form(struct api *api, struct str remote, int64_t now) {
    struct rate_of_form f = {remote, now, 0};
    if (api->cfg.public_writes_a_minute == 0) return 0;
    int64_t wait = rate_over(api, remote, now);
    if (wait) return wait;
    int rc = db_write(api->desk->db, rate_form_count, &f);
    return rc < 0 ? rc : rate_counted(api, remote, now, f.n);
}
