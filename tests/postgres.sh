#!/bin/sh
# Runs a command with DATABASE=postgres://..., the URL of a temporary PostgreSQL. The cluster is in a temporary folder and listens
# only on a socket there. It is removed when the command ends.
#
#     tests/postgres.sh COMMAND...
set -eu

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || { echo "postgres: PostgreSQL is not installed (apt-get install postgresql)" >&2; exit 1; }

# The database of a test has ten megabytes in 700 files. tests/scratch.sh puts it into memory, which needs a quarter of the time.
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

as "$bin/initdb" -D "$place/data" -A trust -U desk -E UTF8 --locale="${PG_LOCALE:-C.UTF-8}" -N >/dev/null
# No sync, because no data here must survive a crash of the machine.
as "$bin/pg_ctl" -D "$place/data" -l "$place/log" -w -o "-k $place -c listen_addresses= -c fsync=${PG_FSYNC:-off} \
    -c max_connections=400 -c shared_buffers=64MB -c deadlock_timeout=200ms" start >/dev/null
chmod 755 "$place"

status=0
# PATH: Debian's psql is a script that first looks for a cluster, and a test calls psql some ten times.
DATABASE="postgres://desk@/postgres?host=$place" PATH="$bin:$PATH" PGBIN="$bin" PGDATA="$place/data" "$@" || status=$?
[ "$status" = 0 ] || grep -E 'ERROR|FATAL|PANIC' "$place/log" | sort | uniq -c | sort -rn | head -n 20 >&2
exit "$status"
