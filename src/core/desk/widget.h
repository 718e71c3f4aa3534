/* The widget: a part of the help desk in pages of other sites (docs/ARCHITECTURE.md "Origins of the
 * widget").
 *
 * Owners list the origins of these pages for each brand. An origin belongs to one brand, so the header
 * Origin of a request names the brand. Each request with an Origin needs the list, also preflights, which
 * read nothing from the store. So it is kept in memory and read again after each write. */
#ifndef CORE_WIDGET_H
#define CORE_WIDGET_H

#include "work/work.h"

struct widgets;
struct widgets *widgets_new(void); /* NULL: no memory */
void widgets_free(struct widgets *x);
/* Reads the list again. payload: ignored; another process has changed it. */
void widgets_notified(struct desk *d, struct str payload);

/* The brand that an owner has given this origin; 0: none. The header Origin is compared byte by byte,
 * because browsers send it in one form. */
int64_t widget_brand_of(const struct desk *d, struct str origin);

/* An origin in the form that browsers send: https://shop.example, or with a port. http is for localhost
 * only. p NULL: the text is no such origin. */
struct str widget_origin_read(struct arena *a, struct str text);

/* 1 if an enabled brand lists this origin in the store, 0 if not, or a negative error: for what outlasts a
 * request. */
int widget_lists(struct work *w, int64_t brand_id, struct str origin);

/* The look of a widget before a conversation. Texts are in the arena. */
struct widget_look {
    struct str name, color, theme, locale, greeting; /* color, greeting: p NULL: none */
    int64_t logo_at;                                 /* 0: no logo */
    bool is_anonymous_allowed, has_secret;
};
/* 1; 0 if the brand is gone; or a negative error */
int widget_look(struct work *w, int64_t brand_id, struct widget_look *out);
/* 1 if visitors of the widget may open conversations without a signature, 0 if not, or a negative error */
int widget_allows_anonymous(struct work *w, int64_t brand_id);

enum widget_member { WIDGET_ORIGINS = 1, WIDGET_GREETING = 2, WIDGET_ANONYMOUS = 4 };
struct widget_change {
    unsigned set;              /* bits of enum widget_member */
    const struct str *origins; /* as widget_origin_read makes them, without duplicates */
    int origin_count;
    struct str greeting; /* p NULL: none */
    bool is_anonymous_allowed;
};
/* Stores what is set. Fails with FIELD_DUPLICATE at origins/<n> for an origin of another brand. */
int widget_change(struct work *w, int64_t brand_id, const struct widget_change *x);
/* The list in memory is read again after the COMMIT, in every process. Call it if a brand was deleted or
 * enabled. */
int widgets_changed(struct work *w);

#endif
