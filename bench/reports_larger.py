"""Makes a demo desk larger for reports: python3 bench/reports_larger.py DESK_DB N

DESK_DB is desk.db of a desk that is not served and whose facts are built. Each record of a rollup is repeated N times, so a day has the
records of N times as many conversations, with the same keys. Facts of the last 65 days are copied to conversations that do not exist:
reports of 30 days read them. Conversations, organizations, teams and people stay as many, so lists of conversations do not grow."""
import sqlite3
import sys
import time

STEPS = (4, 5, 6)  # kinds with durations (src/core/reports/fact.h)
AUTHORS = (4, 5, 8)


def width(kind, dimension):
    """Characters of a record (record_layout of src/core/reports/record.c)."""
    digits = 6 if kind in STEPS else 2
    if dimension == 6:
        return digits + 2
    if dimension in (10, 11):
        return digits + (3 if dimension == 10 else 6)
    if dimension not in (7, 8, 9):
        return digits
    digits += (0 if dimension == 8 else 3) + (0 if dimension == 9 else 4) + (4 if kind in AUTHORS else 0)
    return digits + 7 + (2 if kind == 11 else 0) + (0 if kind == 3 else 5)


def rows(db, times):
    for place, records in db.execute('SELECT place, records FROM report_days ORDER BY place'):
        n = width(place >> 59, place >> 55 & 15)
        assert len(records) % n == 0, (place >> 59, place >> 55 & 15, len(records))
        yield place, ''.join(records[i:i + n] * times for i in range(0, len(records), n))


def main(path, times):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute('PRAGMA journal_mode = OFF')
    db.execute('BEGIN')
    db.execute('CREATE TABLE larger (place INTEGER PRIMARY KEY, records TEXT NOT NULL)')
    db.executemany('INSERT INTO larger VALUES (?, ?)', rows(db, times))
    db.execute('DROP TABLE report_days')
    db.execute('ALTER TABLE larger RENAME TO report_days')
    names = [row[1] for row in db.execute('PRAGMA table_info(report_facts)')]
    values = ', '.join('f.case_id + i.n * 100000000' if name == 'case_id' else f'f.{name}' for name in names)
    db.execute('WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?) '
               f'INSERT INTO report_facts ({", ".join(names)}) SELECT {values} FROM report_facts f, i '
               'WHERE i.n < ? AND f.at >= ?', (times, times, (time.time() - 65 * 86400) * 1000))
    db.execute('COMMIT')


main(sys.argv[1], int(sys.argv[2]))
