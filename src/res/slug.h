/* Slugs as a member: one for each title, shown in place (core/helpcenter/slug.h). */
#ifndef RES_SLUG_H
#define RES_SLUG_H

#include "api/table/resource.h"

/* type: category_slug or section_slug. A further one is a line at the end of slug.c. */
#define SLUGS_MEMBER(type)                                                                                \
    {                                                                                                     \
        "slugs", F_ROWS, READONLY, .ref = type, .owned_by = "owner_id",                                   \
                                   .doc = "Last parts of addresses of pages, one for each title.",        \
                                   .example = "[{\"locale\": \"en-us\", \"translation\": \"3-billing\"}]" \
    }

#endif
