/* What rules may ask about; each kind of object lists its own (api/filter.c). */
#include "api/generic.h"

const struct resource definition_resource = {.type = "definition",
                                             .title = "Definitions",
                                             .doc = "Fields that predicates may use, with their operators and values.",
                                             .fields = definition_fields,
                                             .rows = definition_rows};
