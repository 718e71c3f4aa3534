#!/bin/sh
# Compares the findings of clang's static analyzer with the accepted ones. Usage: tools/analyze.sh CLANG-ARGUMENT...
# A row of tools/analyze.txt is: file, checker, message, reason, separated by tabs. It has no line number, so it stays true when
# lines move. The script fails for a finding without a row, and for a row without a finding.
#
# Checkers: core, deadcode and unix, without four. `security` forbids functions such as memcpy. The three for null pointers do not
# know that a positive result of a function of another file comes with its outputs: all of their findings were false. max-nodes bounds the work on a function to a quarter of the default, which costs a third of the time.
set -e
cd "$(dirname "$0")/.." || exit 1
found=$(mktemp)
trap 'rm -f "$found"' EXIT
find src -name '*.c' ! -name work.c | sort | xargs -P "$(nproc)" -n 8 \
    clang --analyze -Xclang -analyzer-output=text -Xclang -analyzer-config -Xclang max-nodes=60000 \
    -Xclang -analyzer-disable-checker=security,core.NullDereference,core.NonNullParamChecker,unix.cstring.NullArg \
    -include tools/analyze.h "$@" > "$found" 2>&1 || { grep 'error:' "$found"; exit 1; }
sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: warning: \(.*\) \[\([a-zA-Z.]*\)\]$/\1\t\3\t\2/p' "$found" | sort -u |
    awk -F'\t' '
/^#/ || NF == 0 { next }
FILENAME != "-" { if (NF != 4) { print "a row of tools/analyze.txt has not four parts: " $0; wrong++ } accepted[$1 "\t" $2 "\t" $3] = 1; next }
{ all++; if ($0 in accepted) delete accepted[$0]; else { print "found: " $0; wrong++ } }
END {
    for (row in accepted) { print "accepted, but not found any more: " row; wrong++ }
    if (wrong) exit 1
    print "analyzer: " all + 0 " findings, all of them accepted"
}' tools/analyze.txt -
