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
    [ICON_CATEGORY_BOOK] = {"M4 5a2 2 0 0 1 2-2h14v15H6a2 2 0 0 0 0 3h14v-3M4 5v14", false},
    [ICON_CATEGORY_CARD] = {"M3 6h18v12H3zM3 10h18M7 14.5h4", false},
    [ICON_CATEGORY_BOX] = {"M12 3l8 4v10l-8 4l-8-4V7zM4 7l8 4l8-4M12 11v10", false},
    [ICON_CATEGORY_PERSON] = {"M12 4a4 4 0 1 0 0 8a4 4 0 0 0 0-8zM4 21c1-7 15-7 16 0", false},
    [ICON_CATEGORY_LOCK] = {"M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4M12 15v2", false},
    [ICON_CATEGORY_SETTINGS] =
        {"M4 7h8M16 7h4M12 7a2 2 0 1 0 4 0a2 2 0 1 0-4 0M4 17h4M12 17h8M8 17a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
         false},
    [ICON_CATEGORY_CHAT] = {"M4 5h16v11h-9l-5 4v-4H4zM8 9h8M8 12h5", false},
    [ICON_CATEGORY_PHONE] = {"M7 3h10v18H7zM11 18h2", false},
    [ICON_CATEGORY_CHART] = {"M4 4v16h16M8 16v-4M12 16V8M16 16v-6", false},
    [ICON_CATEGORY_START] = {"M6 21V4h12l-3 4l3 4H6", false},
    [ICON_CATEGORY_STAR] = {"M12 4l2.5 5.2l5.5.8l-4 4l1 5.6l-5-2.7l-5 2.7l1-5.6l-4-4l5.5-.8z", false},
    [ICON_CATEGORY_QUESTION] =
        {"M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .8-1 1.7M12 17v.1",
         false},
};

void icon_write(struct buf *out, enum icon icon) {
    html(out, "<svg class=\"icon%h\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"%h\"/></svg>",
         icons[icon].turns ? " turns" : "", icons[icon].path);
}

enum icon icon_of_category(enum category_icon icon) {
    return (enum icon)(ICON_CATEGORY_BOOK + (int)icon - CATEGORY_BOOK);
}
