#!/bin/sh
# Every statement of the program prepares on SQLite and on PostgreSQL. The PostgreSQL is a throw-away one: a cluster in a
# temporary folder that listens on a socket in it and nowhere else, gone when this ends.
#
#     tests/dialect.sh QUERIES      QUERIES: the program of tests/unit/queries.c
set -eu

queries=$1
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || { echo "dialect: PostgreSQL is not installed (apt-get install postgresql)" >&2; exit 1; }

"$queries" sqlite

place=$(mktemp -d)
# PostgreSQL refuses to run as root.
if [ "$(id -u)" = 0 ]; then
    chown postgres "$place"
    as() { (cd / && runuser -u postgres -- "$@"); }
else
    as() { "$@"; }
fi
end() {
    as "$bin/pg_ctl" -D "$place/data" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf "$place"
}
trap end EXIT
trap 'exit 1' INT TERM

as "$bin/initdb" -D "$place/data" -A trust -U desk -E UTF8 --locale=C -N >/dev/null
as "$bin/pg_ctl" -D "$place/data" -l "$place/log" -w -o "-k $place -c listen_addresses= -c fsync=off" start >/dev/null

"$queries" postgres >"$place/all.sql"
chmod 644 "$place/all.sql"
if ! as "$bin/psql" -h "$place" -U desk -d postgres -X -q -v ON_ERROR_STOP=1 -f "$place/all.sql" >"$place/out" 2>&1; then
    sed "s|psql:$place/all.sql:||" "$place/out" >&2
    line=$(sed -n "s|^psql:$place/all.sql:\([0-9]*\): ERROR.*|\1|p" "$place/out" | head -n 1)
    [ -z "$line" ] || head -n "$line" "$place/all.sql" | grep '^-- ' | tail -n 1 | sed 's/^-- /dialect: in /' >&2
    exit 1
fi
echo "PostgreSQL: $(grep -c '^PREPARE q' "$place/all.sql") statements, 0 refused"
