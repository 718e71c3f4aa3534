/* Pictures of brands on the home page, as JPEG in several widths: a browser loads the one that its window
 * needs. The store keeps them, so backups and other processes have them. */
#ifndef CORE_BRAND_PICTURE_H
#define CORE_BRAND_PICTURE_H

#include "work/work.h"

#define BRAND_PICTURE_WIDTHS 3
#define BRAND_PICTURE_LEAST 640 /* pixels: a narrower picture is refused, because it would look blurred */
/* Ascending. A picture that is narrower than one of them has its own width last. */
extern const int brand_picture_widths[BRAND_PICTURE_WIDTHS];

struct brand_picture {
    int width;
    struct str data;
};
/* Replaces the pictures. list: ascending by width. count 0: the brand has none from now on. */
int brand_picture_set(struct work *w, int64_t brand_id, const struct brand_picture *list, int count);
/* Returns 1, 0 if there is none of this width, or a negative error. */
int brand_picture_find(struct work *w, int64_t brand_id, int64_t width, struct str *data);

/* The path of a picture behind the base URL. at: time of its last change. */
struct str brand_picture_path(struct arena *a, int64_t brand_id, int width, int64_t at);

#endif
