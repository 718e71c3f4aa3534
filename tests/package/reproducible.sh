#!/bin/sh
# The commit HEAD gives the same bytes in another folder, time zone, locale, umask and number of jobs: program, packages, source archive and
# bill of materials. Nothing comes from a cache of the compiler. It needs two whole builds: four minutes on two idle cores.
# Usage: tests/package/reproducible.sh VERSION
set -eu
version=$1
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
ok() { echo "ok - $1"; }
fail() { echo "not ok - $1" >&2; exit 1; }
unset SOURCE_DATE_EPOCH MAKEFLAGS MAKELEVEL
export CCACHE_DISABLE=1

# Both folders are made before the first build, because HEAD may change meanwhile.
second=second/with-a-longer-name
place() {
    git clone -q "$here" "$work/$1"
    cp -r "$here/web/node_modules" "$work/$1/web"
    touch "$work/$1/web/node_modules/.package-lock.json"
}
(umask 022; place first)
(umask 027; place "$second")

# FOLDER JOBS
build() {
    (cd "$work/$1" && make --no-print-directory "-j$2" deb dist && make --no-print-directory -s sbom >build/deskd.spdx.json) >"$work/out" 2>&1 || { tail -n 30 "$work/out" >&2; fail "$1 builds"; }
    ok "the build in $1 ends"
}
(umask 022; export TZ=UTC LC_ALL=C; build first 2)
(umask 027; export TZ=Pacific/Kiritimati LC_ALL=C.UTF-8; build "$second" 3)

cd "$work/first"
arch=$(dpkg --print-architecture)
for f in deskd "build/deskd_${version}_$arch.deb" "build/deskd-dbgsym_${version}_$arch.deb" "build/deskd-$version.tar.gz" build/deskd.spdx.json; do
    [ -s "$f" ] || fail "$f is built"
    cmp "$f" "$work/$second/$f" || fail "two builds of $f have the same bytes"
    ok "two builds of $f have the same bytes"
done
