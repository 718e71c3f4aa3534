-- Reports (docs/REPORTS.md). All of this follows from other rows by the change log (src/core/reports/follow.h).

-- Events of conversations that reports count. No foreign keys: the follower removes rows whose conversation is gone. 0: none.
CREATE TABLE report_facts (
    kind INTEGER NOT NULL,       -- enum fact_kind of src/core/reports/fact.h
    at BIGINT NOT NULL,
    case_id BIGINT NOT NULL,
    n INTEGER NOT NULL,          -- from 0 among those of equal kind, time and conversation
    part INTEGER NOT NULL,       -- a distinction of the kind
    took BIGINT NOT NULL,        -- seconds of calendar time
    took_open BIGINT NOT NULL,   -- seconds of business time
    channel INTEGER NOT NULL,
    team_id BIGINT NOT NULL,
    agent_id BIGINT NOT NULL,
    priority_id BIGINT NOT NULL,
    sla_id BIGINT NOT NULL,
    tags TEXT NOT NULL,          -- ids of tags in order: ",3,17,"; empty: none
    PRIMARY KEY (kind, at, case_id, n)
)@SQLITE{ WITHOUT ROWID}@;
CREATE INDEX report_facts_of_case ON report_facts (case_id);

-- The facts of a day (UTC) by one property of the conversation: a record of a few characters for each fact, sorted (src/core/reports/rollup.h).
CREATE TABLE report_days (
    kind INTEGER NOT NULL,
    dimension INTEGER NOT NULL,  -- enum report_dimension
    day BIGINT NOT NULL,         -- from 1970-01-01
    key BIGINT NOT NULL,         -- of the dimension: an id, or a channel
    records TEXT NOT NULL,
    PRIMARY KEY (kind, dimension, day, key)
)@SQLITE{ WITHOUT ROWID}@;

-- The place in the change log up to which both tables have followed. One row.
CREATE TABLE report_cursor (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    place TEXT NOT NULL,         -- change_cursor_text of src/core/change/log.h; empty: nothing was read
    built BIGINT NOT NULL,       -- conversations up to this id have facts
    epoch BIGINT NOT NULL        -- of clock_generations: the business hours of took_open
);
INSERT INTO report_cursor (id, place, built, epoch) VALUES (1, '', 0, 0);
