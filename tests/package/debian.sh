#!/bin/sh
# Builds and tests the commit HEAD on the Debian release SUITE: in a root file system that mmdebstrap makes from the archive that this
# machine's apt uses, with processes and mounts of its own. Needs root and 6 GB below PLACE (/var/tmp), and prints "skipped" where the
# archive has no such release or can't be reached. Usage: tests/package/debian.sh SUITE TARGET...
set -eu
suite=$1
shift
here=$(pwd)
skip() { echo "skipped - Debian $suite: $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "a root file system needs root"

work=$(mktemp -d -p "${PLACE:-/var/tmp}")
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 1' INT TERM
chmod 755 "$work"
sh tools/debian_sources.sh "$suite" >"$work/sources.list"
[ -s "$work/sources.list" ] || skip "this machine's apt has no archive of Debian"

# apt first reads the lists of the release into a folder of its own, because mmdebstrap may also fail for another cause.
mkdir -p "$work/lists/partial"
apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists" \
    -o APT::Sandbox::User=root -o Acquire::Retries=1 -o APT::Update::Error-Mode=any update >"$work/out" 2>&1 ||
    skip "its archive can't be reached: $(grep -m 1 '^[EW]:' "$work/out")"

root=$work/root
mmdebstrap --quiet --mode=root --variant=minbase --dpkgopt=force-unsafe-io --include=ca-certificates,make,git "$suite" "$root" "$work/sources.list" >"$work/out" 2>&1 ||
    { tail -n 30 "$work/out" >&2; exit 1; }
find /usr/local/share/ca-certificates -name '*.crt' -exec cp -t "$root/usr/local/share/ca-certificates" {} +
printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
git clone -q "$here" "$root/root/deskd"
echo "ok - a root file system of Debian $(cat "$root/etc/debian_version")"

# npm and apt use the registry and the proxy of this machine.
registry=$(npm config get registry 2>/dev/null || true)
export root registry
unshare --mount --pid --fork --kill-child sh -ec '
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs tmpfs "$root/run"
exec chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt ${registry:+npm_config_registry="$registry"} ${http_proxy:+http_proxy="$http_proxy"} \
    ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
    sh -ec "update-ca-certificates >/dev/null; cd /root/deskd; sh tools/setup.sh test; for target; do make --no-print-directory \$target; done" sh "$@"' sh "$@"
echo "ok - Debian $suite: make $*"
