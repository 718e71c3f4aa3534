#include "mail/unstored.h"

#include "base/log.h"
#include "core/all/finish.h"
#include "core/change/lease.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

struct unstored_tokens {
    struct arena *arena;     /* the arena of this struct */
    struct mail_oauth oauth; /* only what names the consent */
    struct mail_grant grant;
    int64_t access_until;
    struct str holder;
    struct unstored_tokens *next;
};

struct unstored {
    pthread_mutex_t lock; /* held during a write, too: a second thread waits for its result */
    struct unstored_tokens *first;
    _Atomic int count;
};

struct str mail_token_lease(struct arena *a, int64_t mailbox_id) {
    return str_fmt(a, "mail token %" PRId64, mailbox_id);
}

struct unstored *unstored_new(void) {
    struct unstored *all = calloc(1, sizeof *all);
    if (all) pthread_mutex_init(&all->lock, NULL);
    return all;
}

void unstored_free(struct unstored *all) {
    if (all == NULL) return;
    while (all->first) {
        struct unstored_tokens *t = all->first;
        all->first = t->next;
        arena_free(t->arena);
    }
    pthread_mutex_destroy(&all->lock);
    free(all);
}

static struct str unstored_text(struct arena *a, struct str s) { return s.p ? str_dup(a, s) : s; }

void unstored_keep(const struct desk *d, const struct mail_oauth *o, const struct mail_grant *g,
                   struct str holder) {
    struct unstored *all = d->unstored;
    if (all == NULL) return;
    struct arena *a = arena_new();
    struct unstored_tokens *t = ARENA_NEW(a, struct unstored_tokens);
    *t = (struct unstored_tokens){
        .arena = a,
        .oauth = {.mailbox_id = o->mailbox_id, .sealed = unstored_text(a, o->sealed)},
        .grant = {.access = unstored_text(a, g->access), .refresh = unstored_text(a, g->refresh)},
        .access_until = clock_now(&d->clock) + g->life,
        .holder = unstored_text(a, holder)};
    log_warn("the store can't be written: the new tokens of the mailbox %" PRId64 " wait in memory",
             o->mailbox_id);
    pthread_mutex_lock(&all->lock);
    t->next = all->first;
    all->first = t;
    atomic_fetch_add(&all->count, 1);
    pthread_mutex_unlock(&all->lock);
}

static int tokens_write(struct work *w, void *arg) {
    const struct unstored_tokens *t = arg;
    struct mail_grant g = t->grant;
    g.life = t->access_until > w->now ? t->access_until - w->now : 1;
    TRY(mail_oauth_renewed(w, &t->oauth, &g));
    return lease_release(w, mail_token_lease(w->arena, t->oauth.mailbox_id), t->holder);
}

bool unstored_write(struct desk *d, int64_t mailbox_id) {
    struct unstored *all = d->unstored;
    bool waits = false;
    if (all == NULL || atomic_load(&all->count) == 0) return false;
    pthread_mutex_lock(&all->lock);
    for (struct unstored_tokens **at = &all->first; *at;) {
        struct unstored_tokens *t = *at;
        if (desk_write(d, MAIL_TOKEN_ACTOR, tokens_write, t) < 0) {
            waits = waits || mailbox_id == 0 || t->oauth.mailbox_id == mailbox_id;
            at = &t->next;
            continue;
        }
        log_info("the new tokens of the mailbox %" PRId64 " are stored", t->oauth.mailbox_id);
        *at = t->next;
        atomic_fetch_sub(&all->count, 1);
        arena_free(t->arena);
    }
    pthread_mutex_unlock(&all->lock);
    return waits;
}
