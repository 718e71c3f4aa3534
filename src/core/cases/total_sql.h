/* Rows of case_totals in SQL (core/cases/case_total.h): for cascades, checks, and desks that are filled. */
#ifndef CORE_TOTAL_SQL_H
#define CORE_TOTAL_SQL_H

#define TOTAL_COLUMNS "kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6"

/* Rows (kind, id, with_id, priority_id, type of status, number) of one kind (enum total_kind), computed
 * from conversations. */
#define TOTALS_COUNTED(kind, id, with, from)                   \
    "SELECT " kind " AS kind, " id " AS id, " with             \
    " AS with_id, COALESCE(t.priority_id, 0) AS priority_id, " \
    "t.status_type AS type, COUNT(*) AS n FROM " from " GROUP BY 1, 2, 3, 4, 5"
#define NO_ID "CAST(0 AS BIGINT)"
#define WITH_ANY "CAST(-1 AS BIGINT)"
#define ACTIVE_CASES "cases t WHERE t.state = 1"
/* `among`: a further condition on t, or "". */
#define TEAM_TOTALS(among)                              \
    TOTALS_COUNTED("1", "t.assigned_team_id", WITH_ANY, \
                   ACTIVE_CASES " AND t.assigned_team_id IS NOT NULL" among)
#define AGENT_TOTALS(among)                              \
    TOTALS_COUNTED("2", "t.assigned_agent_id", WITH_ANY, \
                   ACTIVE_CASES " AND t.assigned_agent_id IS NOT NULL" among)
/* Pairs: of a team without an agent, or of an agent with a team or none. */
#define PAIR_TOTALS(among)                                                                      \
    TOTALS_COUNTED("1", "COALESCE(t.assigned_team_id, 0)", NO_ID,                               \
                   ACTIVE_CASES " AND t.assigned_agent_id IS NULL" among)                       \
    " UNION ALL " TOTALS_COUNTED("2", "t.assigned_agent_id", "COALESCE(t.assigned_team_id, 0)", \
                                 ACTIVE_CASES " AND t.assigned_agent_id IS NOT NULL" among)
#define ORGANIZATION_TOTALS(among) \
    TOTALS_COUNTED("6", "t.organization_id", NO_ID, ACTIVE_CASES " AND t.organization_id IS NOT NULL" among)

/* `among`: a further condition on t, and on k, a row of case_tags. */
#define TAG_TOTALS(among)                  \
    TOTALS_COUNTED("7", "k.tag_id", NO_ID, \
                   "case_tags k JOIN cases t ON t.id = k.case_id WHERE t.state = 1" among)

/* A column of case_totals. */
#define OF_TYPE(sign, type) sign "SUM(CASE b.type WHEN " type " THEN b.n ELSE 0 END) AS n" type
#define TOTALS_BY_TYPE(sign, more, rows)                                                                     \
    "SELECT b.kind, b.id, b.with_id, b.priority_id, " OF_TYPE(sign, "1") ", " OF_TYPE(                       \
        sign, "2") ", " OF_TYPE(sign, "3") ", " OF_TYPE(sign, "4") ", " OF_TYPE(sign,                        \
                                                                                "5") ", " OF_TYPE(sign, "6") \
        more " FROM (" rows ") b GROUP BY b.kind, b.id, b.with_id, b.priority_id"

/* All rows that case_totals must contain, but for rows of zeros. */
/* clang-format off */
#define CASE_TOTALS                                                                                                                 \
    TOTALS_BY_TYPE("", "", TOTALS_COUNTED("1", NO_ID, WITH_ANY, ACTIVE_CASES)                                                       \
        " UNION ALL " TEAM_TOTALS("") " UNION ALL " AGENT_TOTALS("") " UNION ALL " PAIR_TOTALS("")                                  \
        " UNION ALL " TOTALS_COUNTED("5", "t.requester_id", NO_ID, ACTIVE_CASES) " UNION ALL " ORGANIZATION_TOTALS("")              \
        " UNION ALL " TAG_TOTALS(""))
/* clang-format on */

/* A counter is spread over rows that differ by shard: see case_total.c. */
#define TOTAL_SHARD(of)                                                                           \
    "@FREE_SHARD(case_totals f WHERE f.kind = " of "kind AND f.id = " of "id AND f.with_id = " of \
    "with_id AND f.priority_id = " of "priority_id)"
#define PLUS(n) n " = case_totals." n " + excluded." n
#define TOTALS_ADDED                                                                            \
    " ON CONFLICT (kind, id, with_id, priority_id, shard) DO UPDATE SET " PLUS("n1") ", " PLUS( \
        "n2") ", " PLUS("n3") ", " PLUS("n4") ", " PLUS("n5") ", " PLUS("n6")
/* Adds (sign "") or subtracts (sign "-") rows that macros above compute. */
#define TOTALS_CHANGE(sign, rows)                                                                            \
    "INSERT INTO case_totals (" TOTAL_COLUMNS ", shard) " TOTALS_BY_TYPE(sign, ", " TOTAL_SHARD("b."), rows) \
        TOTALS_ADDED

#endif
