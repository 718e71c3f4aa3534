#!/bin/sh
# Runs a command with TMPDIR: a folder of its own, gone when the command ends. It is in memory where there is room for it, because
# the tests make some 2000 stores, and each write to one waits for the disk otherwise. SHARED_STORES is the folder of the stores
# that several files of tests copy (tests/api/lib/stores.mjs).
#
#     tests/scratch.sh COMMAND...
set -eu

roomy() { [ -w /dev/shm ] && [ "$(df -Pk /dev/shm | awk 'END { print $4 }')" -gt 3000000 ]; }
if roomy; then place=$(mktemp -d -p /dev/shm); else place=$(mktemp -d); fi
chmod 755 "$place" # PostgreSQL has a user of its own
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM

TMPDIR="$place" SHARED_STORES="$place/stores" "$@"
