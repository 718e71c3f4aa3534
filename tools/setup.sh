#!/bin/sh
# Installs the missing packages for building, running or testing with apt-get, as root or through sudo. Names them first.
# Does nothing if none is missing. Usage: tools/setup.sh run | test | deep | image | cluster
set -eu

run="gcc g++ make cmark-gfm tzdata pkg-config libc6-dev libmicrohttpd-dev libsqlite3-dev libpq-dev libsodium-dev libglib2.0-dev libxxhash-dev libcurl4-openssl-dev libfido2-dev libidn2-dev libphonenumber-dev libgmime-3.0-dev libytnef0-dev libqrencode-dev libgd-dev libjpeg-dev libseccomp-dev libwslay-dev libpcre2-dev libgumbo-dev libarchive-dev zlib1g-dev libstemmer-dev libcjose-dev libssl-dev curl"
# npm builds the console. A source archive has it built.
[ -e "$(dirname "$0")/../web/dist/page.html" ] || run="$run nodejs npm ca-certificates"
test="$run libcmocka-dev nodejs npm ca-certificates postgresql pgbouncer sqlite3 strace python3-aiosmtpd openssl fakeroot dpkg-dev lintian man-db systemd chromium firefox-esr"
# Mail servers for tests run from temporary folders, and of prometheus only promtool runs. The services of the packages are not started.
deep="$test clang clang-format graphviz postfix dovecot-imapd swaks prometheus valgrind"
image="$run dpkg-dev fakeroot mmdebstrap umoci nodejs curl"
cluster="$test patroni python3-etcd etcd-server iproute2 procps"

case "${1:-}" in
run) wanted=$run ;;
test) wanted=$test ;;
deep) wanted=$deep ;;
image) wanted=$image ;;
cluster) wanted=$cluster ;;
*) echo "usage: tools/setup.sh run | test | deep | image | cluster" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this system is not Debian. deskd needs the contents of these packages: $wanted" >&2
    exit 1
fi

# A command from another source (Node.js from its vendor, which includes npm) counts as the package.
present() {
    case "$1" in
    nodejs) command -v node >/dev/null && return ;;
    npm | curl | strace | cmark-gfm | gcc | g++ | make) command -v "$1" >/dev/null && return ;;
    esac
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

missing=
for package in $wanted; do present "$package" || missing="$missing $package"; done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    root=
elif command -v sudo >/dev/null; then
    root=sudo
else
    echo "setup: these packages are missing, and installing them needs root:$missing" >&2
    exit 1
fi

echo "setup: installing$missing (apt-get${root:+ with sudo})"
# apt-get waits for dpkg's lock, but not for the locks of the package lists and the archive, so it is tried again.
WAIT=5 TRIES=120
apt_get() {
    tries=0
    while ! said=$($root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=$((WAIT * TRIES)) "$@" 2>&1); do
        case "$said" in
        *"Could not get lock"* | *"Unable to acquire the dpkg"*) ;;
        *) tries=$TRIES ;;
        esac
        if [ "$tries" -ge "$TRIES" ]; then
            echo "$said" >&2
            exit 1
        fi
        [ "$tries" -gt 0 ] || echo "setup: another apt or dpkg is running: waiting for it"
        tries=$((tries + 1))
        sleep $WAIT
    done
}

# Debian starts the services of a package when it is installed, unless this file forbids it.
policy=/usr/sbin/policy-rc.d
case "$missing" in
*postfix* | *dovecot* | *prometheus* | *pgbouncer* | *patroni* | *etcd-server*)
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | $root sh -c "cat >$policy && chmod 755 $policy"
        trap '$root rm -f "$policy"' EXIT
    fi
    ;;
esac

apt_get update
# shellcheck disable=SC2086
apt_get install -y --no-install-recommends --no-remove $missing
