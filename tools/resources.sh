#!/bin/sh
# Prints the table of the resources as C. Usage: tools/resources.sh FILE...
# A resource is a constant whose definition begins a line: const struct resource NAME_resource. They are in the order of
# their names, which is the order of the reference.
names=$(sed -n 's/^const struct resource \([a-z_0-9]*_resource\) .*/\1/p' "$@" | LC_ALL=C sort)
echo '#include "api/table/resource.h"'
printf 'extern const struct resource %s;\n' $names
echo 'const struct resource *const resources[] = {'
printf '    &%s,\n' $names
echo '    NULL};'
