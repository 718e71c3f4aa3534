/* Definitions of the fields that rules may use. Each kind of object has its own list (api/filter.c). */
#include "api/generic.h"

const struct resource definition_resource = {.type = "definition",
                                             .title = "Definitions",
                                             .doc = "Fields that predicates may use, with their operators and values.",
                                             .fields = definition_fields,
                                             .rows = definition_rows};
