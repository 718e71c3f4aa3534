-- Records of rollups have the quarter of the hour (src/core/reports/rollup.h). All is built anew (src/core/reports/follow.h).
DELETE FROM report_days;
DELETE FROM report_facts;
UPDATE report_cursor SET place = '', built = 0;
