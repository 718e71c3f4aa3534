/* Every write that changes a conversation needs the enabled rules. To read and compile a thousand triggers
 * takes milliseconds, so a process compiles them once, into a rule_set that nothing changes. Writes hold
 * it by a reference count. The last holder frees it.
 *
 * A set is fresh if its generation is the one in the store, and if the desk has the time zone for which
 * its days were computed (predicate.c). Each change of a rule stores a new random number there, in its own
 * write. Random numbers are not used twice, not even after a rollback. Therefore a set may be kept as soon
 * as it was read, whether or not the write that read it commits: no later write can find the number of a
 * rolled-back write.
 *
 *     PostgreSQL   Another process may have changed a rule a moment ago. Each write that needs rules reads
 *                  the number once: one row by its key. The rows of rules are read afterwards, so they may be
 *                  newer than the number. Then the next write reads them again.
 *     SQLite       All writes run on one thread of one process. `changes` counts the calls of rules_changed,
 *                  rolled-back ones too. `confirmed` is the count at which a committed write found the set
 *                  fresh. While both are equal, the set is fresh, and a write compares two integers instead
 *                  of reading the number. */
#include "core/rules/rule_cache.h"

#include "base/random.h"
#include "core/desk/setting.h"
#include "core/rules/action.h"

#include <stdlib.h>

struct rule_cache {
    struct set_keeper keeper; /* its lock also guards: */
    uint64_t changes, confirmed;
};

struct rule_cache *rule_cache_new(void) {
    struct rule_cache *c = calloc(1, sizeof *c);
    if (c) keeper_open(&c->keeper);
    return c;
}

void rule_cache_free(struct rule_cache *c) {
    if (c) keeper_close(&c->keeper);
    free(c);
}

/* ---- generations ----------------------------------------------------------------------------- */

QUERY(generation_now, "SELECT generation FROM rule_generations WHERE id = 1");
QUERY(generation_set, "UPDATE rule_generations SET generation = :generation WHERE id = 1");

int rules_changed(struct work *w) {
    struct rule_cache *c = w->desk->rules;
    uint64_t random;
    random_bytes(&random, sizeof random);
    w->rules_generation = 0;
    if (c) {
        pthread_mutex_lock(&c->keeper.lock);
        c->changes++;
        pthread_mutex_unlock(&c->keeper.lock);
    }
    int rc = db_exec(w->conn, &generation_set, BINDS(B_INT("generation", (int64_t)(random >> 1))));
    return rc < 0 ? rc : 0;
}

struct confirmation {
    int64_t generation;
    uint64_t changes;
};

static void rules_confirm(struct desk *d, void *arg) {
    const struct confirmation *f = arg;
    struct rule_cache *c = d->rules;
    pthread_mutex_lock(&c->keeper.lock);
    if (c->keeper.now && c->keeper.now->generation == f->generation) c->confirmed = f->changes;
    pthread_mutex_unlock(&c->keeper.lock);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* (id, version, title, channel, event), in the order of execution. */
QUERY(enabled_slas, "SELECT id, version_id, title, 0, 0 FROM slas "
                    "WHERE is_enabled = 1 AND is_deleted = 0 "
                    "ORDER BY execution_order, id");
QUERY(enabled_triggers, "SELECT id, 0, title, COALESCE(channel, 0), COALESCE(event, 0) "
                        "FROM triggers WHERE is_enabled = 1 ORDER BY execution_order, id");

static const struct rule_source {
    const struct query *enabled;
    enum rule_owner owner;
    enum rule_user user;
} rule_sources[RULE_LISTS] = {
    [RULES_SLAS] = {&enabled_slas, RULE_OF_SLA, RULE_SLA},
    [RULES_TRIGGERS] = {&enabled_triggers, RULE_OF_TRIGGER, RULE_TRIGGER},
};

static const struct predicate *predicate_of_rule(struct work *w, const struct rule_predicate *stored,
                                                 int count, int64_t id, const struct definitions *d,
                                                 int *rc) {
    struct predicate *p = NULL;
    const struct rule_predicate none = {.owner_id = id}, *found = &none;
    for (int low = 0, high = count; low < high;) {
        int middle = (low + high) / 2;
        if (stored[middle].owner_id == id) found = &stored[middle];
        if (stored[middle].owner_id >= id) high = middle;
        else low = middle + 1;
    }
    *rc = rule_predicate_compile(w, d, found, &p);
    return p;
}

/* Compiles the predicates of all rules of a list, which one statement reads. */
static int compile_rules(struct work *w, enum rule_owner owner, const struct definitions *d,
                         struct rule *rules, int count) {
    struct rule_predicate *stored;
    int64_t *ids = arena_array(w->arena, (size_t)count, sizeof *ids);
    int rc = 0;
    for (int i = 0; i < count; i++) ids[i] = rules[i].id;
    int n = rule_predicates_read(w, owner, json_ids(w->arena, ids, (size_t)count), &stored);
    TRY(n);
    for (int i = 0; i < count && rc >= 0; i++)
        rules[i].predicate = predicate_of_rule(w, stored, n, rules[i].id, d, &rc);
    return rc;
}

/* The actions of one rule follow each other in the list. */
static int load_rule_actions(struct work *w, enum rule_owner owner, struct rule *rules, int count) {
    int64_t *ids = arena_array(w->arena, (size_t)count, sizeof *ids);
    struct rule_action *list;
    for (int i = 0; i < count; i++) ids[i] = rules[i].id;
    int n = rule_actions_read(w, owner, json_ids(w->arena, ids, (size_t)count), &list);
    for (int k = 0, run = 0; k < n; k += run) {
        for (run = 1; k + run < n && list[k + run].owner_id == list[k].owner_id;) run++;
        for (int i = 0; i < count; i++)
            if (rules[i].id == list[k].owner_id) rules[i].actions = &list[k], rules[i].action_count = run;
    }
    return n < 0 ? n : 0;
}

static int read_rules(struct work *w, const struct rule_source *s, struct rule_set *set,
                      enum rule_list list) {
    struct rule *rules = NULL;
    int rc, n = 0, room = 0;
    DB_ROWS(rc, w->conn, s->enabled, NULL, row) {
        rules = arena_more(w->arena, rules, n, &room, sizeof *rules);
        rules[n++] = (struct rule){.id = col_int(row, 0),
                                   .version_id = col_int(row, 1),
                                   .title = str_dup(w->arena, col_text(row, 2)),
                                   .channel = (int)col_int(row, 3),
                                   .event = (int)col_int(row, 4)};
    }
    if (rc < 0 || n == 0) return rc;
    set->list[list].rules = rules;
    set->list[list].count = n;
    TRY(rule_definitions_load(w, s->user, &set->list[list].definitions));
    TRY(compile_rules(w, s->owner, &set->list[list].definitions, rules, n));
    return s->owner == RULE_OF_TRIGGER ? load_rule_actions(w, s->owner, rules, n) : 0;
}

static void index_triggers(struct rule_set *set, struct arena *a) {
    int count = set->list[RULES_TRIGGERS].count;
    const struct predicate **predicates = arena_array(a, (size_t)count + 1, sizeof *predicates);
    set->wanted =
        arena_array(a, (size_t)set->list[RULES_TRIGGERS].definitions.count + 1, sizeof *set->wanted);
    for (int i = 0; i < count; i++) {
        predicates[i] = set->list[RULES_TRIGGERS].rules[i].predicate;
        predicate_mark(predicates[i], set->wanted);
        set->needs |= predicates[i]->needs;
    }
    rule_index_build(a, predicates, count, &set->triggers);
}

static int read_set(struct work *w, int64_t generation, struct rule_set **out) {
    struct rule_set *set = kept_set_new(sizeof *set, generation);
    struct work reading = *w; /* its memory outlives the work */
    int rc = 0;
    set->zone = setting_text(w->desk, "desk.time_zone", set->kept.arena);
    reading.arena = set->kept.arena;
    for (int list = 0; list < RULE_LISTS && rc >= 0; list++)
        rc = read_rules(&reading, &rule_sources[list], set, (enum rule_list)list);
    if (rc >= 0) index_triggers(set, set->kept.arena);
    if (rc < 0) kept_set_drop(set);
    else *out = set;
    return rc < 0 ? rc : 0;
}

/* ---- holding --------------------------------------------------------------------------------- */

/* The kept set, held, if it is fresh without a look at the store (generation 0) or of this generation;
 * NULL: it is not. */
static struct rule_set *take_kept(struct work *w, int64_t generation, uint64_t *changes) {
    struct rule_cache *c = w->desk->rules;
    struct rule_set *found = NULL;
    struct str zone = setting_text(w->desk, "desk.time_zone", w->arena);
    pthread_mutex_lock(&c->keeper.lock);
    const struct kept_set *now = c->keeper.now;
    bool fresh = now && (generation ? now->generation == generation
                                    : c->confirmed == c->changes && !db_shared(w->desk->db));
    if (fresh && str_eq(((const struct rule_set *)(const void *)now)->zone, zone))
        found = keeper_hold(&c->keeper);
    *changes = c->changes;
    pthread_mutex_unlock(&c->keeper.lock);
    return found;
}

int rules_hold(struct work *w, const struct rule_set **out) {
    struct confirmation *f;
    uint64_t changes;
    struct rule_set *set = take_kept(w, 0, &changes);
    *out = NULL;
    if (set == NULL) {
        int64_t generation = w->rules_generation;
        int rc = generation ? 1 : db_int(w->conn, &generation_now, NULL, &generation);
        if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
        w->rules_generation = generation;
        uint64_t later;
        set = take_kept(w, generation, &later);
        if (set == NULL) {
            TRY(read_set(w, generation, &set));
            keeper_put(&w->desk->rules->keeper, set);
        }
        f = ARENA_NEW(w->arena, struct confirmation);
        *f = (struct confirmation){generation, changes};
        if (!db_shared(w->desk->db)) after_commit(w, rules_confirm, f);
    }
    *out = set;
    return 0;
}
