#!/bin/sh
# A file includes only from its own layer and those to its left:
#   base json db work core demo files realtime mail api res jobs commands main; http stands beside them: only api, commands and main use it.
cd "$(dirname "$0")/.." || exit 1
awk '
BEGIN {
    n = split("base json db work core demo files realtime mail api res jobs commands main", order, " ")
    for (i = 1; i <= n; i++) rank[order[i]] = i
}
FNR == 1 { split(FILENAME, part, "/"); layer = part[2]; if (layer ~ /\./) layer = "main" }
/^#[ ]*include "/ {
    split($0, q, "\""); split(q[2], t, "/"); target = t[1]
    if (target == layer || layer == "main") next
    if (target == "http") { if (layer != "api" && layer != "commands") bad(FILENAME, FNR, target); next }
    if (layer == "http") { if (target != "base" && target != "json") bad(FILENAME, FNR, target); next }
    if (!(target in rank) || rank[target] > rank[layer]) bad(FILENAME, FNR, target)
}
function bad(file, line, to) { printf "%s:%d: %s must not include from %s\n", file, line, layer, to; wrong++ }
END { if (wrong) exit 1; print "layers: the include direction holds" }
' $(find src -name '*.[ch]' -o -name '*.cc' | sort)
