#!/bin/sh
# Prints the lines of a sources.list for the Debian release SUITE, from the archives of Debian that this machine's apt uses.
# Usage: tools/debian_sources.sh SUITE
set -eu
suite=$1
# CODENAME is of the form bookworm, bookworm-updates or bookworm-security.
apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    sed -n "s,^Debian \([^ ]*\) [a-z]*\(-updates\|-security\|\) \([a-z-]*\)$,deb \1 $suite\2 \3,p" | sort -u
