#include "http/ledger.h"

#include <assert.h>
#include <stdlib.h>

#define LARGEST_IN_ALL 4 /* requests of the largest size that always have room together */

/* The account of an address or of a person. The key of a person has an address of zeros. */
struct account_key {
    struct address address;
    int64_t person;
};
struct account {
    struct account_key key;
    int64_t held;
    struct account *next;
};

void ledger_open(struct ledger *l, int64_t most, int64_t each) {
    *l = (struct ledger){.most = most, .each = each};
    pthread_mutex_init(&l->lock, NULL);
}

void ledger_close(struct ledger *l) {
    assert(l->held == 0);
    pthread_mutex_destroy(&l->lock);
}

/* The accounts that bytes of this sender count for: one or two. */
static int keys_of_sender(const struct sender *who, struct account_key keys[2]) {
    int n = 0;
    if (who->person) keys[n++] = (struct account_key){.person = who->person};
    if (!who->person || !who->person_alone) keys[n++] = (struct account_key){.address = who->address};
    return n;
}

static bool is_key(const struct account_key *a, const struct account_key *b) {
    return a->person == b->person && memcmp(&a->address, &b->address, sizeof a->address) == 0;
}

/* Returns where the account of this key is linked, or would be linked. */
static struct account **account_place(struct ledger *l, const struct account_key *key) {
    uint32_t hash = 2166136261u ^ (uint32_t)key->person; /* FNV-1a */
    for (size_t i = 0; i < sizeof key->address; i++) hash = (hash ^ key->address.bytes[i]) * 16777619u;
    struct account **at = &l->accounts[hash % ACCOUNTS];
    while (*at && !is_key(&(*at)->key, key)) at = &(*at)->next;
    return at;
}

static void account_change(struct ledger *l, const struct account_key *key, int64_t n) {
    struct account **at = account_place(l, key), *a = *at;
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

static void ledger_change(struct ledger *l, const struct sender *who, int64_t n) {
    struct account_key keys[2];
    int count = keys_of_sender(who, keys);
    l->held += n;
    for (int i = 0; i < count; i++) account_change(l, &keys[i], n);
}

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

static enum ledger_full limit_reached(struct ledger *l, const struct sender *who, int64_t n, int64_t least) {
    struct account_key keys[2];
    int count = keys_of_sender(who, keys);
    if (l->held + n > greater(l->most, LARGEST_IN_ALL * least)) return LEDGER_TOTAL;
    while (count--) {
        const struct account *a = *account_place(l, &keys[count]);
        if ((a ? a->held : 0) + n > greater(l->each, least))
            return keys[count].person ? LEDGER_PERSON : LEDGER_ADDRESS;
    }
    return LEDGER_ROOM;
}

enum ledger_full ledger_take(struct ledger *l, const struct sender *who, int64_t n, int64_t least) {
    pthread_mutex_lock(&l->lock);
    enum ledger_full full = limit_reached(l, who, n, least);
    if (full == LEDGER_ROOM) ledger_change(l, who, n);
    pthread_mutex_unlock(&l->lock);
    return full;
}

void ledger_add(struct ledger *l, const struct sender *who, int64_t n) {
    if (n == 0) return;
    pthread_mutex_lock(&l->lock);
    ledger_change(l, who, n);
    pthread_mutex_unlock(&l->lock);
}

void ledger_return(struct ledger *l, const struct sender *who, int64_t n) { ledger_add(l, who, -n); }

int64_t ledger_held(struct ledger *l) {
    pthread_mutex_lock(&l->lock);
    int64_t held = l->held;
    pthread_mutex_unlock(&l->lock);
    return held;
}
