/* How a search is bounded.
 *
 * A result must have all words, in one or several of its texts. The rarest word decides what is examined, for each kind of result:
 *
 *     at most LIMIT_SEARCH_FOUND texts have it   all of them are examined: what is found is complete
 *     more have it                               the 2,000 conversations that were changed last, among those that the actor sees
 *                                                and that meet the operators. If these are not all, also the newest LIMIT_SEARCH_FOUND texts
 *     there is no word                           these conversations, or the newest people and organizations
 *
 * So the work of a search with words does not grow with the desk. An operator that few conversations meet reads all visible ones, if no index
 * serves it. Visibility is part of the queries that choose the rows: no invisible row is read into memory, and what is invisible changes neither
 * hits nor order. One exception: an actor who sees 2,000 conversations or more may learn that a word is in more than LIMIT_SEARCH_FOUND texts of
 * the desk, because the total is then marked as a lower bound. */
#include "core/search/find.h"

#include "base/buf.h"
#include "core/access/access.h"
#include "json/json.h"

#include <math.h>
#include <stdlib.h>

/* ---- what was found ----------------------------------------------------------------------------------------------- */

struct owner {
    int64_t id, text_id, place;
    uint64_t units;
    float *best; /* for each unit, the score of the best text */
    float top;   /* the score of text_id */
};

struct finding {
    struct work *work;
    const struct search_query *query;
    const struct search_filter *filter;
    int kind, unit_count;
    bool single; /* one unit, so that each text decides alone */
    struct owner *owners;
    int count, room, *slots, slot_count;
    bool more;
    int texts, rows; /* texts with the rarest word, and rows of a walk, that are examined at most */
    struct branches visible;
    struct bind binds[BRANCH_BINDS_MAX + SEARCH_FILTER_BINDS + 16];
};

static size_t owner_slot(const struct finding *f, int64_t id) {
    size_t mask = (size_t)f->slot_count - 1, at = (size_t)(((uint64_t)id * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & mask;
    while (f->slots[at] && f->owners[f->slots[at] - 1].id != id) at = (at + 1) & mask;
    return at;
}

static void owners_rehash(struct finding *f) {
    f->slot_count = f->slot_count ? f->slot_count * 2 : 256;
    f->slots = arena_array(f->work->arena, (size_t)f->slot_count, sizeof *f->slots);
    for (int i = 0; i < f->count; i++) f->slots[owner_slot(f, f->owners[i].id)] = i + 1;
}

static struct owner *owner_of(struct finding *f, int64_t id) {
    if (f->count * 2 >= f->slot_count) owners_rehash(f);
    size_t at = owner_slot(f, id);
    if (f->slots[at]) return &f->owners[f->slots[at] - 1];
    f->owners = arena_more(f->work->arena, f->owners, f->count, &f->room, sizeof *f->owners);
    f->slots[at] = ++f->count;
    struct owner *o = &f->owners[f->count - 1];
    *o = (struct owner){.id = id, .place = f->unit_count ? -id : f->count};
    o->best = arena_array(f->work->arena, (size_t)f->unit_count + 1, sizeof *o->best);
    return o;
}

/* ---- relevance ----------------------------------------------------------------------------------------------------- */

/* A unit counts more in a head, in a short text, and if it is repeated. Between 0 and 1. */
static float unit_score(enum search_source source, int repeated, int length) {
    static const float weights[SEARCH_SOURCES + 1] = {[SEARCH_HEAD] = 1.0F, [SEARCH_MESSAGE] = 0.6F, [SEARCH_NOTE] = 0.5F};
    float n = (float)repeated;
    return weights[source] * n / (n + 0.3F + (float)length / 100.0F);
}

static void take_text(struct finding *f, int64_t owner_id, int64_t text_id, struct str terms) {
    const struct search_query *q = f->query;
    struct search_tally t;
    if (!(f->filter->sources[f->kind] >> search_source_of(text_id) & 1)) return;
    search_tally(q, terms, &t);
    if (t.units == 0) return;
    struct owner *o = owner_of(f, owner_id);
    float sum = 0;
    int unit = 0;
    o->units |= t.units;
    for (uint64_t ends = q->ends; ends; ends &= ends - 1, unit++) {
        int last = __builtin_ctzll(ends);
        if (t.counts[last] == 0) continue;
        float score = unit_score(search_source_of(text_id), t.counts[last], t.length);
        sum += score;
        if (score > o->best[unit]) o->best[unit] = score;
    }
    if (sum > o->top || (sum == o->top && text_id < o->text_id)) o->top = sum, o->text_id = text_id;
}

/* ---- queries ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *table, *condition, *order[2]; /* order: of a walk; by created_at */
} searched[SEARCH_KINDS] = {
    [SEARCH_CASES] = {"cases", NULL, {"t.updated_at", "t.created_at"}},
    [SEARCH_USERS] = {"users", "t.deleted_at IS NULL", {"t.id", "t.created_at"}},
    [SEARCH_ORGANIZATIONS] = {"organizations", "t.deleted_at IS NULL", {"t.id", "t.created_at"}},
};

/* Binds what the statement needs beside the conditions. */
static const struct bind *all_binds(struct finding *f, const struct bind *more) {
    int n = 0;
    for (int i = 0; i < f->visible.bind_count; i++) f->binds[n++] = f->visible.binds[i];
    for (int i = 0; i < f->filter->bind_count; i++) f->binds[n++] = f->filter->binds[i];
    for (; more->name; more++) f->binds[n++] = *more;
    f->binds[n] = (struct bind){0};
    return f->binds;
}

static int finding_start(struct finding *f, struct buf *sql, const struct bind *binds, struct stmt **s) {
    buf_char(sql, 0);
    int rc = db_start(f->work->conn, sql->p, all_binds(f, binds), s);
    buf_free(sql);
    return rc;
}

/* Conditions on the visible rows t. */
static void visible_sql(const struct finding *f, struct buf *sql) {
    if (f->kind != SEARCH_CASES) {
        buf_text(sql, searched[f->kind].condition);
    } else {
        buf_text(sql, "(1 = 0");
        for (int i = 0; i < f->visible.count; i++) buf_fmt(sql, " OR (%s)", f->visible.where[i]);
        buf_char(sql, ')');
    }
    buf_text(sql, f->filter->where[f->kind]);
}

/* The words of the index that a term stands for. */
static struct str indexed_words(struct arena *a, const struct search_term *t) {
    if (t->prefix) return str_fmt(a, "\"%s\" *", t->exact.p);
    return t->stem.p ? str_fmt(a, "\"%s\" OR \"%s\"", t->exact.p, t->stem.p) : str_fmt(a, "\"%s\"", t->exact.p);
}

#define WORD_BINDS(words, kind, most) \
    BINDS(B_TEXT("words", words), B_INT("from", search_range(kind)), B_INT("to", search_range((kind) + 1)), B_INT("most", most))

QUERY(search_word_count,
      "SELECT COUNT(*) FROM (SELECT f.id FROM @FOUND(:words) f WHERE f.id >= :from AND f.id < :to LIMIT :most) n @BY_VALUES@");

#define RARE 20 /* texts; a rarer word saves nothing */

/* Chooses the rarest word that every result has. Counts no further than the rarest one so far. *count: over f->texts if it is common; INT64_MAX
 * if there is no such word. */
static int rarest_word(struct finding *f, struct str *out, int64_t *count) {
    const struct search_query *q = f->query;
    bool excluded = false;
    *count = INT64_MAX;
    for (int i = q->count - 1; i >= 0 && (*count > RARE || *count > f->texts); i--) {
        int64_t n = 0, most = *count < f->texts ? *count : f->texts + 1;
        if (q->ends >> i & 1) excluded = q->excluded >> i & 1;
        if (excluded) continue;
        struct str word = indexed_words(f->work->arena, &q->terms[i]);
        TRY(db_int(f->work->conn, &search_word_count, WORD_BINDS(word, f->kind, most), &n));
        if (n >= *count) continue;
        *count = n;
        *out = word;
    }
    return 0;
}

/* ---- examining ----------------------------------------------------------------------------------------------------- */

struct owner_ids {
    int64_t *ids;
    int count, room;
};

/* With one unit each text is compared at once. Otherwise only the owners are noted, because their other texts count, too. */
static int examine_word(struct finding *f, struct str word, struct owner_ids *owners) {
    struct buf sql = {0};
    struct stmt *s;
    int rc;
    buf_fmt(
        &sql,
        "SELECT s.id, s.owner_id, %s FROM (SELECT f.id FROM @FOUND(:words) f WHERE f.id >= :from AND f.id < :to ORDER BY f.id DESC LIMIT "
        ":most) g JOIN search_texts s ON s.id = g.id JOIN %s t ON t.id = s.owner_id WHERE ",
        f->single ? "s.terms" : "''", searched[f->kind].table);
    visible_sql(f, &sql);
    buf_text(&sql, " ORDER BY s.id DESC @BY_VALUES@");
    TRY(finding_start(f, &sql, WORD_BINDS(word, f->kind, f->texts), &s));
    while ((rc = stmt_step(s)) == 1) {
        if (f->single) {
            take_text(f, col_int(s, 1), col_int(s, 0), col_text(s, 2));
            continue;
        }
        owners->ids = arena_more(f->work->arena, owners->ids, owners->count, &owners->room, sizeof *owners->ids);
        owners->ids[owners->count++] = col_int(s, 1);
    }
    stmt_end(s);
    return rc;
}

/* The visible rows that meet the operators, the last changed first. Each branch is an index range in this order. */
static int examine_rows(struct finding *f, struct owner_ids *owners) {
    const char *order = searched[f->kind].order[f->filter->by_created];
    struct buf sql = {0};
    struct stmt *s;
    int rc, n = f->kind == SEARCH_CASES ? f->visible.count : 1, found = 0;
    buf_text(&sql, "SELECT w.id FROM (");
    for (int i = 0; i < n; i++)
        buf_fmt(&sql, "%sSELECT * FROM (SELECT t.id AS id, %s AS place FROM %s t WHERE %s%s ORDER BY %s DESC, t.id DESC LIMIT :walk) b%d",
                i ? " UNION " : "", order, searched[f->kind].table,
                f->kind == SEARCH_CASES ? f->visible.where[i] : searched[f->kind].condition, f->filter->where[f->kind], order, i);
    if (n == 0) buf_text(&sql, "SELECT 0 AS id, 0 AS place WHERE 1 = 0");
    buf_text(&sql, ") w ORDER BY w.place DESC, w.id DESC LIMIT :walk");
    TRY(finding_start(f, &sql, BINDS(B_INT("walk", f->rows)), &s));
    while ((rc = stmt_step(s)) == 1) {
        owners->ids = arena_more(f->work->arena, owners->ids, owners->count, &owners->room, sizeof *owners->ids);
        owners->ids[owners->count++] = col_int(s, 0);
        found++;
    }
    stmt_end(s);
    if (found == f->rows) f->more = true;
    return rc;
}

static int compare_owner_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void owners_once(struct owner_ids *o) {
    int n = 0;
    if (o->count) qsort(o->ids, (size_t)o->count, sizeof *o->ids, compare_owner_ids);
    for (int i = 0; i < o->count; i++)
        if (n == 0 || o->ids[n - 1] != o->ids[i]) o->ids[n++] = o->ids[i];
    o->count = n;
}

QUERY(search_texts_of, "SELECT s.id, s.owner_id, s.terms FROM search_texts s WHERE s.owner_id IN @LIST(:owners) AND s.kind = :kind");

#define OWNERS_AT_ONCE 200

static void owners_cut(struct owner_ids *o, int n) { o->ids += n, o->count -= n; }

/* Compares all texts of these results, which the actor may see. Removes the owners that it did not compare. */
static int compare_texts(struct finding *f, struct owner_ids *owners) {
    struct arena *a = f->work->arena;
    int64_t texts = 0;
    int rc = 0;
    owners_once(owners);
    for (int end = owners->count, n; end > 0 && rc >= 0; end -= n) { /* the highest ids first, if the limit ends the reading */
        n = end < OWNERS_AT_ONCE ? end : OWNERS_AT_ONCE;
        if (texts > (int64_t)f->texts * LIMIT_SEARCH_READ) return owners_cut(owners, end), f->more = true, 0;
        struct str list = json_ids(a, owners->ids + end - n, (size_t)n);
        DB_ROWS(rc, f->work->conn, &search_texts_of, BINDS(B_TEXT("owners", list), B_INT("kind", f->kind)), row) {
            take_text(f, col_int(row, 1), col_int(row, 0), col_text(row, 2));
            texts++;
        }
    }
    return rc;
}

/* Rows without words to compare are found as they are. */
static void take_rows(struct finding *f, const struct owner_ids *owners) {
    for (int i = 0; i < owners->count; i++) owner_of(f, owners->ids[i]);
}

static int examine(struct finding *f) {
    const struct search_query *q = f->query;
    struct owner_ids owners = {0};
    struct str word = {0};
    int64_t count;
    TRY(rarest_word(f, &word, &count));
    if (count == 0) return 0;
    if (count == INT64_MAX) {
        if (!f->filter->any) return 0; /* words that are only excluded select nothing */
        TRY(examine_rows(f, &owners));
        if (q->ends == 0) return take_rows(f, &owners), 0;
        TRY(compare_texts(f, &owners)); /* the words are excluded: a row that has none of them is found, too */
        return take_rows(f, &owners), 0;
    }
    bool common = count > f->texts;
    if (common && f->kind == SEARCH_CASES) TRY(examine_rows(f, &owners));
    if (common && f->kind == SEARCH_CASES && !f->more) return compare_texts(f, &owners);
    f->more = common;
    TRY(examine_word(f, word, &owners));
    return compare_texts(f, &owners);
}

/* ---- the result ---------------------------------------------------------------------------------------------------- */

static bool owner_meets(const struct finding *f, const struct owner *o) {
    uint64_t wanted = f->query->ends & ~f->query->excluded;
    return (o->units & wanted) == wanted && (o->units & f->query->excluded) == 0;
}

static double owner_relevance(const struct finding *f, const struct owner *o) {
    double sum = 0;
    if (f->unit_count == 0) return 1;
    for (int i = 0; i < f->unit_count; i++) sum += (double)o->best[i];
    return round(sum / f->unit_count * 10000) / 10000;
}

static int compare_hits(const void *a, const void *b) {
    const struct search_hit *x = a, *y = b;
    if (x->relevance != y->relevance) return x->relevance < y->relevance ? 1 : -1;
    if (x->kind != y->kind) return x->kind - y->kind;
    return (x->place > y->place) - (x->place < y->place);
}

static int find_kind(struct work *w, const struct search_query *q, const struct search_filter *filter, int kind, struct search_found *out,
                     int *room) {
    struct finding *f = ARENA_NEW(w->arena, struct finding);
    *f = (struct finding){.work = w, .query = q, .filter = filter, .kind = kind, .unit_count = __builtin_popcountll(q->ends)};
    f->single = f->unit_count == 1;
    f->texts = w->desk->search_texts ? w->desk->search_texts : LIMIT_SEARCH_FOUND;
    f->rows = f->texts * 2 / 5; /* each has several texts */
    if (kind == SEARCH_CASES) (filter->state == CASE_ACTIVE ? access_cases : access_cases_of_any_state)(w, &f->visible);
    TRY(examine(f));
    for (int i = 0; i < f->count; i++) {
        const struct owner *o = &f->owners[i];
        if (!owner_meets(f, o)) continue;
        out->hits = arena_more(w->arena, out->hits, out->count, room, sizeof *out->hits);
        out->hits[out->count++] = (struct search_hit){kind, o->id, o->text_id, owner_relevance(f, o), o->place};
    }
    out->more = out->more || f->more;
    return 0;
}

int search_find(struct work *w, const struct search_query *q, const struct search_filter *filter, struct search_found *out) {
    int room = 0;
    *out = (struct search_found){.count = 0};
    if (w->actor.rank < ROLE_COLLABORATOR) return 0; /* texts include notes */
    for (int kind = SEARCH_CASES; kind <= SEARCH_ORGANIZATIONS; kind++)
        if (filter->kinds >> kind & 1) TRY(find_kind(w, q, filter, kind, out, &room));
    if (out->count) qsort(out->hits, (size_t)out->count, sizeof *out->hits, compare_hits);
    return 0;
}
