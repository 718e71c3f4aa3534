/* Triggers run at the end of the write that changes a conversation, in its transaction. So a change and
 * its effects are committed together or not at all, whatever made the change: a request, a mail or a job.
 *
 *     round 1   For each conversation that the actor of the work changed, in the order of the changes: the triggers of the channel of the
 *               work, or of any channel, in execution_order. Each sees what earlier ones did. For each raised event (SLA_BREACHED): the triggers of
 *               SYSTEM and this event.
 *     round 2   For each conversation that a trigger of round 1 changed: the triggers of SYSTEM and TRIGGER. For each one that a monitor
 *               changed: those of SYSTEM and MONITOR.
 *
 * Nothing loops. Round 1 handles the changes of the actor and raised events, which no rule makes. Round 2
 * handles the changes of rules of round 1 and of monitors. A rule of round 2 acts with `raises` 0, so its
 * changes are in neither round. A round runs a trigger at most once for a conversation and event. Let T be
 * the number of triggers, C the number of conversations that the work changed, and E the number of raised
 * events. Then at most T * (C + E) firings are in round 1 and 2 * T * (C + E) in round 2, and each has at
 * most LIMIT_ACTIONS actions. No action changes another conversation, so C does not grow. A trigger that
 * adds the tag that it tests, or two triggers that undo each other, end by this bound, not by a test of
 * their effects.
 *
 * History operators compare with the state before the change. In round 1 that is the state before the
 * work. In round 2 it is the state before round 1, because there the change is that of the triggers.
 *
 * Cost. A desk without enabled triggers pays rules_hold. Otherwise the triggers of other channels and
 * events are left out, then those that need another property to have changed. If any is left, one
 * statement reads the facts of all conversations of the round, 1,000 in a bulk call, and the index
 * (core/rules/rule_index.h) leaves out the triggers that need another value. Only a trigger that fires
 * locks and reads its conversation. */
#include "core/rules/rules_finish.h"

#include "core/cases/case.h"
#include "core/rules/action.h"
#include "core/sla/clocks.h"

#include <assert.h>

/* ---- one firing ------------------------------------------------------------------------------ */

/* Runs one action. If it can't be done, notes the reason. */
static int fire_action(struct firing *f, const struct rule_action *a) {
    struct work *w = f->w;
    struct findings before = work_set_aside(w);
    int rc = a->kind->run(f, a);
    struct findings found = work_set_aside(w);
    work_put_back(w, &before);
    if (found.problems == NULL) return rc < 0 ? rc : 0;
    struct str why = found.problems->message;
    change_author_note(
        w, f->author,
        (struct rule_note){.action = a->name,
                           .text = why.p ? why : str_of(error_info((int)found.problems->code)->message),
                           .refused = true});
    return 0;
}

int rule_fire(struct work *w, struct rule_fire *fire) {
    const struct rule *r = fire->rule;
    struct case_now now;
    int rc = case_load(w, fire->case_id, &now);
    if (rc <= 0 || (now.state != CASE_ACTIVE && !fire->hidden)) return rc < 0 ? rc : 0;
    struct actor person = w->actor;
    bool monitors = fire->owner == RULE_OF_MONITOR;
    struct str cause =
        str_fmt(w->arena, "%s: %.*s", monitors ? "Monitor" : "Trigger", (int)r->title.n, r->title.p);
    struct firing f = {.w = w, .now = &now, .person = &person};
    f.author = change_author_begin(w, cause, fire->case_id);
    *(monitors ? &f.author->monitor_id : &f.author->trigger_id) = r->id;
    f.author->channel = fire->channel;
    f.author->event = (int)fire->event;
    f.author->raises = (int)fire->raises;
    w->actor = (struct actor){.kind = ACTOR_RULE, .cause = cause, .scopes = person.scopes};
    for (int i = 0; i < r->action_count && rc >= 0; i++) rc = fire_action(&f, &r->actions[i]);
    w->actor = person;
    change_author_end(w);
    fire->stops = f.stops_rules;
    return rc < 0 ? rc : 1;
}

/* ---- a round --------------------------------------------------------------------------------- */

/* A conversation of a round. event 0: a change of the actor of the work. */
struct target {
    int64_t case_id;
    enum rule_event event;
    struct facts now;   /* list NULL: not read */
    struct facts first; /* facts before the triggers of this round */
    struct facts since; /* round 2: before the triggers of round 1; list NULL: unknown */
};

struct round {
    struct work *w;
    const struct rule_set *set;
    enum rule_event raises; /* event that the changes of its triggers raise */
    struct target *targets;
    int count;
    int *places, place_mask; /* hash table: 1 + index of a target; 0: free */
    bool *runs;              /* parallel to the triggers: may fire for a target of the round */
    bool *may;               /* parallel to the triggers: may hold for the present target */
    bool *fired;             /* parallel to the triggers: of both rounds */
};

static struct round round_new(struct work *w, const struct rule_set *set, enum rule_event raises, int most) {
    struct round r = {.w = w, .set = set, .raises = raises};
    int rules = set->list[RULES_TRIGGERS].count, slots = 16;
    while (slots < most * 2) slots *= 2;
    r.targets = arena_array(w->arena, (size_t)most + 1, sizeof *r.targets);
    r.places = arena_array(w->arena, (size_t)slots, sizeof *r.places);
    r.place_mask = slots - 1;
    r.runs = arena_array(w->arena, (size_t)rules + 1, sizeof *r.runs);
    r.may = arena_array(w->arena, (size_t)rules + 1, sizeof *r.may);
    r.fired = arena_array(w->arena, (size_t)rules + 1, sizeof *r.fired);
    return r;
}

static struct target *target_at(struct round *r, int64_t case_id, enum rule_event event, bool add) {
    uint64_t hash = ((uint64_t)case_id * 16 + (uint64_t)event) * UINT64_C(0x9E3779B97F4A7C15);
    for (int at = (int)(hash >> 40) & r->place_mask;; at = (at + 1) & r->place_mask) {
        struct target *t = r->places[at] ? &r->targets[r->places[at] - 1] : NULL;
        if (t && t->case_id == case_id && t->event == event) return t;
        if (t == NULL && !add) return NULL;
        if (t) continue;
        r->targets[r->count] = (struct target){.case_id = case_id, .event = event};
        r->places[at] = ++r->count;
        return &r->targets[r->count - 1];
    }
}

/* ---- which triggers -------------------------------------------------------------------------- */

static int channel_of_work(const struct work *w) { return w->channel ? w->channel : RULE_API; }

static bool chosen(const struct work *w, const struct rule *r, enum rule_event event) {
    if (event) return r->channel == RULE_SYSTEM && (r->event == 0 || r->event == (int)event);
    return r->channel == 0 || (r->channel == channel_of_work(w) && (r->event == 0 || r->event == w->event));
}

/* Sets `runs`. Returns false if no trigger can fire in this round. */
static bool choose_triggers(struct round *r) {
    const struct rule *rules = r->set->list[RULES_TRIGGERS].rules;
    unsigned events = 0;
    bool any = false;
    for (int i = 0; i < r->count; i++) events |= 1u << r->targets[i].event;
    for (int event = 0; event <= (int)RULE_MESSAGE; event++)
        for (int i = 0; i < r->set->list[RULES_TRIGGERS].count && events & 1u << event; i++)
            if (chosen(r->w, &rules[i], (enum rule_event)event)) r->runs[i] = any = true;
    return any;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Reads the facts of targets: all, or one (`only`) again after a trigger has acted on it. */
static int read_target_facts(struct round *r, struct target *only) {
    struct work *w = r->w;
    const struct definitions *d = &r->set->list[RULES_TRIGGERS].definitions;
    struct target *targets = only ? only : r->targets;
    int count = only ? 1 : r->count;
    int64_t *ids = arena_array(w->arena, (size_t)count + 1, sizeof *ids);
    struct facts *list;
    int n = 0;
    for (int i = 0; i < count; i++) ids[n++] = targets[i].case_id;
    n = facts_read(w, d, r->set->wanted, json_ids(w->arena, ids, (size_t)n), &list);
    TRY(n);
    facts_history(w, d, r->set->wanted, list, n);
    for (int i = 0; i < count; i++) {
        struct target *t = &targets[i];
        for (int k = 0, low = 0, high = n; low < high;) {
            k = (low + high) / 2;
            if (list[k].id == t->case_id) t->now = list[k];
            if (list[k].id >= t->case_id) high = k;
            else low = k + 1;
        }
        if (t->now.list && t->since.list) facts_since(d, &t->now, &t->since);
    }
    return 0;
}

/* Runs the triggers for one conversation. Each sees what those before it did. */
static int run_target(struct round *r, struct target *t, struct moment *m) {
    const struct rule *rules = r->set->list[RULES_TRIGGERS].rules;
    if (t->now.list) rule_index_mark(&r->set->triggers, t->now.list, r->may);
    for (int i = 0; i < r->set->list[RULES_TRIGGERS].count && t->now.list; i++) {
        if (!r->runs[i] || !r->may[i] || !chosen(r->w, &rules[i], t->event) ||
            !predicate_holds(rules[i].predicate, m, t->now.list))
            continue;
        struct rule_fire f = {.rule = &rules[i],
                              .owner = RULE_OF_TRIGGER,
                              .channel = t->event ? RULE_SYSTEM : channel_of_work(r->w),
                              .event = t->event ? t->event : (enum rule_event)r->w->event,
                              .raises = r->raises,
                              .case_id = t->case_id,
                              .hidden = predicate_tests(rules[i].predicate, "cases.state")};
        int fired = rule_fire(r->w, &f);
        TRY(fired);
        if (fired) r->fired[i] = true;
        if (f.stops) break;
        if (fired) TRY(read_target_facts(r, t));
        if (fired) rule_index_mark(&r->set->triggers, t->now.list, r->may);
    }
    return 0;
}

static int run_round(struct round *r) {
    struct moment m;
    if (r->count == 0 || !choose_triggers(r)) return 0;
    TRY(moment_read(r->w, r->set->needs, &m));
    TRY(read_target_facts(r, NULL));
    for (int i = 0; i < r->count; i++) r->targets[i].first = r->targets[i].now;
    for (int i = 0; i < r->count; i++) TRY(run_target(r, &r->targets[i], &m));
    return 0;
}

/* ---- the two rounds -------------------------------------------------------------------------- */

/* Returns true if triggers run for a change: not for those of rules, not for readers who mark messages,
 * not for breaches, which are events. */
static bool is_seen(const struct change *c) {
    if (c->by || c->case_id == 0) return false;
    if (strcmp(c->kind, "case") == 0)
        return c->verb == CHANGE_CREATED ||
               (c->verb == CHANGE_UPDATED && strncmp(c->property, "sla_", 4) != 0);
    return c->verb != CHANGE_UPDATED || strcmp(c->property, "message_status") != 0;
}

static void collect_changed(struct round *r, const struct change *all, int64_t after) {
    for (const struct change *c = all; c; c = c->next)
        if (c->number > after && is_seen(c)) target_at(r, c->case_id, 0, true);
    int n = 0;
    for (const struct breach *b = breaches_of(r->w); b; b = b->next)
        if (n++ >= r->w->changes->breaches_ruled) target_at(r, b->case_id, RULE_SLA_BREACHED, true);
    r->w->changes->breaches_ruled = n;
}

/* Collects the conversations that rules changed. The state before the change is that of round 1, if the
 * conversation was in round 1. */
static void collect_raised(struct round *r, struct round *first) {
    for (const struct change_author *by = change_authors_of(r->w); by; by = by->next) {
        struct change_author *author = (struct change_author *)(uintptr_t)by;
        if (!by->changed || by->raises == 0) continue;
        struct target *t = target_at(r, by->case_id, (enum rule_event)by->raises, true),
                      *before = target_at(first, by->case_id, 0, false);
        if (before && t->since.list == NULL) t->since = before->first;
        author->raises = 0; /* a later call in this work does not see it again */
    }
}

/* Room for the changes, events and firings of the work. */
static int targets_most(const struct work *w) {
    int64_t n = w->changes->count;
    for (const struct breach *b = breaches_of(w); b; b = b->next) n++;
    for (const struct change_author *by = change_authors_of(w); by; by = by->next) n++;
    return (int)n;
}

QUERY(trigger_fired,
      "INSERT INTO trigger_firings (trigger_id, shard, at) "
      "SELECT t.id, @FREE_SHARD(trigger_firings f WHERE f.trigger_id = :id), CAST(:now AS BIGINT) "
      "FROM triggers t WHERE t.id = :id ON CONFLICT (trigger_id, shard) DO UPDATE "
      "SET at = excluded.at");

static int note_fired(struct round *r, const bool *also) {
    const struct rule *rules = r->set->list[RULES_TRIGGERS].rules;
    for (int i = 0; i < r->set->list[RULES_TRIGGERS].count; i++)
        if (r->fired[i] || also[i])
            TRY(db_later(r->w->conn, &trigger_fired,
                         BINDS(B_INT("id", rules[i].id), B_INT("now", r->w->now))));
    return 0;
}

static int run_rounds(struct work *w, const struct rule_set *set, int64_t after) {
    if (set->list[RULES_TRIGGERS].count == 0) return 0;
    struct round first = round_new(w, set, RULE_TRIGGERED, targets_most(w));
    collect_changed(&first, changes_of(w), after);
    TRY(run_round(&first));
    struct round second = round_new(w, set, 0, targets_most(w));
    collect_raised(&second, &first);
    TRY(run_round(&second));
    return note_fired(&first, second.fired);
}

/* Definitions that compiled rules contain. */
static bool changes_rules(const struct change *c) {
    static const char *const kinds[] = {
        "sla",         "trigger",       "monitor",   "case_field", "user_field", "organization_field",
        "case_status", "case_priority", "case_type", "case_form",  "brand",      "role"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(c->kind, kinds[i]) == 0) return true;
    return false;
}

int rules_finish(struct work *w) {
    const struct rule_set *set;
    if (w->changes == NULL || w->desk == NULL || w->desk->rules == NULL) return 0;
    int64_t after = w->changes->ruled;
    bool changed = false, of_cases = breaches_of(w) != NULL;
    for (const struct change_author *by = change_authors_of(w); by; by = by->next)
        of_cases = of_cases || (by->changed && by->raises);
    for (const struct change *c = changes_of(w); c; c = c->next) {
        if (c->number <= after) continue;
        changed = changed || (c->case_id == 0 && changes_rules(c));
        of_cases = of_cases || is_seen(c);
    }
    w->changes->ruled = w->changes->count;
    if (changed) TRY(rules_changed(w));
    if (!of_cases) return 0;
    TRY(rules_hold(w, &set));
    int rc = run_rounds(w, set, after);
    kept_set_drop(set);
    return rc;
}
