#!/bin/sh
# No two files of src/, headers included, define functions of one name, static ones included: a search for a name finds one function.
cd "$(dirname "$0")/.." || exit 1
awk '
FNR == 1 { head = "" }
head == "" && /^[A-Za-z_]/ && !/^(typedef|extern|QUERY)/ { head = $0; line = FNR; }
head != "" {
    if (line != FNR) head = head " " $0
    if (match(head, /[;{]/)) { if (substr(head, RSTART, 1) == "{") define(head); head = "" }
}
function define(text) {
    sub(/\{.*/, "", text)
    gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", text)
    if (text !~ /\(/ || text ~ /=/) return
    sub(/\(.*/, "", text)
    if (!match(text, /[A-Za-z_0-9]+ *$/)) return
    name = substr(text, RSTART); sub(/ +$/, "", name)
    if (name in place) { printf "%s:%d: %s is also defined at %s\n", FILENAME, line, name, place[name]; wrong++ }
    else { place[name] = FILENAME ":" line; all++ }
}
END { if (wrong) exit 1; print "names: " all " functions, each name once" }
' $(find src -name '*.c' -o -name '*.cc' -o -name '*.h' | sort)
