/* Counting in the store looks each conversation of the smaller set up by its id: 2 us each in SQLite, 0.2
 * s for a tag that 100,000 conversations have. This file reads the ids of both sets from their indexes,
 * without rows, and compares them here by a bit for each id: 0.1 us each. PostgreSQL compares sets by
 * itself (hash join), and would send all ids to this process. While a cascade runs, rows refer to deleted
 * objects, which only the list's own condition leaves out. */
#include "core/cases/case_intersection.h"

#include "core/desk/cascade.h"
#include "json/json.h"

#define LOOKED_UP 10 /* cost of a look-up by id, in ids that are read from an index */

QUERY(ids_of_tag, "SELECT k.case_id FROM case_tags k WHERE k.tag_id = :id ORDER BY k.case_id");
QUERY(ids_of_team, "SELECT t.id FROM cases t WHERE t.assigned_team_id = :id AND t.state = 1");
QUERY(ids_of_agent, "SELECT t.id FROM cases t WHERE t.assigned_agent_id = :id AND t.state = 1");
QUERY(ids_of_requester, "SELECT t.id FROM cases t WHERE t.requester_id = :id AND t.state = 1");
QUERY(ids_of_organization, "SELECT t.id FROM cases t WHERE t.organization_id = :id AND t.state = 1");
QUERY(total_of_tags,
      "SELECT COUNT(*) FROM cases t "
      "WHERE t.state = 1 AND t.id IN (SELECT k.case_id FROM case_tags k WHERE k.tag_id IN @LIST(:tags))");
QUERY(active_among, "SELECT COUNT(*) FROM cases t WHERE t.state = 1 AND t.id IN @LIST(:ids)");

/* A bit for each id up to the highest one: ids of conversations have few gaps. */
struct id_bits {
    uint64_t *words;
    int64_t count; /* number of words */
};

static void bits_grow(struct arena *a, struct id_bits *b, int64_t least) {
    int64_t count = b->count * 2 > least ? b->count * 2 : least;
    uint64_t *words = arena_array(a, (size_t)count, sizeof *words);
    if (b->count) memcpy(words, b->words, (size_t)b->count * sizeof *words);
    *b = (struct id_bits){words, count};
}

static inline bool bits_have(const struct id_bits *b, int64_t id) {
    return id >> 6 < b->count && b->words[id >> 6] >> (id & 63) & 1;
}

/* Returns the number of ids, or a negative error. */
static int bits_of_tag(struct work *w, int64_t tag_id, struct id_bits *out) {
    int rc, n = 0;
    *out = (struct id_bits){0};
    DB_ROWS(rc, w->conn, &ids_of_tag, BINDS(B_INT("id", tag_id)), row) {
        int64_t id = col_int(row, 0);
        if (id >> 6 >= out->count) bits_grow(w->arena, out, (id >> 6) + 1);
        out->words[id >> 6] |= UINT64_C(1) << (id & 63);
        n++;
    }
    return rc < 0 ? rc : n;
}

static int count_tagged(struct work *w, const struct case_filter *f, const struct query *others,
                        int64_t other_id, int64_t *total) {
    struct id_bits tagged;
    int rc;
    TRY(bits_of_tag(w, f->tag_id, &tagged));
    *total = 0;
    DB_ROWS(rc, w->conn, others, BINDS(B_INT("id", other_id)), row) *total +=
        bits_have(&tagged, col_int(row, 0));
    return rc < 0 ? rc : 1;
}

/* The ids of the conversations that have both tags, as a JSON array in *both. Returns 0 or a negative
 * error. */
static int ids_of_both(struct work *w, int64_t one, int64_t two, struct str *both) {
    struct id_bits a;
    int64_t *list;
    size_t kept = 0;
    int n = bits_of_tag(w, one, &a);
    TRY(n);
    list = arena_array(w->arena, (size_t)n + 1, sizeof *list);
    int rc;
    DB_ROWS(rc, w->conn, &ids_of_tag, BINDS(B_INT("id", two)), row) {
        int64_t id = col_int(row, 0);
        if (bits_have(&a, id)) list[kept++] = id;
    }
    *both = json_ids(w->arena, list, kept);
    return rc;
}

/* Conversations with one of two tags: those of each, without those of both. */
static int count_of_two_tags(struct work *w, int64_t one, int64_t two, int64_t *total) {
    struct case_filter f = {.by = BY_TAG, .tag_id = one};
    int64_t of_one, of_two, of_both;
    struct str both;
    int known = case_total_of_all(w, &f, &of_one);
    f.tag_id = two;
    if (known > 0) known = case_total_of_all(w, &f, &of_two);
    if (known <= 0) return known;
    TRY(of_one < of_two ? ids_of_both(w, one, two, &both) : ids_of_both(w, two, one, &both));
    TRY(db_int(w->conn, &active_among, BINDS(B_TEXT("ids", both)), &of_both));
    *total = of_one + of_two - of_both;
    return 1;
}

static int count_of_tags(struct work *w, const struct case_filter *f, int64_t *total) {
    struct json *list;
    struct json_error err;
    int64_t one, two;
    if (json_parse(w->arena, f->tag_ids, &list, &err) < 0) return -ERR_INTERNAL_ERROR;
    bool of_two =
        list->count == 2 && str_to_int(list->first->text, &one) && str_to_int(list->first->next->text, &two);
    if (of_two && !db_blocks(w->desk->db)) return count_of_two_tags(w, one, two, total);
    int rc = db_int(w->conn, &total_of_tags, BINDS(B_TEXT("tags", f->tag_ids)), total);
    return rc < 0 ? rc : 1;
}

/* Returns whether reading both sets in order costs less than looking up the smaller one. */
static int is_faster(struct work *w, const struct case_filter *f, unsigned other) {
    struct case_filter one = *f;
    int64_t tagged, others;
    one.by = BY_TAG;
    int known = case_total_of_all(w, &one, &tagged);
    one.by = other;
    if (known > 0) known = case_total_of_all(w, &one, &others);
    if (known <= 0) return known;
    return tagged + others < LOOKED_UP * (tagged < others ? tagged : others);
}

int case_total_of_both(struct work *w, const struct case_filter *f, int64_t *total) {
    unsigned other = f->by & ~(unsigned)BY_TAG;
    const struct query *q;
    int64_t id;
    if (!(f->by & BY_TAG) || w->actor.rank < ROLE_COLLABORATOR || w->actor.case_access != CASES_ALL) return 0;
    if (f->tag_id == 0) return other ? 0 : count_of_tags(w, f, total);
    if (db_blocks(w->desk->db)) return 0;
    if (f->by & (BY_TEAM | BY_AGENT | BY_ORGANIZATION) && cascades_under_way(w)) return 0;
    switch (other) {
    case BY_TEAM: q = &ids_of_team, id = f->team_id; break;
    case BY_AGENT: q = &ids_of_agent, id = f->agent_id; break;
    case BY_REQUESTER: q = &ids_of_requester, id = f->requester_id; break;
    case BY_ORGANIZATION: q = &ids_of_organization, id = f->organization_id; break;
    default: return 0;
    }
    int faster = is_faster(w, f, other);
    return faster <= 0 ? faster : count_tagged(w, f, q, id, total);
}
