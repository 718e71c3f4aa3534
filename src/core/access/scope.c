#include "core/access/scope.h"

#include <stdio.h>

const char *const scopes[] = {"users", "conversations", "insights", "search", "configuration", NULL};

uint32_t scope_bit(struct str name, bool writes) {
    for (int i = 0; scopes[i]; i++)
        if (str_eq(str_of(scopes[i]), name)) return UINT32_C(1) << (2 * i + writes);
    return 0;
}

bool scopes_check(const char *const *list, char *err, size_t size) {
    for (int i = 0; list[i]; i++) {
        const char *why = i >= 16 ? "a mask has room for 16 scopes" : NULL;
        for (int k = 0; k < i && why == NULL; k++)
            if (strcmp(list[k], list[i]) == 0) why = "another row has its name";
        if (why) return snprintf(err, size, "table of scopes, %s: %s", list[i], why), false;
    }
    return true;
}

bool scope_granted(const struct actor *a, const char *name, bool writes) {
    uint32_t write = scope_bit(str_of(name), true), read = scope_bit(str_of(name), false);
    return name[0] == 0 || (a->scopes & (writes ? write : read | write)) != 0;
}
