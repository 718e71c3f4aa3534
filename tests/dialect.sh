#!/bin/sh
# Every statement of the program prepares on SQLite and on a throw-away PostgreSQL (tests/postgres.sh).
#
#     tests/dialect.sh QUERIES      QUERIES: the program of tests/unit/queries.c
set -eu

queries=$1
if [ -z "${DATABASE:-}" ]; then
    "$queries" sqlite
    exec sh "$(dirname "$0")/postgres.sh" sh "$0" "$queries"
fi

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM

"$queries" postgres >"$place/all.sql"
if ! psql "$DATABASE" -X -q -v ON_ERROR_STOP=1 -f "$place/all.sql" >"$place/out" 2>&1; then
    sed "s|psql:$place/all.sql:||" "$place/out" >&2
    line=$(sed -n "s|^psql:$place/all.sql:\([0-9]*\): ERROR.*|\1|p" "$place/out" | head -n 1)
    [ -z "$line" ] || head -n "$line" "$place/all.sql" | grep '^-- ' | tail -n 1 | sed 's/^-- /dialect: in /' >&2
    exit 1
fi
echo "PostgreSQL: $(grep -c '^PREPARE q' "$place/all.sql") statements, 0 refused"
