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
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/deskd"
gzip -9n "$root/usr/share/man/man1/deskd.1"
gzip -9n "$root/usr/share/doc/deskd/CHANGELOG.md"
rm "$root/usr/share/doc/deskd/LICENSE" # Debian has its text; the file copyright refers to it
install -m 644 "$here/copyright" "$root/usr/share/doc/deskd/copyright"

cp "$here/control" "$work/debian/control"
maintainer=$(sed -n 's/^Maintainer: //p' "$here/control")
date=$(date -u -R -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGELOG.md)}")
printf 'deskd (%s) unstable; urgency=low\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" "$maintainer" "$date" >"$work/debian/changelog"
gzip -9nc "$work/debian/changelog" >"$root/usr/share/doc/deskd/changelog.gz"
(cd "$work" && dpkg-shlibdeps --warnings=0 -Tdebian/substvars -edebian/deskd/usr/bin/deskd && dpkg-gencontrol -Pdebian/deskd -Tdebian/substvars -cdebian/control -ldebian/changelog -fdebian/files 2>/dev/null)
for script in postinst prerm postrm; do install -m 755 "$here/$script" "$root/DEBIAN/$script"; done
echo /etc/deskd.conf >"$root/DEBIAN/conffiles"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$root" "$out/deskd_${version}_$arch.deb"
