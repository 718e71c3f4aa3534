#!/bin/sh
# 1. A file includes only from its own room and those to its left. A room is a folder of core, or another folder of src:
#    the line `rooms` below has their order. http stands beside them: it uses base and json, and only api, live, res, pages,
#    console, oauth, signin, commands and main use it.
# 2. A file uses a function or a constant only of these rooms. The built objects show it, so no header can hide an
#    arrow by declaring what stands further to the right.
# 3. A header declares only what its own room defines, and nothing that no room defines.
# 4. Modules include each other in no circle, and call each other in no circle. A module is a header and the source of
#    the same name: a.c and a.h are a.
# 5. Each room is a folder, and each folder is a room.
# 6. No set of characters is searched by strchr, because strchr finds NUL in each set. in_set of base/str.h does not.
# BUILD is the folder of the objects, which make layers builds before. The compiler lists the declarations, also those of macros.
set -e
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
core="time query change desk access text letters fields login people search predicates sla cases mail helpcenter endpoints
    signin programs rules reports erasure all"
rooms="base json db work core $(printf 'core/%s ' $core) demo files outgoing mail api live res pages console oauth signin jobs transfer commands"

symbols() { find src -name '*.c' -o -name '*.cc' | sed "s,^\(.*\)\.[a-z]*$,$build/\1.o," | sort | xargs nm -A; }
declarations() {
    for header in $(find src -name '*.h' | sort); do
        gcc -x c -fsyntax-only -aux-info /dev/stdout -std=c17 -D_GNU_SOURCE -Isrc -isystem "$build/gen"  $(pkg-config --cflags glib-2.0 libpq) "$header"
    done | grep '^/\* src/'
}

{ symbols; declarations; } | awk -v rooms="$rooms" -v build="$build" '
BEGIN {
    n = split(rooms " main", order, " ")
    for (i = 1; i <= n; i++) rank[order[i]] = i
    n = split("api live res pages console oauth signin commands main", order, " ")
    for (i = 1; i <= n; i++) serves[order[i]] = 1
}
function module_of(path) { sub(/^src\//, "", path); sub(/\.[a-z]+$/, "", path); return path }
function room_of(module, part, n) {
    n = split(module, part, "/")
    return n == 1 ? "main" : part[1] == "core" && n > 2 ? "core/" part[2] : part[1]
}
function may_use(from, to) {
    if (from == to || from == "main") return 1
    if (to == "http") return from in serves
    if (from == "http") return to == "base" || to == "json"
    return to in rank && rank[to] < rank[from]
}

# The output of nm: build/src/core/desk/job.o:0000000000000000 T job_add, or build/src/core/desk/job.o:   U outbox_add
# The output of gcc: /* src/core/desk/job.h:43:NC */ extern int job_add (struct work *, ...
$1 == "/*" && FILENAME == "-" { if ($2 ~ /C$/) { spot = $2; sub(/ \(.*/, ""); sub(/.*[ *]/, ""); sub(/:[A-Z]*$/, ":", spot); declared[$0, spot] }; next }
FILENAME == "-" {
    split($1, place, ":"); module = module_of(substr(place[1], length(build) + 2))
    if ($(NF - 1) == "U") uses[module, $NF] = 1
    else if ($(NF - 1) ~ /^[A-Z]$/) home[$NF] = module
    next
}
FNR == 1 { module = module_of(FILENAME) }
/^extern [^"].*;/ && FILENAME ~ /h$/ { name = $0; sub(/[[;].*/, "", name); sub(/.*[ *]/, "", name); constants[name] = FILENAME ":" FNR ":" }
/^#[ ]*include "/ {
    split($0, q, "\""); named = module_of(q[2])
    if (named != module) includes[module, named] = 1
    if (!may_use(room_of(module), room_of(named)))
        bad(FILENAME ":" FNR ": " room_of(module) " must not include from " room_of(named))
}
function own(name, place) { sub(/:.*/, "", place); return room_of(module_of(place)) == room_of(home[name]) }
function bad(text) { print text; wrong++ }

# Takes away modules without an edge to the rest, or without one from it. Circles are left, and ways between them.
function peel(edge, side, here, e, m, busy, gone) {
    do {
        gone = 0
        split("", busy)
        for (e in edge) { split(e, m, SUBSEP); if (m[1] in here && m[2] in here) busy[m[side]] = 1 }
        for (e in here) if (!(e in busy)) { delete here[e]; gone = 1 }
    } while (gone)
}
function leads_to(next_of, from, to, seen, list, n, i) {
    if (from == to) return 1
    if (from in seen) return 0
    seen[from] = 1
    n = split(next_of[from], list, " ")
    for (i = 1; i <= n; i++) if (leads_to(next_of, list[i], to, seen)) return 1
    return 0
}
function find_circles(edge, verb, e, m, here, next_of, seen) {
    for (e in edge) { split(e, m, SUBSEP); here[m[1]] = here[m[2]] = 1 }
    peel(edge, 1, here); peel(edge, 2, here)
    for (e in edge) { split(e, m, SUBSEP); if (m[1] in here && m[2] in here) next_of[m[1]] = next_of[m[1]] " " m[2] }
    for (e in edge) {
        split(e, m, SUBSEP); split("", seen)
        if (m[1] in here && m[2] in here && leads_to(next_of, m[2], m[1], seen)) bad("circle: " m[1] " " verb " " m[2])
    }
}
END {
    home["recv"] = "" # src/http/intake.c replaces the function of the C library, for all
    for (u in uses) {
        split(u, m, SUBSEP); from = m[1]; to = home[m[2]]
        if (to == "" || from == to) continue
        if (!may_use(room_of(from), room_of(to))) bad(from " must not use " m[2] " of " to)
        calls[from, to] = 1
    }
    for (d in declared) { split(d, m, SUBSEP); if (!own(m[1], m[2])) bad(m[2] " " m[1] " is defined in " (home[m[1]] == "" ? "no room" : home[m[1]])) }
    for (d in constants) if (home[d] != "" && !own(d, constants[d])) bad(constants[d] " " d " is defined in " home[d])
    find_circles(includes, "includes"); find_circles(calls, "calls")
    if (wrong) exit 1
    print "layers: includes and calls go in one direction, without circles"
}
' - $(find src -name '*.[ch]' -o -name '*.cc' | sort)

for room in $rooms http; do [ -d "src/$room" ] || { echo "layers: src/$room is a room without a folder" >&2; exit 1; }; done
for folder in src/*/ src/core/*/; do
    room=${folder#src/}
    case " $rooms http " in *" ${room%/} "*) ;; *) echo "layers: $folder is in no room" >&2; exit 1 ;; esac
done

! grep -rn 'strchr("' src || { echo "layers: use in_set of base/str.h in place of strchr" >&2; exit 1; }

# The server refuses to start if the numbers of schema files have a gap or a repetition.
ls schema/*.sql | awk -F'[/_]' '{ if ($2 + 0 != NR) { print "schema: " $0 " should have number " NR; wrong = 1; exit } } END { exit wrong }'
