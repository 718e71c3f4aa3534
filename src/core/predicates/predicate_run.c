/* Evaluates a predicate for a moment: as SQL, and in memory for one object. */
#include "core/predicates/predicate.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/ids.h"

#include <assert.h>
#include <inttypes.h>

static bool compares_numbers(const struct definition *d) {
    return d->kind == VALUE_NUMBER || d->kind == VALUE_TIME;
}

/* ---- resolving ------------------------------------------------------------------------------- */

/* One id is an equality, for which the store finds an index in list order. */
static void set_ids(struct proposition *p, int64_t *ids, int count) {
    p->numbers = ids;
    p->number_count = count;
    if (count != 1) return;
    p->test = IS_WITHIN;
    p->low = p->high = (struct bound){.given = true, .number = ids[0]};
}

static struct bound day_bound(char *room, int64_t day, bool open) {
    return (struct bound){.given = true, .open = open, .text = day_write(room, day)};
}

/* room: for the texts of two days. */
static void set_period(struct proposition *p, const struct moment *m, struct moment_zone *zone, char *room) {
    if (p->field->kind == VALUE_TIME) {
        struct period s = moment_span(m, zone, p->word);
        proposition_bound(p, p->operation, (struct bound){.given = true, .number = s.from},
                          (struct bound){.given = true, .open = true, .number = s.to});
    } else {
        struct period days = moment_days(m, zone, p->word);
        proposition_bound(p, p->operation, day_bound(room, days.from, false),
                          day_bound(room + DAY_ROOM, days.to, true));
    }
}

/* More than n hours ago is before now - n hours. */
static void set_hours(struct proposition *p, const struct moment *m) {
    struct bound since = {.given = true, .number = m->now - p->hours * TIME_HOUR};
    bool less = p->operation == TIME_LESS_THAN || p->operation == TIME_LESS_THAN_OR_EQUAL_TO;
    since.open = p->operation == TIME_LESS_THAN || p->operation == TIME_GREATER_THAN;
    if (less) p->low = since;
    else p->high = since;
    p->test = IS_WITHIN;
}

/* A proposition that was resolved, with the texts of its days. */
struct for_now {
    struct proposition made;
    char room[2 * DAY_ROOM];
};

/* The proposition at this moment in a zone of it: in `place`, or the given one if it does not depend on
 * the moment. */
static const struct proposition *resolved(const struct proposition *p, struct moment *m,
                                          struct moment_zone *zone, struct for_now *place) {
    struct proposition *made = &place->made;
    char *room = place->room;
    if (p->later == LATER_NOTHING) return p;
    *made = *p;
    switch (p->later) {
    case LATER_PERIOD: set_period(made, m, zone, room); break;
    case LATER_HOURS: set_hours(made, m); break;
    case LATER_USER: set_ids(made, &m->user_id, m->user_id != 0); break;
    case LATER_TEAMS: set_ids(made, m->teams, m->team_count); break;
    case LATER_OPEN: set_ids(made, m->open, m->open_count); break;
    case LATER_NOTHING: break;
    }
    return made;
}

/* The open time since a value passes the operator. */
static bool opened_passes(const struct proposition *p, int64_t open) {
    int64_t goal = p->hours * TIME_HOUR;
    switch (p->operation) {
    case TIME_GREATER_THAN: return open > goal;
    case TIME_GREATER_THAN_OR_EQUAL_TO: return open >= goal;
    case TIME_LESS_THAN: return open < goal;
    default: return open <= goal;
    }
}

static bool is_equality(const struct proposition *p) {
    if (!p->low.given || !p->high.given || p->low.open || p->high.open) return false;
    return compares_numbers(p->field) ? p->low.number == p->high.number : str_eq(p->low.text, p->high.text);
}

/* ---- as SQL ---------------------------------------------------------------------------------- */

enum { BINDS_EACH = 3 }; /* :a, :b and :f, followed by the number of the proposition */

struct compiler {
    struct arena *arena;
    const struct definitions *definitions;
    struct moment *moment;
    struct buf sql;
    struct bind *binds;
    int bind_count, number; /* number: that of the current proposition */
};

static const char *add_bind(struct compiler *c, char kind, struct bind b) {
    b.name = str_fmt(c->arena, ":%c%d", kind, c->number).p;
    c->binds[c->bind_count++] = b;
    return b.name;
}

static void put_bound(struct compiler *c, const struct proposition *p, char kind, const struct bound *b,
                      const char *op) {
    bool numeric = compares_numbers(p->field);
    struct bind value = numeric ? (struct bind){.type = BIND_INT, .i = b->number}
                                : (struct bind){.type = BIND_TEXT, .s = b->text};
    buf_fmt(&c->sql, numeric ? "%s %s CAST(%s AS BIGINT)" : "%s %s %s", p->field->value, op,
            add_bind(c, kind, value));
}

/* Appends SQL with each `mark` replaced by `name`. */
static void put_named(struct compiler *c, const char *sql, const char *mark, const char *name) {
    for (const char *at; (at = strstr(sql, mark)); sql = at + strlen(mark)) {
        buf_add(&c->sql, sql, (size_t)(at - sql));
        buf_text(&c->sql, name);
    }
    buf_text(&c->sql, sql);
}

static void put_equality(struct compiler *c, const struct proposition *p) {
    put_bound(c, p, 'a', &p->low, "=");
    if (p->field->implied_true && !p->negated && p->low.number == 1)
        buf_fmt(&c->sql, " AND %s", p->field->implied_true);
    if (p->field->implied == NULL || p->negated) return;
    buf_text(&c->sql, " AND ");
    put_named(c, p->field->implied, ":equal", str_fmt(c->arena, "CAST(:a%d AS BIGINT)", c->number).p);
}

/* The first time since which the open time of a calendar is at most `goal` (with `less`: less than it). It
 * is found by halving, because open time only shrinks as its beginning approaches now. */
static int64_t opened_bound(const struct moment *m, int64_t calendar, int64_t goal, bool less) {
    int64_t low = 0, high = m->now + 1; /* no time is open after now */
    while (low < high) {
        int64_t middle = low + (high - low) / 2, open = 0;
        (void)moment_open_since(m, calendar, middle, &open);
        if (less ? open < goal : open <= goal) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* The bound of each calendar, as rows. */
static void put_opened(struct compiler *c, const struct proposition *p) {
    const struct moment *m = c->moment;
    bool less = p->operation == TIME_LESS_THAN || p->operation == TIME_GREATER_THAN_OR_EQUAL_TO;
    bool before = p->operation == TIME_GREATER_THAN || p->operation == TIME_GREATER_THAN_OR_EQUAL_TO;
    struct buf rows = {0};
    buf_char(&rows, '[');
    for (int i = 0; i < m->calendar_count; i++)
        if (m->calendars[i].time)
            buf_fmt(&rows, "%s[%" PRId64 ",%" PRId64 "]", rows.n > 1 ? "," : "", m->calendars[i].id,
                    opened_bound(m, m->calendars[i].id, p->hours * TIME_HOUR, less));
    buf_char(&rows, ']');
    struct bind bound = {.type = BIND_TEXT, .s = buf_take(&rows, c->arena)};
    buf_fmt(&c->sql,
            "%s %s (SELECT CAST(r.value ->> 1 AS BIGINT) FROM @ROWS(%s) r "
            "WHERE CAST(r.value ->> 0 AS BIGINT) = %s)",
            p->field->value, before ? "<" : ">=", add_bind(c, 'a', bound),
            c->definitions->list[p->other_place].value);
}

/* The objects of the field that are being deleted; NULL: no row refers to one. */
static const char *gone_of(const struct compiler *c, const struct definition *d) {
    return c->moment->no_cascades ? NULL : d->gone;
}

static void put_same(struct compiler *c, const struct definition *d, const struct definition *other) {
    buf_fmt(&c->sql, "%s = %s", d->value, other->value);
    if (gone_of(c, other)) buf_fmt(&c->sql, " AND %s NOT IN %s", other->value, other->gone);
}

/* One or all of several parts. */
static void put_parts(struct compiler *c, const struct proposition *p) {
    bool all = p->test == HAS_ALL_PARTS;
    struct buf rows = {0};
    for (int i = 0; i < p->text_count; i++)
        buf_fmt(&rows, "%s%s", i ? "," : "[", json_texts(c->arena, &p->texts[i], 1).p);
    buf_char(&rows, ']');
    struct bind list = {.type = BIND_TEXT, .s = buf_take(&rows, c->arena)};
    buf_fmt(&c->sql, "%sEXISTS (SELECT 1 FROM @ROWS(%s) r WHERE @INSTR@(%s, r.value ->> 0) %s 0)",
            all ? "NOT " : "", add_bind(c, 'a', list), p->field->value, all ? "=" : ">");
}

static void put_test(struct compiler *c, const struct proposition *p) {
    const struct definition *d = p->field;
    assert(p->past == PAST_NONE && !(d && d->added));
    switch (p->test) {
    case IS_NEVER:
    case IS_PRESENT: buf_text(&c->sql, "1 = 0"); return;
    case IS_OPENED: put_opened(c, p); return;
    case HAS_ANY_PART:
    case HAS_ALL_PARTS: put_parts(c, p); return;
    case IS_EMPTY:
        buf_fmt(&c->sql, "%s IS NULL", d->value);
        if (gone_of(c, d)) buf_fmt(&c->sql, " OR %s IN %s", d->value, d->gone);
        return;
    case IS_SAME: put_same(c, d, &c->definitions->list[p->other_place]); break;
    case IS_LISTED: {
        struct bind ids = {.type = BIND_TEXT, .s = json_ids(c->arena, p->numbers, (size_t)p->number_count)};
        buf_fmt(&c->sql, "%s IN @LIST(%s)", d->value, add_bind(c, 'a', ids));
        break;
    }
    case IS_WITHIN:
        if (is_equality(p)) {
            put_equality(c, p);
            break;
        }
        if (p->low.given) put_bound(c, p, 'a', &p->low, p->low.open ? ">" : ">=");
        if (p->low.given && d->implied_from && !p->negated) {
            buf_text(&c->sql, " AND ");
            put_named(c, d->implied_from, ":from", str_fmt(c->arena, "CAST(:a%d AS BIGINT)", c->number).p);
        }
        if (p->low.given && p->high.given) buf_text(&c->sql, " AND ");
        if (p->high.given) put_bound(c, p, 'b', &p->high, p->high.open ? "<" : "<=");
        break;
    case HAS_PART:
        buf_fmt(&c->sql, "@INSTR@(%s, %s) > 0", p->field->value,
                add_bind(c, 'a', (struct bind){.type = BIND_TEXT, .s = p->text}));
        break;
    case IS_AMONG:
    case HAS_ALL: {
        struct bind list = {.type = BIND_TEXT, .s = json_texts(c->arena, p->texts, (size_t)p->text_count)};
        buf_fmt(&c->sql, "%s IN @TEXTS(%s)", p->field->value, add_bind(c, 'a', list));
    }
    }
    if (gone_of(c, d)) buf_fmt(&c->sql, " AND %s NOT IN %s", d->value, d->gone);
}

/* Appends the condition on the rows, with :field renamed by the number of the proposition. */
static void put_only(struct compiler *c, const struct definition *d) {
    if (d->only == NULL) return;
    const char *name =
        strstr(d->only, ":field") ? add_bind(c, 'f', (struct bind){.type = BIND_INT, .i = d->field_id}) : "";
    put_named(c, d->only, ":field", name);
    buf_text(&c->sql, " AND ");
}

static void put_in_zone(struct compiler *c, const struct proposition *stored, struct moment_zone *zone) {
    struct for_now *place = ARENA_NEW(c->arena, struct for_now);
    const struct proposition *p = resolved(stored, c->moment, zone, place);
    const struct definition *d = p->field;
    c->number++;
    if (d == NULL || d->among == NULL) {
        buf_text(&c->sql, p->negated ? "NOT COALESCE(" : "(");
        put_test(c, p);
        buf_text(&c->sql, p->negated ? ", FALSE)" : ")");
        return;
    }
    /* +: keeps the planner from choosing an index for the order instead of the index of the texts. The
     * selected column has it too, since PostgreSQL treats it as a different expression from the column. */
    bool grouped = p->test == HAS_ALL && p->text_count > 1;
    buf_fmt(&c->sql, "t.id %sIN (SELECT %s%s FROM %s WHERE ", p->negated ? "NOT " : "", grouped ? "+" : "",
            d->owner, d->among);
    put_only(c, d);
    put_test(c, p);
    if (grouped)
        buf_fmt(&c->sql, " GROUP BY +%s HAVING COUNT(DISTINCT %s) = CAST(%s AS BIGINT)", d->owner, d->value,
                add_bind(c, 'b', (struct bind){.type = BIND_INT, .i = p->text_count}));
    buf_char(&c->sql, ')');
}

/* Brands with other zones than the desk have each their own condition. An index on the field can't be used
 * then. */
static void put_proposition(struct compiler *c, const struct proposition *p) {
    struct moment *m = c->moment;
    bool several = p->by_brand && m->zone_count;
    for (int i = 0; several && i < m->zone_count; i++) {
        struct bind brands = {.type = BIND_TEXT,
                              .s = json_ids(c->arena, m->zones[i].brands, (size_t)m->zones[i].brand_count)};
        c->number++;
        buf_fmt(&c->sql, "%s WHEN %s IN @LIST(%s) THEN ", i ? "" : "CASE",
                c->definitions->list[p->other_place].value, add_bind(c, 'z', brands));
        put_in_zone(c, p, &m->zones[i]);
    }
    if (several) buf_text(&c->sql, " ELSE ");
    put_in_zone(c, p, &m->desk);
    if (several) buf_text(&c->sql, " END");
}

struct condition predicate_condition(const struct predicate *p, struct moment *m, struct arena *a) {
    struct compiler c = {.arena = a, .definitions = p->definitions, .moment = m};
    int most = 0;
    for (int i = 0; i < p->count; i++)
        most += p->collections[i].count * (BINDS_EACH + m->zone_count * (BINDS_EACH + 1));
    c.binds = arena_array(a, (size_t)most + 1, sizeof *c.binds);
    buf_text(&c.sql, p->count ? "(" : "(1 = 1");
    for (int i = 0; i < p->count; i++) {
        const struct collection *l = &p->collections[i];
        buf_text(&c.sql, i == 0 ? "(" : p->any ? " OR (" : " AND (");
        if (l->count == 0) buf_text(&c.sql, l->any ? "1 = 0" : "1 = 1");
        for (int k = 0; k < l->count; k++) {
            if (k) buf_text(&c.sql, l->any ? " OR " : " AND ");
            put_proposition(&c, &l->propositions[k]);
        }
        buf_char(&c.sql, ')');
    }
    buf_char(&c.sql, ')');
    struct condition out = {buf_take(&c.sql, a).p, c.binds, c.bind_count};
    return out;
}

int predicate_condition_now(struct work *w, const struct predicate *p, struct condition *out) {
    struct moment m;
    TRY(moment_read(w, p->needs | NEEDS_CASCADES, &m));
    *out = predicate_condition(p, &m, w->arena);
    return 0;
}

/* The number that a value of the field must have for the proposition; 0: there must be none. */
static bool proposition_requires(const struct proposition *stored, struct moment *m, const char *field,
                                 int64_t *number) {
    struct for_now place;
    const struct proposition *p = stored->field ? resolved(stored, m, &m->desk, &place) : stored;
    if (p->field == NULL || p->field->kind != VALUE_NUMBER || strcmp(p->field->field, field) != 0 ||
        p->negated)
        return false;
    if (p->test == IS_WITHIN && is_equality(p)) *number = p->low.number;
    else if (p->test == IS_EMPTY) *number = 0;
    else return false;
    return true;
}

bool predicate_requires(const struct predicate *p, struct moment *m, const char *field, int64_t *number) {
    for (int i = 0; i < p->count && !(p->any && p->count > 1); i++) {
        const struct collection *l = &p->collections[i];
        for (int k = 0; k < l->count && !(l->any && l->count > 1); k++)
            if (proposition_requires(&l->propositions[k], m, field, number)) return true;
    }
    return false;
}

/* ---- in memory ------------------------------------------------------------------------------- */

static int compare_bytes(struct str a, struct str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int compare_fact(const struct proposition *p, const struct fact *f, int i, const struct bound *b) {
    if (!compares_numbers(p->field)) return compare_bytes(f->texts[i], b->text);
    return (f->numbers[i] > b->number) - (f->numbers[i] < b->number);
}

static bool listed(const struct proposition *p, struct str value) {
    for (int i = 0; i < p->text_count; i++)
        if (str_eq(p->texts[i], value)) return true;
    return false;
}

static bool number_listed(const struct proposition *p, int64_t number) {
    return ids_have(p->numbers, p->number_count, number);
}

static bool parts_pass(const struct proposition *p, struct str value) {
    bool all = p->test == HAS_ALL_PARTS;
    for (int i = 0; i < p->text_count; i++)
        if ((memmem(value.p, value.n, p->texts[i].p, p->texts[i].n) != NULL) != all) return !all;
    return all;
}

static bool value_passes(const struct proposition *p, const struct fact *f, int i) {
    if (p->test == IS_LISTED) return number_listed(p, f->numbers[i]);
    if (p->test == HAS_ANY_PART || p->test == HAS_ALL_PARTS) return parts_pass(p, f->texts[i]);
    if (p->test == HAS_PART) return memmem(f->texts[i].p, f->texts[i].n, p->text.p, p->text.n) != NULL;
    if (p->test == IS_AMONG) return listed(p, f->texts[i]);
    int low = p->low.given ? compare_fact(p, f, i, &p->low) : 1,
        high = p->high.given ? compare_fact(p, f, i, &p->high) : -1;
    return low >= p->low.open && high <= -p->high.open;
}

/* The two fields have one value each. */
static bool same_value(const struct fact *a, const struct fact *b) {
    return a->count && b->count && a->numbers[0] == b->numbers[0];
}

static bool has_all(const struct proposition *p, const struct fact *f) {
    for (int k = 0; k < p->text_count; k++) {
        bool found = false;
        for (int i = 0; i < f->count && !found; i++) found = str_eq(f->texts[i], p->texts[k]);
        if (!found) return false;
    }
    return true;
}

static bool opened_holds(const struct proposition *p, const struct moment *m, const struct fact *f,
                         const struct fact *calendar) {
    int64_t open;
    if (calendar->count == 0 || f->count == 0) return false;
    return moment_open_since(m, calendar->numbers[0], f->numbers[0], &open) && opened_passes(p, open);
}

/* The test without its sign, on these values of the field. */
static bool test_holds(const struct proposition *p, const struct moment *m, const struct fact *f,
                       const struct fact *facts) {
    switch (p->test) {
    case IS_PRESENT: return true;
    case IS_EMPTY: return f->count == 0;
    case IS_SAME: return same_value(f, &facts[p->other_place]);
    case IS_OPENED: return opened_holds(p, m, f, &facts[p->other_place]);
    case HAS_ALL: return has_all(p, f);
    default:
        for (int i = 0; i < f->count; i++)
            if (value_passes(p, f, i)) return true;
        return false;
    }
}

bool proposition_holds(const struct proposition *stored, struct moment *m, const struct fact *facts) {
    struct for_now place;
    if (stored->test == IS_NEVER) return false;
    const struct fact *brand = stored->by_brand ? &facts[stored->other_place] : NULL;
    const struct proposition *p =
        resolved(stored, m, brand && brand->count ? moment_zone_of(m, brand->numbers[0]) : &m->desk, &place);
    const struct fact *f = &facts[p->place];
    if (p->past && !f->changed) return p->negated;
    if (p->past == PAST_CHANGED_FROM) return (f->before && test_holds(p, m, f->before, facts)) != p->negated;
    return test_holds(p, m, f, facts) != p->negated;
}

static bool collection_holds(const struct collection *c, struct moment *m, const struct fact *facts) {
    for (int i = 0; i < c->count; i++)
        if (proposition_holds(&c->propositions[i], m, facts) == c->any) return c->any;
    return !c->any;
}

void predicate_mark(const struct predicate *p, bool *wanted) {
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->collections[i].count; k++) {
            const struct proposition *q = &p->collections[i].propositions[k];
            if (q->test == IS_NEVER) continue;
            wanted[q->place] = true;
            if (q->test == IS_SAME || q->test == IS_OPENED || q->by_brand) wanted[q->other_place] = true;
        }
}

bool predicate_holds(const struct predicate *p, struct moment *m, const struct fact *facts) {
    for (int i = 0; i < p->count; i++)
        if (collection_holds(&p->collections[i], m, facts) == p->any) return p->any;
    return !p->any;
}
