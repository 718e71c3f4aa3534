/* Logos of brands, scaled. They are small, so the store keeps them. */
#ifndef CORE_BRAND_LOGO_H
#define CORE_BRAND_LOGO_H

#include "work/work.h"

#define LOGO_SIDE 320 /* pixels: neither side is longer */

/* data.p NULL: the brand has none from now on */
int brand_logo_set(struct work *w, int64_t brand_id, struct str type, struct str data);
/* 1, or 0 if there is none */
int brand_logo_find(struct work *w, int64_t brand_id, struct str *type, struct str *data);

#endif
