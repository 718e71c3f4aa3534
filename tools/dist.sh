#!/bin/sh
# Makes the source archive: the files of the commit HEAD, and the built console in web/dist, so that it builds without Node.js and npm.
# The same commit gives the same bytes. Usage: tools/dist.sh NAME BUILT-CONSOLE OUT.tar.gz
set -eu
export LC_ALL=C # the order of the console's files
name=$1 console=$2 out=$3
git diff --quiet HEAD -- || echo "dist: the archive has the files of HEAD, without the changes that are not committed" >&2
set -- --prefix="$name/web/dist/" --add-file="$console/page.html" --add-file="$console/widget.js.gz" --prefix="$name/web/dist/files/"
for f in "$console"/files/*; do set -- "$@" --add-file="$f"; done
git -c tar.umask=0022 archive --format=tar "$@" --prefix="$name/" HEAD | gzip -9n >"$out.tmp"
mv "$out.tmp" "$out"
echo "$out"
