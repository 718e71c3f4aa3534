#!/bin/sh
# Prints the files of the built console as C bytes. Usage: tools/embed_bytes.sh FOLDER
# page.html is embedded as it is; widget.js.gz and each of FOLDER/files/*.gz under their names without .gz.
set -eu
folder=$1
numbers() { od -An -v -tu1 "$1" | sed 's/  *\([0-9]\)/,\1/g; s/^,//; s/$/,/'; }
echo '#include "console/files.h"'
n=0 rows=
for f in "$folder/page.html" "$folder/widget.js.gz" "$folder"/files/*.gz; do
    echo "static const unsigned char bytes_$n[] = {"
    numbers "$f"
    echo '};'
    name=${f##*/}
    rows="$rows    {\"${name%.gz}\", bytes_$n, sizeof bytes_$n},
"
    n=$((n + 1))
done
printf 'const struct console_file console_files[] = {\n%s    {0}};\n' "$rows"
