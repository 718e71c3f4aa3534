/* The pictograms of pages: lines in the colour of the text. They say nothing to people who hear the page. */
#ifndef PAGES_ICON_H
#define PAGES_ICON_H

#include "base/buf.h"

enum icon {
    ICON_SEARCH,
    ICON_FILE,
    ICON_UP,   /* a thumb */
    ICON_DOWN, /* the same */
    ICON_GLAD,
    ICON_SAD,
    ICON_BACK, /* turns with the direction of the page */
};

void icon_write(struct buf *out, enum icon icon);

#endif
