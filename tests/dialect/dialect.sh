#!/bin/sh
# Every statement of the program prepares on SQLite and on a throw-away PostgreSQL (tests/postgres.sh).
#
#     tests/dialect/dialect.sh QUERIES      QUERIES: the program of tests/dialect/queries.c
set -eu

queries=$1
if [ -z "${DATABASE:-}" ]; then
    "$queries" sqlite
    exec sh "$(dirname "$0")/../postgres.sh" sh "$0" "$queries"
fi

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM

"$queries" postgres >"$place/all.sql" 2>"$place/rehearsal" || {
    cat "$place/rehearsal" >&2
    exit 1
}
psql "$DATABASE" -X -q -f "$place/all.sql" >"$place/out" 2>&1 && failed=0 || failed=1

# A line of psql's names a line of the file; the comment before that line names the statement.
refused=$(awk -v place="$place/all.sql" '
    NR == FNR { if (/^-- /) name = substr($0, 4); at[FNR] = name; next }
    index($0, "psql:" place ":") == 1 && /ERROR/ {
        line = $0; sub(/^psql:[^:]*:/, "", line); number = line; sub(/:.*/, "", number); sub(/^[0-9]*: ERROR: */, "", line)
        print "PostgreSQL does not take " at[number] ": " line
    }' "$place/all.sql" "$place/out")
[ -z "$refused" ] || printf '%s\n' "$refused" >&2
[ -n "$refused" ] || [ "$failed" = 0 ] || cat "$place/out" >&2
echo "PostgreSQL: $(grep -c '^PREPARE q' "$place/all.sql") statements, $(printf '%s' "$refused" | grep -c '' || true) refused"
[ -z "$refused" ] && [ "$failed" = 0 ]
