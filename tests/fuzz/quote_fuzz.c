/* Texts and HTML whose quotes are separated. The boundary is a line, its offset is in the text, and
 * offsets never go back in a text. */
#include "mail/charset.h"
#include "mail/quote.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct quote_lines *l, size_t n, bool ordered) {
    struct quote_folds f = quote_folds_of(l);
    if (f.middle < 0 || f.middle > f.middle_end || f.middle_end > f.tail || f.tail > l->count) abort();
    for (int i = 0; i < l->count; i++)
        if (l->line[i].at > n || (ordered && i && l->line[i].at <= l->line[i - 1].at)) abort();
    bool left = l->count == 0;
    for (int i = 0; i < f.tail; i++) left |= i < f.middle || i >= f.middle_end;
    if (!left) abort(); /* something always stays */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct quote_lines lines;
    struct str text = charset_to_utf8(a, (struct str){(const char *)data, size}, S("utf-8"));
    quote_lines_of_html(a, text, &lines);
    check(&lines, text.n, false);
    text = text_without_controls(a, text);
    quote_lines_of_text(a, text, &lines);
    check(&lines, text.n, true);
    subject_is_forward(text);
    arena_free(a);
    return 0;
}
