#include "core/helpcenter/insight.h"

#include "base/clock.h"

#define TEXTS(condition)                                                                               \
    "SELECT (SELECT n.name FROM help_center_searches n WHERE n.id = g.first), g.attempts, "            \
    "g.results, g.last FROM (SELECT MIN(s.id) AS first, CAST(SUM(s.attempts) AS BIGINT) AS attempts, " \
    "CAST(SUM(s.results) AS BIGINT) AS results, MAX(s.searched_at) AS last, s.name_key "               \
    "FROM help_center_searches s WHERE s.searched_at >= :start "                                       \
    "AND s.searched_at < :end GROUP BY s.name_key" condition                                           \
    ") g ORDER BY g.attempts DESC, g.last DESC, g.name_key "                                           \
    "LIMIT :most"
QUERY(insight_popular, TEXTS(""));
QUERY(insight_failed, TEXTS(" HAVING SUM(s.results) = 0"));

int insight_searches(struct work *w, int64_t start, int64_t end, bool all, struct query_insight *out) {
    int rc, n = 0;
    DB_ROWS(rc, w->conn, all ? &insight_popular : &insight_failed,
            BINDS(B_INT("start", start), B_INT("end", end + TIME_SECOND), B_INT("most", INSIGHT_NAMES)), row)
    out[n++] = (struct query_insight){str_dup(w->arena, col_text(row, 0)), col_int(row, 1), col_int(row, 2),
                                      col_int(row, 3)};
    return rc < 0 ? rc : n;
}
