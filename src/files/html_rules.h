/* What the HTML of a message may hold: the allow-list of elements, attributes and values. The cleaner writes by these tables, and what
 * it has written is checked by them again (files/html_check.c). */
#ifndef FILES_HTML_RULES_H
#define FILES_HTML_RULES_H

#include "base/buf.h"

#define HTML_DEPTH 100         /* elements within each other; deeper ones are left out, what is in them stays */
#define HTML_ELEMENTS 50000    /* of one text; it ends before the next one */
#define HTML_STYLE_BYTES 1000  /* of one attribute */
#define HTML_DATA_BYTES 262144 /* of a picture in an address: data: */

enum {
    HTML_ALONE = 1,  /* it has no end tag */
    HTML_BLOCK = 2,  /* text begins a line behind it */
    HTML_DROP = 4,   /* with all that is in it */
    HTML_CELL = 8,   /* a cell of a table */
    HTML_QUOTE = 16, /* what is in it was said by others */
    HTML_APART = 32, /* an empty line before and behind it */
};

struct html_element {
    const char *name;
    unsigned flags;
    const char *attributes; /* beside those that each element may have; with blanks between them */
};
/* The element of this name. NULL: one that is left out, while what is in it stays. */
const struct html_element *html_element_named(const char *name);

struct html_attribute {
    const char *name;
    /* Adds the value as it may stand. Returns false if it may not; what it has added is then undone. Done twice, it changes nothing. */
    bool (*clean)(struct buf *out, struct str value);
};
/* Attributes in the order in which they are written; ends with name NULL. */
extern const struct html_attribute html_attributes[];
enum { HTML_HREF, HTML_SRC, HTML_DATA_SRC, HTML_ADDRESSES /* the first that is no address */ };
bool html_may_have(const struct html_element *e, const char *attribute);
bool html_value(struct buf *out, const struct html_attribute *a, struct str value);

bool html_style(struct buf *out, struct str style);  /* a list of declarations */
bool html_colour(struct buf *out, struct str value); /* #rgb, #rrggbb, a name, rgb(), rgba() */

/* What no text keeps: control characters but tab and line break. */
static inline bool html_is_control(char c) { return ((unsigned char)c < ' ' && c != '\t' && c != '\n') || c == 0x7F; }

#endif
