/* The number of conversations behind a number that counts some of them several times. Rollups have the
 * conversation of each such fact, so each fact sets a bit. A count of different ids of the facts reads a row
 * for each, and keeps a tree of them. For a caller who sees a part, the bits of visible conversations
 * count. */
#include "base/buf.h"
#include "core/reports/record.h"
#include "core/reports/series_ask.h"

#define BLOCKS_MOST (1 << 20)

struct case_bits {
    struct work *work;
    uint64_t **blocks; /* by id / BLOCK_KEYS */
    int count;         /* of blocks, known or NULL */
    int64_t set;       /* the number of bits */
};

static uint64_t *bits_of(struct case_bits *b, int64_t block) {
    if (block >= b->count) {
        int count = b->count ? b->count : 256;
        while (block >= count) count *= 2;
        uint64_t **blocks = arena_array(b->work->arena, (size_t)count, sizeof(uint64_t *));
        if (b->count) memcpy(blocks, b->blocks, (size_t)b->count * sizeof *blocks);
        b->blocks = blocks;
        b->count = count;
    }
    if (b->blocks[block] == NULL)
        b->blocks[block] = arena_array(b->work->arena, BLOCK_KEYS / 64, sizeof **b->blocks);
    return b->blocks[block];
}

static void bit_set(struct case_bits *b, uint64_t *bits, int place) {
    uint64_t bit = (uint64_t)1 << place % 64;
    b->set += (bits[place / 64] & bit) == 0;
    bits[place / 64] |= bit;
}

/* Returns false if the bit is clear already. */
static bool bit_clear(uint64_t *bits, int place) {
    uint64_t bit = (uint64_t)1 << place % 64;
    bool was = (bits[place / 64] & bit) != 0;
    bits[place / 64] &= ~bit;
    return was;
}

QUERY(conversation_days, "SELECT d.day, d.key, d.records FROM report_days d WHERE d.kind = :kind "
                         "AND d.dimension = 8 AND d.day BETWEEN :first AND :last");
QUERY(conversation_blocks, "SELECT COALESCE(MAX(t.id), 0) FROM cases t");
QUERY(conversations_between, "SELECT f.case_id, f.part FROM report_facts f WHERE f.kind = :kind "
                             "AND f.at >= :from AND f.at < :to");
_Static_assert(BY_CONVERSATION == 8, "number in the SQL");

static void day_add(struct case_bits *b, int64_t day, uint64_t *bits, struct str records, unsigned parts,
                    int64_t from, int64_t to) {
    size_t width = record_layout(FACT_CREATED, BY_CONVERSATION).width;
    for (size_t i = 0; i + width <= records.n; i += width) {
        const char *time = records.p + i + 2;
        int64_t at = day * TIME_DAY + record_quarter(time) * TIME_QUARTER;
        if (at >= from && at < to && (parts >> record_part(time) & 1U))
            bit_set(b, bits, block_place(records.p + i));
    }
}

static int facts_add(struct case_bits *b, int kind, unsigned parts, int64_t from, int64_t to) {
    int rc;
    if (from >= to) return 0;
    DB_ROWS(rc, b->work->conn, &conversations_between,
            BINDS(B_INT("kind", kind), B_INT("from", from), B_INT("to", to)), row) {
        int64_t id = col_int(row, 0);
        if (parts >> col_int(row, 1) & 1U) bit_set(b, bits_of(b, id / BLOCK_KEYS), (int)(id % BLOCK_KEYS));
    }
    return rc;
}

/* Counts the bits of conversations that the caller sees, each once. */
static int seen_count(struct case_bits *b, int64_t *total) {
    struct branches seen = {0};
    struct buf sql = {0};
    struct stmt *row;
    access_cases(b->work, &seen);
    if (failed(b->work)) return -(int)failure(b->work);
    for (int i = 0; i < seen.count; i++)
        buf_fmt(&sql, "%sSELECT t.id FROM cases t WHERE %s", i ? " UNION ALL " : "", seen.where[i]);
    buf_char(&sql, 0);
    int rc = seen.count ? db_start(b->work->conn, sql.p, seen.binds, &row) : 0;
    buf_free(&sql);
    *total = 0;
    if (seen.count == 0 || rc < 0) return rc;
    while ((rc = stmt_step(row)) == 1) {
        int64_t id = col_int(row, 0), block = id / BLOCK_KEYS;
        uint64_t *bits = block < b->count ? b->blocks[block] : NULL;
        if (bits && bit_clear(bits, (int)(id % BLOCK_KEYS))) ++*total;
    }
    stmt_end(row);
    return rc;
}

static int bits_count(struct case_bits *b, int64_t *total) {
    if (access_is_by_assignment(b->work)) TRY(seen_count(b, total));
    else *total = b->set;
    return 1;
}

static int64_t quarter_floor(int64_t at) {
    return (at / TIME_QUARTER - (at % TIME_QUARTER < 0)) * TIME_QUARTER;
}

/* Counts the whole quarters of an hour from rollups, and the two that the period splits from facts. */
int report_cases_distinct(struct work *w, const struct report_behind *b, unsigned parts, int64_t *total) {
    struct case_bits bits = {.work = w};
    int kind = b->metric->kind, rc;
    int64_t first = quarter_floor(b->from + TIME_QUARTER - 1), last = quarter_floor(b->to), highest;
    TRY(db_int(w->conn, &conversation_blocks, NULL, &highest));
    if (highest / BLOCK_KEYS >= BLOCKS_MOST) return 0;
    if (first >= last) {
        TRY(facts_add(&bits, kind, parts, b->from, b->to));
        return bits_count(&bits, total);
    }
    TRY(facts_add(&bits, kind, parts, b->from, first));
    TRY(facts_add(&bits, kind, parts, last, b->to));
    DB_ROWS(rc, w->conn, &conversation_days,
            BINDS(B_INT("kind", kind), B_INT("first", fact_day(first)), B_INT("last", fact_day(last - 1))),
            row)
    if (col_int(row, 1) >= 0 && col_int(row, 1) < BLOCKS_MOST)
        day_add(&bits, col_int(row, 0), bits_of(&bits, col_int(row, 1)), col_text(row, 2), parts, first,
                last);
    TRY(rc);
    return bits_count(&bits, total);
}
