#!/bin/sh
# Runs a command with TMPDIR, a new folder that is removed when the command ends. The folder is in memory if there is enough,
# because the tests create some 2000 stores, and on a disk each write to a store waits. SHARED_STORES is the folder of the stores
# that several test files copy (tests/api/lib/stores.mjs).
#
#     tests/scratch.sh COMMAND...
set -eu

roomy() { [ -w /dev/shm ] && [ "$(df -Pk /dev/shm | awk 'END { print $4 }')" -gt 3000000 ]; }
if roomy; then place=$(mktemp -d -p /dev/shm); else place=$(mktemp -d); fi
chmod 755 "$place" # PostgreSQL runs as another user
trap 'rm -rf "$place"' EXIT
trap 'exit 1' INT TERM

TMPDIR="$place" SHARED_STORES="$place/stores" "$@"
