-- A count of conversations is the sum of its shards (replaced by schema 0033). (A new table, because not every
-- engine can change a primary key.)
CREATE TABLE new_case_counts (
    team_id BIGINT NOT NULL,
    agent_id BIGINT NOT NULL,
    status_type INTEGER NOT NULL,
    shard INTEGER NOT NULL DEFAULT 0,
    n BIGINT NOT NULL,
    PRIMARY KEY (team_id, agent_id, status_type, shard)
);
INSERT INTO new_case_counts (team_id, agent_id, status_type, n) SELECT team_id, agent_id, status_type, n FROM case_counts;
DROP TABLE case_counts;
ALTER TABLE new_case_counts RENAME TO case_counts;
