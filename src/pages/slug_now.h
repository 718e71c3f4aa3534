#if __has_include("core/helpcenter/slug.h")
#include "core/helpcenter/slug.h"
#else
#include "base/str.h"
#include <inttypes.h>
static inline struct str slug_of(struct arena *a, int64_t id, struct str title) {
    struct str out = str_fmt(a, "%" PRId64 "-%.*s", id, (int)title.n, title.p);
    for (char *p = (char *)out.p; *p; p++)
        if (*p == ' ' || *p == '/' || *p == '?' || *p == '#') *p = '-';
        else if (*p >= 'A' && *p <= 'Z') *p |= 0x20;
    return out;
}
static inline int64_t slug_id(struct str slug) {
    int64_t id;
    return str_to_int(str_cut(&slug, '-'), &id) && id > 0 ? id : 0;
}
#endif
