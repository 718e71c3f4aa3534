#include "pages/icon.h"

#include "base/html.h"

/* Paths in a square of 24. */
static const struct {
    const char *path;
    bool turns;
} icons[] = {
    [ICON_SEARCH] = {"M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14zM16 16l5 5", false},
    [ICON_FILE] = {"M14 3H6v18h12V7zM14 3v4h4M9 12h6M9 16h6", false},
    [ICON_UP] = {"M7 10v10H3V10zM7 10l4-7c2 0 2.6 1.6 2 3.5L12.5 9H19a2 2 0 0 1 2 2.3l-1.2 7"
                 "A2 2 0 0 1 17.8 20H7",
                 false},
    [ICON_DOWN] = {"M17 14V4h4v10zM17 14l-4 7c-2 0-2.6-1.6-2-3.5l.5-2.5H5a2 2 0 0 1-2-2.3l1.2-7"
                   "A2 2 0 0 1 6.2 4H17",
                   false},
    [ICON_GLAD] = {"M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zM8.5 14.5c1.8 2.3 5.2 2.3 7 0M9 9.5v.2M15 9.5v.2",
                   false},
    [ICON_SAD] = {"M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zM8.5 16.2c1.8-2.3 5.2-2.3 7 0M9 9.5v.2M15 9.5v.2",
                  false},
    [ICON_BACK] = {"M15 5l-7 7l7 7", true},
};

void icon_write(struct buf *out, enum icon icon) {
    html(out, "<svg class=\"icon%h\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"%h\"/></svg>",
         icons[icon].turns ? " turns" : "", icons[icon].path);
}
