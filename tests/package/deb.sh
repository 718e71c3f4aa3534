#!/bin/sh
# The package installs, starts with the command of its unit, and is removed without the data. The sandbox of the unit is not applied,
# because no systemd runs here. All of it happens below a temporary folder
# with a package database of its own, so this machine is not changed. Usage: tests/package/deb.sh PACKAGE SYMBOLS
set -eu
package=$(realpath "$1")
symbols=$(realpath "$2")
work=$(mktemp -d)
server=
end() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
ok() { echo "ok - $1"; }
fail() { echo "not ok - $1" >&2; exit 1; }

root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info" "$root/etc"
touch "$root/var/lib/dpkg/status" "$root/etc/passwd" "$root/etc/group"
dpkg_here() { fakeroot dpkg --root="$root" --force-script-chrootless --force-depends --force-not-root --log="$work/dpkg.log" "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "dpkg $1"; }; }

dpkg-deb --field "$package" Depends | grep -q libsqlite3 || fail "the package depends on its libraries"
dpkg-deb --field "$package" Depends | grep -q libgd3 || fail "the package depends on libgd3, which the picture process loads by name"
dpkg-deb --contents "$package" | grep -v ' root/root ' | grep -q . && fail "all files belong to root"
ok "the package names its dependencies"

lintian --fail-on error,warning --no-tag-display-limit "$package" "$symbols" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "lintian finds no error and no warning"; }
ok "lintian finds no error and no warning"

apt-get install --simulate --no-install-recommends "$package" >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "apt can install the package"; }
ok "apt can install the package here"

dpkg_here --install "$package" "$symbols"
[ -x "$root/usr/bin/deskd" ] && [ -d "$root/var/lib/deskd" ] && grep -q '^deskd:' "$root/etc/passwd" || fail "program, data folder and account exist"
ok "the package installs program, data folder and account"

MANWIDTH=80 man -l "$root/usr/share/man/man1/deskd.1.gz" >"$work/manual" 2>"$work/complaints"
[ ! -s "$work/complaints" ] && grep -q -- '--listen' "$work/manual" && grep -q 'deskd backup' "$work/manual" || fail "the manual page is readable"
ok "the manual page shows all commands and options"

# Debuggers look for the symbols by the build id of the program.
build=$(readelf -n "$root/usr/bin/deskd" | sed -n 's/^ *Build ID: //p')
debug=$root/usr/lib/debug/.build-id/${build%"${build#??}"}/${build#??}.debug
[ -s "$debug" ] && [ "$(dpkg-deb --field "$symbols" Build-Ids)" = "$build" ] || fail "the symbols are those of the program"
readelf -S "$root/usr/bin/deskd" | grep -q debug_info && fail "the program itself has no symbols"
address=$(nm "$debug" | sed -n 's/ T main$//p')
addr2line -e "$debug" "0x$address" | grep -q '^\./src/main\.c:[1-9]' || fail "the symbols name the line of an address"
ok "the package of symbols names the lines of the program"

documents=$root/usr/share/doc/deskd
missing=$(cd "$documents" && grep -oh '](docs/[^)#]*' README.md SECURITY.md | sed 's/^](//' | sort -u | while read -r target; do [ -e "$target" ] || echo "$target"; done)
[ -z "$missing" ] && [ -s "$documents/docs/TRANSFER.md" ] && [ -s "$documents/copyright" ] || fail "the documents have what their links name: $missing"
named=$(sed -n 's/^Documentation=.* file://p' "$root/usr/lib/systemd/system/deskd.service")
[ -s "$root$named" ] || fail "the unit names a document that is installed: $named"
ok "links of the installed documents lead to installed files"

unit=$root/usr/lib/systemd/system/deskd.service
sed "s,/usr/bin/deskd,$root/usr/bin/deskd," "$unit" >"$work/deskd.service"
if command -v systemd-analyze >/dev/null; then
    systemd-analyze verify --man=no "$work/deskd.service" || fail "systemd accepts the unit"
    systemd-analyze security --offline=true --threshold=20 "$work/deskd.service" >/dev/null || fail "the unit is hardened"
    ok "systemd accepts the unit and finds it hardened"
fi

start=$(sed -n 's/^ExecStart=//p' "$work/deskd.service")
export DESKD_DATA="$root/var/lib/deskd" DESKD_SETTINGS="$root/etc/deskd.conf" DESKD_LISTEN=127.0.0.1:0
"$root/usr/bin/deskd" init --owner-email owner@example.com >"$work/password"
$start >"$work/ready" 2>"$work/log" &
server=$!
for _ in $(seq 300); do grep -q listening "$work/ready" && break; sleep 0.1; done
address=$(sed -n 's/^deskd: listening on //p' "$work/ready")
[ -n "$address" ] || { cat "$work/log" >&2; fail "the service starts"; }
curl -sf "$address/readyz" >/dev/null || fail "the service answers"
ok "the service starts with the packaged settings and answers"
kill "$server"
wait "$server" || fail "the service ends well"
server=
ok "the service ends well"

wanted=$root/etc/systemd/system/multi-user.target.wants/deskd.service # as systemctl enable makes it
mkdir -p "${wanted%/*}" && ln -s /usr/lib/systemd/system/deskd.service "$wanted"
dpkg_here --purge deskd-dbgsym deskd
[ ! -L "$wanted" ] || fail "the link that starts the service is removed"
[ ! -e "$root/usr/bin/deskd" ] && [ ! -e "$root/etc/deskd.conf" ] || fail "the program and its settings are removed"
[ -e "$root/var/lib/deskd/desk.db" ] || fail "the data stays"
ok "removal leaves the data"
