/* Evaluates a predicate: as SQL, and in memory for one object. */
#include "core/rules/predicate.h"

#include "base/buf.h"

#include <assert.h>

static bool compares_numbers(const struct definition *d) { return d->kind == VALUE_NUMBER || d->kind == VALUE_TIME; }

static bool is_equality(const struct proposition *p) {
    if (!p->low.given || !p->high.given || p->low.open || p->high.open) return false;
    return compares_numbers(p->field) ? p->low.number == p->high.number : str_eq(p->low.text, p->high.text);
}

/* ---- as SQL ------------------------------------------------------------------------------------------------------------ */

enum { BINDS_EACH = 3 }; /* :a, :b and :f, followed by the number of the proposition */

struct compiler {
    struct arena *arena;
    struct buf sql;
    struct bind *binds;
    int bind_count, number; /* of the current proposition */
};

static const char *add_bind(struct compiler *c, char kind, struct bind b) {
    b.name = str_fmt(c->arena, ":%c%d", kind, c->number).p;
    c->binds[c->bind_count++] = b;
    return b.name;
}

static void put_bound(struct compiler *c, const struct proposition *p, char kind, const struct bound *b, const char *op) {
    bool numeric = compares_numbers(p->field);
    struct bind value = numeric ? (struct bind){.type = BIND_INT, .i = b->number} : (struct bind){.type = BIND_TEXT, .s = b->text};
    buf_fmt(&c->sql, numeric ? "%s %s CAST(%s AS BIGINT)" : "%s %s %s", p->field->value, op, add_bind(c, kind, value));
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
    if (p->field->implied == NULL || p->negated) return;
    buf_text(&c->sql, " AND ");
    put_named(c, p->field->implied, ":equal", str_fmt(c->arena, "CAST(:a%d AS BIGINT)", c->number).p);
}

static void put_test(struct compiler *c, const struct proposition *p) {
    const struct definition *d = p->field;
    switch (p->test) {
    case IS_NEVER: buf_text(&c->sql, "1 = 0"); return;
    case IS_EMPTY: buf_fmt(&c->sql, d->gone ? "%s IS NULL OR %s IN %s" : "%s IS NULL", d->value, d->value, d->gone); return;
    case IS_SAME:
        buf_fmt(&c->sql, "%s = %s", d->value, p->other->value);
        if (p->other->gone) buf_fmt(&c->sql, " AND %s NOT IN %s", p->other->value, p->other->gone);
        break;
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
        buf_fmt(&c->sql, "@INSTR@(%s, %s) > 0", p->field->value, add_bind(c, 'a', (struct bind){.type = BIND_TEXT, .s = p->text}));
        break;
    case IS_AMONG:
    case HAS_ALL: {
        struct bind list = {.type = BIND_TEXT, .s = json_texts(c->arena, p->texts, (size_t)p->text_count)};
        buf_fmt(&c->sql, "%s IN @TEXTS(%s)", p->field->value, add_bind(c, 'a', list));
    }
    }
    if (d->gone) buf_fmt(&c->sql, " AND %s NOT IN %s", d->value, d->gone);
}

/* Appends the condition on the rows, with :field renamed by the number of the proposition. */
static void put_only(struct compiler *c, const struct definition *d) {
    if (d->only == NULL) return;
    const char *name = strstr(d->only, ":field") ? add_bind(c, 'f', (struct bind){.type = BIND_INT, .i = d->field_id}) : "";
    put_named(c, d->only, ":field", name);
    buf_text(&c->sql, " AND ");
}

static void put_proposition(struct compiler *c, const struct proposition *p) {
    const struct definition *d = p->field;
    c->number++;
    if (d == NULL || d->among == NULL) {
        buf_text(&c->sql, p->negated ? "NOT COALESCE(" : "(");
        put_test(c, p);
        buf_text(&c->sql, p->negated ? ", FALSE)" : ")");
        return;
    }
    /* +: keeps the planner from choosing an index for the order instead of the index of the texts. The selected column has it too, since
     * PostgreSQL treats it as a different expression from the column. */
    bool grouped = p->test == HAS_ALL && p->text_count > 1;
    buf_fmt(&c->sql, "t.id %sIN (SELECT %s%s FROM %s WHERE ", p->negated ? "NOT " : "", grouped ? "+" : "", d->owner, d->among);
    put_only(c, d);
    put_test(c, p);
    if (grouped)
        buf_fmt(&c->sql, " GROUP BY +%s HAVING COUNT(DISTINCT %s) = CAST(%s AS BIGINT)", d->owner, d->value,
                add_bind(c, 'b', (struct bind){.type = BIND_INT, .i = p->text_count}));
    buf_char(&c->sql, ')');
}

struct condition predicate_condition(const struct predicate *p, struct arena *a) {
    struct compiler c = {.arena = a};
    int most = 0;
    for (int i = 0; i < p->count; i++) most += p->collections[i].count * BINDS_EACH;
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
    struct condition out = {str_dup(a, buf_view(&c.sql)).p, c.binds, c.bind_count};
    buf_free(&c.sql);
    return out;
}

/* ---- the facts of an object -------------------------------------------------------------------------------------------- */

static void add_fact(struct arena *a, const struct definition *d, struct fact *f, struct stmt *row, int column) {
    if (col_null(row, column)) return;
    if ((f->count & (f->count - 1)) == 0) { /* the lists are full at every power of two */
        size_t room = f->count ? (size_t)f->count * 2 : 1;
        int64_t *numbers = arena_array(a, room, sizeof *numbers);
        struct str *texts = arena_array(a, room, sizeof *texts);
        if (f->count) memcpy(numbers, f->numbers, (size_t)f->count * sizeof *numbers);
        if (f->count) memcpy(texts, f->texts, (size_t)f->count * sizeof *texts);
        f->numbers = numbers, f->texts = texts;
    }
    if (compares_numbers(d)) f->numbers[f->count++] = col_int(row, column);
    else f->texts[f->count++] = str_dup(a, col_text(row, column));
}

static int facts_read_columns(struct work *w, const struct definitions *d, int64_t id, struct fact *facts) {
    struct buf sql = {0};
    struct stmt *row;
    int column = 1;
    buf_text(&sql, "SELECT t.id");
    for (int i = 0; i < d->count; i++) {
        const struct definition *f = &d->list[i];
        if (f->among) continue;
        buf_fmt(&sql, f->gone ? ", CASE WHEN %s IN %s THEN NULL ELSE %s END" : ", %s", f->value, f->gone, f->value);
    }
    buf_fmt(&sql, " FROM %s t WHERE t.id = :id", d->subject->table);
    buf_char(&sql, 0);
    int rc = db_start(w->conn, sql.p, BINDS(B_INT("id", id)), &row);
    buf_free(&sql);
    if (rc < 0) return rc;
    rc = stmt_step(row);
    for (int i = 0; rc == 1 && i < d->count; i++)
        if (d->list[i].among == NULL) add_fact(w->arena, &d->list[i], &facts[i], row, column++);
    stmt_end(row);
    return rc;
}

static int facts_read_rows(struct work *w, const struct definition *d, int64_t id, struct fact *fact) {
    struct stmt *row;
    int rc;
    const char *sql = str_fmt(w->arena, "SELECT %s FROM %s WHERE %s = :id%s%s", d->value, d->among, d->owner, d->only ? " AND " : "",
                              d->only ? d->only : "")
                          .p;
    TRY(db_start(w->conn, sql, BINDS(B_INT("id", id)), &row));
    while ((rc = stmt_step(row)) == 1) add_fact(w->arena, d, fact, row, 0);
    stmt_end(row);
    return rc;
}

/* Reads all custom fields of an area by one query. */
static int read_fields(struct work *w, const struct definitions *d, const struct field_source *source, int64_t id, struct fact *facts) {
    struct stmt *row;
    int rc;
    const char *sql = str_fmt(w->arena, "SELECT x.field_id, x.value_key, " VALUE_OF_PICKS " FROM %s WHERE %s = :id AND x.area = :area",
                              source->among, source->owner)
                          .p;
    TRY(db_start(w->conn, sql, BINDS(B_INT("id", id), B_INT("area", source->area)), &row));
    while ((rc = stmt_step(row)) == 1)
        for (int i = 0; i < d->count; i++)
            if (d->list[i].field_id && d->list[i].field_id == col_int(row, 0))
                add_fact(w->arena, &d->list[i], &facts[i], row, d->list[i].kind == VALUE_PICKS ? 2 : 1);
    stmt_end(row);
    return rc;
}

int facts_read(struct work *w, const struct definitions *d, int64_t id, struct fact **out) {
    struct fact *facts = *out = arena_array(w->arena, (size_t)d->count + 1, sizeof *facts);
    int rc = facts_read_columns(w, d, id, facts);
    if (rc <= 0) return rc;
    for (int i = 0; i < d->count; i++)
        if (d->list[i].among && d->list[i].field_id == 0) TRY(facts_read_rows(w, &d->list[i], id, &facts[i]));
    for (const struct field_source *s = d->subject->sources; s->area; s++) TRY(read_fields(w, d, s, id, facts));
    return 1;
}

/* ---- in memory --------------------------------------------------------------------------------------------------------- */

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
    for (int i = 0; i < p->number_count; i++)
        if (p->numbers[i] == number) return true;
    return false;
}

static bool value_passes(const struct proposition *p, const struct fact *f, int i) {
    if (p->test == IS_LISTED) return number_listed(p, f->numbers[i]);
    if (p->test == HAS_PART) return memmem(f->texts[i].p, f->texts[i].n, p->text.p, p->text.n) != NULL;
    if (p->test == IS_AMONG) return listed(p, f->texts[i]);
    int low = p->low.given ? compare_fact(p, f, i, &p->low) : 1, high = p->high.given ? compare_fact(p, f, i, &p->high) : -1;
    return low >= p->low.open && high <= -p->high.open;
}

/* The two fields have one value each. */
static bool same_value(const struct fact *a, const struct fact *b) { return a->count && b->count && a->numbers[0] == b->numbers[0]; }

static bool proposition_holds(const struct proposition *p, const struct fact *facts) {
    const struct fact *f = &facts[p->place];
    if (p->test == IS_NEVER) return false;
    if (p->test == IS_EMPTY) return (f->count == 0) != p->negated;
    if (p->test == IS_SAME) return same_value(f, &facts[p->other_place]) != p->negated;
    if (p->test == HAS_ALL) {
        int found = 0;
        for (int k = 0; k < p->text_count; k++)
            for (int i = 0; i < f->count; i++)
                if (str_eq(f->texts[i], p->texts[k])) {
                    found++;
                    break;
                }
        return found == p->text_count;
    }
    bool passes = false;
    for (int i = 0; i < f->count && !passes; i++) passes = value_passes(p, f, i);
    return passes != p->negated;
}

static bool collection_holds(const struct collection *c, const struct fact *facts) {
    for (int i = 0; i < c->count; i++)
        if (proposition_holds(&c->propositions[i], facts) == c->any) return c->any;
    return !c->any;
}

bool predicate_holds(const struct predicate *p, const struct fact *facts) {
    for (int i = 0; i < p->count; i++)
        if (collection_holds(&p->collections[i], facts) == p->any) return p->any;
    return !p->any;
}
