/* The allow-lists of elements, attributes and values in the HTML of a message. The cleaner writes by these
 * tables, and files/html_check.c checks its output by them. */
#ifndef FILES_HTML_RULES_H
#define FILES_HTML_RULES_H

#include "base/buf.h"

#define HTML_DEPTH 100         /* nested elements; deeper ones are left out, their contents stay */
#define HTML_ELEMENTS 50000    /* elements of one text; the text ends before the next one */
#define HTML_STYLE_BYTES 1000  /* bytes of one attribute */
#define HTML_DATA_BYTES 262144 /* bytes of a picture in a data: address */

/* Folds what a mail quotes (mail/read_text.c). <details> has no other form. */
#define HTML_FOLDED_CLASS "quoted"
#define HTML_FOLDED_BEGIN "<details class=\"" HTML_FOLDED_CLASS "\"><summary>\xE2\x80\xA6</summary>"
#define HTML_FOLDED_END "</details>"

enum {
    HTML_ALONE = 1,  /* it has no end tag */
    HTML_BLOCK = 2,  /* text after it begins a line */
    HTML_DROP = 4,   /* removed with its contents */
    HTML_CELL = 8,   /* a cell of a table */
    HTML_QUOTE = 16, /* a quotation */
    HTML_APART = 32, /* an empty line before and after it */
    HTML_FOLD = 64,  /* it begins with HTML_FOLDED_BEGIN */
};

struct html_element {
    const char *name;
    unsigned flags;
    const char *attributes; /* in addition to those of every element; separated by blanks */
};
/* Returns the element of this name, or NULL if it is not allowed. Its contents stay. */
const struct html_element *html_element_named(const char *name);

struct html_attribute {
    const char *name;
    /* Appends the clean value. Returns false if the value is not allowed; html_value then removes what was
     * appended. A clean value stays unchanged. */
    bool (*clean)(struct buf *out, struct str value);
};
/* Attributes in the order in which they are written; ends with name NULL. */
extern const struct html_attribute html_attributes[];
enum { HTML_HREF, HTML_SRC, HTML_DATA_SRC, HTML_ADDRESSES /* the first that is not an address */ };
bool html_may_have(const struct html_element *e, const char *attribute);
bool html_value(struct buf *out, const struct html_attribute *a, struct str value);

bool html_style(struct buf *out, struct str style);  /* a list of declarations */
bool html_colour(struct buf *out, struct str value); /* #rgb, #rrggbb, a name, rgb(), rgba() */

/* Returns true for control characters except tab and line break. No text keeps them. */
static inline bool html_is_control(char c) {
    return ((unsigned char)c < ' ' && c != '\t' && c != '\n') || c == 0x7F;
}

#endif
