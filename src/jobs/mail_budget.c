#include "jobs/mail_budget.h"

#include "base/fold.h"
#include "core/words.h"
#include "mail/parts.h"

#include <ctype.h>
#include <sodium.h>
#include <stdlib.h>

#define KEYS 4096
#define TRIES 8         /* places of the table in which a key may be */
#define SENDER_MOST 300 /* bytes of an address that count */

/* ---- origins --------------------------------------------------------------------------------- */

/* The hash has a key of this process, so that nobody can find another sender with the same one. */
static uint64_t origin_hash(const char *kind, struct str s) {
    static _Thread_local unsigned char key[crypto_generichash_KEYBYTES];
    static _Thread_local bool ready;
    crypto_generichash_state state;
    uint64_t hash;
    if (!ready) crypto_generichash_keygen(key);
    ready = true;
    crypto_generichash_init(&state, key, sizeof key, crypto_generichash_BYTES_MIN);
    crypto_generichash_update(&state, (const unsigned char *)kind, strlen(kind) + 1);
    for (size_t i = 0; i < s.n && i < SENDER_MOST; i++) {
        unsigned char c = (unsigned char)tolower((unsigned char)s.p[i]);
        crypto_generichash_update(&state, &c, 1);
    }
    unsigned char sum[crypto_generichash_BYTES_MIN];
    crypto_generichash_final(&state, sum, sizeof sum);
    memcpy(&hash, sum, sizeof hash);
    return hash;
}

/* The text between the first "[" and the "]" behind it; p NULL: none. */
static struct str in_brackets(struct str s) {
    str_cut(&s, '[');
    struct str inside = s.p ? str_cut(&s, ']') : s;
    return s.p ? inside : (struct str){0};
}

/* Received: from HELO (NAME [ADDRESS]) by ... The peer chose HELO, which may have brackets, too. */
static struct str received_address(struct str value) {
    struct str behind = value;
    str_cut(&behind, '(');
    struct str address = behind.p ? in_brackets(behind) : (struct str){0};
    return address.p ? address : in_brackets(value);
}

struct mail_origin mail_origin_of(const struct inbox_mail *head) {
    struct str rest = head->raw, sender = head->envelope_from, relay = {0};
    struct mail_field f;
    for (bool more = true; more && field_next(&rest, &f);) {
        if (sender.n == 0 && str_eqi(f.name, S("From"))) sender = str_trim(f.value);
        if (relay.p == NULL && str_eqi(f.name, S("Received"))) relay = received_address(f.value);
        more = sender.n == 0 || relay.p == NULL;
    }
    uint64_t door = origin_hash("door", str_of(word_of(mail_doors, head->door)));
    return (struct mail_origin){origin_hash("sender", sender), relay.p ? origin_hash("relay", relay) : door,
                                door};
}

/* ---- budgets --------------------------------------------------------------------------------- */

struct mail_budgets {
    struct {
        uint64_t key;
        int64_t whole_at; /* time when the budget is whole again. In the past: nothing is used */
    } of[KEYS];
};

struct mail_budgets *mail_budgets_new(void) {
    return calloc(1, sizeof(struct mail_budgets));
}
void mail_budgets_free(struct mail_budgets *b) { free(b); }

/* The place of the key, or that of the one of its places which has used least. */
static size_t budget_place(const struct mail_budgets *b, uint64_t key) {
    size_t least = key % KEYS;
    for (size_t i = 0; i < TRIES; i++) {
        size_t at = (key + i) % KEYS;
        if (b->of[at].key == key) return at;
        if (b->of[at].whole_at < b->of[least].whole_at) least = at;
    }
    return least;
}

int64_t mail_budget_left(const struct mail_budgets *b, uint64_t key, int64_t now) {
    size_t at = budget_place(b, key);
    bool used = b->of[at].key == key && b->of[at].whole_at > now;
    return MAIL_BUDGET_MS - (used ? b->of[at].whole_at - now : 0);
}

void mail_budget_take(struct mail_budgets *b, uint64_t key, int64_t ms, int64_t now) {
    size_t at = budget_place(b, key);
    int64_t left = mail_budget_left(b, key, now), taken = ms < left ? ms : left;
    b->of[at].key = key;
    b->of[at].whole_at = now + MAIL_BUDGET_MS - left + taken;
}
