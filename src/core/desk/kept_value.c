/* Values are kept under the number of the set of tables that they were read from. A read or write with the
 * same number finds the same rows, so nothing is invalidated: a value of another number is not found. A
 * statement that changes a row of a set is found by its text (db/table_changes.c), so the sets list tables
 * and not properties. On PostgreSQL other processes write, so nothing is kept. */
#include "core/desk/kept_value.h"

#include "base/slots.h"

static const struct db_tracked_table of_teams[] = {{"teams", NULL, NULL}, {"team_members", NULL, NULL}, {0}};
/* A cascade deletes the row, or removes the mark, at its end. */
static const struct db_tracked_table of_gone[] = {
    {"teams", "deleted_at", NULL}, {"users", "leaving_at", NULL}, {"organizations", "deleted_at", NULL}, {0}};
static const struct db_tracked_table of_totals[] = {
    {"case_totals", NULL, NULL},   {"case_priorities", NULL, NULL}, {"team_members", NULL, NULL},
    {"teams", "deleted_at", NULL}, {"users", "leaving_at", NULL},   {0}};
static const struct db_tracked_table of_addresses[] = {
    {"identity_emails", NULL, "updated_at"}, {"identity_phones", NULL, "updated_at"}, {0}};
const struct db_tracked_table *const kept_tables[] = {of_teams, of_gone, of_totals, of_addresses, NULL};

#define PAIRS 64

struct place {
    int64_t mark; /* 0: free */
    enum kept_from from;
    struct kept_key key;
    int64_t number;
    bool has_text;
    unsigned char bytes;
    char text[KEPT_TEXT];
};

/* Two places for the keys of one hash. With one place, two values that each request reads may take it from
 * each other, and the hash depends on addresses, so on each link and start. */
struct pair {
    struct place places[2];
    int last; /* the place that was used last */
};

struct slots *kept_values_new(void) {
    return slots_new(PAIRS, sizeof(struct pair));
}

static struct pair *kept_value_lock(struct slots *k, const struct kept_key *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key->of >> 3;
    for (int i = 0; i < KEPT_PARTS; i++) hash = (hash ^ (uint64_t)key->parts[i]) * 0x9E3779B97F4A7C15u;
    return slots_lock(k, hash >> 58);
}

static bool place_is_of(const struct place *p, enum kept_from from, const struct kept_key *key) {
    return p->from == from && p->key.of == key->of &&
           memcmp(p->key.parts, key->parts, sizeof key->parts) == 0;
}

static struct place *place_find(struct pair *pair, enum kept_from from, const struct kept_key *key) {
    for (int i = 0; i < 2; i++)
        if (place_is_of(&pair->places[i], from, key)) return &pair->places[pair->last = i];
    return NULL;
}

static int64_t kept_mark(const struct work *w, enum kept_from from) {
    return w->desk->kept_values ? db_mark(w->conn, (int)from - 1) : 0;
}

bool kept_value_may(const struct work *w, enum kept_from from) { return kept_mark(w, from) != 0; }

bool kept_value_find(struct work *w, enum kept_from from, const struct kept_key *key,
                     struct kept_value *value) {
    struct slots *k = w->desk->kept_values;
    int64_t mark = kept_mark(w, from);
    if (mark == 0) return false;
    const struct place *p = place_find(kept_value_lock(k, key), from, key);
    bool found = p && p->mark == mark;
    if (found) *value = (struct kept_value){.number = p->number};
    if (found && p->has_text) value->text = str_dup(w->arena, (struct str){p->text, p->bytes});
    slots_unlock(k);
    return found;
}

void kept_value_put(struct work *w, enum kept_from from, const struct kept_key *key,
                    const struct kept_value *value) {
    struct slots *k = w->desk->kept_values;
    int64_t mark = kept_mark(w, from);
    if (mark == 0 || value->text.n > KEPT_TEXT) return;
    struct pair *pair = kept_value_lock(k, key);
    struct place *p = place_find(pair, from, key);
    if (p == NULL) p = &pair->places[pair->last = !pair->last];
    *p = (struct place){.mark = mark, .from = from, .key = *key, .number = value->number};
    p->has_text = value->text.p != NULL;
    p->bytes = (unsigned char)value->text.n;
    if (value->text.n) memcpy(p->text, value->text.p, value->text.n);
    slots_unlock(k);
}
