-- The key of a rollup is one number (src/core/reports/place.h), and a conversation of a backlog that grows older has one fact in place of two. All facts are built anew (src/core/reports/follow.h).
DROP TABLE report_days;
CREATE TABLE report_days (
    place @SQLITE{INTEGER}@@POSTGRES{BIGINT}@ PRIMARY KEY,
    records TEXT NOT NULL        -- a record of a few characters for each fact, sorted (src/core/reports/record.h)
);
DELETE FROM report_facts;
UPDATE report_cursor SET place = '', built = 0;
