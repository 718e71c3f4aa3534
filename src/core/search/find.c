/* Bounds of a search.
 *
 * A result must have all words, in one or several of its texts. The rarest word decides what is examined,
 * for each kind of result:
 *
 *     at most LIMIT_SEARCH_FOUND texts have it: all of them are examined, so what is found is complete
 *     more have it: two fifths as many conversations that were changed last, among those that the actor sees
 *         and that meet the operators. If these are not all, also LIMIT_SEARCH_FOUND of the newest texts, heads
 *         first
 *     the results have a tag of many conversations: of the conversations of the two cases around this one,
 *         twice as many that were changed last are looked at, and as many of the newest ones with the tag
 *     there is no word: the LIMIT_SEARCH_FOUND conversations that were changed last, or the newest people and
 *         organizations
 *
 * So the work of a search with words does not grow with the desk. An operator that few conversations meet
 * reads all visible ones, if no index serves it. Visibility is part of the queries that choose the rows:
 * no invisible row is read into memory. If all texts with the word are examined, what is invisible changes
 * neither hits nor order. The newest texts with a common word are counted before visibility, so invisible
 * ones take places among them: an actor who sees more conversations than are walked may miss older hits, and
 * may learn that a word is in more than LIMIT_SEARCH_FOUND texts of the desk, or a prefix broad (rarest.h),
 * because the total is then marked as a lower bound. */
#include "core/search/find.h"

#include "base/buf.h"
#include "base/ids.h"
#include "core/access/help_center.h"
#include "core/search/rarest.h"
#include "json/json.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* ---- what was found -------------------------------------------------------------------------- */

struct owner {
    int64_t id, text_id, place;
    uint64_t units;
    float *best; /* for each unit, the score of the best text, or of all texts of an article */
    float top;   /* the score of text_id */
};

struct finding {
    struct work *work;
    const struct search_query *query;
    const struct search_filter *filter;
    int kind, unit_count;
    bool single;                 /* one unit, so that each text decides alone */
    double weight[SEARCH_TERMS]; /* weights of the units, in their order */
    double heaviest;             /* the most that the units of a result weigh together */
    struct owner *owners;
    int count, room, *slots, slot_count;
    bool more;       /* as in search_found */
    int texts, rows; /* texts with the rarest word, and rows of a walk, that are examined at most */
    struct indexed_words *terms; /* of the terms of the query, as far as they were needed */
    struct branches visible;
    struct bind binds[BRANCH_BINDS_MAX + SEARCH_FILTER_BINDS + 16];
};

static size_t owner_slot(const struct finding *f, int64_t id) {
    size_t mask = (size_t)f->slot_count - 1,
           at = (size_t)(((uint64_t)id * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & mask;
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

/* ---- relevance ------------------------------------------------------------------------------- */

/* A unit counts more in a head, in a short text, and if it is repeated. Between 0 and 1. */
static float unit_score(int kind, enum search_source source, int repeated, int length) {
    static const float weights[SEARCH_SOURCES] = {
        [SEARCH_HEAD] = 1.0F, [SEARCH_MESSAGE] = 0.6F, [SEARCH_NOTE] = 0.5F};
    static const float of_articles[SEARCH_SOURCES] = {
        [SEARCH_TITLE] = 1.0F, [SEARCH_KEYWORDS] = 0.8F, [SEARCH_CONTENTS] = 0.6F};
    float n = (float)repeated;
    return (kind == SEARCH_ARTICLES ? of_articles : weights)[source] * n /
           (n + 0.3F + (float)length / 100.0F);
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
        float score = unit_score(f->kind, search_source_of(text_id), t.counts[last], t.length);
        sum += score;
        /* title, keywords and contents together */
        if (f->kind == SEARCH_ARTICLES) o->best[unit] = 1 - (1 - o->best[unit]) * (1 - score);
        else if (score > o->best[unit]) o->best[unit] = score;
    }
    if (sum > o->top || (sum == o->top && text_id < o->text_id)) o->top = sum, o->text_id = text_id;
}

/* ---- queries --------------------------------------------------------------------------------- */

static const struct {
    const char *table, *condition, *order[2]; /* order: of a walk; by created_at */
} searched[SEARCH_KINDS] = {
    [SEARCH_CASES] = {"cases", NULL, {"t.updated_at", "t.created_at"}},
    [SEARCH_USERS] = {"users", "t.deleted_at IS NULL", {"t.id", "t.created_at"}},
    [SEARCH_ORGANIZATIONS] = {"organizations", "t.deleted_at IS NULL", {"t.id", "t.created_at"}},
    [SEARCH_ARTICLES] = {"articles", NULL, {"t.id", "t.created_at"}},
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
    if (searched[f->kind].condition) {
        buf_text(sql, searched[f->kind].condition);
    } else {
        buf_text(sql, "(1 = 0");
        for (int i = 0; i < f->visible.count; i++) buf_fmt(sql, " OR (%s)", f->visible.where[i]);
        buf_char(sql, ')');
    }
    buf_text(sql, f->filter->where[f->kind]);
}

/* A condition on the texts s of rows t. */
static void texts_sql(const struct finding *f, struct buf *sql) {
    if (f->kind == SEARCH_ARTICLES && f->filter->texts) buf_fmt(sql, " AND %s", f->filter->texts);
}

static struct word_search words_searched(const struct finding *f) {
    return (struct word_search){f->work, f->query, f->kind, f->texts, f->terms};
}

/* The query with a last word that is a whole word. */
static const struct search_query *closed_query(struct arena *a, const struct search_query *q) {
    struct search_query *closed = ARENA_NEW(a, struct search_query);
    *closed = *q;
    closed->stops &= ~q->open;
    closed->open = 0;
    return closed;
}

/* ---- examining ------------------------------------------------------------------------------- */

struct owner_ids {
    int64_t *ids;
    int count, room;
};

static void list_owner(struct finding *f, struct owner_ids *owners, int64_t id) {
    owners->ids = arena_more(f->work->arena, owners->ids, owners->count, &owners->room, sizeof *owners->ids);
    owners->ids[owners->count++] = id;
}

#define SCANNED 4 /* times as many texts with a common word are looked at as are examined */

/* The texts of the word with the highest ids; heads first, because a word counts most in them. Without a
 * word, the newest texts. */
#define HEADS_FIRST(id) "CASE WHEN (" id " & 3) = 0 THEN 0 ELSE 1 END, " id " DESC"
#define OF_KIND "f.id >= :from AND f.id < :to ORDER BY f.id DESC LIMIT "
#define TEXTS_WITH_WORD "(SELECT f.id FROM @FOUND(:words) f WHERE " OF_KIND ":most)"
#define HEADS_WITH_WORD                                                   \
    "(SELECT p.id FROM (SELECT f.id FROM @FOUND(:words) f WHERE " OF_KIND \
    ":scanned) p ORDER BY " HEADS_FIRST("p.id") " LIMIT :most)"
#define NEWEST_TEXTS "(SELECT f.id FROM search_texts f WHERE " OF_KIND ":most)"

/* Examines the texts of a source. With one unit each text is compared at once. Otherwise only the owners
 * are noted, because their other texts count, too. */
static int examine_source(struct finding *f, const char *source, struct str words, int64_t most,
                          struct owner_ids *owners) {
    struct buf sql = {0};
    struct stmt *s;
    int rc;
    buf_fmt(&sql,
            "SELECT s.id, s.owner_id, %s FROM %s g JOIN search_texts s ON s.id = g.id JOIN %s t "
            "ON t.id = s.owner_id WHERE ",
            f->single ? "s.terms" : "''", source, searched[f->kind].table);
    visible_sql(f, &sql);
    texts_sql(f, &sql);
    buf_text(&sql, f->kind == SEARCH_ARTICLES ? " ORDER BY s.id DESC" : " ORDER BY " HEADS_FIRST("s.id"));
    buf_text(&sql, " @BY_VALUES@");
    TRY(finding_start(f, &sql,
                      BINDS(B_TEXT("words", words), B_INT("from", search_range(f->kind)),
                            B_INT("to", search_range(f->kind + 1)), B_INT("most", most),
                            B_INT("scanned", most * SCANNED)),
                      &s));
    while ((rc = stmt_step(s)) == 1)
        if (f->single) take_text(f, col_int(s, 1), col_int(s, 0), col_text(s, 2));
        else list_owner(f, owners, col_int(s, 1));
    stmt_end(s);
    return rc;
}

QUERY(search_texts_count, "SELECT COUNT(*) FROM " NEWEST_TEXTS " n");

/* f->more: there are more texts than `most`. */
static int examine_word(struct finding *f, const struct rarest *r, int64_t most, struct owner_ids *owners) {
    const struct indexed_words *i = &r->words;
    int64_t all = 0;
    if (i->broad)
        TRY(db_int(f->work->conn, &search_texts_count, WORD_BINDS(i->words, f->kind, most + 1), &all));
    f->more = f->more || (i->broad ? all : r->count) > most;
    return examine_source(f,
                          i->broad          ? NEWEST_TEXTS
                          : r->count > most ? HEADS_WITH_WORD
                                            : TEXTS_WITH_WORD,
                          i->words, most, owners);
}

/* The visible rows of a branch that meet the operators, the last changed first: an index range. */
struct branch_rows {
    struct stmt *rows;
    int64_t place, id; /* of the present row. id 0: the branch is at its end */
    bool meets;        /* the row meets the operators; false only with a common tag */
};

static bool is_tagged(const struct finding *f) { return f->kind == SEARCH_CASES && f->filter->common_tag; }

/* The most rows that a walk looks at if the results have a common tag. */
static int looked_at(const struct finding *f) { return f->rows * 2; }

static int branch_step(struct branch_rows *b) {
    int rc = stmt_step(b->rows);
    b->id = rc == 1 ? col_int(b->rows, 0) : 0;
    b->place = rc == 1 ? col_int(b->rows, 1) : 0;
    b->meets = rc == 1 && col_int(b->rows, 2) == 1;
    return rc < 0 ? rc : 0;
}

static int branch_start(struct finding *f, const char *where, struct branch_rows *b) {
    const char *order = searched[f->kind].order[f->filter->by_created], *meets = f->filter->where[f->kind];
    bool tagged = is_tagged(f);
    struct buf sql = {0};
    buf_fmt(
        &sql,
        "SELECT t.id, %s, CASE WHEN 1 = 1%s THEN 1 ELSE 0 END FROM %s t WHERE %s%s ORDER BY %s DESC, t.id DESC LIMIT :walk",
        order, tagged ? meets : "", searched[f->kind].table, where, tagged ? "" : meets, order);
    TRY(finding_start(f, &sql, BINDS(B_INT("walk", tagged ? looked_at(f) : f->rows)), &b->rows));
    return branch_step(b);
}

/* Merges the branches, so that each is read only as far as it is taken. A row may be in several. */
static int merge_branches(struct finding *f, struct branch_rows *b, int n, struct owner_ids *owners) {
    int64_t last = 0;
    int most = is_tagged(f) ? looked_at(f) : INT_MAX;
    for (int found = 0; found < f->rows && most > 0; most--) {
        struct branch_rows *next = NULL;
        for (int i = 0; i < n; i++)
            if (b[i].id && (next == NULL || b[i].place > next->place ||
                            (b[i].place == next->place && b[i].id > next->id)))
                next = &b[i];
        if (next == NULL) return 0;
        if (next->meets && next->id != last) list_owner(f, owners, last = next->id), found++;
        TRY(branch_step(next));
    }
    f->more = true;
    return 0;
}

/* The newest rows with the common tag, the last changed first. */
static int examine_tagged(struct finding *f, struct owner_ids *owners) {
    const char *order = searched[f->kind].order[f->filter->by_created];
    struct buf sql = {0};
    struct stmt *s;
    int rc;
    buf_text(&sql, "SELECT t.id FROM (SELECT r.case_id FROM case_tags r WHERE r.tag_id = :common_tag "
                   "ORDER BY r.case_id DESC LIMIT :looked) g JOIN cases t ON t.id = g.case_id WHERE ");
    visible_sql(f, &sql);
    buf_fmt(&sql, " ORDER BY %s DESC, t.id DESC LIMIT :walk @BY_VALUES@", order);
    TRY(finding_start(f, &sql, BINDS(B_INT("looked", looked_at(f)), B_INT("walk", f->rows)), &s));
    while ((rc = stmt_step(s)) == 1) list_owner(f, owners, col_int(s, 0));
    stmt_end(s);
    return rc;
}

/* The visible rows that meet the operators, the last changed first. */
static int examine_rows(struct finding *f, struct owner_ids *owners) {
    struct branch_rows list[BRANCHES_MAX] = {0};
    const char *all = searched[f->kind].condition;
    int n = 0, count = all ? 1 : f->visible.count, rc = 0;
    for (; rc == 0 && n < count; n++) rc = branch_start(f, all ? all : f->visible.where[n], &list[n]);
    if (rc == 0) rc = merge_branches(f, list, n, owners);
    for (int i = 0; i < n; i++)
        if (list[i].rows) stmt_end(list[i].rows);
    return rc == 0 && f->more && is_tagged(f) && owners->count < f->rows ? examine_tagged(f, owners) : rc;
}

/* Compares the texts of these results. Returns their number, or a negative error. */
static int compare_texts_of(struct finding *f, struct str owners) {
    bool all = f->kind != SEARCH_ARTICLES || f->filter->texts == NULL;
    struct buf sql = {0};
    struct stmt *s;
    int rc, n = 0;
    buf_fmt(&sql,
            "SELECT s.id, s.owner_id, s.terms FROM search_texts s%s "
            "WHERE s.owner_id IN @LIST(:owners) AND s.kind = :kind",
            all ? "" : " JOIN articles t ON t.id = s.owner_id");
    texts_sql(f, &sql);
    /* sums of floats depend on their order */
    if (f->kind == SEARCH_ARTICLES) buf_text(&sql, " ORDER BY s.id");
    TRY(finding_start(f, &sql, BINDS(B_TEXT("owners", owners), B_INT("kind", f->kind)), &s));
    for (; (rc = stmt_step(s)) == 1; n++) take_text(f, col_int(s, 1), col_int(s, 0), col_text(s, 2));
    stmt_end(s);
    return rc < 0 ? rc : n;
}

struct listed_owner {
    int64_t id;
    int place;
};

static int compare_listed_ids(const void *a, const void *b) {
    const struct listed_owner *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : x->place - y->place;
}

static int compare_listed_places(const void *a, const void *b) {
    return ((const struct listed_owner *)a)->place - ((const struct listed_owner *)b)->place;
}

/* Keeps the first of equal ids, in their order. */
static void owners_once(struct arena *a, struct owner_ids *o) {
    struct listed_owner *list = arena_array(a, (size_t)o->count + 1, sizeof *list);
    int n = 0;
    for (int i = 0; i < o->count; i++) list[i] = (struct listed_owner){o->ids[i], i};
    qsort(list, (size_t)o->count, sizeof *list, compare_listed_ids);
    for (int i = 0; i < o->count; i++)
        if (i == 0 || list[i].id != list[i - 1].id) list[n++] = list[i];
    qsort(list, (size_t)n, sizeof *list, compare_listed_places);
    for (int i = 0; i < n; i++) o->ids[i] = list[i].id;
    o->count = n;
}

#define OWNERS_AT_ONCE 100

/* Compares all texts of these results, which the actor may see. Removes the owners that it did not
 * compare. */
static int compare_texts(struct finding *f, struct owner_ids *owners) {
    int64_t texts = 0;
    if (owners->count) owners_once(f->work->arena, owners);
    for (int first = 0, n; first < owners->count; first += n) {
        n = owners->count - first < OWNERS_AT_ONCE ? owners->count - first : OWNERS_AT_ONCE;
        if (texts > (int64_t)f->texts * LIMIT_SEARCH_READ) return owners->count = first, f->more = true, 0;
        int compared = compare_texts_of(f, json_ids(f->work->arena, owners->ids + first, (size_t)n));
        TRY(compared);
        texts += compared;
    }
    return 0;
}

/* Rows without words to compare are found as they are. */
static void take_rows(struct finding *f, const struct owner_ids *owners) {
    for (int i = 0; i < owners->count; i++) owner_of(f, owners->ids[i]);
}

/* The newest texts with a beginning of the last word may lack those with the whole word, which come first.
 * The scores of the texts of an article are joined, so none may be compared twice. */
static int examine_whole_word(struct finding *f, struct owner_ids *owners) {
    struct word_search words = words_searched(f);
    struct rarest whole = NO_WORD;
    if (f->kind == SEARCH_ARTICLES) f->single = false;
    TRY(weigh_word(&words, search_open_unit(f->query), &whole));
    return whole.count ? examine_word(f, &whole, f->texts, owners) : 0;
}

static int examine(struct finding *f) {
    const struct search_query *q = f->query;
    struct owner_ids owners = {0};
    struct word_search words = words_searched(f);
    struct rarest r;
    TRY(rarest_word(&words, &r));
    if (r.count == 0) return 0;
    if (r.count == INT64_MAX) {
        if (!f->filter->any) return 0; /* words that are only excluded select nothing */
        TRY(examine_rows(f, &owners));
        if (q->ends == 0) return take_rows(f, &owners), 0;
        /* the words are excluded: a row that has none of them is found, too */
        TRY(compare_texts(f, &owners));
        return take_rows(f, &owners), 0;
    }
    bool common = r.count > f->texts;
    if (common && f->kind == SEARCH_CASES) TRY(examine_rows(f, &owners));
    if (common && f->kind == SEARCH_CASES && !f->more) return compare_texts(f, &owners);
    if (common && q->open) TRY(examine_whole_word(f, &owners));
    TRY(examine_word(f, &r, f->texts, &owners));
    return compare_texts(f, &owners);
}

#define SOME_WORDS 4 /* units whose texts are examined if a result need not have all */

static int compare_rarest(const void *a, const void *b) {
    const struct rarest *x = a, *y = b;
    return (x->count > y->count) - (x->count < y->count);
}

/* Results may lack units: the texts with the rarest ones are examined, of each at most a part of f->texts. */
static int examine_some(struct finding *f) {
    struct word_search words = words_searched(f);
    struct rarest units[SEARCH_TERMS], *end = units;
    struct owner_ids owners = {0};
    const struct search_query *q = f->query;
    for (uint64_t ends = q->ends & ~q->excluded; ends; ends &= ends - 1) {
        *end = NO_WORD;
        TRY(weigh_unit(&words, __builtin_ctzll(ends), end));
        if (end->count > 0) end++;
    }
    qsort(units, (size_t)(end - units), sizeof *units, compare_rarest);
    f->single = false;
    for (const struct rarest *r = units; r < end && r < units + SOME_WORDS; r++)
        TRY(examine_word(f, r, f->texts / SOME_WORDS, &owners));
    return compare_texts(f, &owners);
}

/* ---- the result ------------------------------------------------------------------------------ */

/* The weight of the units of a mask. */
static double weight_of_units(const struct finding *f, uint64_t mask) {
    double sum = 0;
    int unit = 0;
    for (uint64_t ends = f->query->ends; ends; ends &= ends - 1, unit++)
        if (mask >> __builtin_ctzll(ends) & 1) sum += f->weight[unit];
    return sum;
}

/* A unit that few of the results have weighs more. */
static void weigh_units(struct finding *f) {
    int unit = 0;
    for (uint64_t ends = f->query->ends; ends; ends &= ends - 1, unit++) {
        int with = 0;
        for (int i = 0; i < f->count; i++) with += (int)(f->owners[i].units >> __builtin_ctzll(ends) & 1);
        f->weight[unit] = log(1 + (double)(f->count + 1) / (with ? with : 1));
    }
    for (int i = 0; i < f->count; i++)
        f->heaviest = fmax(f->heaviest, weight_of_units(f, f->owners[i].units));
}

/* A result that may lack units has (1) a fifth of the weight of all, and (2) half of the weight that the
 * best one has. */
static bool has_enough_units(const struct finding *f, const struct owner *o) {
    double has = weight_of_units(f, o->units);
    return has * 5 >= weight_of_units(f, f->query->ends & ~f->query->excluded) && has * 2 >= f->heaviest;
}

static bool owner_meets(const struct finding *f, const struct owner *o) {
    uint64_t wanted = f->query->ends & ~f->query->excluded;
    if (o->units & f->query->excluded) return false;
    return f->filter->some ? has_enough_units(f, o) : (o->units & wanted) == wanted;
}

static double owner_relevance(const struct finding *f, const struct owner *o) {
    double sum = 0, all = 0;
    if (f->unit_count == 0) return 1;
    for (int i = 0; i < f->unit_count; i++) sum += f->weight[i] * (double)o->best[i], all += f->weight[i];
    return round(sum / all * 10000) / 10000;
}

static int compare_hits(const void *a, const void *b) {
    const struct search_hit *x = a, *y = b;
    if (x->relevance != y->relevance) return x->relevance < y->relevance ? 1 : -1;
    if (x->kind != y->kind) return x->kind - y->kind;
    return (x->place > y->place) - (x->place < y->place);
}

static int find_kind(struct work *w, const struct search_query *q, const struct search_filter *filter,
                     int kind, struct indexed_words *terms, struct search_found *out, int *room) {
    struct finding *f = ARENA_NEW(w->arena, struct finding);
    *f = (struct finding){
        .work = w, .query = q, .filter = filter, .kind = kind, .unit_count = __builtin_popcountll(q->ends)};
    f->single = f->unit_count == 1;
    f->texts = texts_examined(w->desk, kind);
    f->rows = f->unit_count ? f->texts * 2 / 5 : f->texts; /* each has several texts to compare */
    f->terms = terms;
    for (int i = 0; i < f->unit_count; i++) f->weight[i] = 1;
    if (kind == SEARCH_CASES)
        (filter->state == CASE_ACTIVE ? access_cases : access_cases_of_any_state)(w, &f->visible);
    if (kind == SEARCH_ARTICLES) access_articles(w, &f->visible);
    TRY(filter->some ? examine_some(f) : examine(f));
    if (filter->some) weigh_units(f);
    for (int i = 0; i < f->count; i++) {
        const struct owner *o = &f->owners[i];
        if (!owner_meets(f, o)) continue;
        out->hits = arena_more(w->arena, out->hits, out->count, room, sizeof *out->hits);
        out->hits[out->count++] =
            (struct search_hit){kind, o->id, o->text_id, owner_relevance(f, o), o->place};
    }
    out->more = out->more || f->more;
    return 0;
}

/* True if the last word itself is in more texts of these kinds than a search examines. Then no kind merges
 * the texts of words that begin so. */
static int is_last_word_common(struct work *w, const struct search_query *q, unsigned kinds) {
    int64_t n, most = texts_examined(w->desk, SEARCH_CASES);
    int first = __builtin_ctz(kinds), last = 31 - __builtin_clz(kinds);
    struct indexed_words words;
    TRY(words_of_term(w, first, &q->terms[search_open_unit(q)], &words));
    TRY(texts_count(w, words.words, first, last, most + 1, &n));
    return n > most;
}

int search_find(struct work *w, const struct search_query *q, const struct search_filter *filter,
                struct search_found *out) {
    unsigned kinds = filter->kinds;
    struct indexed_words *terms = arena_array(w->arena, SEARCH_TERMS, sizeof *terms),
                         *of_articles = arena_array(w->arena, SEARCH_TERMS, sizeof *of_articles);
    int room = 0;
    *out = (struct search_found){.count = 0};
    if (w->actor.rank < ROLE_COLLABORATOR) kinds &= 1u << SEARCH_ARTICLES; /* other texts include notes */
    if (q->open && kinds) {
        int common = is_last_word_common(w, q, kinds);
        TRY(common);
        if (common) q = closed_query(w->arena, q), out->whole = true;
    }
    for (int kind = SEARCH_CASES; kind <= SEARCH_ARTICLES; kind++)
        if (kinds >> kind & 1)
            TRY(find_kind(w, q, filter, kind, kind == SEARCH_ARTICLES ? of_articles : terms, out, &room));
    if (out->count) qsort(out->hits, (size_t)out->count, sizeof *out->hits, compare_hits);
    return 0;
}

int search_articles_start(struct work *w, const struct search_filter *filter, const char *select,
                          const char *rest, const struct bind *binds, struct stmt **s) {
    struct finding *f = ARENA_NEW(w->arena, struct finding);
    struct buf sql = {0};
    *f = (struct finding){.work = w, .filter = filter, .kind = SEARCH_ARTICLES};
    access_articles(w, &f->visible);
    buf_text(&sql, select);
    buf_text(&sql, " WHERE ");
    visible_sql(f, &sql);
    texts_sql(f, &sql);
    buf_text(&sql, rest);
    return finding_start(f, &sql, binds, s);
}

int search_word_visible(struct work *w, const struct search_filter *filter, const struct search_term *t,
                        int enough) {
    struct indexed_words words;
    struct stmt *s;
    TRY(words_of_term(w, SEARCH_ARTICLES, t, &words));
    if (words.broad) return enough; /* more than PREFIX_WORDS words of articles begin so */
    if (words.words.p == NULL) return 0;
    TRY(search_articles_start(
        w, filter,
        "SELECT COUNT(*) FROM (SELECT 1 AS one FROM (SELECT f.id FROM @FOUND(:words) f WHERE f.id >= :from "
        "AND f.id < :to ORDER BY f.id DESC LIMIT :most) g JOIN search_texts s ON s.id = g.id "
        "JOIN articles t ON t.id = s.owner_id",
        str_fmt(w->arena, " LIMIT %d) n @BY_VALUES@", enough).p,
        WORD_BINDS(words.words, SEARCH_ARTICLES, texts_examined(w->desk, SEARCH_ARTICLES)), &s));
    int rc = stmt_step(s), n = rc == 1 ? (int)col_int(s, 0) : 0;
    stmt_end(s);
    return rc < 0 ? rc : n;
}
