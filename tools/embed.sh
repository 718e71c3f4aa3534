#!/bin/sh
# Prints files as C text. Usage: tools/embed.sh HEADER 'struct NAME' ARRAY FOLDER FILE...
# Each row of the array is {name, text}. A name is the file's path without FOLDER/.
header=$1 type=$2 array=$3 folder=$4
shift 4
printf '#include "%s"\nconst %s %s[] = {\n' "$header" "$type" "$array"
for f in "$@"; do
    printf '    {"%s",\n' "${f#"$folder/"}"
    sed 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/^/     "/; s/$/\\n"/' "$f"
    echo '    },'
done
echo '    {0}};'
