-- A walk of the list of conversations reads this index alone (src/core/reports/case_set.c): SQLite would read each row for its state.
DROP INDEX cases_updated;
CREATE INDEX cases_updated ON cases (updated_at, id, state) WHERE state = 1;
