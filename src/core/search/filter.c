#include "core/search/filter.h"

#include "base/buf.h"
#include "base/fold.h"
#include "base/ids.h"
#include "core/desk/setting.h"
#include "core/people/identity.h"
#include "core/people/name_index.h"
#include "core/people/tag.h"
#include "core/time/calendar.h"
#include "json/json.h"

#include <assert.h>

/* ---- ids of names ---------------------------------------------------------------------------- */

#define NAMED_MOST 200 /* people or organizations that one name may mean */

struct meant { /* ids that an operator means */
    int64_t *ids;
    int count, room;
    bool unknown; /* a value means nothing */
};

QUERY(search_statuses, "SELECT id, label, type FROM case_statuses WHERE is_deleted = 0 ORDER BY id");
QUERY(search_priorities, "SELECT id, label, 0 FROM case_priorities ORDER BY id");
QUERY(search_types, "SELECT id, label, 0 FROM case_types ORDER BY id");
QUERY(search_teams, "SELECT id, title, 0 FROM teams WHERE deleted_at IS NULL ORDER BY id LIMIT 10000");
QUERY(search_named, "SELECT DISTINCT w.owner_id FROM name_words w "
                    "WHERE w.kind = :kind AND w.place IN (0, 1) AND w.word >= :from AND w.word < :to "
                    "ORDER BY w.owner_id LIMIT :most @BY_VALUES@");
QUERY(search_tag, "SELECT id FROM tags WHERE name_key = :key AND gone = 0");

static void meant_add(struct work *w, struct meant *v, int64_t id) {
    v->ids = arena_more(w->arena, v->ids, v->count, &v->room, sizeof *v->ids);
    v->ids[v->count++] = id;
}

/* Labels that equal the text, without regard to letter case and accents. `types`: words for the third
 * column. */
static int ids_labelled(struct work *w, const struct query *rows, const struct word *types, struct str text,
                        struct meant *v) {
    struct str key = fold_key(w->arena, text);
    int64_t id;
    int rc;
    bool number = str_to_int(text, &id);
    DB_ROWS(rc, w->conn, rows, NULL, row) {
        struct str label = fold_key(w->arena, str_dup(w->arena, col_text(row, 1)));
        bool typed = types && str_eqi(str_of(word_of(types, col_int(row, 2))), text);
        if (str_eq(label, key) || typed || (number && id == col_int(row, 0)))
            meant_add(w, v, col_int(row, 0));
    }
    return rc;
}

static int ids_named(struct work *w, enum name_kind kind, struct str text, struct meant *v) {
    struct str key = name_word(fold_key(w->arena, text));
    int64_t *ids;
    int n = db_ids(w->conn, &search_named,
                   BINDS(B_INT("kind", kind), B_TEXT("from", key),
                         B_TEXT("to", name_range_end(w->arena, key)), B_INT("most", NAMED_MOST)),
                   w->arena, &ids);
    for (int i = 0; i < n; i++) meant_add(w, v, ids[i]);
    return n < 0 ? n : 0;
}

static int ids_of_person(struct work *w, struct str text, struct meant *v) {
    int64_t id = 0;
    if (str_eqi(text, S("me"))) return meant_add(w, v, w->actor.user_id), 0;
    if (str_to_int(text, &id)) return meant_add(w, v, id), 0;
    if (memchr(text.p, '@', text.n) == NULL) return ids_named(w, NAME_USER, text, v);
    int rc = identity_owner(w, IDENTITY_EMAIL, text, &id);
    if (rc > 0) meant_add(w, v, id);
    return rc < 0 ? rc : 0;
}

static int ids_of_organization(struct work *w, struct str text, struct meant *v) {
    int64_t id;
    if (!str_to_int(text, &id)) return ids_named(w, NAME_ORGANIZATION, text, v);
    meant_add(w, v, id);
    return 0;
}

static int ids_of_tag(struct work *w, struct str text, struct meant *v) {
    int64_t id;
    struct str key = tag_key(w->arena, text);
    int rc = key.p ? db_int(w->conn, &search_tag, BINDS(B_TEXT("key", key)), &id) : 0;
    if (rc > 0) meant_add(w, v, id);
    return rc < 0 ? rc : 0;
}

/* "none" is the value 0 of references that may be empty. */
static int ids_meant(struct work *w, enum search_key key, struct str text, struct meant *v) {
    bool none = str_eqi(text, S("none"));
    if (none && (key == KEY_AGENT || key == KEY_TEAM || key == KEY_PRIORITY || key == KEY_TYPE ||
                 key == KEY_ORGANIZATION))
        return meant_add(w, v, 0), 0;
    switch (key) {
    case KEY_STATUS: return ids_labelled(w, &search_statuses, status_types, text, v);
    case KEY_PRIORITY: return ids_labelled(w, &search_priorities, NULL, text, v);
    case KEY_TYPE: return ids_labelled(w, &search_types, NULL, text, v);
    case KEY_TEAM: return ids_labelled(w, &search_teams, NULL, text, v);
    case KEY_ORGANIZATION: return ids_of_organization(w, text, v);
    case KEY_TAG: return ids_of_tag(w, text, v);
    default: return ids_of_person(w, text, v);
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

struct made_filter {
    struct work *work;
    struct search_filter *filter;
    struct str where[SEARCH_KINDS];
    bool impossible;
};

static void filter_bind(struct search_filter *f, struct bind b) {
    assert(f->bind_count < SEARCH_FILTER_BINDS);
    f->binds[f->bind_count++] = b;
}

static void condition_add(struct made_filter *m, int kind, const char *text) {
    m->where[kind] = STR_CAT(m->work->arena, m->where[kind], S(" AND "), str_of(text));
    m->filter->any = true;
}

/* A condition that only conversations can meet. */
static void condition_of_cases(struct made_filter *m, const char *text) {
    m->filter->kinds &= 1u << SEARCH_CASES;
    condition_add(m, SEARCH_CASES, text);
}

static const struct {
    enum search_key key;
    const char *column, *one, *some, *not ;
} reference_columns[] = {
    {KEY_STATUS, "t.status_id", ":of_status", ":in_statuses", ":not_statuses"},
    {KEY_PRIORITY, "t.priority_id", ":of_priority", ":in_priorities", ":not_priorities"},
    {KEY_TYPE, "t.type_id", ":of_type", ":in_types", ":not_types"},
    {KEY_AGENT, "t.assigned_agent_id", ":of_agent", ":in_agents", ":not_agents"},
    {KEY_TEAM, "t.assigned_team_id", ":of_team", ":in_teams", ":not_teams"},
    {KEY_REQUESTER, "t.requester_id", ":of_requester", ":in_requesters", ":not_requesters"},
    {KEY_ORGANIZATION, "t.organization_id", ":of_organization", ":in_organizations", ":not_organizations"},
};
#define REFERENCE_COLUMNS (sizeof reference_columns / sizeof *reference_columns)

/* Gathers the values of all operators with this key. *given: there is one. */
static int gather_meant(struct made_filter *m, const struct search_query *q, enum search_key key,
                        bool negated, struct meant *v, bool *given) {
    *given = false;
    for (const struct search_operator *o = q->operators; o; o = o->next) {
        if (o->key != key || o->negated != negated) continue;
        *given = true;
        for (struct str rest = o->value; rest.p;) {
            struct str text = str_trim(str_cut(&rest, ','));
            int before = v->count;
            if (text.n == 0) continue;
            TRY(ids_meant(m->work, key, text, v));
            if (v->count > before) continue;
            v->unknown = true;
            notice(m->work, "NOTICE", "There is no %s `%.*s`.", search_key_name(key), (int)text.n, text.p);
        }
    }
    return 0;
}

/* One value is compared with the column, so that an index in list order can be used. */
static int filter_reference(struct made_filter *m, const struct search_query *q, size_t i) {
    struct arena *a = m->work->arena;
    struct meant in = {0}, out = {0};
    const char *column = reference_columns[i].column;
    bool given, excluded;
    TRY(gather_meant(m, q, reference_columns[i].key, false, &in, &given));
    TRY(gather_meant(m, q, reference_columns[i].key, true, &out, &excluded));
    if (given && in.count == 1 && in.ids[0]) {
        filter_bind(m->filter,
                    (struct bind){.name = reference_columns[i].one, .type = BIND_INT, .i = in.ids[0]});
        condition_of_cases(m, str_fmt(a, "%s = %s", column, reference_columns[i].one).p);
    } else if (given) {
        filter_bind(m->filter, (struct bind){.name = reference_columns[i].some,
                                             .type = BIND_TEXT,
                                             .s = json_ids(a, in.ids, (size_t)in.count)});
        condition_of_cases(m,
                           str_fmt(a, "COALESCE(%s, 0) IN @LIST(%s)", column, reference_columns[i].some).p);
    }
    if (!excluded) return 0;
    filter_bind(m->filter, (struct bind){.name = reference_columns[i].not,
                                         .type = BIND_TEXT,
                                         .s = json_ids(a, out.ids, (size_t)out.count)});
    condition_of_cases(m,
                       str_fmt(a, "COALESCE(%s, 0) NOT IN @LIST(%s)", column, reference_columns[i].not ).p);
    return 0;
}

/* ---- tags ------------------------------------------------------------------------------------ */

static const struct {
    enum search_kind kind;
    const char *table, *owner;
} tagged_kinds[] = {{SEARCH_CASES, "case_tags", "case_id"},
                    {SEARCH_ARTICLES, "article_tags", "article_id"},
                    {SEARCH_USERS, "user_tags", "user_id"},
                    {SEARCH_ORGANIZATIONS, "organization_tags", "organization_id"}};

QUERY(search_tagged,
      "SELECT COUNT(*) FROM (SELECT 1 AS one FROM case_tags WHERE tag_id = :tag LIMIT :most) k");

int search_texts_at_most(const struct desk *d) {
    return d->search_texts ? d->search_texts : LIMIT_SEARCH_FOUND;
}

#define FEW_TAGGED 5 /* times as many conversations as a search examines texts */

/* A tag of few conversations is the way to find them. Otherwise the first tag is the common one. */
static int filter_by_tag(struct made_filter *m, const struct meant *v) {
    int64_t n = 0, few = (int64_t)search_texts_at_most(m->work->desk) * FEW_TAGGED;
    for (int i = 0; i < v->count; i++) {
        TRY(db_int(m->work->conn, &search_tagged, BINDS(B_INT("tag", v->ids[i]), B_INT("most", few + 1)),
                   &n));
        if (n > few) continue;
        filter_bind(m->filter, (struct bind){.name = ":rare_tag", .type = BIND_INT, .i = v->ids[i]});
        condition_add(m, SEARCH_CASES,
                      "t.id IN (SELECT r.case_id FROM case_tags r "
                      "WHERE r.tag_id = :rare_tag)");
        return 0;
    }
    m->filter->common_tag = v->count > 0;
    if (v->count)
        filter_bind(m->filter, (struct bind){.name = ":common_tag", .type = BIND_INT, .i = v->ids[0]});
    return 0;
}

static int count_different(const struct meant *v) {
    int n = 0;
    for (int i = 0; i < v->count; i++) n += !ids_have(v->ids, i, v->ids[i]);
    return n;
}

static int filter_tags(struct made_filter *m, const struct search_query *q) {
    struct arena *a = m->work->arena;
    struct meant in = {0}, out = {0};
    bool given, excluded;
    TRY(gather_meant(m, q, KEY_TAG, false, &in, &given));
    TRY(gather_meant(m, q, KEY_TAG, true, &out, &excluded));
    if (in.unknown || (given && in.count == 0)) m->impossible = true;
    if (given) TRY(filter_by_tag(m, &in));
    filter_bind(
        m->filter,
        (struct bind){.name = ":tags", .type = BIND_TEXT, .s = json_ids(a, in.ids, (size_t)in.count)});
    filter_bind(m->filter, (struct bind){.name = ":tag_count", .type = BIND_INT, .i = count_different(&in)});
    filter_bind(
        m->filter,
        (struct bind){.name = ":not_tags", .type = BIND_TEXT, .s = json_ids(a, out.ids, (size_t)out.count)});
    for (size_t i = 0; i < sizeof tagged_kinds / sizeof *tagged_kinds; i++) {
        const char *table = tagged_kinds[i].table, *owner = tagged_kinds[i].owner;
        /* Few people, organizations and articles have tags, so the tags are the way to find them. */
        if (given && tagged_kinds[i].kind != SEARCH_CASES)
            condition_add(
                m, tagged_kinds[i].kind,
                str_fmt(a, "t.id IN (SELECT k.%s FROM %s k WHERE k.tag_id IN @LIST(:tags))", owner, table).p);
        if (given)
            condition_add(m, tagged_kinds[i].kind,
                          str_fmt(a,
                                  "(SELECT COUNT(*) FROM %s k WHERE k.%s = t.id "
                                  "AND k.tag_id IN @LIST(:tags)) = :tag_count",
                                  table, owner)
                              .p);
        if (excluded)
            condition_add(m, tagged_kinds[i].kind,
                          str_fmt(a,
                                  "NOT EXISTS (SELECT 1 FROM %s k WHERE k.%s = t.id "
                                  "AND k.tag_id IN @LIST(:not_tags))",
                                  table, owner)
                              .p);
    }
    return 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

#define OF(kind) (1u << SEARCH_##kind)
#define ALL_SOURCES (OF(HEAD) | OF(MESSAGE) | OF(NOTE))

static const struct {
    const char *word;
    unsigned kinds, sources;
} places[] = {
    {"cases", OF(CASES), ALL_SOURCES},
    {"conversations", OF(CASES), ALL_SOURCES},
    {"users", OF(USERS), ALL_SOURCES},
    {"people", OF(USERS), ALL_SOURCES},
    {"organizations", OF(ORGANIZATIONS), ALL_SOURCES},
    {"articles", OF(ARTICLES), ALL_SOURCES},
    {"subject", OF(CASES), OF(HEAD)},
    {"messages", OF(CASES), OF(MESSAGE)},
    {"notes", OF(CASES) | OF(USERS) | OF(ORGANIZATIONS), OF(NOTE)},
    {NULL, 0, 0},
};

static const struct {
    const char *word, *condition;
    enum case_state state;
} states[] = {
    {"unassigned", "t.assigned_team_id IS NULL AND t.assigned_agent_id IS NULL", 0},
    {"assigned", "(t.assigned_team_id IS NOT NULL OR t.assigned_agent_id IS NOT NULL)", 0},
    {"mine", "t.assigned_agent_id = :me", 0},
    {"new", "t.status_type = 1", 0},
    {"open", "t.status_type = 2", 0},
    {"pending", "t.status_type = 3", 0},
    {"completed", "t.status_type = 4", 0},
    {"closed", "t.status_type = 5", 0},
    {"breached", "EXISTS (SELECT 1 FROM sla_metrics h WHERE h.case_id = t.id AND h.is_breached = 1)", 0},
    {"merged", "t.state = 4", CASE_MERGED},
    {"active", "t.state = 1", CASE_ACTIVE},
    {"suspended", "t.state = 2", CASE_SUSPENDED},
    {"trash", "t.state = 3", CASE_TRASH},
    {"trashed", "t.state = 3", CASE_TRASH},
    {NULL, NULL, 0},
};

static const struct {
    const char *word, *condition;
} havings[] = {
    {"note", "t.notes_count > 0"},
    {"notes", "t.notes_count > 0"},
    {"tag", "EXISTS (SELECT 1 FROM case_tags h WHERE h.case_id = t.id)"},
    {"tags", "EXISTS (SELECT 1 FROM case_tags h WHERE h.case_id = t.id)"},
    {"sla", "t.sla_version_id IS NOT NULL"},
    {"attachment", "EXISTS (SELECT 1 FROM posts h JOIN post_attachments e ON e.post_id = h.id "
                   "WHERE h.case_id = t.id)"},
    {"attachments", "EXISTS (SELECT 1 FROM posts h JOIN post_attachments e ON e.post_id = h.id "
                    "WHERE h.case_id = t.id)"},
    {NULL, NULL},
};

static void word_unknown(struct made_filter *m, const struct search_operator *o) {
    notice(m->work, "NOTICE", "There is no `%s:%.*s`.", search_key_name(o->key), (int)o->value.n, o->value.p);
    m->impossible = m->impossible || !o->negated;
}

/* into: the sources of each kind. */
static void add_place(struct made_filter *m, const struct search_operator *o, unsigned into[SEARCH_KINDS]) {
    bool known = false;
    for (struct str rest = o->value; rest.p;) {
        struct str text = str_trim(str_cut(&rest, ','));
        for (int i = 0; places[i].word; i++) {
            if (!str_eqi(text, str_of(places[i].word))) continue;
            known = true;
            for (int kind = 0; kind < SEARCH_KINDS; kind++)
                if (places[i].kinds >> kind & 1) into[kind] |= places[i].sources;
        }
    }
    if (!known) word_unknown(m, o);
}

static void filter_places(struct made_filter *m, const struct search_query *q) {
    unsigned in[SEARCH_KINDS] = {0}, out[SEARCH_KINDS] = {0};
    bool given = false;
    for (const struct search_operator *o = q->operators; o; o = o->next) {
        if (o->key != KEY_IN) continue;
        add_place(m, o, o->negated ? out : in);
        given = given || !o->negated;
    }
    for (int kind = 0; kind < SEARCH_KINDS; kind++) {
        m->filter->sources[kind] = (given ? in[kind] : ALL_SOURCES) & ~out[kind];
        if (m->filter->sources[kind] == 0) m->filter->kinds &= ~(1u << kind);
    }
}

static void filter_condition(struct made_filter *m, const struct search_operator *o, const char *condition) {
    condition_of_cases(m, o->negated ? str_fmt(m->work->arena, "NOT (%s)", condition).p : condition);
}

static void filter_is(struct made_filter *m, const struct search_operator *o) {
    for (int i = 0; states[i].word; i++) {
        if (!str_eqi(o->value, str_of(states[i].word))) continue;
        if (states[i].state && !o->negated) m->filter->state = states[i].state;
        filter_condition(m, o, states[i].condition);
        return;
    }
    word_unknown(m, o);
}

static void filter_has(struct made_filter *m, const struct search_operator *o) {
    for (int i = 0; havings[i].word; i++)
        if (str_eqi(o->value, str_of(havings[i].word))) {
            filter_condition(m, o, havings[i].condition);
            return;
        }
    word_unknown(m, o);
}

static void filter_words(struct made_filter *m, const struct search_query *q) {
    for (const struct search_operator *o = q->operators; o; o = o->next) {
        if (o->key == KEY_IS) filter_is(m, o);
        if (o->key == KEY_HAS) filter_has(m, o);
    }
}

/* ---- dates ----------------------------------------------------------------------------------- */

/* A day, a relative date such as "yesterday", or a moment. */
static bool date_span(struct made_filter *m, struct str text, struct period *out) {
    struct str zone = setting_text(m->work->desk, "desk.time_zone", m->work->arena);
    int64_t day;
    for (const struct word *r = relative_dates; r->word; r++)
        if (str_eqi(text, str_of(r->word))) return *out = relative_span((int)r->id, zone, m->work->now), true;
    if (day_parse(text, &day)) return *out = day_span(zone, day, 1), true;
    if (!time_parse_iso(text, &out->from)) return false;
    out->to = out->from + 1;
    return true;
}

struct dates {
    int64_t from, to;
};

static int filter_date(struct made_filter *m, const struct search_operator *o, struct dates *d) {
    struct period p;
    if (!date_span(m, o->value, &p))
        return fail_field(m->work, ERR_FIELD_INVALID, S("query"),
                          "`%.*s` is not a date. A date is written as 2026-01-31, as 2026-01-31T09:30:00Z, "
                          "or as a word like yesterday.",
                          (int)o->value.n, o->value.p);
    int64_t from = o->sign == '>' ? o->or_equal ? p.from : p.to : o->sign == '<' ? INT64_MIN : p.from;
    int64_t to = o->sign == '<' ? o->or_equal ? p.to : p.from : o->sign == '>' ? INT64_MAX : p.to;
    if (o->negated)
        return fail_field(m->work, ERR_FIELD_INVALID, S("query"),
                          "A date can't be excluded. Use < or > instead.");
    if (from > d->from) d->from = from;
    if (to < d->to) d->to = to;
    return 0;
}

static int filter_dates(struct made_filter *m, const struct search_query *q) {
    static const char *const conditions[2] = {"t.created_at >= :created_from AND t.created_at < :created_to",
                                              "t.updated_at >= :updated_from AND t.updated_at < :updated_to"};
    struct dates dates[2] = {{INT64_MIN, INT64_MAX}, {INT64_MIN, INT64_MAX}};
    bool given[2] = {false, false};
    for (const struct search_operator *o = q->operators; o; o = o->next) {
        if (o->key != KEY_CREATED && o->key != KEY_UPDATED) continue;
        TRY(filter_date(m, o, &dates[o->key == KEY_UPDATED]));
        given[o->key == KEY_UPDATED] = true;
    }
    filter_bind(m->filter, (struct bind)B_INT("created_from", dates[0].from));
    filter_bind(m->filter, (struct bind)B_INT("created_to", dates[0].to));
    filter_bind(m->filter, (struct bind)B_INT("updated_from", dates[1].from));
    filter_bind(m->filter, (struct bind)B_INT("updated_to", dates[1].to));
    for (int i = 0; i < 2; i++)
        for (int kind = SEARCH_CASES; given[i] && kind <= SEARCH_ARTICLES; kind++)
            condition_add(m, kind, conditions[i]);
    m->filter->by_created = given[0];
    return 0;
}

int search_filter_read(struct work *w, const struct search_query *q, unsigned kinds,
                       struct search_filter *f) {
    struct made_filter m = {.work = w, .filter = f};
    *f = (struct search_filter){.kinds = kinds, .state = CASE_ACTIVE};
    for (int kind = 0; kind < SEARCH_KINDS; kind++) m.where[kind] = S("");
    filter_places(&m, q);
    filter_words(&m, q);
    for (size_t i = 0; i < REFERENCE_COLUMNS; i++) TRY(filter_reference(&m, q, i));
    TRY(filter_tags(&m, q));
    TRY(filter_dates(&m, q));
    if (m.impossible) f->kinds = 0;
    for (int kind = 0; kind < SEARCH_KINDS; kind++) f->where[kind] = m.where[kind].p;
    return 0;
}
