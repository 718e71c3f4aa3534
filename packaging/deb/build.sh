#!/bin/sh
# Builds the Debian packages from `make install`: the program, and its debug symbols in deskd-dbgsym. Files that are newer than
# SOURCE_DATE_EPOCH get its time, so the same sources give the same bytes. Usage: packaging/deb/build.sh VERSION OUTPUT_FOLDER
set -eu
umask 022
export LC_ALL=C SOURCE_DATE_EPOCH
version=$1
out=$2
here=$(dirname "$0")
arch=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/debian/deskd
symbols=$work/debian/deskd-dbgsym

make --no-print-directory install DESTDIR="$root" PREFIX=/usr >/dev/null
mkdir -p "$root/etc" "$root/DEBIAN" "$symbols/DEBIAN" "$symbols/usr/share/doc" "$out"
"$root/usr/bin/deskd" settings >"$root/etc/deskd.conf"

# gdb finds the symbols by the identifier of the build, in any folder of programs.
build=$(readelf -n "$root/usr/bin/deskd" | sed -n 's/^ *Build ID: //p')
[ -n "$build" ] || { echo "deb: the linker has given the program no build id" >&2; exit 1; }
rest=${build#??}
debug=$symbols/usr/lib/debug/.build-id/${build%"$rest"}/$rest.debug
mkdir -p "${debug%/*}"
objcopy --only-keep-debug --compress-debug-sections "$root/usr/bin/deskd" "$debug"
chmod 644 "$debug"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/deskd"
objcopy --add-gnu-debuglink="$debug" "$root/usr/bin/deskd"
ln -s deskd "$symbols/usr/share/doc/deskd-dbgsym"

gzip -9n "$root/usr/share/man/man1/deskd.1"
gzip -9n "$root/usr/share/doc/deskd/CHANGELOG.md"
rm "$root/usr/share/doc/deskd/LICENSE" # Debian has its text; the file copyright refers to it
install -m 644 "$here/copyright" "$root/usr/share/doc/deskd/copyright"

cp "$here/control" "$work/debian/control"
maintainer=$(sed -n 's/^Maintainer: //p' "$here/control")
date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
printf 'deskd (%s) unstable; urgency=low\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" "$maintainer" "$date" >"$work/debian/changelog"
gzip -9nc "$work/debian/changelog" >"$root/usr/share/doc/deskd/changelog.gz"
(cd "$work" && dpkg-shlibdeps --warnings=0 -Tdebian/substvars -edebian/deskd/usr/bin/deskd && dpkg-gencontrol -Pdebian/deskd -Tdebian/substvars -cdebian/control -ldebian/changelog -fdebian/files 2>/dev/null)
for script in postinst prerm postrm; do install -m 755 "$here/$script" "$root/DEBIAN/$script"; done
echo /etc/deskd.conf >"$root/DEBIAN/conffiles"
cat >"$symbols/DEBIAN/control" <<END
Package: deskd-dbgsym
Source: deskd
Version: $version
Auto-Built-Package: debug-symbols
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(($(stat -c %s "$debug") / 1024 + 3))
Depends: deskd (= $version)
Section: debug
Priority: optional
Description: debug symbols for deskd
Build-Ids: $build
END
for tree in "$root" "$symbols"; do
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums && chmod 644 DEBIAN/md5sums)
done
dpkg-deb --root-owner-group --build "$root" "$out/deskd_${version}_$arch.deb"
dpkg-deb --root-owner-group --build "$symbols" "$out/deskd-dbgsym_${version}_$arch.deb"
