/* The list of people shows their number. To count 250,000 takes 8 ms, so a process keeps numbers from
 * KEPT_FROM on, with the place in the change log at which they were read. They are exact as long as no
 * later entry is about a person: each person who is created, deleted, or gets another role or another
 * is_enabled has an entry. An import has none, so numbers are kept for KEPT_MOST at most. */
#include "core/people/people_total.h"

#include "base/slots.h"
#include "core/change/log.h"
#include "core/desk/kept_value.h"
#include "core/words.h"
#include "json/json.h"

#define KEPT_FROM 10000
#define KEPT_MOST TIME_MINUTE
#define PLACE_MAX 256 /* longer places are not kept */
#define ROLE_MASKS (1U << (ROLE_OWNER + 1))

struct kept_number {
    char place[PLACE_MAX];
    int64_t n, at; /* n 0: not known; at: the time of the count */
};

/* A slot for each filter. */
struct slots *people_totals_new(void) {
    return slots_new(3 * ROLE_MASKS, sizeof(struct kept_number));
}

static struct kept_number *number_lock(struct slots *t, struct people_filter f) {
    return slots_lock(t, (unsigned)f.enabled * ROLE_MASKS + f.roles);
}

QUERY(people_all, "SELECT COUNT(*) FROM users t WHERE t.deleted_at IS NULL");
QUERY(people_enabled, "SELECT COUNT(*) FROM users t WHERE t.deleted_at IS NULL AND t.is_enabled = :enabled");
QUERY(people_of_roles,
      "SELECT COUNT(*) FROM users t WHERE t.deleted_at IS NULL AND t.role_type IN @LIST(:roles)");
QUERY(people_enabled_of_roles, "SELECT COUNT(*) FROM users t WHERE t.deleted_at IS NULL AND t.is_enabled = "
                               ":enabled AND t.role_type IN @LIST(:roles)");

static int people_count(struct work *w, struct people_filter f, int64_t *total) {
    int64_t roles[ROLE_OWNER + 1];
    size_t n = 0;
    for (int role = ROLE_PUBLIC; role <= ROLE_OWNER; role++)
        if (f.roles >> role & 1) roles[n++] = role;
    const struct query *q = n && f.enabled ? &people_enabled_of_roles
                            : n            ? &people_of_roles
                            : f.enabled    ? &people_enabled
                                           : &people_all;
    return db_int(w->conn, q,
                  BINDS(B_INT("enabled", f.enabled == 1), B_TEXT("roles", json_ids(w->arena, roles, n))),
                  total);
}

/* 1: people may have changed since the place, or there are too many entries to look. */
QUERY(people_changed,
      "SELECT CASE WHEN COUNT(*) > 1000 OR COALESCE(MAX(CASE WHEN e.kind = 'user' THEN 1 ELSE 0 END), 0) = 1 "
      "THEN 1 ELSE 0 END FROM (SELECT kind FROM change_log WHERE @UNSEEN(:place) LIMIT 1001) e");

/* Returns 1 if the numbers of `before` are those of this snapshot, 0, or a negative error. */
static int is_unchanged(struct work *w, struct str before, struct str place) {
    int64_t changed = 1;
    if (str_eq(before, place)) return 1;
    int sees = change_log_sees(w, before);
    if (sees <= 0) return sees;
    TRY(db_int(w->conn, &people_changed, BINDS(B_TEXT("place", before)), &changed));
    return !changed;
}

static struct kept_number number_get(struct slots *t, struct people_filter f) {
    struct kept_number number = *number_lock(t, f);
    slots_unlock(t);
    return number;
}

static void number_put(struct slots *t, struct people_filter f, struct kept_number number, struct str place) {
    memcpy(number.place, place.p, place.n);
    number.place[place.n] = 0;
    *number_lock(t, f) = number;
    slots_unlock(t);
}

int people_total(struct work *w, struct people_filter f, int64_t *total) {
    struct slots *t = w->desk->people_totals;
    struct str place = {0};
    int same = 0;
    if (t == NULL || f.roles >= ROLE_MASKS) return people_count(w, f, total);
    struct kept_number number = number_get(t, f);
    if (number.n && w->now - number.at < KEPT_MOST) {
        TRY(change_log_place(w, &place));
        TRY(same = is_unchanged(w, str_of(number.place), place));
        *total = number.n;
    }
    if (!same) {
        TRY(people_count(w, f, total));
        number = (struct kept_number){.n = *total, .at = w->now};
    }
    if (*total < KEPT_FROM) return 1;
    if (place.n == 0) TRY(change_log_place(w, &place));
    int replica = change_log_on_replica(w);
    if (replica == 0 && place.n < PLACE_MAX) number_put(t, f, number, place);
    return replica < 0 ? replica : 1;
}

/* ---- addresses ------------------------------------------------------------------------------- */

QUERY(emails_all, "SELECT COUNT(*) FROM identity_emails");
QUERY(phones_all, "SELECT COUNT(*) FROM identity_phones");

int identities_total(struct work *w, enum identity_kind kind, int64_t *total) {
    const struct query *q = kind == IDENTITY_EMAIL   ? &emails_all
                            : kind == IDENTITY_PHONE ? &phones_all
                                                     : NULL;
    const struct kept_key key = {.of = q};
    struct kept_value kept = {0};
    if (q == NULL) return 0;
    if (!kept_value_find(w, KEPT_ADDRESSES, &key, &kept)) {
        TRY(db_int(w->conn, q, NULL, &kept.number));
        kept_value_put(w, KEPT_ADDRESSES, &key, &kept);
    }
    *total = kept.number;
    return 1;
}
