#!/bin/sh
# Runs make targets, two at a time, in the order given, and prints what each took. A test target spends half of its time waiting for
# disks, servers and locks, so two targets use two cores well. Each line of output begins with its target. After a failure no further target begins;
# the last lines name the targets that failed.
#
#     tools/side_by_side.sh TARGET...
set -u

failed=$(mktemp)
trap 'rm -f "$failed"' EXIT
export failed

printf '%s\n' "$@" | xargs -P 2 -I@ sh -c '
    began=$(date +%s)
    { ${MAKE:-make} --no-print-directory @ 2>&1 || echo @ >>"$failed"; } | sed -u "s/^/@: /"
    echo "== make @: $(($(date +%s) - began)) s"
    ! grep -qx @ "$failed" || exit 255'
status=$? # not 0 also if a shell was killed, so that its target did not end

[ -s "$failed" ] || exit "$status"
sed 's/^/FAILED: make /' "$failed" >&2
exit 1
