"""Makes a demo desk larger for reports: python3 bench/reports_larger.py DESK_DB N [organizations]

DESK_DB is desk.db of a desk that is not served and whose facts are built. Each record of a rollup is repeated N times, so a day has the
records of N times as many conversations, with the same keys. Facts of the last 65 days are copied to conversations that do not exist:
reports of 30 days read them. Conversations, teams and people stay as many, so lists of conversations do not grow. Organizations do too,
but with `organizations` each of the N records belongs to another one in the rows by organization."""
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


DIGITS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
BLOCK = 4096
KEY = (1 << 33) - 1


def spread_organizations(db, times):
    step = db.execute('SELECT MAX(id) + 1 FROM organizations').fetchone()[0]
    values = {digit: n for n, digit in enumerate(DIGITS)}
    made = {}
    for place, records in db.execute('SELECT place, records FROM report_days WHERE place >> 55 & 15 = 6'):
        n = width(place >> 59, 6)
        for i in range(0, len(records), n):
            key = (place & KEY) * BLOCK + values[records[i]] * 64 + values[records[i + 1]]
            key += i // n % times * step if key else 0
            digits = DIGITS[key % BLOCK // 64] + DIGITS[key % 64]
            made.setdefault(place - (place & KEY) + key // BLOCK, []).append(digits + records[i + 2:i + n])
    db.execute('DELETE FROM report_days WHERE place >> 55 & 15 = 6')
    db.executemany('INSERT INTO report_days VALUES (?, ?)', ((p, ''.join(sorted(r))) for p, r in sorted(made.items())))
    names = [row[1] for row in db.execute('PRAGMA table_info(organizations)')]
    cells = ', '.join({'id': f'o.id + i.n * {step}', 'legacy_id': 'NULL'}.get(name, f'o.{name}') for name in names)
    db.execute('WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?) '
               f'INSERT INTO organizations ({", ".join(names)}) SELECT {cells} FROM organizations o, i WHERE i.n < ?', (times, times))


def main(path, times, spread):
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
    if spread:
        spread_organizations(db, times)
    db.execute('COMMIT')


main(sys.argv[1], int(sys.argv[2]), sys.argv[3:] == ['organizations'])
