#!/bin/sh
# Runs make targets, two at a time, in the order given, and prints what each took: seconds, and CPU as user and system time, without that
# of a PostgreSQL server, which is not a child. A test target spends half of its time waiting for disks, servers and locks, so two targets
# use two cores well. The target FIRST gets the processor whenever it can use it, because tests in a browser wait for it as a person does.
# Each line of output begins with its target. After a failure no further target begins. The output ends with the failures of the targets
# that failed, so that its end alone shows the cause.
#
#     tools/side_by_side.sh TARGET...
set -u

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export folder
failed=$folder/failed

printf '%s\n' "$@" | xargs -P 2 -I@ sh -c '
    began=$(date +%s)
    [ @ = "${FIRST:-@}" ] || after="nice -n 10"
    { ${after:-} ${MAKE:-make} --no-print-directory @ 2>&1 || echo @ >>"$folder/failed"; } | tee "$folder/@" | sed -u "s/^/@: /"
    took=$(($(date +%s) - began))
    times >"$folder/times.@"
    echo "== make @: $took s, CPU $(tail -n 1 "$folder/times.@")"
    ! grep -qsx @ "$folder/failed" || exit 255'
status=$? # not 0 also if a shell was killed, so that its target did not end

[ -s "$failed" ] || exit "$status"
while read -r target; do
    # A failure of the tests' reporter is 'FAILED: name' and indented lines, as long as a screen.
    failures=$(grep -A 30 '^FAILED: \|^\[  FAILED  \]\|: error: ' "$folder/$target")
    printf '%s\n' "${failures:-$(cat "$folder/$target")}" | tail -n 100
    echo "FAILED: make $target"
done <"$failed" >&2
exit 1
