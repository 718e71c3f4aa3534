#!/bin/sh
# Builds the Debian package from `make install`. Usage: packaging/deb/build.sh VERSION OUTPUT_FOLDER
set -eu
version=$1
out=$2
here=$(dirname "$0")
arch=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/debian/deskd

make --no-print-directory install DESTDIR="$root" PREFIX=/usr >/dev/null
mkdir -p "$root/etc" "$root/DEBIAN" "$out"
"$root/usr/bin/deskd" settings >"$root/etc/deskd.conf"
strip --strip-unneeded "$root/usr/bin/deskd"
gzip -9n "$root/usr/share/man/man1/deskd.1"
gzip -9n "$root/usr/share/doc/deskd/CHANGELOG.md"
mv "$root/usr/share/doc/deskd/LICENSE" "$root/usr/share/doc/deskd/copyright"

cp "$here/control" "$work/debian/control"
printf 'deskd (%s) unstable; urgency=low\n\n  * See CHANGELOG.md.\n\n -- The deskd maintainers <maintainers@localhost>  Thu, 01 Jan 1970 00:00:00 +0000\n' "$version" >"$work/debian/changelog"
(cd "$work" && dpkg-shlibdeps --warnings=0 -Tdebian/substvars -edebian/deskd/usr/bin/deskd && dpkg-gencontrol -Pdebian/deskd -Tdebian/substvars -cdebian/control -ldebian/changelog -fdebian/files 2>/dev/null)
for script in postinst prerm postrm; do install -m 755 "$here/$script" "$root/DEBIAN/$script"; done
echo /etc/deskd.conf >"$root/DEBIAN/conffiles"
dpkg-deb --root-owner-group --build "$root" "$out/deskd_${version}_$arch.deb"
