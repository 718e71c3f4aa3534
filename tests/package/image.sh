#!/bin/sh
# The image has the configuration that docs/INSTALL.md promises, and its root file system serves a desk: read-only, as the user of the image,
# without capabilities, with a data folder of its own. It runs without a container engine, in a namespace of mounts, so it needs root.
# Usage: tests/package/image.sh LAYOUT VERSION
set -eu
layout=$(realpath "$1")
version=$2
ok() { echo "ok - $1"; }
fail() { echo "not ok - $1" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "skipped - the test of the image needs root"; exit 0; }

if [ -z "${INSIDE:-}" ]; then
    work=$(mktemp -d -p /var/tmp)
    trap 'rm -rf --one-file-system "$work"' EXIT
    trap 'exit 1' INT TERM
    chmod 755 "$work"
    umoci unpack --image "$layout:$version" "$work/bundle"
    INSIDE=$work unshare --mount --pid --fork --kill-child --mount-proc sh "$0" "$layout" "$version"
    exit
fi

work=$INSIDE
bundle=$work/bundle
root=$bundle/rootfs
# The value of a member of the image's configuration, and of the configuration that umoci gives a runtime.
config() { node -e '
    const { readFileSync } = require("fs"), [layout, version, expression] = process.argv.slice(1);
    const blob = ({ digest }) => JSON.parse(readFileSync(`${layout}/blobs/${digest.replace(":", "/")}`, "utf8"));
    const { manifests } = JSON.parse(readFileSync(`${layout}/index.json`, "utf8"));
    const manifest = blob(manifests.find((one) => one.annotations["org.opencontainers.image.ref.name"] === version)), image = blob(manifest.config), { config } = image;
    const value = eval(expression); console.log(typeof value === "string" ? value : JSON.stringify(value));' "$layout" "$version" "$1"; }
same() { [ "$(config "$1")" = "$2" ] || fail "$3: $(config "$1")"; }
same 'config.User' 10001:10001 "the user is not root"
same 'config.Entrypoint' '["/usr/bin/deskd"]' "the entry point is the program"
same 'config.Cmd' '["serve"]' "the default command serves"
same 'Object.keys(config.Volumes)' '["/var/lib/deskd"]' "the volume is the data folder"
same 'Object.keys(config.ExposedPorts)' '["8080/tcp"]' "the port is 8080"
same 'config.Labels["org.opencontainers.image.version"]' "$version" "the version is that of the program"
same 'manifest.layers.length' 1 "there is one layer"
ok "the image has user, entry point, volume and port"

[ "$(stat -c %u:%g:%a "$root/var/lib/deskd")" = 10001:10001:700 ] || fail "the data folder belongs to the user of the image"
[ -z "$(find "$root" -xdev -perm /6000 -type f -path '*/bin/deskd*')" ] || fail "the program has no set-user-ID bit"
[ ! -e "$root/etc/apt/sources.list" ] && [ -z "$(ls "$root/etc/apt/sources.list.d" 2>/dev/null)" ] || fail "the image names no archive"
[ -s "$root/usr/share/doc/libsqlite3-0/copyright" ] || fail "the image has the licences of its packages"
ok "the data folder belongs to the user, and the image has the licences of its packages"

mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc -o ro proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do : >"$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mkdir -m 1777 "$root/dev/shm"
mkdir "$work/data"
chown 10001:10001 "$work/data"
chmod 700 "$work/data"
mount --bind "$work/data" "$root/var/lib/deskd"
mount -o remount,bind,ro "$root"

# Becomes a command as a container engine runs it: by the user of the image, without capabilities.
environment=$(config 'config.Env.join("\n")')
become() {
    # shellcheck disable=SC2086
    exec env -i $environment DESKD_LISTEN=127.0.0.1:0 chroot "$root" setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
}
inside() { (become "$@"); }
inside sh -c ': >/written' 2>/dev/null && fail "the root file system is read-only"
inside sh -c ': >/tmp/written' 2>/dev/null && fail "/tmp is read-only, too"
[ "$(inside id -u)" = 10001 ] || fail "the user is that of the image"
ok "the root file system is read-only"

entry=$(config 'config.Entrypoint[0]')
workdir=$(config 'config.WorkingDir')
inside sh -c 'cd "$0" && exec "$@"' "$workdir" "$entry" init --owner-email owner@example.com >"$work/password"
: >"$work/ready"
become sh -c 'cd "$0" && exec "$@"' "$workdir" "$entry" "$(config 'config.Cmd[0]')" >"$work/ready" 2>"$work/log" &
server=$!
for _ in $(seq 600); do grep -q listening "$work/ready" && break; kill -0 "$server" 2>/dev/null || break; sleep 0.1; done
address=$(sed -n 's/^deskd: listening on //p' "$work/ready")
[ -n "$address" ] || { cat "$work/log" >&2; fail "the server starts"; }
password=$(sed -n 's/.* with the password \([^ ]*\) .*/\1/p' "$work/password")
[ "$(curl -s "$address/readyz")" = ready ] || fail "the server is ready"
inside curl --silent --fail --max-time 5 "$address/readyz" >/dev/null || fail "the health check of compose.yaml works in the image"
curl -sf "$address/agent" | grep -q '<title>' || fail "the server has the console"
ok "the server starts and is healthy"

owner() { curl -sf -u "owner@example.com:$password" -H 'X-CSRF: false' "$@"; }
owner -X POST "$address/api/v1/teams" -H 'Content-Type: application/json' -d '{"title": "A team"}' >/dev/null || { cat "$work/password" "$work/log" >&2; fail "the server writes"; }
owner "$address/api/v1/teams" | grep -q 'A team' || fail "the server reads"
owner -X POST "$address/api/v1/files" -F 'file=@/usr/share/common-licenses/Apache-2.0;type=text/plain' | grep -q '"hash"' || fail "the server takes files"
ok "the server reads, writes and takes files"

kill "$server"
wait "$server" || { cat "$work/log" >&2; fail "the server ends well"; }
inside "$entry" check >"$work/checked" || { cat "$work/checked" >&2; fail "the store is sound"; }
[ -s "$work/data/desk.db" ] && [ -n "$(ls "$work/data/files")" ] || fail "the data is in the volume"
ok "the server ends well, and its data is in the volume"
