#!/bin/sh
# The source archive builds with a PATH that has no Node.js and no npm, its console is byte for byte that of the working tree, and
# its setup names no npm. Optimisation is off, because only the build is tested. Usage: tests/package/dist.sh ARCHIVE BUILT-CONSOLE
set -eu
archive=$(realpath "$1") console=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ok() { echo "ok - $1"; }
fail() { echo "not ok - $1" >&2; exit 1; }

mkdir "$work/bin"
(IFS=:; for folder in $PATH; do
    find "$folder/" -maxdepth 1 ! -name node ! -name nodejs ! -name 'npm*' ! -name 'npx*' -exec ln -sf -t "$work/bin" {} + 2>/dev/null || true
done)
export PATH="$work/bin"
command -v node npm npx >/dev/null && fail "the PATH of this test has no Node.js"

tar -xzf "$archive" -C "$work"
cd "$work"/deskd-*
diff -r web/dist "$console" >&2 || fail "the archive has the built console"
ok "the archive has the built console"

make --no-print-directory -j2 OPT=-O0 HARD=-fPIE all >"$work/out" 2>&1 || { tail -n 30 "$work/out" >&2; fail "the archive builds without Node.js"; }
[ ! -e web/node_modules ] && [ ! -e build/web ] || fail "the build uses the built console"
ok "the archive builds without Node.js"

for f in web/dist/files/*.gz; do
    name=${f##*/} name=${name%.gz}
    grep -q "$name" deskd || fail "the program has $name"
done
ok "the program has the files of the console"
