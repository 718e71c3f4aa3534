#!/bin/sh
# Schema files as C text: schema_files[] of db/db.h.
echo '#include "db/db.h"'
echo 'const struct schema_file schema_files[] = {'
for f in "$@"; do
    printf '    {"%s",\n' "$(basename "$f")"
    sed 's/\\/\\\\/g; s/"/\\"/g; s/^/     "/; s/$/\\n"/' "$f"
    echo '    },'
done
echo '    {0}};'
