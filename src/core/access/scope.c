#include "core/access/scope.h"

const char *const scopes[] = {"users", "conversations", "insights", "search", "configuration", NULL};

uint32_t scope_bit(struct str name, bool writes) {
    for (int i = 0; scopes[i]; i++)
        if (str_eq(str_of(scopes[i]), name)) return UINT32_C(1) << (2 * i + writes);
    return 0;
}

bool scope_granted(const struct actor *a, const char *name, bool writes) {
    uint32_t write = scope_bit(str_of(name), true), read = scope_bit(str_of(name), false);
    return name[0] == 0 || (a->scopes & (writes ? write : read | write)) != 0;
}
