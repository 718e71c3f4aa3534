#!/bin/sh
# Makes the OCI image of the Debian package PACKAGE: a root file system by mmdebstrap from the archive of this machine's apt, as one layer.
# No image is pulled, and nothing runs in a container. umoci writes the layer and its configuration: it is one program of 6 MB. buildah
# would need 20 MB, containers' configuration and user namespaces, and could not do more here, because all work is done by apt.
# The same package, archive and SOURCE_DATE_EPOCH give the same bytes. Usage: packaging/image/build.sh VERSION PACKAGE OUT
set -eu
umask 022
export LC_ALL=C SOURCE_DATE_EPOCH
version=$1
package=$(realpath "$2")
out=$(realpath "$3")
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# apt finds the package in an archive of its own, and its dependencies in that of this machine.
mkdir "$work/archive"
cp "$package" "$work/archive"
(cd "$work/archive" && dpkg-scanpackages --multiversion . >Packages 2>/dev/null)
sh tools/debian_sources.sh "$suite" >"$work/sources.list"
echo "deb [trusted=yes] copy:$work/archive ./" >>"$work/sources.list"

# The account has a number of its own, so that volumes keep their owner in a newer image.
account='printf "deskd:x:10001:10001:deskd help desk:/var/lib/deskd:/usr/sbin/nologin\n" >>"$1/etc/passwd"; printf "deskd:x:10001:\n" >>"$1/etc/group"'
without='rm -rf "$1"/etc/apt/sources.list* "$1"/var/lib/apt "$1"/var/cache/* "$1"/var/log/*; : >"$1/etc/resolv.conf"; : >"$1/etc/hostname"'
mmdebstrap --quiet --variant=essential --include=deskd,ca-certificates,curl,systemd-standalone-sysusers,systemd-standalone-tmpfiles \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/lintian/*' \
    --essential-hook="$account" --customize-hook="$without" "$suite" "$work/root.tar" "$work/sources.list" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }

layout=$out/image
rm -rf "$layout"
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
history="--history.author=deskd --history.created=$created"
umoci init --layout "$layout"
umoci new --image "$layout:$version"
# shellcheck disable=SC2086
umoci raw add-layer --image "$layout:$version" $history --history.created_by="mmdebstrap $suite, deskd $version" "$work/root.tar"
# The working directory is for temporary files of SQLite, if /tmp is not writable.
# shellcheck disable=SC2086
umoci config --image "$layout:$version" $history --history.created_by="umoci config" --created "$created" --author "The deskd maintainers" \
    --config.user 10001:10001 --config.entrypoint /usr/bin/deskd --config.cmd serve --config.workingdir /var/lib/deskd \
    --config.volume /var/lib/deskd --config.exposedports 8080/tcp --config.stopsignal SIGTERM \
    --config.env PATH=/usr/sbin:/usr/bin:/sbin:/bin --config.env DESKD_DATA=/var/lib/deskd --config.env DESKD_SETTINGS=/etc/deskd.conf --config.env DESKD_LISTEN=0.0.0.0:8080 \
    --config.label org.opencontainers.image.title=deskd --config.label "org.opencontainers.image.version=$version" --config.label org.opencontainers.image.licenses=Apache-2.0
umoci gc --layout "$layout"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -C "$layout" -cf "$out/deskd-$version.oci.tar" .
echo "$out/deskd-$version.oci.tar: $(du -m "$out/deskd-$version.oci.tar" | cut -f 1) MB"
