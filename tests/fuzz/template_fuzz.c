/* Contents of templates. Every accepted block is a slice of the contents. Filled with hostile values, a
 * subject is one line, and HTML has no new tags. */
#include "core/text/template.h"

#include <assert.h>

static size_t count(struct str s, char c) {
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) n += s.p[i] == c;
    return n;
}

static void fill(struct str contents, struct str block, bool html) {
    static const char *const names[] = {"desk", "name", "address", "url", "link", "life", "form"};
    struct meaning hostile[8] = {0};
    struct buf out = {0};
    for (size_t i = 0; i < 7; i++)
        hostile[i] = (struct meaning){.name = names[i], .value = S("<b a=\"'>\r\nBcc: {{x}}{% endblock %}")};
    assert(block.p >= contents.p && block.p + block.n <= contents.p + contents.n);
    template_fill(&out, block, hostile, html);
    struct str filled = buf_view(&out);
    if (html)
        assert(count(filled, '<') == count(block, '<') && count(filled, '"') == count(block, '"') &&
               count(filled, '\'') == count(block, '\''));
    assert(count(filled, '\r') == 0 && count(filled, '\n') == count(block, '\n'));
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct str contents = str_dup(a, (struct str){(const char *)data, size});
    for (const struct template *t = templates; t->name && utf8_valid(contents); t++) {
        struct template_blocks b;
        const char *why = NULL;
        if (!template_parse(a, t, contents, &b, &why)) {
            assert(why && why[0]);
            continue;
        }
        for (int i = 0; i < BLOCKS; i++)
            if (b.block[i].p) fill(contents, b.block[i], i == BLOCK_HTML || i == BLOCK_BODY);
        assert(count(b.block[BLOCK_SUBJECT], '\n') == 0);
    }
    arena_free(a);
    return 0;
}
