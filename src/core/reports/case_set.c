#include "core/reports/case_set.h"

#include "base/buf.h"
#include "core/reports/backlog.h"
#include "core/reports/choice.h"
#include "core/reports/series.h"

#include <inttypes.h>

/* Ids of records have 30 bits. */
#define BLOCKS_MOST (1 << 18)
/* Rows of the list in its first part, and in the largest ones. */
#define WALK_FIRST 250
#define WALK_MOST 16000

struct set_making {
    struct case_set *set;
    const struct report_only *only;
    struct case_reader *reader; /* of a caller who sees a part; NULL: all is seen */
    struct choice choice;
    unsigned parts;   /* of facts that count, as bits */
    int64_t from, to; /* their time */
    const struct week_only *week;
    struct week_clock clock;
    int64_t day;                 /* that is read */
    bool quarters[DAY_QUARTERS]; /* of the day: facts of these quarters of an hour count */
    int64_t first, last;         /* whole quarters of an hour */
    int add;                     /* to the number of the conversation of each; 0: the number is one */
    bool unknown;                /* an id is too large, or a quarter has two hours of the week */
};

/* ---- numbers --------------------------------------------------------------------------------------- */

static int16_t *set_block(struct case_set *s, int64_t block) {
    struct arena *a = s->work->arena;
    if (block >= s->room) {
        int64_t room = s->room ? s->room : 256;
        while (block >= room) room *= 2;
        int16_t **blocks = arena_array(a, (size_t)room, sizeof *blocks);
        if (s->room) memcpy(blocks, s->blocks, (size_t)s->room * sizeof *blocks);
        s->blocks = blocks;
        s->room = room;
    }
    if (s->blocks[block] == NULL) s->blocks[block] = arena_array(a, BLOCK_KEYS, sizeof **s->blocks);
    return s->blocks[block];
}

static void set_add(struct set_making *m, int64_t id) {
    if (id < 0 || id / BLOCK_KEYS >= BLOCKS_MOST) {
        m->unknown = true;
        return;
    }
    int16_t *number = set_block(m->set, id / BLOCK_KEYS) + id % BLOCK_KEYS;
    *number = (int16_t)(m->add ? *number + m->add : 1);
}

bool case_set_has(const struct case_set *s, int64_t id) {
    int64_t block = id / BLOCK_KEYS;
    return id >= 0 && block < s->room && s->blocks[block] && s->blocks[block][id % BLOCK_KEYS] == 1;
}

static void set_count(struct case_set *s) {
    s->count = 0;
    for (int64_t b = 0; b < s->room; b++)
        for (int i = 0; s->blocks[b] && i < BLOCK_KEYS; i++) s->count += s->blocks[b][i] == 1;
}

struct str case_set_ids(const struct case_set *s) {
    struct buf out = {0};
    buf_char(&out, '[');
    for (int64_t b = 0; b < s->room; b++)
        for (int i = 0; s->blocks[b] && i < BLOCK_KEYS; i++)
            if (s->blocks[b][i] == 1) buf_fmt(&out, "%s%" PRId64, out.n > 1 ? "," : "", b * BLOCK_KEYS + i);
    buf_char(&out, ']');
    return buf_take(&out, s->work->arena);
}

/* ---- reading --------------------------------------------------------------------------------------- */

static void set_fact(void *arg, const struct fact *f) {
    struct set_making *m = arg;
    if (m->reader && !access_case_of(m->reader, f->keys[BY_TEAM_NOW], f->assigned_agent_id)) return;
    if (m->week && !week_has(m->week, week_clock_hour(&m->clock, f->at))) return;
    if (m->parts >> f->part & 1U) set_add(m, f->case_id);
}

static int set_facts(struct set_making *m, enum fact_kind kind, int64_t from, int64_t to) {
    return from < to ? series_facts_tell(m->set->work, kind, m->only, from, to, set_fact, m) : 0;
}

/* Chooses the quarters of an hour of a day. */
static void set_day(struct set_making *m, int64_t day) {
    m->day = day;
    for (int q = 0; q < DAY_QUARTERS; q++) {
        int64_t at = day * TIME_DAY + q * TIME_QUARTER;
        m->quarters[q] = at >= m->first && at < m->last;
        if (m->week == NULL || !m->quarters[q]) continue;
        int hour = week_clock_hour(&m->clock, at);
        if (week_clock_hour(&m->clock, at + TIME_QUARTER - 1) != hour) m->unknown = true;
        m->quarters[q] = week_has(m->week, hour);
    }
}

static void set_row(void *arg, int64_t day, int64_t key, struct str records) {
    struct set_making *m = arg;
    const struct record_layout *l = &m->choice.layout;
    (void)key;
    if (day != m->day) set_day(m, day);
    for (size_t i = 0; i + l->width <= records.n; i += l->width) {
        const char *record = records.p + i, *time = record + l->time_at;
        if (m->quarters[record_quarter(time)] && m->parts >> record_part(time) & 1U &&
            record_counts(&m->choice, record))
            set_add(m, record_key(record, l->conversation));
    }
}

static int64_t quarter_floor(int64_t at) {
    return (at / TIME_QUARTER - (at % TIME_QUARTER < 0)) * TIME_QUARTER;
}

/* Reads the whole quarters of an hour from rollups, and the two that the time splits from facts. */
static int set_read(struct set_making *m, enum fact_kind kind) {
    m->first = quarter_floor(m->from + TIME_QUARTER - 1), m->last = quarter_floor(m->to);
    m->day = INT64_MIN;
    if (m->first >= m->last) return set_facts(m, kind, m->from, m->to);
    TRY(set_facts(m, kind, m->from, m->first));
    TRY(set_facts(m, kind, m->last, m->to));
    struct choice_ask ask = {.reader = m->reader,
                             .only = m->only,
                             .kind = kind,
                             .rolled = m->only->by[BY_EACH_TAG] ? BY_EACH_TAG : BY_TEAM_WHOLE,
                             .first = fact_day(m->first),
                             .last = fact_day(m->last - 1)};
    TRY(choice_rows(m->set->work, &ask, &m->choice, set_row, m));
    m->unknown = m->unknown || m->choice.unknown;
    return 0;
}

/* ---- sets ------------------------------------------------------------------------------------------ */

/* Returns 1, 0 if rows of conversations decide what the caller sees, or a negative error. */
static int set_begin(struct work *w, const struct report_only *only, struct case_set *out,
                     struct set_making *m) {
    struct case_reader *reader = NULL;
    int known = report_reader(w, &reader);
    *out = (struct case_set){.work = w};
    *m = (struct set_making){.set = out, .only = only, .reader = reader};
    return known;
}

int case_set_behind(struct work *w, const struct report_behind *b, unsigned parts, struct case_set *out) {
    struct set_making m;
    int known = set_begin(w, b->only, out, &m);
    if (known <= 0) return known;
    m.parts = parts;
    m.week = b->week;
    if (b->week) m.clock.zone = b->week->zone;
    m.from = b->from, m.to = b->to;
    TRY(set_read(&m, b->metric->kind));
    set_count(out);
    return !m.unknown;
}

/* Before all facts. */
#define SET_BEGIN (-(INT64_C(1) << 40) * TIME_QUARTER)

/* A conversation was open if it was created and reopened once more than it was completed. An age is a range
 * of its creation. */
int case_set_backlog(struct work *w, const struct report_behind *b, struct case_set *out) {
    static const struct {
        enum fact_kind kind;
        int add;
    } events[] = {{FACT_CREATED, 1}, {FACT_REOPENED, 1}, {FACT_COMPLETED, -1}};
    struct set_making m;
    struct backlog_age age = backlog_age(b->part, b->to);
    int known = set_begin(w, b->only, out, &m);
    if (known <= 0) return known;
    m.parts = ~0U;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        bool created = events[i].kind == FACT_CREATED;
        m.from = created && age.from != INT64_MIN ? age.from : SET_BEGIN;
        m.to = created ? age.to : b->to;
        m.add = events[i].add;
        TRY(set_read(&m, events[i].kind));
    }
    set_count(out);
    return !m.unknown;
}

/* ---- pages ----------------------------------------------------------------------------------------- */

QUERY(set_walk, "SELECT t.id, t.updated_at FROM cases t WHERE t.state = 1 "
                "AND (t.updated_at, t.id) < (:at, :id) ORDER BY t.updated_at DESC, t.id DESC LIMIT :most");

/* Walks the list in parts that grow, because a part is a statement that reads all its rows. */
int case_set_page(const struct case_set *s, int64_t offset, int64_t limit, int64_t *ids) {
    struct conn *c = s->work->conn;
    int64_t at = INT64_MAX, id = INT64_MAX, met = 0, most = WALK_FIRST, read;
    int n = 0, rc;
    do {
        read = 0;
        DB_ROWS(rc, c, &set_walk, BINDS(B_INT("at", at), B_INT("id", id), B_INT("most", most)), row) {
            id = col_int(row, 0), at = col_int(row, 1);
            read++;
            if (n < limit && case_set_has(s, id) && met++ >= offset) ids[n++] = id;
        }
        TRY(rc);
        if (read < most) break;
        if (most < WALK_MOST) most *= 4;
    } while (n < limit);
    return n;
}

/* ---- the total ------------------------------------------------------------------------------------- */

int report_cases_total(struct work *w, const struct report_behind *b, int64_t *total) {
    struct case_set set;
    unsigned parts = parts_behind(b);
    int known = case_set_behind(w, b, parts ? parts : ~0U, &set);
    if (known > 0) *total = set.count;
    if (known || access_is_by_assignment(w)) return known;
    return report_cases_counted(w, b, total);
}
