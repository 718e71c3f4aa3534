#include "http/ledger.h"

#include <assert.h>
#include <stdlib.h>

#define SHARES 4

/* The account of an address or of a person. The key of a person has an address of zeros. */
struct account {
    struct sender key;
    int64_t held;
    struct account *next;
};

void ledger_open(struct ledger *l, int64_t most) {
    *l = (struct ledger){.most = most};
    pthread_mutex_init(&l->lock, NULL);
}

void ledger_close(struct ledger *l) {
    assert(l->held == 0);
    pthread_mutex_destroy(&l->lock);
}

static bool is_key(const struct sender *a, const struct sender *b) {
    return a->person == b->person && memcmp(&a->address, &b->address, sizeof a->address) == 0;
}

/* Returns where the account of this key is linked, or would be linked. */
static struct account **ledger_place(struct ledger *l, const struct sender *key) {
    uint32_t hash = 2166136261u ^ (uint32_t)key->person; /* FNV-1a */
    for (size_t i = 0; i < sizeof key->address; i++) hash = (hash ^ key->address.bytes[i]) * 16777619u;
    struct account **at = &l->accounts[hash % ACCOUNTS];
    while (*at && !is_key(&(*at)->key, key)) at = &(*at)->next;
    return at;
}

static int64_t held_of(struct ledger *l, const struct sender *key) {
    const struct account *a = *ledger_place(l, key);
    return a ? a->held : 0;
}

static void ledger_change(struct ledger *l, const struct sender *key, int64_t n) {
    struct account **at = ledger_place(l, key), *a = *at;
    if (a == NULL) {
        a = *at = calloc(1, sizeof *a);
        if (a == NULL) abort();
        a->key = *key;
    }
    a->held += n;
    if (a->held) return;
    *at = a->next;
    free(a);
}

static void change_all(struct ledger *l, const struct sender *who, int64_t n) {
    l->held += n;
    ledger_change(l, &(struct sender){.address = who->address}, n);
    if (who->person) ledger_change(l, &(struct sender){.person = who->person}, n);
}

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

const char *ledger_take(struct ledger *l, const struct sender *who, int64_t n, int64_t least) {
    int64_t each = greater(l->most / SHARES, least);
    const char *reason = NULL;
    pthread_mutex_lock(&l->lock);
    if (l->held + n > greater(l->most, SHARES * least)) reason = "Too many uploads are in progress. Try again later.";
    else if (held_of(l, &(struct sender){.address = who->address}) + n > each)
        reason = "Too many uploads from this address are in progress. Try again when they have ended.";
    else if (who->person && held_of(l, &(struct sender){.person = who->person}) + n > each)
        reason = "Too many uploads of this user are in progress. Try again when they have ended.";
    else change_all(l, who, n);
    pthread_mutex_unlock(&l->lock);
    return reason;
}

void ledger_return(struct ledger *l, const struct sender *who, int64_t n) {
    if (n == 0) return;
    pthread_mutex_lock(&l->lock);
    change_all(l, who, -n);
    pthread_mutex_unlock(&l->lock);
}

int64_t ledger_held(struct ledger *l) {
    pthread_mutex_lock(&l->lock);
    int64_t held = l->held;
    pthread_mutex_unlock(&l->lock);
    return held;
}
