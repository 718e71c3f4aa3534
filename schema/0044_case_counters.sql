-- Counters that rules test (docs/RULES.md, "Facts"). Messages by staff, and by the requester.
ALTER TABLE cases ADD COLUMN agent_message_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN requester_message_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN assignee_change_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN team_change_count BIGINT NOT NULL DEFAULT 0;
UPDATE cases SET agent_message_count = n.staff, requester_message_count = n.requester
    FROM (SELECT case_id, SUM(by_staff) AS staff, SUM(is_requester) AS requester FROM posts WHERE kind = 1 GROUP BY case_id) n WHERE n.case_id = cases.id;
UPDATE cases SET assignee_change_count = n.agents, team_change_count = n.teams
    FROM (SELECT owner_case_id, SUM(CASE WHEN fields LIKE '%"assigned_agent"%' THEN 1 ELSE 0 END) AS agents,
        SUM(CASE WHEN fields LIKE '%"assigned_team"%' THEN 1 ELSE 0 END) AS teams
        FROM activities WHERE owner_case_id IS NOT NULL AND fields LIKE '%"assigned_%' GROUP BY owner_case_id) n WHERE n.owner_case_id = cases.id;
