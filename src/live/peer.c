#include "live/peer.h"

#include "base/limits.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- limits ---------------------------------------------------------------------------------- */

/* Adds the peer if the limits allow one more. Walks the list, which costs less than the login did. */
static bool admit(struct peers *all, struct peer *more) {
    int person = 0, address = 0;
    pthread_mutex_lock(&all->lock);
    for (const struct peer *p = all->first; p; p = p->all_next) {
        if (atomic_load(&p->ended)) continue;
        person += more->person && p->person == more->person;
        address += more->is_limited && memcmp(&p->address, &more->address, sizeof p->address) == 0;
    }
    bool room = all->count < LIMIT_LIVE && person < LIMIT_LIVE_PER_PERSON && address < LIMIT_LIVE_PER_ADDRESS;
    if (room) {
        more->all = all;
        more->all_next = all->first;
        if (more->all_next) more->all_next->all_before = more;
        all->first = more;
        all->count++;
    }
    pthread_mutex_unlock(&all->lock);
    return room;
}

static void dismiss(struct peers *all, struct peer *p) {
    pthread_mutex_lock(&all->lock);
    if (p->all_before) p->all_before->all_next = p->all_next;
    else all->first = p->all_next;
    if (p->all_next) p->all_next->all_before = p->all_before;
    all->count--;
    pthread_mutex_unlock(&all->lock);
}

/* ---- peers ----------------------------------------------------------------------------------- */

void peer_drop(struct peer *p) {
    if (atomic_fetch_sub_explicit(&p->references, 1, memory_order_acq_rel) != 1) return;
    dismiss(p->all, p);
    buf_free(&p->out);
    free(p->texts);
    free(p);
}

void peer_refuse(struct peer *p) {
    if (p->fd >= 0) close(p->fd);
    p->fd = -1;
}

struct peer *peer_new(struct peers *all, const struct who *who, enum peer_form form, int version) {
    struct peer *p = calloc(1, sizeof *p);
    if (p == NULL) abort();
    *p = (struct peer){.references = 1, .form = form, .version = version, .fd = -1, .who = *who};
    who_settle(&p->who);
    p->person = who->actor.user_id;
    p->is_limited = address_parse(str_of(who->remote), &p->address) && !address_is_loopback(&p->address);
    if (p->is_limited) p->address = address_counted(p->address);
    return admit(all, p) ? p : (free(p), NULL);
}
