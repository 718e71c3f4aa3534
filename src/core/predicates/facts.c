#include "core/predicates/facts.h"

#include "base/buf.h"
#include "base/fold.h"
#include "core/change/change.h"
#include "core/fields/custom_field.h"
#include "json/json.h"

#include <inttypes.h>

/* ---- the statement --------------------------------------------------------------------------- */

static bool is_wanted(const bool *wanted, int i) { return wanted == NULL || wanted[i]; }

/* Appends the condition on the rows. Ids of fields are part of the text: the number of fields is limited. */
static void put_fact_only(struct buf *sql, const struct definition *d) {
    const char *at = d->only ? strstr(d->only, ":field") : NULL;
    if (d->only == NULL) return;
    buf_text(sql, " AND ");
    if (at == NULL) buf_text(sql, d->only);
    else buf_fmt(sql, "%.*s%" PRId64 "%s", (int)(at - d->only), d->only, d->field_id, at + strlen(":field"));
}

static void put_fact_column(struct buf *sql, const struct definition *d) {
    if (d->among) {
        buf_fmt(sql, ", (SELECT @JSON_ROWS(r.v) FROM (SELECT %s AS v FROM %s WHERE %s = t.id", d->value,
                d->among, d->owner);
        put_fact_only(sql, d);
        buf_text(sql, ") r)");
    } else
        buf_fmt(sql, d->gone ? ", CASE WHEN %s IN %s THEN NULL ELSE %s END" : ", %s", d->value, d->gone,
                d->value);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool has_numbers(const struct definition *d) {
    return d->kind == VALUE_NUMBER || d->kind == VALUE_TIME;
}

static void fact_reserve(struct arena *a, const struct definition *d, struct fact *f, size_t n) {
    if (has_numbers(d)) f->numbers = arena_array(a, n, sizeof *f->numbers);
    else f->texts = arena_array(a, n, sizeof *f->texts);
}

/* Texts of added messages are stored as they were written. */
static struct str fact_key(struct arena *a, const struct definition *d, struct str s) {
    return d->added ? fold_key(a, s) : s;
}

static void read_single(struct arena *a, const struct definition *d, struct stmt *row, int column,
                        struct fact *f) {
    if (col_null(row, column)) return;
    fact_reserve(a, d, f, 1);
    f->count = 1;
    if (has_numbers(d)) f->numbers[0] = col_int(row, column);
    else f->texts[0] = str_dup(a, col_text(row, column));
}

static int read_several(struct arena *a, const struct definition *d, struct stmt *row, int column,
                        struct fact *f) {
    struct json *list;
    struct json_error err;
    if (col_null(row, column)) return 0;
    if (json_parse(a, col_text(row, column), &list, &err) < 0) return -ERR_INTERNAL_ERROR;
    fact_reserve(a, d, f, list->count + 1);
    for (const struct json *j = list->first; j; j = j->next) {
        if (j->type == JSON_NULL) continue;
        if (!has_numbers(d)) f->texts[f->count++] = fact_key(a, d, j->text);
        else if (str_to_int(j->text, &f->numbers[f->count])) f->count++;
    }
    return 0;
}

static int read_facts_row(struct work *w, const struct definitions *d, const bool *wanted, struct stmt *row,
                          struct facts *out) {
    int column = 1;
    *out = (struct facts){col_int(row, 0), arena_array(w->arena, (size_t)d->count + 1, sizeof *out->list)};
    for (int i = 0; i < d->count; i++) {
        if (!is_wanted(wanted, i)) continue;
        if (d->list[i].among) TRY(read_several(w->arena, &d->list[i], row, column++, &out->list[i]));
        else read_single(w->arena, &d->list[i], row, column++, &out->list[i]);
    }
    return 0;
}

/* Most writes concern one conversation. A list would cost a table in memory. */
static bool is_one_id(struct str ids, int64_t *id) {
    *id = 0;
    return ids.n > 2 && str_to_int((struct str){ids.p + 1, ids.n - 2}, id);
}

int facts_read(struct work *w, const struct definitions *d, const bool *wanted, struct str ids,
               struct facts **out) {
    struct buf sql = {0};
    struct stmt *row;
    int64_t id;
    int n = 0, room = 0, rc;
    *out = NULL;
    buf_text(&sql, "SELECT t.id");
    for (int i = 0; i < d->count; i++)
        if (is_wanted(wanted, i)) put_fact_column(&sql, &d->list[i]);
    buf_fmt(&sql, " FROM %s t WHERE t.id %s ORDER BY t.id", d->subject->table,
            is_one_id(ids, &id) ? "= :id" : "IN @LIST(:ids)");
    buf_char(&sql, 0);
    rc = db_start(w->conn, sql.p,
                  BINDS(B_TEXT("ids", ids), B_INT("id", id), B_TEXT("added", changes_messages(w))), &row);
    buf_free(&sql);
    if (rc < 0) return rc;
    while ((rc = stmt_step(row)) == 1) {
        *out = arena_more(w->arena, *out, n, &room, sizeof **out);
        if ((rc = read_facts_row(w, d, wanted, row, &(*out)[n++])) < 0) break;
    }
    stmt_end(row);
    return rc < 0 ? rc : n;
}

/* ---- history --------------------------------------------------------------------------------- */

/* The stored form of an old value. */
static struct fact *fact_before(struct arena *a, const struct definition *d, const struct changed_value *v) {
    struct fact *f = ARENA_NEW(a, struct fact);
    *f = (struct fact){0};
    if (!v->given) return f;
    fact_reserve(a, d, f, 1);
    f->count = 1;
    if (has_numbers(d)) f->numbers[0] = v->number;
    else if (d->kind == VALUE_PICKS) f->texts[0] = str_fmt(a, ",%s,", str_dup(a, v->text).p);
    else
        f->texts[0] = d->field_kind ? field_value_key(a, (enum field_kind)d->field_kind, v->text)
                                    : fold_key(a, v->text);
    return f;
}

/* A created object had no values. */
static void facts_created(const struct definitions *d, const bool *wanted, struct facts *f) {
    static const struct fact nothing;
    for (int i = 0; i < d->count; i++) {
        if (!is_wanted(wanted, i) || d->list[i].property == NULL) continue;
        f->list[i].changed = f->list[i].count > 0;
        f->list[i].before = &nothing;
    }
}

/* The first change of a property has the state before the work. A rule has made the later ones. */
static void facts_changed(struct work *w, const struct definitions *d, const bool *wanted, struct facts *f,
                          const struct change *c) {
    for (int i = 0; i < d->count; i++) {
        if (!is_wanted(wanted, i) || d->list[i].property == NULL ||
            strcmp(d->list[i].property, c->property) != 0)
            continue;
        if (f->list[i].changed || f->list[i].before) continue;
        f->list[i].changed = true;
        f->list[i].before = c->named ? NULL : fact_before(w->arena, &d->list[i], &c->from);
    }
}

void facts_history(struct work *w, const struct definitions *d, const bool *wanted, struct facts *list,
                   int count) {
    for (int i = 0; i < count; i++) {
        const struct change **own;
        int n = changes_of_object(w, (struct changed){"case", list[i].id, list[i].id}, &own);
        for (int k = 0; k < n; k++) {
            if (own[k]->verb == CHANGE_CREATED) facts_created(d, wanted, &list[i]);
            if (own[k]->verb == CHANGE_UPDATED) facts_changed(w, d, wanted, &list[i], own[k]);
        }
    }
}

static bool fact_has(const struct definition *d, const struct fact *f, const struct fact *of, int at) {
    for (int i = 0; i < f->count; i++)
        if (has_numbers(d) ? f->numbers[i] == of->numbers[at] : str_eq(f->texts[i], of->texts[at]))
            return true;
    return false;
}

/* Values are sets: their order does not matter. */
static bool fact_eq(const struct definition *d, const struct fact *a, const struct fact *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (!fact_has(d, b, a, i)) return false;
    return true;
}

void facts_since(const struct definitions *d, struct facts *now, const struct facts *earlier) {
    for (int i = 0; i < d->count; i++) {
        if (d->list[i].property == NULL) continue;
        now->list[i].changed = !fact_eq(&d->list[i], &now->list[i], &earlier->list[i]);
        now->list[i].before = &earlier->list[i];
    }
}
