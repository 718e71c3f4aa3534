/* Colours with enough contrast (WCAG 2.2, 1.4.3): of a brand's colour, those that text can have or stand
 * on. */
#ifndef PAGES_COLOR_H
#define PAGES_COLOR_H

#include "base/buf.h"

struct rgb {
    unsigned char c[3];
};

bool color_read(struct str text, struct rgb *out); /* "#0b4fc4" */
void color_write(struct buf *out, struct rgb c);
/* black or white, whichever can be read on it: at least 4.58 */
struct rgb color_on(struct rgb back);
/* Moves a colour towards black or white until it has a contrast of 4.5 to this background. */
struct rgb color_readable(struct rgb c, struct rgb back);
/* part of 32 on the way from c to the end */
struct rgb color_between(struct rgb c, struct rgb end, int part);
/* a darker or lighter colour, on which color_on(c) can be read at least as well as on c */
struct rgb color_deep(struct rgb c);

#endif
