/* The pictograms of pages: lines in the colour of the text. They say nothing to people who hear the page. */
#ifndef PAGES_ICON_H
#define PAGES_ICON_H

#include "base/buf.h"
#include "core/words.h"

enum icon {
    ICON_SEARCH,
    ICON_FILE,
    ICON_UP,   /* a thumb */
    ICON_DOWN, /* the same */
    ICON_GLAD,
    ICON_SAD,
    ICON_BACK, /* turns with the direction of the page */
    /* of categories, in the order of enum category_icon */
    ICON_CATEGORY_BOOK,
    ICON_CATEGORY_CARD,
    ICON_CATEGORY_BOX,
    ICON_CATEGORY_PERSON,
    ICON_CATEGORY_LOCK,
    ICON_CATEGORY_SETTINGS,
    ICON_CATEGORY_CHAT,
    ICON_CATEGORY_PHONE,
    ICON_CATEGORY_CHART,
    ICON_CATEGORY_START,
    ICON_CATEGORY_STAR,
    ICON_CATEGORY_QUESTION,
};

/* Returns the icon of a category that has chosen this one. */
enum icon icon_of_category(enum category_icon icon);

void icon_write(struct buf *out, enum icon icon);

#endif
