#!/bin/sh
# 1. A file includes only from its own layer and those to its left:
#      base json db work core demo files mail outgoing api res pages oauth jobs transfer commands main; http stands beside them: only api, pages, oauth, commands and main use it.
# 2. Modules include each other in no circle. A module is a header and the source of the same name: a.c and a.h are a.
# 3. Each layer is a folder of src, and each folder of src is a layer.
# 4. No set of characters is searched by strchr, because strchr finds NUL in each set. in_set of base/str.h does not.
set -e
cd "$(dirname "$0")/.." || exit 1
layers="base json db work core demo files mail outgoing api res pages oauth jobs transfer commands"
awk -v layers="$layers" '
BEGIN {
    n = split(layers " main", order, " ")
    for (i = 1; i <= n; i++) rank[order[i]] = i
}
FNR == 1 {
    split(FILENAME, part, "/"); layer = part[2]; if (layer ~ /\./) layer = "main"
    module = FILENAME; sub(/^src\//, "", module); sub(/\.[a-z]+$/, "", module); here[module] = 1
}
/^#[ ]*include "/ {
    split($0, q, "\""); split(q[2], t, "/"); target = t[1]; named = q[2]; sub(/\.[a-z]+$/, "", named)
    if (named != module) edge[module, named] = 1
    if (target == layer || layer == "main") next
    if (target == "http") { if (layer != "api" && layer != "pages" && layer != "oauth" && layer != "commands") bad(FILENAME, FNR, target); next }
    if (layer == "http") { if (target != "base" && target != "json") bad(FILENAME, FNR, target); next }
    if (!(target in rank) || rank[target] > rank[layer]) bad(FILENAME, FNR, target)
}
function bad(file, line, to) { printf "%s:%d: %s must not include from %s\n", file, line, layer, to; wrong++ }
# Takes away modules that include none of the rest, or that none of the rest includes. Circles are left.
function peel(side, e, m, busy, gone) {
    do {
        gone = 0
        split("", busy)
        for (e in edge) { split(e, m, SUBSEP); if (m[1] in here && m[2] in here) busy[m[side]] = 1 }
        for (e in here) if (!(e in busy)) { delete here[e]; gone = 1 }
    } while (gone)
}
END {
    peel(1); peel(2)
    for (e in edge) { split(e, m, SUBSEP); if (m[1] in here && m[2] in here) { print "circle: " m[1] " includes " m[2]; wrong++ } }
    if (wrong) exit 1
    print "layers: the include direction holds, without circles"
}
' $(find src -name '*.[ch]' -o -name '*.cc' | sort)

for layer in $layers http; do [ -d "src/$layer" ] || { echo "layers: src/$layer is a layer without a folder" >&2; exit 1; }; done
for folder in src/*/; do
    case " $layers http " in *" $(basename "$folder") "*) ;; *) echo "layers: $folder is in no layer" >&2; exit 1 ;; esac
done

! grep -rn 'strchr("' src || { echo "layers: use in_set of base/str.h in place of strchr" >&2; exit 1; }

# The server refuses to start if the numbers of schema files have a gap or a repetition.
ls schema/*.sql | awk -F'[/_]' '{ if ($2 + 0 != NR) { print "schema: " $0 " should have number " NR; wrong = 1; exit } } END { exit wrong }'
