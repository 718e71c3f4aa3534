#!/bin/sh
# Runs a command in a namespace of the network and of mounts of its own, as root. Without root it runs the command as it is.
#
#     tests/cluster/run.sh COMMAND...
set -eu

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || { echo "cluster: PostgreSQL is not installed (apt-get install postgresql)" >&2; exit 1; }
export PGBIN="$bin" PATH="$bin:$PATH"
[ "$(id -u)" = 0 ] || exec "$@"
exec unshare -n -m sh -c 'ip link set lo up && exec "$@"' sh "$@"
