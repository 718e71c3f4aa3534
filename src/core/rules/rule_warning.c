#include "core/rules/rule_warning.h"

#include "core/rules/action.h"
#include "core/rules/rule.h"
#include "core/rules/rule_index.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define WARNINGS 10     /* more do not help */
#define TITLE_SHOWN 100 /* bytes of another trigger's title */

struct warned_trigger {
    int64_t id;
    struct str title;
    int channel, event;
    const struct rule_predicate *predicate;
    const struct rule_action *actions;
    int action_count;
};

struct warning_list {
    struct work *w;
    struct rule_warning **end;
    int count;
};

static void warn_rule(struct warning_list *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void warn_rule(struct warning_list *l, const char *fmt, ...) {
    char text[600];
    va_list args;
    if (l->count++ >= WARNINGS) return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    struct rule_warning *made = ARENA_NEW(l->w->arena, struct rule_warning);
    *made = (struct rule_warning){.message = str_dup(l->w->arena, str_of(text))};
    *l->end = made;
    l->end = &made->next;
}

/* ---- can't match ----------------------------------------------------------------------------- */

/* True if the collection allows only some values of the field at `place`, or all but one. */
static bool restricts(const struct collection *c, int place) {
    int64_t value;
    for (int i = 0; i < c->count; i++)
        if (!proposition_is_equality(&c->propositions[i], &value) || c->propositions[i].place != place ||
            (c->propositions[i].negated && c->count > 1))
            return false;
    return c->count > 0;
}

static bool allows(const struct collection *c, int64_t value) {
    int64_t own = 0;
    for (int i = 0; i < c->count; i++)
        if (proposition_is_equality(&c->propositions[i], &own) &&
            (own == value) != c->propositions[i].negated)
            return true;
    return false;
}

/* True if no value that collection `at` allows is allowed by all others of the same field. */
static bool excluded(const struct predicate *p, int at) {
    const struct collection *c = &p->collections[at];
    int place = c->count ? c->propositions[0].place : -1;
    if (!restricts(c, place) || c->propositions[0].negated) return false;
    for (int i = 0; i < c->count; i++) {
        int64_t value = 0;
        bool allowed = proposition_is_equality(&c->propositions[i], &value);
        for (int k = 0; k < p->count && allowed; k++)
            allowed = k == at || !restricts(&p->collections[k], place) || allows(&p->collections[k], value);
        if (allowed) return false;
    }
    return true;
}

static bool is_impossible(const struct predicate *p) {
    for (int i = 0; i < p->count; i++) {
        bool never = true;
        for (int k = 0; k < p->collections[i].count; k++)
            never = never && p->collections[i].propositions[k].test == IS_NEVER;
        if (never || excluded(p, i)) return true;
    }
    return false;
}

static int warn_impossible(struct warning_list *l, const struct warned_trigger *t) {
    struct definitions d;
    struct predicate *p;
    struct work *w = l->w;
    TRY(definitions_load(w, &case_subject, RULE_TRIGGER, &d));
    TRY(rule_predicate_compile(w, &d, t->predicate, &p));
    if (is_impossible(p))
        warn_rule(l, "No conversation can meet the predicate: its collections exclude each other, or name "
                     "deleted objects. The trigger never fires.");
    if (t->channel == RULE_TWITTER || t->channel == RULE_FACEBOOK || t->channel == RULE_VOICE)
        warn_rule(l, "The channel %s is not connected. The trigger never fires.",
                  word_of(rule_channels, t->channel));
    return 0;
}

/* ---- other triggers -------------------------------------------------------------------------- */

static bool channel_covers(const struct warned_trigger *a, const struct warned_trigger *b) {
    if (a->channel == 0) return b->channel != RULE_SYSTEM;
    return a->channel == b->channel && (a->event == 0 || a->event == b->event);
}

static bool has_proposition(const struct rule_collection *c, const struct rule_proposition *p) {
    for (int i = 0; i < c->count; i++)
        if (str_eqi(c->propositions[i].field, p->field) &&
            str_eqi(c->propositions[i].operator, p->operator) && str_eq(c->propositions[i].value, p->value))
            return true;
    return false;
}

static bool collection_implies(const struct rule_collection *a, const struct rule_collection *b) {
    for (int i = 0; i < a->count; i++)
        if (!has_proposition(b, &a->propositions[i])) return false;
    return true;
}

/* True if b holds wherever a does: each collection of b has all propositions of a collection of a. */
static bool predicate_implies(const struct rule_predicate *a, const struct rule_predicate *b) {
    for (int i = 0; i < b->count; i++) {
        bool implied = false;
        for (int k = 0; k < a->count && !implied; k++)
            implied = collection_implies(&a->collections[k], &b->collections[i]);
        if (!implied) return false;
    }
    return true;
}

/* True if `a` sees each change and conversation that `b` sees. */
static bool trigger_covers(const struct warned_trigger *a, const struct warned_trigger *b) {
    return channel_covers(a, b) && predicate_implies(b->predicate, a->predicate);
}

static bool stops(const struct warned_trigger *t) {
    for (int i = 0; i < t->action_count; i++)
        if (str_eq(t->actions[i].name, S("stoprules"))) return true;
    return false;
}

static bool shares_tag(const struct rule_action *a, const struct rule_action *b) {
    for (int i = 0; i < a->tag_count; i++)
        for (int k = 0; k < b->tag_count; k++)
            if (str_eqi(a->tags[i], b->tags[k])) return true;
    return false;
}

static bool actions_contradict(const struct rule_action *a, const struct rule_action *b) {
    if (!str_eq(a->name, b->name)) return false;
    if (a->kind->form == ACTION_TAGS)
        return ((a->option == ACTION_ADD && b->option == ACTION_REMOVE) ||
                (a->option == ACTION_REMOVE && b->option == ACTION_ADD)) &&
               shares_tag(a, b);
    if (a->kind->form != ACTION_ID && a->kind->form != ACTION_FIELD) return false;
    bool stepwise = a->option == ACTION_INCREASE || a->option == ACTION_DECREASE;
    return a->option == b->option
               ? a->option == ACTION_CHANGE && !str_eq(a->value, b->value)
               : stepwise && (b->option == ACTION_INCREASE || b->option == ACTION_DECREASE);
}

static const struct rule_action *contradiction(const struct warned_trigger *a,
                                               const struct warned_trigger *b) {
    for (int i = 0; i < a->action_count; i++)
        for (int k = 0; k < b->action_count; k++)
            if (actions_contradict(&a->actions[i], &b->actions[k])) return &a->actions[i];
    return NULL;
}

static void warn_pair(struct warning_list *l, const struct warned_trigger *t,
                      const struct warned_trigger *other, bool before) {
    const struct rule_action *a =
        trigger_covers(other, t) || trigger_covers(t, other) ? contradiction(t, other) : NULL;
    struct str title = other->title;
    if (title.n > TITLE_SHOWN) title = utf8_without_cut_end((struct str){title.p, TITLE_SHOWN});
    int n = (int)title.n;
    if (before && stops(other) && trigger_covers(other, t))
        warn_rule(l,
                  "The trigger \"%.*s\" comes first and stops the rules for the same changes. This "
                  "trigger may never be reached.",
                  n, title.p);
    if (!before && stops(t) && trigger_covers(t, other))
        warn_rule(l,
                  "This trigger stops the rules before \"%.*s\", for the same changes. That trigger may "
                  "never be reached.",
                  n, title.p);
    if (a)
        warn_rule(l,
                  "The trigger \"%.*s\" contradicts the action %s of this one for the same changes. The "
                  "later one wins.",
                  n, title.p, a->name.p);
}

/* ---- all ------------------------------------------------------------------------------------- */

QUERY(warned_triggers, "SELECT id, title, COALESCE(channel, 0), COALESCE(event, 0) "
                       "FROM triggers WHERE is_enabled = 1 OR id = :id "
                       "ORDER BY execution_order, id");

static void join_parts(struct warned_trigger *list, int count, struct rule_predicate *predicates,
                       int predicate_count, struct rule_action *actions, int action_count) {
    static const struct rule_predicate nothing;
    for (int i = 0; i < count; i++) {
        list[i].predicate = &nothing;
        for (int k = 0; k < predicate_count; k++)
            if (predicates[k].owner_id == list[i].id) list[i].predicate = &predicates[k];
        for (int k = 0; k < action_count; k++) {
            if (actions[k].owner_id != list[i].id) continue;
            if (list[i].actions == NULL) list[i].actions = &actions[k];
            list[i].action_count++;
        }
    }
}

static int read_warned(struct work *w, int64_t id, struct warned_trigger **out) {
    struct warned_trigger *list = NULL;
    struct rule_predicate *predicates;
    struct rule_action *actions;
    int rc, n = 0, room = 0;
    DB_ROWS(rc, w->conn, &warned_triggers, BINDS(B_INT("id", id)), row) {
        list = arena_more(w->arena, list, n, &room, sizeof *list);
        list[n++] = (struct warned_trigger){.id = col_int(row, 0),
                                            .title = str_dup(w->arena, col_text(row, 1)),
                                            .channel = (int)col_int(row, 2),
                                            .event = (int)col_int(row, 3)};
    }
    TRY(rc);
    int64_t *ids = arena_array(w->arena, (size_t)n + 1, sizeof *ids);
    for (int i = 0; i < n; i++) ids[i] = list[i].id;
    struct str all = json_ids(w->arena, ids, (size_t)n);
    int p = rule_predicates_read(w, RULE_OF_TRIGGER, all, &predicates);
    TRY(p);
    int a = rule_actions_read(w, RULE_OF_TRIGGER, all, &actions);
    TRY(a);
    join_parts(list, n, predicates, p, actions, a);
    *out = list;
    return n;
}

int trigger_warnings(struct work *w, int64_t trigger_id, struct rule_warning **out) {
    struct warning_list l = {.w = w, .end = out};
    struct warned_trigger *list;
    int own = 0, n = read_warned(w, trigger_id, &list);
    *out = NULL;
    TRY(n);
    while (own < n && list[own].id != trigger_id) own++;
    if (own == n) return 0;
    TRY(warn_impossible(&l, &list[own]));
    for (int i = 0; i < n; i++)
        if (i != own) warn_pair(&l, &list[own], &list[i], i < own);
    int gone = rule_action_gone(w, list[own].actions, list[own].action_count);
    TRY(gone);
    if (gone < list[own].action_count)
        warn_rule(&l, "The action %s refers to a deleted object. It will not be done.",
                  list[own].actions[gone].name.p);
    return 0;
}
