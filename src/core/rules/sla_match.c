/* A conversation gets the first enabled SLA, by execution_order, whose collections all hold. This is
 * decided (1) when it is created, and
 * (2) when a field that an enabled SLA tests has changed. The conversation then refers to the SLA's
 * current version, or to none if no SLA holds. Otherwise it keeps its version, also if its SLA was
 * changed, disabled or deleted.
 *
 * A field is tested if a proposition of an enabled SLA has it. Its definition names the property of the
 * conversation. Fields of the requester and the organization are values of other objects. They count when
 * the conversation gets another requester. A channel never changes. SLAs have no other fields.
 *
 * Triggers run before, so one decision covers the change and what they did about it.
 *
 * An UPDATE of a conversation costs a part of most of its indexes. So the SLA of a new one is decided
 * before its INSERT (sla_of_new), and that of one that a request changes before its UPDATE
 * (sla_of_changed), if SLAs test only properties that are known then. The finisher decides again if
 * case_change has changed it since. Until the finisher has attached it, everything but the row shows the
 * former one. */
#include "core/rules/sla_match.h"

#include "base/ids.h"
#include "core/change/change.h"
#include "core/sla/clocks.h"
#include "core/rules/rule_cache.h"
#include "json/json.h"

#include <stdlib.h>

/* ---- tested fields --------------------------------------------------------------------------- */

/* The properties that enabled SLAs test; repeated values may occur. */
struct tested {
    const char **properties;
    int count;
};

static const char *property_of(const struct definition *d) {
    if (d->property) return d->property;
    return strcmp(d->group, "CASES") == 0 ? NULL : "requester";
}

static struct tested properties_tested(struct arena *a, const struct definitions *d, const bool *wanted) {
    struct tested t = {.properties = arena_array(a, (size_t)d->count + 1, sizeof *t.properties)};
    for (int i = 0; i < d->count; i++)
        if (wanted[i] && property_of(&d->list[i])) t.properties[t.count++] = property_of(&d->list[i]);
    return t;
}

/* The fields that enabled SLAs test; parallel to the definitions. */
static bool *fields_tested(struct arena *a, const struct rule_set *set) {
    bool *wanted = arena_array(a, (size_t)set->list[RULES_SLAS].definitions.count + 1, sizeof *wanted);
    for (int i = 0; i < set->list[RULES_SLAS].count; i++)
        predicate_mark(set->list[RULES_SLAS].rules[i].predicate, wanted);
    return wanted;
}

static bool decides(const struct tested *t, const struct change *c) {
    if (strcmp(c->kind, "case") != 0 || c->verb == CHANGE_DELETED) return false;
    bool found = c->verb == CHANGE_CREATED;
    for (int i = 0; i < t->count && !found; i++) found = strcmp(t->properties[i], c->property) == 0;
    return found;
}

/* ---- matching -------------------------------------------------------------------------------- */

struct matched {
    int64_t case_id, before, version; /* versions; 0: none */
    int64_t in_row;                   /* the version of the row: `before`, or the decided one */
    struct sla_decided *decided;      /* by sla_of_new or sla_of_changed; NULL: not */
    bool written;
};

/* One conversation is looked up by its key, because a list costs more than the row. */
#define SLA_VERSIONS "SELECT id, COALESCE(sla_version_id, 0) FROM cases WHERE state <> 5 AND id "
QUERY(sla_version_of_case, SLA_VERSIONS "= :id");
QUERY(sla_versions_of_cases, SLA_VERSIONS "IN @LIST(:ids) ORDER BY id");
QUERY(case_set_sla, "UPDATE cases SET sla_version_id = CAST(:version AS BIGINT) WHERE id = :id");
QUERY(cases_set_sla, "UPDATE cases SET sla_version_id = CAST(:version AS BIGINT) WHERE id IN @LIST(:ids)");

/* The conversations whose SLA must be decided. */
struct to_match {
    int64_t *ids;
    int count;
    bool created; /* by this work, all of them: they have no SLA yet */
};

static struct to_match cases_to_match(struct work *w, const struct tested *t) {
    struct to_match m = {.ids = arena_array(w->arena, 1, sizeof *m.ids)};
    int room = 1, created = 0;
    for (const struct change *c = changes_of(w); c; c = c->next) {
        if (!decides(t, c)) continue;
        m.ids = arena_more(w->arena, m.ids, m.count, &room, sizeof *m.ids);
        m.ids[m.count++] = c->case_id;
        created += c->verb == CHANGE_CREATED; /* once for a conversation */
    }
    if (m.count) m.count = ids_sort_once(m.ids, m.count);
    m.created = created == m.count;
    return m;
}

/* The version of the first SLA that holds; 0: none does. */
static int64_t version_that_holds(const struct rule_set *set, struct moment *now, const struct facts *f) {
    for (int i = 0; i < set->list[RULES_SLAS].count; i++) {
        const struct rule *r = &set->list[RULES_SLAS].rules[i];
        if (predicate_holds(r->predicate, now, f->list)) return r->version_id;
    }
    return 0;
}

/* The parts of a moment that SLAs need. */
static unsigned slas_need(const struct rule_set *set) {
    unsigned needs = 0;
    for (int i = 0; i < set->list[RULES_SLAS].count; i++)
        needs |= set->list[RULES_SLAS].rules[i].predicate->needs;
    return needs;
}

/* Sets the versions of the conversations, which are ordered by id. */
static int match_versions(struct work *w, const struct rule_set *set, const bool *wanted,
                          struct matched *list, int count) {
    struct facts *facts;
    struct moment now;
    int64_t *ids = arena_array(w->arena, (size_t)count + 1, sizeof *ids);
    size_t open = 0;
    for (int i = 0; i < count; i++)
        if (list[i].decided && !list[i].decided->outdated) list[i].version = list[i].in_row;
        else ids[open++] = list[i].case_id;
    if (open == 0) return 0;
    int n = facts_read(w, &set->list[RULES_SLAS].definitions, wanted, json_ids(w->arena, ids, open), &facts);
    TRY(n);
    TRY(moment_read(w, slas_need(set), &now));
    for (int i = 0, at = 0; i < n; i++) {
        while (at < count && list[at].case_id < facts[i].id) at++;
        if (at < count && list[at].case_id == facts[i].id)
            list[at].version = version_that_holds(set, &now, &facts[i]);
    }
    return 0;
}

/* Attaches the version of *m, and at once to all later conversations that get the same. */
static int attach_version(struct work *w, struct matched *m, const struct matched *end) {
    if (m->written) return 0;
    int64_t *ids = arena_array(w->arena, (size_t)(end - m), sizeof *ids);
    size_t n = 0;
    for (struct matched *x = m; x < end; x++) {
        if (x->written || x->version != m->version) continue;
        x->written = true;
        if (x->decided) x->decided->attached = true;
        if (x->version != x->in_row) ids[n++] = x->case_id;
        if (x->version == x->before) continue;
        change_property(w, (struct changed){"case", x->case_id, x->case_id}, "sla_version",
                        changed_id(x->before), changed_id(x->version));
        clocks_touch(w, x->case_id, CLOCKS_TARGET);
    }
    if (n == 0) return 0;
    struct str list = n > 1 ? json_ids(w->arena, ids, n) : (struct str){0};
    return db_later(w->conn, n > 1 ? &cases_set_sla : &case_set_sla,
                    BINDS(B_ID("version", m->version), B_INT("id", ids[0]), B_TEXT("ids", list)));
}

/* An SLA was decided for a change that the work has undone since. The row gets back its former one. */
static int undone_give_back(struct work *w, const struct to_match *m) {
    for (struct sla_decided *d = w->sla_decided; d; d = d->next) {
        if (d->attached || bsearch(&d->case_id, m->ids, (size_t)m->count, sizeof *m->ids, id_compare))
            continue;
        d->attached = true;
        if (d->version_id != d->before)
            TRY(db_later(w->conn, &case_set_sla, BINDS(B_ID("version", d->before), B_INT("id", d->case_id))));
    }
    return 0;
}

static struct matched matched_as_decided(const struct work *w, int64_t case_id) {
    struct matched m = {.case_id = case_id, .decided = case_sla_decided(w, case_id)};
    if (m.decided) m.before = m.decided->before, m.in_row = m.decided->version_id;
    return m;
}

/* Reads the present versions of those for which none was decided. Returns the number of conversations that
 * are not being deleted. */
static int matched_read(struct work *w, const struct to_match *m, struct matched *list) {
    bool known = true;
    int rc, n = 0;
    for (int i = 0; i < m->count; i++) {
        list[i] = matched_as_decided(w, m->ids[i]);
        known = known && (m->created || list[i].decided);
    }
    if (known) return m->count;
    struct str ids = m->count > 1 ? json_ids(w->arena, m->ids, (size_t)m->count) : (struct str){0};
    DB_ROWS(rc, w->conn, m->count > 1 ? &sla_versions_of_cases : &sla_version_of_case,
            BINDS(B_INT("id", m->ids[0]), B_TEXT("ids", ids)), row) {
        list[n] = matched_as_decided(w, col_int(row, 0));
        if (!list[n].decided) list[n].before = list[n].in_row = col_int(row, 1);
        n++;
    }
    return rc < 0 ? rc : n;
}

static int match_cases(struct work *w, const struct rule_set *set, const bool *wanted,
                       const struct to_match *m) {
    struct matched *list = arena_array(w->arena, (size_t)m->count, sizeof *list);
    int n = matched_read(w, m, list);
    TRY(n);
    TRY(match_versions(w, set, wanted, list, n));
    for (int i = 0; i < n; i++) TRY(attach_version(w, &list[i], list + n));
    return 0;
}

static int sla_match(struct work *w, const struct rule_set *set) {
    if (set->list[RULES_SLAS].count == 0) return 0;
    const bool *wanted = fields_tested(w->arena, set);
    struct tested t = properties_tested(w->arena, &set->list[RULES_SLAS].definitions, wanted);
    struct to_match m = cases_to_match(w, &t);
    TRY(undone_give_back(w, &m));
    return m.count ? match_cases(w, set, wanted, &m) : 0;
}

/* ---- before the INSERT or the UPDATE --------------------------------------------------------- */

/* Finds a fact of a conversation whose row is not written yet. Returns false if only its row has it, or if
 * another function than case_change changes it. */
static bool fact_of_new(struct arena *a, const struct definition *d, const struct case_now *c,
                        struct fact *f) {
    const struct {
        const char *value;
        int64_t number; /* 0: none */
    } known[] = {{"t.status_id", c->status_id},       {"t.priority_id", c->priority_id},
                 {"+t.type_id", c->type_id},          {"t.form_id", c->form_id},
                 {"t.requester_id", c->requester_id}, {"t.channel", c->channel}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (d->among || d->gone || strcmp(d->value, known[i].value) != 0) continue;
        if (known[i].number == 0) return true;
        f->count = 1;
        f->numbers = arena_array(a, 1, sizeof *f->numbers);
        f->numbers[0] = known[i].number;
        return true;
    }
    return false;
}

static bool facts_of_new(struct work *w, const struct rule_set *set, const struct case_now *c,
                         struct facts *out) {
    const struct definitions *d = &set->list[RULES_SLAS].definitions;
    const bool *wanted = fields_tested(w->arena, set);
    out->list = arena_array(w->arena, (size_t)d->count + 1, sizeof *out->list);
    for (int i = 0; i < d->count; i++)
        if (wanted[i] && !fact_of_new(w->arena, &d->list[i], c, &out->list[i])) return false;
    return true;
}

/* Triggers run before SLAs, so one that tests the SLA must find the former one. */
static bool triggers_test_sla(const struct rule_set *set) {
    const struct definitions *d = &set->list[RULES_TRIGGERS].definitions;
    for (int i = 0; i < d->count; i++)
        if (set->wanted[i] && strstr(d->list[i].value, "t.sla_version_id")) return true;
    return false;
}

static int sla_decide(struct work *w, const struct rule_set *set, const struct case_now *c,
                      int64_t *version_id) {
    struct facts facts;
    struct moment now;
    if (slas_need(set) || triggers_test_sla(set) || !facts_of_new(w, set, c, &facts)) return 0;
    TRY(moment_read(w, 0, &now));
    *version_id = version_that_holds(set, &now, &facts);
    return 1;
}

int sla_of_new(struct work *w, const struct case_now *c, int64_t *version_id) {
    const struct rule_set *set;
    *version_id = 0;
    if (w->desk == NULL || w->desk->rules == NULL) return 0;
    TRY(rules_hold(w, &set));
    int rc = sla_decide(w, set, c, version_id);
    kept_set_drop(set);
    return rc;
}

static bool slas_test_any(struct arena *a, const struct rule_set *set, unsigned differ) {
    struct tested t = properties_tested(a, &set->list[RULES_SLAS].definitions, fields_tested(a, set));
    bool any = false;
    for (int i = 0; i < t.count && !any; i++) any = case_differs_in(differ, t.properties[i]);
    return any;
}

int sla_of_changed(struct work *w, const struct case_now *next, unsigned differ, int64_t *version_id) {
    const struct rule_set *set;
    *version_id = 0;
    if (w->desk == NULL || w->desk->rules == NULL) return 0;
    TRY(rules_hold(w, &set));
    int rc = slas_test_any(w->arena, set, differ) ? sla_decide(w, set, next, version_id) : 0;
    kept_set_drop(set);
    return rc;
}

/* ---- the finisher ---------------------------------------------------------------------------- */

int sla_match_finish(struct work *w) {
    const struct rule_set *set;
    const struct change *c = changes_of(w);
    while (c && c->case_id == 0) c = c->next;
    bool any = c || w->sla_decided;
    if (!any || w->desk == NULL || w->desk->rules == NULL) return 0;
    TRY(rules_hold(w, &set));
    int rc = sla_match(w, set);
    kept_set_drop(set);
    return rc;
}
