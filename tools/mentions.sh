#!/bin/sh
# Each source file that a comment of src/ or a document names exists, as the end of a path: `call/send.c` and `send.c` name src/api/call/send.c.
cd "$(dirname "$0")/.." || exit 1
find . -name node_modules -prune -o -path './build*' -prune -o -name .git -prune -o -type f -print | awk '
FILENAME == "-" {
    for (rest = substr($0, 3); rest != ""; sub(/^[^\/]*\//, "", rest)) { ends[rest] = 1; if (rest !~ /\//) break }
    next
}
FNR == 1 { comment = 0 }
FILENAME ~ /\.[ch]$/ { # keeps the text of comments
    line = $0; text = ""
    while (line != "") {
        if (comment) { at = index(line, "*/"); text = text " " (at ? substr(line, 1, at - 1) : line); line = at ? substr(line, at + 2) : ""; comment = !at }
        else { at = index(line, "/*"); line = at ? substr(line, at + 2) : ""; comment = at > 0 }
    }
    $0 = text
}
{
    rest = $0
    gsub(/\\n/, " ", rest) # a line end in a label of graphviz
    while (match(rest, /[A-Za-z0-9_][A-Za-z0-9_\/.]*\.(c|h|cc|sh|def|dot|test\.mjs)/)) {
        word = substr(rest, RSTART, RLENGTH); before = substr(rest, RSTART - 1, 1); after = substr(rest, RSTART + RLENGTH)
        rest = after
        if (after ~ /^[A-Za-z0-9_(.]/ && after !~ /^\.([^a-z]|$)/ || before ~ /[*.~-]/ || word ~ /^[a-z]\./ || word in ends || word in allowed) continue
        printf "%s:%d: there is no file %s\n", FILENAME, FNR, word; wrong++
    }
}
BEGIN {
    allowed["api/greetings.test.mjs"] = allowed["sysexits.h"] = allowed["stdio.h"] = allowed["gd.h"] = allowed["connection.c"] = allowed["channel_options.cc"] = 1
} # made by the reader of ADDING; of the system or a library; a parameter of the API
END { if (wrong) exit 1; print "mentions: each file that is named exists" }
' - $(find src -name '*.[ch]') docs/*.md docs/guides/*.md docs/tour/*.dot README.md SECURITY.md
