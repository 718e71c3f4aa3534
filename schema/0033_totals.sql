-- Counters of active conversations (src/core/cases/case_total.c). They replace case_counts, which had no priority,
-- requester, organization and tag.
CREATE TABLE case_totals (
    kind INTEGER NOT NULL,        -- 1 all, 2 team, 3 agent, 4 team and agent, 5 requester, 6 organization, 7 tag
    id BIGINT NOT NULL,           -- of the team, agent ...; of kind 4 the team, 0: none
    with_id BIGINT NOT NULL,      -- of kind 4 the agent, 0: none
    priority_id BIGINT NOT NULL,  -- 0: none
    shard INTEGER NOT NULL DEFAULT 0,
    n1 BIGINT NOT NULL,           -- by type of status, from NEW
    n2 BIGINT NOT NULL,
    n3 BIGINT NOT NULL,
    n4 BIGINT NOT NULL,
    n5 BIGINT NOT NULL,
    n6 BIGINT NOT NULL,
    PRIMARY KEY (kind, id, with_id, priority_id, shard)
)@SQLITE{ WITHOUT ROWID}@;
INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6)
    SELECT 4, COALESCE(t.assigned_team_id, 0), COALESCE(t.assigned_agent_id, 0), COALESCE(t.priority_id, 0),
        SUM(CASE WHEN t.status_type = 1 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 2 THEN 1 ELSE 0 END),
        SUM(CASE WHEN t.status_type = 3 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 4 THEN 1 ELSE 0 END),
        SUM(CASE WHEN t.status_type = 5 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 6 THEN 1 ELSE 0 END)
    FROM cases t WHERE t.state = 1 GROUP BY 2, 3, 4;
INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6)
    SELECT 5, t.requester_id, 0, COALESCE(t.priority_id, 0),
        SUM(CASE WHEN t.status_type = 1 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 2 THEN 1 ELSE 0 END),
        SUM(CASE WHEN t.status_type = 3 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 4 THEN 1 ELSE 0 END),
        SUM(CASE WHEN t.status_type = 5 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 6 THEN 1 ELSE 0 END)
    FROM cases t WHERE t.state = 1 GROUP BY 2, 3, 4;
INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6)
    SELECT 6, t.organization_id, 0, COALESCE(t.priority_id, 0),
        SUM(CASE WHEN t.status_type = 1 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 2 THEN 1 ELSE 0 END),
        SUM(CASE WHEN t.status_type = 3 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 4 THEN 1 ELSE 0 END),
        SUM(CASE WHEN t.status_type = 5 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 6 THEN 1 ELSE 0 END)
    FROM cases t WHERE t.state = 1 AND t.organization_id IS NOT NULL GROUP BY 2, 3, 4;
INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6)
    SELECT 1, 0, 0, t.priority_id, SUM(t.n1), SUM(t.n2), SUM(t.n3), SUM(t.n4), SUM(t.n5), SUM(t.n6) FROM case_totals t WHERE t.kind = 4 GROUP BY 2, 4;
INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6)
    SELECT 2, t.id, 0, t.priority_id, SUM(t.n1), SUM(t.n2), SUM(t.n3), SUM(t.n4), SUM(t.n5), SUM(t.n6) FROM case_totals t WHERE t.kind = 4 AND t.id <> 0 GROUP BY 2, 4;
INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6)
    SELECT 3, t.with_id, 0, t.priority_id, SUM(t.n1), SUM(t.n2), SUM(t.n3), SUM(t.n4), SUM(t.n5), SUM(t.n6) FROM case_totals t WHERE t.kind = 4 AND t.with_id <> 0 GROUP BY 2, 4;
INSERT INTO case_totals (kind, id, with_id, priority_id, n1, n2, n3, n4, n5, n6)
    SELECT 7, k.tag_id, 0, COALESCE(t.priority_id, 0),
        SUM(CASE WHEN t.status_type = 1 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 2 THEN 1 ELSE 0 END),
        SUM(CASE WHEN t.status_type = 3 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 4 THEN 1 ELSE 0 END),
        SUM(CASE WHEN t.status_type = 5 THEN 1 ELSE 0 END), SUM(CASE WHEN t.status_type = 6 THEN 1 ELSE 0 END)
    FROM case_tags k JOIN cases t ON t.id = k.case_id WHERE t.state = 1 GROUP BY 2, 3, 4;
DROP TABLE case_counts;
