#!/bin/sh
# A look at deskd: fills a small demo desk where there is none, says how to log in, serves it until Ctrl-C.
# Usage: tools/run.sh DATA ADDRESS:PORT
set -eu
data=$1
listen=$2
secret=$data/demo-password

if [ ! -e "$data/desk.db" ]; then
    (umask 077 && mkdir -p "$data" && tr -dc 'a-km-z2-9' </dev/urandom | head -c 16 >"$secret" && echo >>"$secret")
    ./deskd demo --data "$data" --conversations 200 --password-file "$secret"
fi

if [ -e "$secret" ]; then
    cat <<END

Log in as owner@, admin@, agent@, collaborator@ or customer@example.com with the password $(cat "$secret"):

    curl -u agent@example.com:$(cat "$secret") 'http://$listen/api/v1/conversations?limit=3&_pretty=true'

The reference of the API is http://$listen/docs. Ctrl-C stops the desk; remove $data for a new one.

END
fi
exec ./deskd serve --data "$data" --listen "$listen"
