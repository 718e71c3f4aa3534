#!/bin/sh
# Fills a small demo desk if there is none, serves it until Ctrl-C, and prints how to log in when it listens.
# Usage: tools/run.sh DATA ADDRESS:PORT
set -eu
data=$1
listen=$2
deskd=${DESKD:-./deskd}
secret=$data/demo-password

if [ ! -e "$data/desk.db" ]; then
    (umask 077 && mkdir -p "$data" && tr -dc 'a-km-z2-9' </dev/urandom | head -c 16 >"$secret" && echo >>"$secret")
    "$deskd" demo --data "$data" --conversations 200 --password-file "$secret"
fi

say_logins() {
    if [ -e "$secret" ]; then
        cat <<END

The console of the team is $1/agent. Log in there as owner@, admin@, agent@ or collaborator@example.com with the
password $(cat "$secret"). Programs log in with it, too, also as customer@example.com:

    curl -u agent@example.com:$(cat "$secret") '$1/api/v1/conversations?limit=3&_pretty=true'
END
    fi
    cat <<END

The reference of the API is $1/docs. Ctrl-C stops the desk; remove $data for a new one.

END
}

# Prints the output of the server. Ignores Ctrl-C, because the server handles it and this ends with the server.
announce() {
    trap '' INT
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case "$line" in
        "deskd: listening on http"*) say_logins "${line#deskd: listening on }" ;;
        "deskd: "*"ddress already in use"*)
            echo "Another program listens on $listen. Serve on another port: make run LISTEN=127.0.0.1:8081" ;;
        esac
    done
}

place=$(mktemp -d)
mkfifo "$place/said"
announce <"$place/said" &
announcer=$!
trap : INT TERM # the server ends first
status=0
"$deskd" serve --data "$data" --listen "$listen" >"$place/said" 2>&1 || status=$?
wait "$announcer" || true
rm -r "$place"
exit "$status"
