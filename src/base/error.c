#include "base/error.h"

#include <assert.h>
#include <stddef.h>

static const struct error_info table[] = {
    {NULL, 200, NULL, NULL},
#define ERROR(code, status, message, doc) {#code, status, message, doc},
#include "base/errors.def"
#undef ERROR
};

const struct error_info *error_info(int err) {
    if (err < 0) err = -err;
    assert(err < ERR_COUNT);
    return &table[err];
}
