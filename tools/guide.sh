#!/bin/sh
# Prints a guide for the program to embed: its title, then its text as HTML. Usage: tools/guide.sh FILE.md
# cmark-gfm converts the Markdown. awk adds the anchors of headings, the kinds of code blocks, frames that scroll around
# tables, {root} and {arguments}, which src/api/docs/guide.c replaces.
set -eu
command -v cmark-gfm >/dev/null || { echo "guide: cmark-gfm is missing. Run: sh tools/setup.sh run" >&2; exit 1; }
html=$(cmark-gfm -e table --github-pre-lang "$1")
sed -n '1s/^# //p' "$1"
printf '%s\n' "$html" | awk '
NR == 1 { next } # the title
/^<h2>/ {
    id = tolower($0)
    gsub(/<[^>]*>|&[a-z]+;|[^a-z0-9 -]/, "", id)
    gsub(/ /, "-", id)
    sub(/>/, " id=\"" id "\">")
}
/^<p>@[a-z]+<\/p>$/ { gsub(/<p>@|<\/p>/, ""); $0 = "{" $0 "}" }
/^<table>$/ { $0 = "<div class=\"wide\" tabindex=\"0\">\n<table>" }
/^<\/table>$/ { $0 = "</table>\n</div>" }
{
    sub(/^<th>/, "<th scope=\"col\">")
    sub(/^<pre lang="/, "<pre tabindex=\"0\" class=\"")
    gsub(/<a href="\//, "<a href=\"{root}/")
    printf "%s%s", $0 == "</code></pre>" || NR == 2 ? "" : "\n", $0
}
END { print "" }'
