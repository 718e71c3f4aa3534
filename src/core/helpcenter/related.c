/* Candidates are the 50 articles of the section with the highest rank, and 500 articles with a common tag.
 * A common tag counts 5, a common keyword 3, the section 2. An article without tags and keywords has
 * nothing in common with others but the section, so their rank alone decides: then the best ones are read
 * in the order of an index. */
#include "core/helpcenter/related.h"

#include <stdlib.h>

QUERY(article_candidates,
      "SELECT a.id, COALESCE(a.keywords, ''), a.rank, SUM(m.points) "
      "FROM (SELECT b.id, 2 AS points FROM (SELECT x.id FROM articles x "
      "WHERE x.section_id = (SELECT o.section_id FROM articles o WHERE o.id = :id) "
      "AND x.deleted_at IS NULL AND x.status = 3 ORDER BY x.rank DESC, "
      "x.id DESC LIMIT 50) b UNION ALL SELECT k.id, 5 FROM (SELECT y.article_id AS id "
      "FROM article_tags y WHERE y.tag_id IN (SELECT z.tag_id FROM article_tags z "
      "WHERE z.article_id = :id) ORDER BY y.tag_id, y.article_id LIMIT 500) k) m "
      "JOIN articles a ON a.id = m.id WHERE a.id <> :id AND a.status = 3 AND a.deleted_at IS NULL "
      "GROUP BY a.id, a.keywords, a.rank ORDER BY a.id");
/* In the order of compare_candidates. */
QUERY(article_neighbours, "SELECT t.id FROM articles t WHERE " RELATED_BY_RANK);
QUERY(article_marks, "SELECT COALESCE(a.keywords, ''), CASE WHEN EXISTS (SELECT 1 FROM article_tags k "
                     "WHERE k.article_id = a.id) THEN 1 ELSE 0 END, a.section_id "
                     "FROM articles a WHERE a.id = :id");

struct candidate {
    int64_t id, rank, points;
};

static int compare_candidates(const void *x, const void *y) {
    const struct candidate *a = x, *b = y;
    if (a->points != b->points) return a->points < b->points ? 1 : -1;
    if (a->rank != b->rank) return a->rank < b->rank ? 1 : -1;
    return (a->id < b->id) - (a->id > b->id);
}

static bool has_keyword(struct str keywords, struct str word) {
    for (struct str rest = keywords; rest.p;)
        if (str_eqi(str_trim(str_cut(&rest, ',')), word)) return true;
    return false;
}

static int common_keywords(struct str own, struct str others) {
    int n = 0;
    for (struct str rest = own; rest.p;) {
        struct str word = str_trim(str_cut(&rest, ','));
        if (word.n && has_keyword(others, word)) n++;
    }
    return n;
}

#define CANDIDATES_MAX 600

static int best_candidates(struct work *w, int64_t id, struct str keywords, int64_t *ids) {
    struct candidate *list = arena_array(w->arena, CANDIDATES_MAX, sizeof *list);
    int n = 0, rc;
    DB_ROWS(rc, w->conn, &article_candidates, BINDS(B_INT("id", id)), row)
    if (n < CANDIDATES_MAX)
        list[n++] = (struct candidate){col_int(row, 0), col_int(row, 2),
                                       col_int(row, 3) + 3 * common_keywords(keywords, col_text(row, 1))};
    TRY(rc);
    qsort(list, (size_t)n, sizeof *list, compare_candidates);
    if (n > RELATED_CANDIDATES) n = RELATED_CANDIDATES;
    for (int i = 0; i < n; i++) ids[i] = list[i].id;
    return n;
}

static int best_neighbours(struct work *w, int64_t id, int64_t section, int64_t *ids) {
    int n = 0, rc;
    DB_ROWS(rc, w->conn, &article_neighbours,
            BINDS(B_INT("section", section), B_INT("id", id), B_INT("most", RELATED)), row)
    ids[n++] = col_int(row, 0);
    return rc < 0 ? rc : n;
}

int related_articles(struct work *w, int64_t article_id, int64_t *ids) {
    struct stmt *row;
    int rc = db_row(w->conn, &article_marks, BINDS(B_INT("id", article_id)), &row);
    if (rc <= 0) return rc;
    struct str keywords = str_dup(w->arena, col_text(row, 0));
    bool tagged = col_int(row, 1) != 0;
    int64_t section = col_int(row, 2);
    stmt_end(row);
    return tagged || keywords.n ? best_candidates(w, article_id, keywords, ids)
                                : best_neighbours(w, article_id, section, ids);
}
