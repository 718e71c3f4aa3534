#include "core/rules/dry_run.h"

#include "core/change/activity.h"
#include "core/rules/rules_finish.h"

/* ---- the trigger ----------------------------------------------------------------------------- */

QUERY(trigger_title, "SELECT title FROM triggers WHERE id = :id");

struct dry_rule {
    struct rule rule;
    struct definitions definitions;
    struct rule_predicate stored;
    struct rule_action *actions;
};

static int read_dry_rule(struct work *w, int64_t id, struct dry_rule *out) {
    struct rule_predicate *stored;
    struct predicate *p;
    struct str ids = json_ids(w->arena, &id, 1);
    *out = (struct dry_rule){.rule = {.id = id}, .stored = {.owner_id = id}};
    int rc = db_text(w->conn, &trigger_title, BINDS(B_INT("id", id)), w->arena, &out->rule.title);
    if (rc <= 0) return rc;
    TRY(definitions_load(w, &case_subject, RULE_TRIGGER, &out->definitions));
    int n = rule_predicates_read(w, RULE_OF_TRIGGER, ids, &stored);
    TRY(n);
    if (n) out->stored = *stored;
    TRY(rule_predicate_compile(w, &out->definitions, &out->stored, &p));
    out->rule.predicate = p;
    int actions = rule_actions_read(w, RULE_OF_TRIGGER, ids, &out->actions);
    TRY(actions);
    out->rule.actions = out->actions;
    out->rule.action_count = actions;
    return 1;
}

/* ---- the predicate --------------------------------------------------------------------------- */

static void explain(struct work *w, const struct dry_rule *r, struct moment *m, const struct fact *facts,
                    struct dry_run *out) {
    const struct predicate *p = r->rule.predicate;
    out->holds = predicate_holds(p, m, facts);
    out->collection_count = p->count;
    out->collections = arena_array(w->arena, (size_t)p->count + 1, sizeof *out->collections);
    for (int i = 0; i < p->count; i++) {
        struct dry_collection *c = &out->collections[i];
        *c = (struct dry_collection){.stored = &r->stored.collections[i]};
        c->propositions = arena_array(w->arena, (size_t)p->collections[i].count + 1, sizeof *c->propositions);
        for (int k = 0; k < p->collections[i].count; k++) {
            const struct proposition *q = &p->collections[i].propositions[k];
            bool valid = q->test != IS_NEVER && q->field;
            c->propositions[k] = (struct dry_proposition){
                .stored = &c->stored->propositions[k],
                .seen = valid ? &facts[q->place] : NULL,
                .numbers = valid && (q->field->kind == VALUE_NUMBER || q->field->kind == VALUE_TIME),
                .holds = proposition_holds(q, m, facts)};
            c->holds = c->holds || c->propositions[k].holds;
        }
    }
}

/* ---- the actions ----------------------------------------------------------------------------- */

static int keep_effects(struct work *w, const struct change_author *by, struct dry_action *out) {
    int n = 0;
    for (const struct change *c = changes_of(w); c; c = c->next) n += c->by == by;
    out->changes = arena_array(w->arena, (size_t)n + 1, sizeof *out->changes);
    for (const struct change *c = changes_of(w); c; c = c->next) {
        if (c->by != by || c->verb != CHANGE_UPDATED || strcmp(c->kind, "case") != 0) continue;
        struct dry_change *d = &out->changes[out->change_count++];
        d->field = str_of(c->property);
        TRY(change_values_shown(w, c, &d->from, &d->to));
    }
    for (const struct rule_note *note = by->notes; note; note = note->next)
        *(note->refused ? &out->refused : &out->sent) = note->text;
    return 0;
}

/* Each action is a firing of its own, so that its effects can be told from those of the others. Each sees
 * what those before it did. */
static int try_actions(struct work *w, const struct dry_rule *r, int64_t case_id, struct dry_run *out) {
    out->action_count = r->rule.action_count;
    out->actions = arena_array(w->arena, (size_t)out->action_count + 1, sizeof *out->actions);
    for (int i = 0; i < out->action_count; i++) {
        struct rule one = r->rule;
        const struct change_author *by = NULL;
        out->actions[i].action = one.actions = &r->actions[i];
        one.action_count = 1;
        struct rule_fire f = {.rule = &one, .owner = RULE_OF_TRIGGER, .case_id = case_id, .hidden = true};
        TRY(rule_fire(w, &f));
        for (const struct change_author *a = change_authors_of(w); a; a = a->next) by = a;
        if (by) TRY(keep_effects(w, by, &out->actions[i]));
    }
    return 0;
}

/* Undoes everything that the actions did, also in memory. */
static int try_and_undo(struct work *w, const struct dry_rule *r, int64_t case_id, struct dry_run *out) {
    struct work before = *w;
    TRY(db_savepoint(w->conn, "dry_run"));
    w->changes = NULL;
    int rc = try_actions(w, r, case_id, out);
    int undone = db_undo(w->conn, "dry_run");
    w->changes = before.changes;
    w->diffs = before.diffs;
    w->totals = before.totals;
    w->afters = before.afters;
    w->last_after = before.last_after;
    if (w->last_after) w->last_after->next = NULL;
    return rc < 0 ? rc : undone;
}

int trigger_dry_run(struct work *w, int64_t trigger_id, int64_t case_id, struct dry_run *out) {
    struct dry_rule r;
    struct facts *facts;
    struct moment m;
    *out = (struct dry_run){.holds = false};
    int rc = read_dry_rule(w, trigger_id, &r);
    if (rc <= 0) return rc;
    TRY(moment_read(w, r.rule.predicate->needs, &m));
    rc = facts_read(w, &r.definitions, NULL, json_ids(w->arena, &case_id, 1), &facts);
    if (rc <= 0) return rc;
    explain(w, &r, &m, facts->list, out);
    TRY(try_and_undo(w, &r, case_id, out));
    return 1;
}
