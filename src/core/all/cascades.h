/* The table of all cascades. Each desk that writes has it as .cascades. */
#ifndef CORE_ALL_CASCADES_H
#define CORE_ALL_CASCADES_H

#include "core/desk/cascade.h"

extern const struct cascade_row cascades[CASCADES];

#endif
